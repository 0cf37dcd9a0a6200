"""The gates' verdict on a sub-agent, kept for the next event of the main agent: the client tells only the person."""

import os

from hookkit.gates.counts import CountsFile
from hookkit.model import Decision, Event
from hookkit.system import clipping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

NAME = "verdicts"
MOST = 20  # verdicts that wait


def keep(event: Event, environ: dict[str, str], text: str) -> None:
    """A later verdict on the same sub-agent replaces an earlier verdict."""
    agent = event.text("agent_id")
    if not text or not event.session_id or not agent:
        return
    with CountsFile(environ, NAME, event.session_id) as kept:
        kept.pop(agent, None)
        while len(kept) >= MOST:
            kept.pop(next(iter(kept)))
        kept[agent] = text


def take(event: Event, settings: "Settings") -> Decision | None:
    """All verdicts that wait for this session, each told once."""
    try:
        counts = CountsFile(settings.environ, NAME, event.session_id)
        if not event.session_id or not _has_text(counts.path):
            return None
        with counts as kept:
            texts = [text for text in kept.values() if isinstance(text, str)]
            kept.clear()
    except OSError:
        return None  # no place for verdicts: none was kept
    return Decision(context=clipping.clip("\n".join(texts)), reason="the verdict on a sub-agent") if texts else None


def _has_text(path: str) -> bool:
    """Mostly no verdict waits: then no lock is taken."""
    try:
        return os.stat(path).st_size > len("{}")
    except OSError:
        return False

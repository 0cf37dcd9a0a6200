"""Asks all gates of an event and joins their answers: the agent is held back for every reason at once, or may stop."""

import os

from hookkit import events, registry
from hookkit.errors import HookkitError
from hookkit.model import Decision, Event
from hookkit.system import clipping, error_log
from hookkit.work.gates.counts import CountsFile
from hookkit.work.gates.state import GateState, together

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
    with CountsFile(environ, NAME, event.session_id) as notes:
        notes.pop(agent, None)
        while len(notes) >= MOST:
            notes.pop(next(iter(notes)))
        notes[agent] = text


def take(event: Event, settings: "Settings") -> Decision | None:
    """All verdicts that wait for this session, each told once."""
    try:
        counts = CountsFile(settings.environ, NAME, event.session_id)
        if not event.session_id or not _has_text(counts.path):
            return None
        with counts as notes:
            texts = [text for text in notes.values() if isinstance(text, str)]
            notes.clear()
    except OSError:
        return None  # no place for verdicts: none was kept
    return Decision(context=clipping.clip("\n".join(texts)), reason="the verdict on a sub-agent") if texts else None


def _has_text(path: str) -> bool:
    """Mostly no verdict waits: then no lock is taken."""
    try:
        return os.stat(path).st_size > len("{}")
    except OSError:
        return False


# The gates of each event, in the order in which they are asked.
GATES = {
    "Stop": ("promise", "checks", "approval", "commit"),
    "SubagentStop": ("artefacts", "checks", "approval"),
    "TaskCompleted": ("checks", "approval"),
}
LET_GO = "hookkit: the agent was held back {row} times in a row, the limit, so this stop passes without a check."


def answer(event: Event, settings: "Settings") -> Decision | None:
    """A gate that cannot count, or is broken, must let the agent stop: otherwise the agent never could."""
    state = GateState(event, settings)
    try:
        decision = _combined(state) if state.limit else None
        if decision is not None and decision.message and not events.EVENTS[event.name].message:
            error_log.record(settings.environ, f"gate {event.name}", HookkitError(decision.message))
    except (OSError, HookkitError) as error:
        return Decision(message=f"hookkit: the gates let go: {getattr(error, 'strerror', None) or error}")
    return decision


def _combined(state: GateState) -> Decision | None:
    row = state.row()
    if row >= state.limit:
        state.count(is_held=False)
        return Decision(message=LET_GO.format(row=row))
    gates = [registry.find("work/gates", name) for name in GATES[state.event.name]]
    decisions = [gate.run(state.event, state.settings, state) for gate in gates]
    decision = together([answer for answer in decisions if answer is not None])
    is_held = decision is not None and decision.verdict == "deny"
    state.count(is_held=is_held)
    if decision is not None and not is_held:
        keep(state.event, state.settings.environ, decision.message)
    return decision

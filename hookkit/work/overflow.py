"""Before a tool call: how full the context is, and a single request to write down the state of the work in time."""

from hookkit.model import Decision
from hookkit.transcripts import usage
from hookkit.work.tracked_event import TrackedEvent

USUAL, LARGE = 200_000, 1_000_000  # tokens


def overflow(tracked: TrackedEvent) -> Decision | None:
    """Asks once a session, while the context still has space."""
    session = tracked.session
    if session is None or tracked.is_part or not tracked.wants("overflow.enabled"):
        return None
    percent = tracked.settings["overflow.percent"]
    tokens = usage.tokens(tracked.event.text("transcript_path"))
    window = tracked.settings["overflow.window"] or session["window"] or _likely(tokens)
    share = round(tokens / window, 4) if tokens else 0
    if share and share != session["usage"]:
        tracked.work.write("UPDATE sessions SET usage = ? WHERE id = ?", share, session["id"])
    if not tokens or tokens * 100 < percent * window or session["warned"] or tracked.is_denied:
        return None
    tracked.work.write("UPDATE sessions SET warned = 1 WHERE id = ?", session["id"])
    first = "" if tracked.effort is not None else "run `hookkit effort start NAME`, then "
    return Decision(
        context=f"{share:.0%} of the context is used. Before it is full, write down for the next session what is done, "
        f"what is left and what was decided: {first}run `hookkit effort dehydrate` with that text on its standard "
        "input.",
        message=f"hookkit: {share:.0%} of the context is used. To go on in a new session, run: hookkit resume",
    )


def _likely(tokens: int) -> int:
    """The window of a client that does not tell its size: a usage above the usual window means a large window."""
    return USUAL if tokens <= USUAL else LARGE

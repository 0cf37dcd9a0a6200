"""Sessions, efforts and tasks: what the work is about beyond one conversation. Off until one of its parts is on."""

from hookkit import events
from hookkit.model import Decision, Event, combine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.settings.layers import Settings
    from hookkit.work.tracked import Tracked

    Step = Callable[[Tracked], Decision | None]

EVENTS = tuple(name for name in events.EVENTS if name not in events.NOISE)


def run(event: Event, settings: "Settings") -> Decision | None:
    if settings.is_idle("track"):
        return None
    from hookkit.work import status  # late: nobody pays for what is off
    from hookkit.work.tracked import Tracked

    tracked = Tracked(event, settings)
    try:
        said = _said(tracked)
        if tracked.wants("sessions.agents"):
            status.update(tracked)
    finally:
        tracked.work.close()
    return combine(said) if said else None


def _said(tracked: "Tracked") -> list[Decision]:
    """Each part in its turn; once one denies, what would go along with the call waits for the next."""
    said: list[Decision] = []
    for step in _steps(tracked.event.name):
        decision = step(tracked)
        said += [decision] if decision is not None else []
        if decision is not None and decision.verdict == "deny":
            break
    return said


def _steps(name: str) -> "tuple[Step, ...]":
    from hookkit.work import lifecycle, memory, pulse

    rows: dict[str, tuple[Step, ...]] = {
        "SessionStart": (lifecycle.start, memory.inject),
        "SessionEnd": (lifecycle.end,),
        "SubagentStart": (lifecycle.part,),
        "SubagentStop": (lifecycle.part_end,),
        "UserPromptSubmit": (lifecycle.prompt, memory.inject),
        "UserPromptExpansion": (lifecycle.begin,),
        "PreToolUse": (pulse.guards, pulse.beat, pulse.overflow, memory.inject),
        "PostToolUse": (memory.loaded, memory.dialogue, memory.directives, memory.inject),
        "PostToolUseFailure": (memory.failure, memory.inject),
    }
    return rows.get(name, ())

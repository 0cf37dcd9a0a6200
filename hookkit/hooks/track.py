"""Sessions, efforts and tasks across conversations. Does nothing until a part is switched on."""

from hookkit import events
from hookkit.model import Decision, Event, combine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.settings.layers import Settings
    from hookkit.work.sessions import TrackedEvent

    Step = Callable[[TrackedEvent], Decision | None]


EVENTS = tuple(name for name in events.EVENTS if name not in events.NOISE)


def run(event: Event, settings: "Settings") -> Decision | None:
    if settings.is_idle("track"):
        return None
    from hookkit.work import agents  # late: free while all parts are off
    from hookkit.work.sessions import TrackedEvent

    tracked = TrackedEvent(event, settings)
    try:
        decisions = _decisions(tracked)
        if tracked.wants("status"):
            agents.update(tracked)
    finally:
        tracked.work.close()
    return combine(decisions) if decisions else None


def _decisions(tracked: "TrackedEvent") -> list[Decision]:
    """Runs the parts in order; after a deny the rest waits for the next call."""
    from hookkit.work import lifecycle

    lifecycle.attach(tracked)
    decisions: list[Decision] = []
    for step in _steps(tracked.event.name):
        decision = step(tracked)
        decisions += [decision] if decision is not None else []
        if decision is not None and decision.verdict == "deny":
            break
    return decisions


def _steps(name: str) -> "tuple[Step, ...]":
    from hookkit.work import efforts, lifecycle, memory, skills

    rows: dict[str, tuple[Step, ...]] = {
        "SessionStart": (lifecycle.start, memory.inject),
        "SessionEnd": (lifecycle.end,),
        "SubagentStart": (lifecycle.part,),
        "SubagentStop": (lifecycle.part_end,),
        "UserPromptSubmit": (lifecycle.prompt, memory.inject, skills.add_later),
        "UserPromptExpansion": (lifecycle.begin,),
        "PreToolUse": (efforts.judge, memory.beat, memory.overflow, memory.inject, skills.add_later),
        "PostToolUse": (memory.loaded, memory.dialogue, memory.directives, memory.inject, skills.add_later),
        "PostToolUseFailure": (memory.failure, memory.inject),
    }
    return rows.get(name, ())

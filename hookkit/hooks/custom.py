"""Runs the user's own handlers from [[hooks]] and merges their replies."""

from hookkit.events import EVENTS as ALL
from hookkit.model import Decision, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

EVENTS = tuple(ALL)


def run(event: Event, settings: "Settings") -> Decision | None:
    rows = settings.values.get("hooks")
    if not rows:
        return None
    from hookkit.engine.answer import answer

    return answer(event, settings)


def is_cold(event: Event, settings: "Settings") -> bool:
    """Whether a handler is meant by this event: handlers get the caller's whole environment."""
    from hookkit.engine import matching

    return any(matching.is_meant(row, event, settings) for row in settings.values.get("hooks") or ())

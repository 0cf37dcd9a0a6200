"""Runs the user's own handlers from [[hooks]] and merges their replies."""

import os

from hookkit.events import EVENTS as ALL
from hookkit.model import Decision, Event
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings

EVENTS = tuple(ALL)


def run(event: Event, settings: "Settings") -> Decision | None:
    rows = _rows(event, settings)
    if not rows:
        return None
    meant = [row for row in rows if row["event"] == event.name]
    if not meant and not _has_results(settings):
        return None
    from hookkit.handlers.answer import answer

    return answer(event, settings, meant)


def _has_results(settings: "Settings") -> bool:
    """Whether a handler ever went on past its reply: its result may wait for this event."""
    state = files.state_dir(settings.environ)
    return bool(state) and os.path.isdir(os.path.join(state, "later"))


def _rows(event: Event, settings: "Settings") -> "list[dict[str, Any]]":
    """The rows of the settings; for agents that do not know Claude Code's files, the hooks of these files too."""
    rows: list[dict[str, Any]] = settings.values.get("hooks", [])
    if event.agent == "claude" and "claude_hooks" not in settings.values:
        return rows
    from hookkit.handlers import foreign

    return [*rows, *foreign.rows(event, settings)]


def is_cold(event: Event, settings: "Settings") -> bool:
    """Whether a handler is meant that needs the caller's environment; functions stay loaded in the warm server."""
    rows = [row for row in _rows(event, settings) if row["kind"] != "inline" or row["async"]]
    if not rows:
        return False
    from hookkit.handlers import answer

    return any(answer.is_meant(row, event, settings) for row in rows)

"""An event together with its session and effort, as the parts of `hookkit track` are given it."""

import os

from hookkit.model import Event
from hookkit.system import files
from hookkit.work import sessions
from hookkit.work.store import Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings

WAIT = 0.3  # seconds for another process's lock: the agent waits for the hook


class TrackedEvent:
    """`session` and `effort` are None if the event's ids are unknown: then no part acts on the event."""

    __slots__ = ("_effort", "event", "project", "session", "settings", "work")

    def __init__(self, event: Event, settings: "Settings") -> None:
        self.event = event
        self.settings = settings
        self.project = os.path.realpath(files.repository(event.project))
        self.work = Work(settings.environ, wait=WAIT)
        self.session: dict[str, Any] | None = None
        self._effort: dict[str, Any] | None = None
        self.look()

    def look(self) -> None:
        """Finds session and effort. Without a session of its own, a sub-agent's event belongs to its parent's."""
        part = self.event.text("agent_id")
        if self.event.session_id:
            self.session, self._effort = sessions.find(self.work, self.event.session_id, part)
            if part and self.session is None:
                self.session, self._effort = sessions.find(self.work, self.event.session_id, "")
        self.event.effort = str(self.effort["id"]) if self.effort is not None else ""

    @property
    def effort(self) -> "dict[str, Any] | None":
        """The active effort; a finished effort asks nothing more of a session."""
        effort = self._effort
        return effort if effort is not None and effort["lifecycle"] == "active" else None

    @property
    def is_part(self) -> bool:
        """Whether this is a sub-agent's event: a sub-agent has a context of its own."""
        return bool(self.event.text("agent_id"))

    @property
    def is_denied(self) -> bool:
        """Whether another hook denied the call: then the call is not counted, and no text goes with it."""
        decisions = [answer.decision for answer in self.event.answers or () if answer.decision is not None]
        return any(decision.verdict == "deny" for decision in decisions)

    def wants(self, part: str) -> bool:
        return part in self.settings["sessions.parts"]

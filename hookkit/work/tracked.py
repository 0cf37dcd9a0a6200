"""An event with the session and the effort that it belongs to: what every part of tracking is handed."""

import os

from hookkit.model import Event
from hookkit.system import files
from hookkit.work.store import Found, Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings

WAIT = 0.3  # seconds for another's lock: an agent waits for us


class Tracked:
    """Ids that lead nowhere are no error: then `session` or `effort` is None, and parts leave the event alone."""

    __slots__ = ("event", "found", "project", "settings", "work")

    def __init__(self, event: Event, settings: "Settings") -> None:
        self.event = event
        self.settings = settings
        self.project = os.path.realpath(files.repository(event.project))
        self.work = Work(settings.environ, wait=WAIT)
        self.found = Found(None, None)
        self.look()

    def look(self) -> None:
        """A sub-agent's events belong to its own session if it has one, else to the one that it works for."""
        part = self.event.text("agent_id")
        if self.event.session_id:
            self.found = self.work.find(self.event.session_id, part)
            if part and self.found.session is None:
                self.found = self.work.find(self.event.session_id, "")
        self.event.effort = str(self.effort["id"]) if self.effort is not None else ""

    @property
    def session(self) -> "dict[str, Any] | None":
        return self.found.session

    @property
    def effort(self) -> "dict[str, Any] | None":
        """One that is finished asks nothing more of a session that began under it."""
        effort = self.found.effort
        return effort if effort is not None and effort["lifecycle"] == "active" else None

    @property
    def is_part(self) -> bool:
        """Whether this is a sub-agent's, which has a context of its own."""
        return bool(self.event.text("agent_id"))

    @property
    def is_denied(self) -> bool:
        """What another hook keeps from running is no call, and nothing that goes with it may be read."""
        said = [answer.decision for answer in self.event.answers or () if answer.decision is not None]
        return any(decision.verdict == "deny" for decision in said)

    def wants(self, part: str) -> bool:
        return bool(self.settings[part])

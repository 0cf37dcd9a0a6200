"""What a gate is given besides the event: how to hold the agent back without trapping it, and its rules."""

from hookkit.gates import counts
from hookkit.model import Decision, Event
from hookkit.system import clipping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings

MOST = 8  # in a row: the client ends the turn itself at the ninth
OWN = {"SubagentStop": "agent_id", "TaskCompleted": "task_id"}  # what ends there is not the session


class State:
    __slots__ = ("event", "limit", "name", "settings")

    def __init__(self, event: Event, settings: "Settings") -> None:
        self.event = event
        self.settings = settings
        self.limit = min(int(settings["gate.blocks"]), MOST)
        self.name = (event.name, event.session_id, event.text(OWN.get(event.name, "")))

    @property
    def book(self) -> counts.Book:
        return counts.Book(self.settings.environ, *self.name)

    def row(self) -> int:
        """How often in a row this was held back; a stop that does not follow one of these starts a new row."""
        with self.book as kept:
            if self.event.name != "TaskCompleted" and self.event.fields.get("stop_hook_active") is not True:
                kept["row"] = 0
            return counts.number(kept, "row")

    def blocks(self) -> int:
        with self.book as kept:
            return counts.number(kept, "blocks")

    def count(self, *, is_held: bool) -> None:
        with self.book as kept:
            kept["row"] = counts.number(kept, "row") + 1 if is_held else 0
            kept["blocks"] = counts.number(kept, "blocks") + is_held

    def hold(self, gate: str, most: int, reason: str, otherwise: str) -> Decision:
        """Hold the agent back with this reason; where that was said already, or often enough, tell the person."""
        with self.book as kept:
            may = counts.may_hold(kept, gate, most, reason)
        return Decision("deny", reason) if may else Decision(message=otherwise)

    def forget(self, gate: str) -> None:
        with self.book as kept:
            counts.forget(kept, gate)

    def rules(self, kind: str) -> "list[dict[str, Any]]":
        """The rules of a type for this very event: one for Stop is about the agent, not about its sub-agents."""
        if not self.settings.is_due(kind, self.event.name):
            return []
        from hookkit.policy.judge import Judge
        from hookkit.policy.rules import moment

        rules = Judge(self.settings.policy, self.settings.environ).due(kind, self.event)
        return [rule for rule in rules if moment(rule) == self.event.name]


def together(said: list[Decision]) -> Decision | None:
    """Every reason once, and every line for the person once."""
    reasons = dict.fromkeys(each.reason for each in said if each.verdict == "deny")
    messages = dict.fromkeys(each.message for each in said if each.message)
    if not (reasons or messages):
        return None
    return Decision("deny" if reasons else None, clipping.clip("\n\n".join(reasons)), message="\n".join(messages))

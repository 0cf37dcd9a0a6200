"""The counts and rules that a gate is given beside the event, so that holding the agent back never traps it."""

from hookkit.model import Decision, Event
from hookkit.system import clipping, programs
from hookkit.system.programs import Deadline
from hookkit.work.gates import counts
from hookkit.work.gates.counts import CountsFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.rules import Rule
    from hookkit.settings.layers import Settings

MOST = 8  # holds in a row: the client ends the turn itself at the ninth
OWN = {"SubagentStop": "agent_id", "TaskCompleted": "task_id"}  # the field with the id of the sub-agent or task


class GateState:
    __slots__ = ("deadline", "event", "limit", "name", "settings")

    def __init__(self, event: Event, settings: "Settings") -> None:
        self.event = event
        self.settings = settings
        self.deadline = Deadline(
            programs.time_for_programs(event.name, settings.environ)
        )  # one for all checks of this stop
        self.limit = min(int(settings["gate.blocks"]), MOST)
        self.name = (event.name, event.session_id, event.text(OWN.get(event.name, "")))

    @property
    def counts(self) -> CountsFile:
        return CountsFile(self.settings.environ, *self.name)

    def row(self) -> int:
        """Holds in a row. A new prompt of the person starts a new row, and so does a stop that passed.

        An agent that was held before, with no counts on disk, has lost its counts: the limit counts as reached.
        """
        prompt = self.event.text("prompt_id")
        with self.counts as counter:
            if not counter and self.event.fields.get("stop_hook_active") is True:
                counter["row"] = self.limit
            elif prompt and counter.get("prompt") != prompt:
                counter["row"] = 0
            counter["prompt"] = prompt
            return counts.number(counter, "row")

    def blocks(self) -> int:
        with self.counts as counter:
            return counts.number(counter, "blocks")

    def count(self, *, is_held: bool) -> None:
        with self.counts as counter:
            counter["row"] = counts.number(counter, "row") + 1 if is_held else 0
            counter["blocks"] = counts.number(counter, "blocks") + is_held

    def hold(self, gate: str, most: int, reason: str, otherwise: str) -> Decision:
        """Hold the agent back with a new reason, at most `most` times; otherwise only tell the person."""
        with self.counts as counter:
            may = counts.may_hold(counter, gate, most, counts.key(reason, self.settings.environ))
        return Decision("deny", reason) if may else Decision(message=otherwise)

    def forget(self, gate: str) -> None:
        with self.counts as counter:
            counts.forget(counter, gate)

    def rules(self, kind: str) -> "list[Rule]":
        """The rules of a type for exactly this event: a rule for Stop is not about sub-agents."""
        if not self.settings.is_due(kind, self.event.name):
            return []
        from hookkit.policy.judge import Judge
        from hookkit.policy.rules import moment

        rules = Judge(self.settings.policy, self.settings.environ).due(kind, self.event)
        return [rule for rule in rules if moment(rule) == self.event.name]


def together(decisions: list[Decision]) -> Decision | None:
    """All reasons and all messages, without repeats."""
    reasons = dict.fromkeys(decision.reason for decision in decisions if decision.verdict == "deny")
    messages = dict.fromkeys(decision.message for decision in decisions if decision.message)
    if not (reasons or messages):
        return None
    return Decision("deny" if reasons else None, clipping.clip("\n\n".join(reasons)), message="\n".join(messages))

"""Commands of the user's that must pass before the agent may stop; their output is the reason to go on."""

from hookkit.gates import commands
from hookkit.gates.state import together
from hookkit.model import Decision, Event
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.gates.state import GateState
    from hookkit.settings.layers import Settings


def run(event: Event, settings: "Settings", state: "GateState") -> Decision | None:
    said = [_one(text, why, seconds, state) for text, why, seconds in _wanted(event, settings, state)]
    return together([each for each in said if each is not None])


def _wanted(event: Event, settings: "Settings", state: "GateState") -> "Iterator[tuple[str, str, int]]":
    """Each command with the rule's reason and the time limit in seconds."""
    usual = int(settings["gate.check_seconds"])
    for text in settings.values.get("gate.checks", ()) if event.name == "Stop" else ():
        yield text, "", usual
    for rule in state.rules("command"):
        yield rule["run"], rule.get("reason", ""), rule.get("timeout") or usual


def _one(text: str, why: str, seconds: int, state: "GateState") -> Decision | None:
    gate = f"checks-{files.checksum(text.encode('utf-8', 'surrogatepass'))}"
    outcome = commands.run(text, state.event, state.settings.environ, seconds, state.deadline)
    if outcome.problem:
        return Decision(message=f"hookkit: {text} {outcome.problem}, so it does not hold the agent back.")
    if outcome.passed:
        state.forget(gate)
        return None
    reason = failure(text, outcome) + (f"\n{why}" if why else "")
    return state.hold(gate, state.limit, reason, f"hookkit: {text} still fails. The agent knows, and may stop.")


def failure(text: str, outcome: commands.CheckResult) -> str:
    return f"{text} fails (exit {outcome.code})" + (f":\n{outcome.said}" if outcome.said else ".")

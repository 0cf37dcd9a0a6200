"""Commands of the user's that must pass before the agent may stop; their output is the reason to go on."""

from hookkit.model import Decision, Event
from hookkit.system import files, jsons
from hookkit.system.user_programs import Deadline, UserProgram
from hookkit.work.gates.answer import together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.work.gates.answer import GateState


LINES = 20
CHARACTERS = 2_000
UNUSABLE = {126: "cannot be run", 127: "was not found"}
SIGNALS = range(129, 129 + 64)  # exit codes by which a shell reports the signal that ended its command


class CheckResult:
    """`problem` says why there is no result: the check neither passed nor failed."""

    __slots__ = ("code", "problem", "said")

    def __init__(self, code: int, output: str, problem: str = "") -> None:
        self.code = code
        self.said = output
        self.problem = problem

    @property
    def passed(self) -> bool:
        return not self.code and not self.problem


def run_command(
    text: str, event: "Event", environ: dict[str, str], seconds: float, deadline: Deadline | None = None
) -> CheckResult:
    """Runs the text in the project with the event as JSON on stdin; the text never holds data of the event."""
    program = UserProgram(text, event.project, environ, seconds)
    program.merged = program.last = True
    result = program.run(jsons.dumps(event.fields).encode(), deadline)
    output = last_lines(result.stdout.decode("utf-8", "replace"))
    if result.code is None:
        return CheckResult(0, output, result.problem)
    return _judged(result.code, output)


def _judged(code: int, output: str) -> CheckResult:
    if code < 0 or code in SIGNALS:
        return CheckResult(code, output, f"was ended by signal {-code if code < 0 else code - 128}")
    return CheckResult(code, output, UNUSABLE.get(code, ""))


def last_lines(text: str) -> str:
    """The end of the output, where the reason mostly stands, without control characters."""
    lines = [line.rpartition("\r")[2] for line in text.replace("\r\n", "\n").rstrip().split("\n")]
    end = "\n".join(lines[-LINES:])[-CHARACTERS:]
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in end)


def run(state: "GateState") -> Decision | None:
    decisions = [_one(text, why, seconds, state) for text, why, seconds in _wanted(state)]
    return together([decision for decision in decisions if decision is not None])


def _wanted(state: "GateState") -> "Iterator[tuple[str, str, int]]":
    """Each command with the rule's reason and the time limit in seconds."""
    settings = state.settings
    usual = int(settings["gate.check_seconds"])
    for text in settings.values.get("gate.checks", ()) if state.event.name == "Stop" else ():
        yield text, "", usual
    for rule in state.rules("command"):
        yield rule["run"], rule.get("reason", ""), rule.get("timeout") or usual


def _one(text: str, why: str, seconds: int, state: "GateState") -> Decision | None:
    gate = f"checks-{files.checksum(text.encode('utf-8', 'surrogatepass'))}"
    outcome = run_command(text, state.event, state.settings.environ, seconds, state.deadline)
    if outcome.problem:
        return Decision(message=f"hookkit: {text} {outcome.problem}, so it does not hold the agent back.")
    if outcome.passed:
        state.forget(gate)
        return None
    reason = failure(text, outcome) + (f"\n{why}" if why else "")
    return state.hold(gate, state.limit, reason, f"hookkit: {text} still fails. The agent knows, and may stop.")


def failure(text: str, outcome: CheckResult) -> str:
    return f"{text} fails (exit {outcome.code})" + (f":\n{outcome.said}" if outcome.said else ".")

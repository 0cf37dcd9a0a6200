"""Checks written by the user: the exit code is the result, the last lines of output are the reason."""

from hookkit.system import jsons
from hookkit.system.programs import Deadline, UserProgram

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.model import Event

LINES = 20
CHARACTERS = 2_000
UNUSABLE = {126: "cannot be run", 127: "was not found"}
SIGNALS = range(129, 129 + 64)  # exit codes by which a shell reports the signal that ended its command


class CheckResult:
    """`problem` says why there is no result: the check neither passed nor failed."""

    __slots__ = ("code", "problem", "said")

    def __init__(self, code: int, said: str, problem: str = "") -> None:
        self.code = code
        self.said = said
        self.problem = problem

    @property
    def passed(self) -> bool:
        return not self.code and not self.problem


def run(
    text: str, event: "Event", environ: dict[str, str], seconds: float, deadline: Deadline | None = None
) -> CheckResult:
    """Runs the text in the project with the event as JSON on stdin; the text never holds data of the event."""
    program = UserProgram(text, event.project, environ, seconds)
    program.merged = program.last = True
    result = program.run(jsons.dumps(event.fields).encode(), deadline)
    said = last_lines(result.stdout.decode("utf-8", "replace"))
    if result.code is None:
        return CheckResult(0, said, result.problem)
    return _judged(result.code, said)


def _judged(code: int, said: str) -> CheckResult:
    if code < 0 or code in SIGNALS:
        return CheckResult(code, said, f"was ended by signal {-code if code < 0 else code - 128}")
    return CheckResult(code, said, UNUSABLE.get(code, ""))


def last_lines(text: str) -> str:
    """The end of the output, where the reason mostly stands, without control characters."""
    lines = [line.rpartition("\r")[2] for line in text.replace("\r\n", "\n").rstrip().split("\n")]
    kept = "\n".join(lines[-LINES:])[-CHARACTERS:]
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in kept)

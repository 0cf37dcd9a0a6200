"""Programs that the user wrote: started by the shell, with a deadline and bounded output, ended with their children.

    deadline = Deadline(25)                                  # one for all programs of a call
    check = UserProgram("make lint", project, environ, 60)
    result = check.run(stdin, deadline)                      # one program, or
    results = run_together([(check, stdin), …], deadline)    # several at the same time

`run` raises nothing: `result.problem` says why a program gave no result. `supervisor` runs between hookkit and the
programs, and ends their children, in other process groups and sessions too.
"""

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

KEPT = 64 * 1024  # bytes of each output stream
LATE = "took longer than"  # begins the problem of a program whose time ran out
NO_TIME = "was not started: the programs before it took all the time of this call"
STOPPED = "was ended, because hookkit was ended from outside"


class ProgramResult:
    """A negative code is the signal that ended the program. `code` is None where `problem` says why there is none."""

    __slots__ = ("code", "left", "problem", "seconds", "stderr", "stdout")

    def __init__(self, code: int | None, stdout: bytes, stderr: bytes, problem: str = "") -> None:
        self.code = code
        self.stdout = stdout
        self.stderr = stderr
        self.problem = problem
        self.seconds = 0.0  # from the start to the end
        self.left: tuple[int, ...] = ()  # of a program that goes on: its lifeline, stdout, stderr and result


class Deadline:
    """The end of the time that all programs of one call have together, below the client's limit for the hook."""

    __slots__ = ("end",)

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    def left(self) -> float:
        return self.end - time.monotonic()


class UserProgram:
    """One shell command line of the user's. `merged` sends stderr to stdout; `last` keeps the end of the output.

    `goes_on` looks at the output so far: if it says yes, the runner stops waiting and hands over the open program
    (`ProgramResult.left`). The program ends when the last copy of its lifeline is closed.
    """

    __slots__ = ("directory", "environ", "goes_on", "last", "merged", "seconds", "text")

    def __init__(self, text: str, directory: str, environ: dict[str, str], seconds: float) -> None:
        self.text = text
        self.directory = directory
        self.environ = environ
        self.seconds = seconds
        self.merged = False
        self.last = False
        self.goes_on: Callable[[bytes], bool] | None = None

    def run(self, stdin: bytes, deadline: Deadline | None = None) -> ProgramResult:
        return run_together([(self, stdin)], deadline)[0]


def run_together(programs: list[tuple[UserProgram, bytes]], deadline: Deadline | None = None) -> list[ProgramResult]:
    """Run all programs at the same time, each with its stdin. A program that fails costs no other its result."""
    from hookkit.system.running import RunningPrograms

    with RunningPrograms(programs, deadline) as running:
        return running.results()

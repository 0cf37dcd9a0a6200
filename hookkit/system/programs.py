"""Programs that the user wrote: started by the shell, with a deadline and bounded output, ended with their children.

    deadline = Deadline(25)                                  # one for all programs of a call
    check = Program("make lint", project, environ, 60)
    result = check.run(stdin, deadline)                      # one program, or
    results = run_together([(check, stdin), …], deadline)    # several at the same time

`run` raises nothing: `result.problem` says why a program gave no result. Output comes through pipes, not files:
`echo x > /dev/stderr` would empty a file. `supervisor` runs between hookkit and the program, and ends the program's
children, in other process groups and sessions too.
"""

import fcntl
import os
import selectors
import signal
import sys
import time

from hookkit.errors import WARM, ColdError
from hookkit.system import supervisor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

KEPT = 64 * 1024  # bytes of each output stream
READ = 64 * 1024
LEFTOVER = 16  # reads of each stream after the exit: a surviving child could write for ever
ABOVE = 16  # the supervisor's descriptors are above this number, before they are put in their places
GRACE = 1.0  # seconds for the supervisor to end the children of a program that is late
LATE = "took longer than"  # begins the problem of a program whose time ran out
NO_TIME = "was not started: the programs before it took all the time of this call"
STOPPED = "was ended, because hookkit was ended from outside"


# Seconds for all programs of one event together, below the limit of the client; other events have LONG. A tool call and
# a prompt have the limit that `hookkit init` writes, 30 s.
TOTALS = {
    "PreToolUse": 25.0, "PermissionRequest": 25.0, "PostToolUse": 25.0, "PostToolUseFailure": 25.0,
    "UserPromptSubmit": 25.0, "SessionEnd": 1.2,
}  # fmt: skip
LONG = 570.0


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


class Program:
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


def run_together(programs: list[tuple[Program, bytes]], deadline: Deadline | None = None) -> list[ProgramResult]:
    """Run all programs at the same time, each with its stdin. A program that fails costs no other its result.

    SIGTERM, by which a client ends a hook, ends the programs, not hookkit: what is known by then can still be told.
    """
    if any(WARM in program.environ for program, _ in programs):
        raise ColdError
    runs: list[_Run] = []
    with selectors.DefaultSelector() as selector, _Termination() as ended:
        try:
            for program, stdin in programs:
                runs.append(_Run(program, stdin, selector, deadline))
            while open_runs := [run for run in runs if run.is_open]:
                wait = min(run.stop for run in open_runs) - time.monotonic()
                for key, _ in selector.select(max(0, wait)):
                    run, place = key.data
                    run.ready(place)
                for run in open_runs:
                    run.check()
        except _TerminatedError:
            ended.ignore()
        finally:
            for run in runs:
                run.close(STOPPED)
    return [run.result for run in runs] + [ProgramResult(None, b"", b"", STOPPED)] * (len(programs) - len(runs))


def take_over(left: list[int], seconds: float) -> ProgramResult:
    """Wait for a program that another process handed over (`ProgramResult.left`), and end it when its time is over."""
    lifeline, stdout, stderr, result = left
    began = time.monotonic()
    output = {stdout: b"", stderr: b""}
    with selectors.DefaultSelector() as selector:
        for descriptor in {stdout, stderr, result} - {-1}:
            os.set_blocking(descriptor, False)
            selector.register(descriptor, selectors.EVENT_READ)
        while (left_over := began + seconds - time.monotonic()) > 0:
            ready = [key.fd for key, _ in selector.select(left_over)]
            for descriptor in ready:
                if descriptor != result and not _take(descriptor, output):
                    selector.unregister(descriptor)
            if result in ready:
                break
        is_late = left_over <= 0
        os.close(lifeline)
        if is_late:
            selector.select(GRACE)
    code, problem = _outcome(os.read(result, 64).decode()) if not is_late else (None, f"{LATE} {seconds:g} s")
    for descriptor in {stdout, stderr} - {-1}:
        _take(descriptor, output)
    found = ProgramResult(code, output[stdout], output.get(stderr, b""), problem)
    found.seconds = time.monotonic() - began
    return found


def _take(descriptor: int, output: dict[int, bytes]) -> bool:
    """Whether there may be more to read."""
    try:
        chunk = os.read(descriptor, READ)
    except BlockingIOError:
        return True
    output[descriptor] = (output[descriptor] + chunk)[:KEPT]
    return bool(chunk)


class _TerminatedError(BaseException):
    """SIGTERM came. Not an Exception: no handler of errors on the way may take it for one."""


class _Termination:
    """SIGTERM as an exception, while programs run; only the main thread can ask for signals."""

    def __enter__(self) -> "_Termination":  # noqa: PYI034 - `Self` is of Python 3.11
        import threading

        self.is_main = threading.current_thread() is threading.main_thread()
        self.before = signal.signal(signal.SIGTERM, self._ended) if self.is_main else None
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_main:
            signal.signal(signal.SIGTERM, self.before if self.before is not None else signal.SIG_DFL)

    def ignore(self) -> None:
        """Ending the programs must not be interrupted by the next signal."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def _ended(self, _number: int, _frame: "FrameType | None") -> None:
        raise _TerminatedError


class _Run:
    """A program while it runs: writes stdin and reads both outputs, in the order in which the program is ready."""

    STDIN, STDOUT, STDERR, RESULT = 0, 1, 2, 3

    def __init__(
        self, program: Program, stdin: bytes, selector: selectors.BaseSelector, deadline: Deadline | None
    ) -> None:
        self.program = program
        self.stdin = stdin
        self.selector = selector
        self.output = [b"", b""]
        self.result = ProgramResult(None, b"", b"", NO_TIME)
        self.pipes: dict[int, int] = {}
        seconds = min(program.seconds, deadline.left()) if deadline is not None else program.seconds
        self.problem = f"{LATE} {round(max(seconds, 0), 1):g} s"
        self.began = time.monotonic()
        self.stop = self.began + seconds
        self.is_open = seconds > 0
        if self.is_open:
            self._start()

    def _start(self) -> None:
        try:
            self.pid, self.lifeline, *own = start(self.program)
        except OSError as error:
            self.is_open, self.result.problem = False, f"cannot be started ({error.strerror})"
            return
        for place, descriptor in enumerate(own):
            if descriptor >= 0:
                os.set_blocking(descriptor, False)
                wanted = selectors.EVENT_READ if place else selectors.EVENT_WRITE
                self.selector.register(descriptor, wanted, (self, place))
                self.pipes[place] = descriptor

    def ready(self, place: int) -> None:
        if not self.is_open:
            return  # ended by another event of the same round
        if place == self.RESULT:
            self._finish()
        elif place == self.STDIN:
            self._write()
        elif place in self.pipes and not self._read(place):
            self._drop(place)
        elif place == self.STDOUT and self.program.goes_on is not None and self.program.goes_on(self.output[0]):
            self._hand_over()

    def _hand_over(self) -> None:
        """Leave the program running; whoever takes the descriptors decides how long."""
        if self.STDIN in self.pipes:
            self._drop(self.STDIN)
        left = [self.pipes.pop(place, -1) for place in (self.STDOUT, self.STDERR, self.RESULT)]
        for descriptor in left:
            if descriptor >= 0:
                self.selector.unregister(descriptor)
        self.is_open = False
        self.result = ProgramResult(0, self.output[0], self.output[1])
        self.result.seconds = time.monotonic() - self.began
        self.result.left = (self.lifeline, *left)

    def check(self) -> None:
        if self.is_open and time.monotonic() >= self.stop:
            self.close(self.problem)

    def close(self, problem: str) -> None:
        """End a program that still runs; the supervisor says when all of it has ended."""
        if not self.is_open:
            return
        os.close(self.lifeline)
        self.lifeline = -1
        with selectors.DefaultSelector() as selector:
            selector.register(self.pipes[self.RESULT], selectors.EVENT_READ)
            if not selector.select(GRACE):
                os.kill(self.pid, signal.SIGKILL)
        self._finish(problem)

    def _finish(self, problem: str = "") -> None:
        said = os.read(self.pipes[self.RESULT], 64).decode()
        for place in (self.STDOUT, self.STDERR):
            for _ in range(LEFTOVER if place in self.pipes else 0):
                if not self._read(place):
                    break
        for place in tuple(self.pipes):
            self._drop(place)
        if self.lifeline >= 0:
            os.close(self.lifeline)
        os.waitpid(self.pid, 0)
        self.is_open = False
        code, found = _outcome(said)
        stdout, stderr = self.output
        self.result = ProgramResult(None if problem else code, stdout, stderr, problem or found)
        self.result.seconds = time.monotonic() - self.began

    def _write(self) -> None:
        try:
            self.stdin = self.stdin[os.write(self.pipes[self.STDIN], self.stdin[:READ]) :]
        except BrokenPipeError:
            self.stdin = b""
        if not self.stdin:
            self._drop(self.STDIN)

    def _read(self, place: int) -> bool:
        """Whether there may be more to read."""
        try:
            chunk = os.read(self.pipes[place], READ)
        except BlockingIOError:
            return False
        joined = self.output[place - 1] + chunk
        self.output[place - 1] = joined[-KEPT:] if self.program.last else joined[:KEPT]
        return bool(chunk)

    def _drop(self, place: int) -> None:
        descriptor = self.pipes.pop(place)
        self.selector.unregister(descriptor)
        os.close(descriptor)


def _outcome(said: str) -> tuple[int | None, str]:
    if said.startswith("!"):
        return None, f"cannot be started ({os.strerror(int(said[1:]))})"
    if not said:
        return None, "was ended together with the process that watched it"
    return int(said), ""


def start(program: Program) -> tuple[int, ...]:
    """The supervisor's process, the lifeline, and our ends of stdin, stdout, stderr (-1 if merged) and the result."""
    pipes = [os.pipe() for _ in range(4 if program.merged else 5)]  # stdin, stdout, lifeline, result, stderr
    (in_r, in_w), (out_r, out_w), (life_r, life_w), (result_r, result_w), *rest = pipes
    err_r, err_w = rest[0] if rest else (-1, out_w)
    theirs = (in_r, out_w, err_w, life_r, result_w)
    ours = (life_w, in_w, out_r, err_r, result_r)
    high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, ABOVE) for descriptor in theirs]
    try:
        return (_spawn(program, high), *ours)
    except OSError:
        for descriptor in {*ours} - {-1}:
            os.close(descriptor)
        raise
    finally:
        for descriptor in {*theirs, *high}:
            os.close(descriptor)


def _spawn(program: Program, theirs: list[int]) -> int:
    """A fork costs one millisecond; with other threads it is not safe, and a new interpreter is started instead."""
    import threading

    if threading.active_count() > 1:
        words = [sys.executable, "-I", "-S", supervisor.__file__, program.text, program.directory]
        actions = [(os.POSIX_SPAWN_DUP2, theirs[number], number) for number in range(len(theirs))]
        return os.posix_spawn(sys.executable, words, program.environ, file_actions=actions)
    pid = os.fork()
    if not pid:
        try:
            supervisor.place(tuple(theirs))
            supervisor.supervise(program.text, program.directory, program.environ)
        finally:
            os._exit(0)
    return pid

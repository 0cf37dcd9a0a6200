"""Programs of the user's while they run: one loop writes every stdin and reads every output. Work in the background.

Output comes through pipes, not files: `echo x > /dev/stderr` would empty a file.
"""

import _signal  # type: ignore[import-not-found]  # `signal` itself costs an enum at start-up
import os
import select
import sys
import time

from hookkit.errors import WARM, ColdError
from hookkit.system import files, user_programs
from hookkit.system.user_programs import KEPT, LATE, NO_TIME, STOPPED, Deadline, ProgramResult, UserProgram

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType


READ = 64 * 1024
LEFTOVER = 16  # reads of each stream after the exit: a surviving child could write for ever
GRACE = 1.0  # seconds for the supervisor to end a program that is late
STDIN, STDOUT, STDERR, RESULT = 0, 1, 2, 3  # the pipes of a program


class _Poll:
    """Which pipe is ready, and whose it is. The module `selectors` would cost five milliseconds of every hook."""

    def __init__(self) -> None:
        self.poll = select.poll()
        self.owners: dict[int, tuple[_Run, int] | None] = {}

    def add(self, descriptor: int, flags: int, owner: "tuple[_Run, int] | None") -> None:
        self.poll.register(descriptor, flags)
        self.owners[descriptor] = owner

    def remove(self, descriptor: int) -> None:
        self.poll.unregister(descriptor)
        del self.owners[descriptor]

    def ready(self, seconds: float) -> "list[tuple[_Run, int] | None]":
        events = self.poll.poll(max(0, seconds * 1000))
        return [self.owners[descriptor] for descriptor, _ in events]


class RunningPrograms:
    """Starts programs on entry, and ends on exit whatever still runs. Work in threads may begin in between.

    SIGTERM, by which a client ends a hook, ends the programs, not hookkit: the answers of others can still be told.
    """

    def __init__(self, programs: list[tuple[UserProgram, bytes]], deadline: Deadline | None) -> None:
        if any(WARM in program.environ for program, _ in programs):
            raise ColdError
        self.poll = _Poll()
        self.runs = [_Run(program, stdin, self.poll, deadline) for program, stdin in programs]
        self.supervisors: list[int] = []

    def __enter__(self) -> "RunningPrograms":  # noqa: PYI034 - `Self` is of Python 3.11
        self.termination = _Termination(self.poll)
        is_started = False
        try:
            self._start()
            is_started = True
        finally:  # Ctrl-C of a person: no program is left
            if not is_started:
                self.__exit__()
        return self

    def _start(self) -> None:
        meant = [run for run in self.runs if run.is_open]
        started = user_programs.start([run.program for run in meant], self.supervisors)
        for run, descriptors in zip(meant, started, strict=True):
            run.started(descriptors)

    def __exit__(self, *_: object) -> None:
        for run in self.runs:
            run.end(STOPPED)
        self._wait()
        for pid in self.supervisors:
            _let_go(pid, is_done=not any(run.result.left for run in self.runs))
        self.termination.close()

    def results(self) -> list[ProgramResult]:
        self._wait()
        return [run.result for run in self.runs]

    def _wait(self) -> None:
        while running := [run for run in self.runs if run.is_open]:
            wait = min(run.stop for run in running) - time.monotonic()
            for owner in self.poll.ready(wait):
                if owner is None:
                    self.termination.read()
                    for run in running:
                        run.end(STOPPED)
                else:
                    owner[0].ready(owner[1])
            for run in running:
                run.check()


def _let_go(pid: int, *, is_done: bool) -> None:
    """A supervisor ends with its last program. One that does not is stuck, unless a program was handed over."""
    end = time.monotonic() + GRACE
    while not os.waitpid(pid, os.WNOHANG)[0]:
        if not is_done:
            return
        if time.monotonic() > end:
            os.kill(pid, _signal.SIGKILL)
            os.waitpid(pid, 0)
            return
        time.sleep(0.0005)


class _Termination:
    """SIGTERM as a readable descriptor while programs run; only the main thread can ask for signals."""

    def __init__(self, poll: _Poll) -> None:
        import threading

        self.is_main = threading.current_thread() is threading.main_thread()
        if self.is_main:
            self.reader, self.writer = os.pipe()
            poll.add(self.reader, select.POLLIN, None)
            self.before = _signal.signal(_signal.SIGTERM, self._ended)

    def _ended(self, _number: int, _frame: "FrameType | None") -> None:
        os.write(self.writer, b"!")

    def read(self) -> None:
        os.read(self.reader, READ)

    def close(self) -> None:
        if self.is_main:
            _signal.signal(_signal.SIGTERM, self.before if self.before is not None else _signal.SIG_DFL)
            os.close(self.reader)
            os.close(self.writer)


class _Run:
    """One program: its pipes, its output so far, the moment at which it ends."""

    def __init__(self, program: UserProgram, stdin: bytes, poll: _Poll, deadline: Deadline | None) -> None:
        self.program = program
        self.stdin = stdin
        self.poll = poll
        self.output = [b"", b""]
        self.result = ProgramResult(None, b"", b"", NO_TIME)
        self.pipes: dict[int, int] = {}
        self.lifeline = -1
        seconds = min(program.seconds, deadline.left()) if deadline is not None else program.seconds
        self.late = f"{LATE} {round(max(seconds, 0), 1):g} s"
        self.problem = ""  # why the program was ended
        self.began = time.monotonic()
        self.stop = self.began + seconds
        self.is_open = seconds > 0

    def started(self, descriptors: "tuple[int, ...] | OSError") -> None:
        if isinstance(descriptors, OSError):
            self.is_open, self.result.problem = False, f"cannot be started ({descriptors.strerror})"
            return
        self.lifeline, *own = descriptors
        for place, descriptor in enumerate(own):
            if descriptor >= 0:
                os.set_blocking(descriptor, False)
                self.poll.add(descriptor, select.POLLIN if place else select.POLLOUT, (self, place))
                self.pipes[place] = descriptor

    def ready(self, place: int) -> None:
        if not self.is_open:
            return  # ended by another event of the same round
        if place == RESULT:
            self._finish()
        elif place == STDIN:
            self._write()
        elif place in self.pipes and not self._read(place):
            self._drop(place)
        elif place == STDOUT and self.program.goes_on is not None and self.program.goes_on(self.output[0]):
            self._hand_over()

    def _hand_over(self) -> None:
        """Leave the program running; whoever takes the descriptors decides how long."""
        if STDIN in self.pipes:
            self._drop(STDIN)
        left = [self.pipes.pop(place, -1) for place in (STDOUT, STDERR, RESULT)]
        for descriptor in left:
            if descriptor >= 0:
                self.poll.remove(descriptor)
        self.is_open = False
        self.result = ProgramResult(0, self.output[0], self.output[1])
        self.result.seconds = time.monotonic() - self.began
        self.result.left = (self.lifeline, *left)

    def check(self) -> None:
        if self.is_open and time.monotonic() >= self.stop:
            self.end(self.late)

    def end(self, problem: str) -> None:
        """Tell the supervisor to end the program; a supervisor that says nothing for a second is not waited for."""
        if not self.is_open:
            return
        if self.lifeline < 0:
            self._finish()  # a second time, or before its start
            return
        os.close(self.lifeline)
        self.lifeline = -1
        self.problem = problem
        self.stop = time.monotonic() + GRACE

    def _finish(self) -> None:
        try:
            status = os.read(self.pipes[RESULT], 64).decode()
        except (BlockingIOError, KeyError):
            status = ""
        for place in (STDOUT, STDERR):
            for _ in range(LEFTOVER if place in self.pipes else 0):
                if not self._read(place):
                    break
        for place in tuple(self.pipes):
            self._drop(place)
        if self.lifeline >= 0:
            os.close(self.lifeline)
        self.is_open = False
        code, problem = outcome(status)
        stdout, stderr = self.output
        self.result = ProgramResult(None if self.problem else code, stdout, stderr, self.problem or problem)
        self.result.seconds = time.monotonic() - self.began

    def _write(self) -> None:
        try:
            self.stdin = self.stdin[os.write(self.pipes[STDIN], self.stdin[:READ]) :]
        except BrokenPipeError:
            self.stdin = b""
        if not self.stdin:
            self._drop(STDIN)

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
        self.poll.remove(descriptor)
        os.close(descriptor)


def outcome(status: str) -> tuple[int | None, str]:
    """The exit code from the supervisor's words, or why there is none."""
    if status.startswith("!"):
        return None, f"cannot be started ({os.strerror(int(status[1:]))})"
    if not status:
        return None, "was ended together with the process that watched it"
    return int(status), ""


# -- work of hookkit's own that goes on after the reply, in a process that nobody waits for --------


# The process imports hookkit from where this process did; the working directory is never on its path.
CODE = """
import sys
from importlib import import_module
sys.path[:] = sys.argv[1].split(chr(10))
getattr(import_module(sys.argv[2]), sys.argv[3])(*sys.argv[4:])
"""


_started: list[int] = []  # processes that may still run
FLEET = "fleet/machine.json"  # below the state: this machine is in a fleet


def sync_fleet(environ: "Mapping[str, str]", to: str, policy: str) -> bool:
    """Send rows to the fleet's hub, if this machine is in one, or to the setting fleet.to, if it is not a hub; look for
    the policy of the setting fleet.policy.

    Nobody waits: what fails is sent the next time.
    """
    state = files.state_dir(dict(environ))
    if not state or not (to.startswith("otlp+") or policy or os.path.lexists(f"{state}/{FLEET}")):
        return False
    start_background("hookkit.server.fleet.sync", "main", [], environ)
    return True


def start_background(
    module: str, function: str, words: "Sequence[str]", environ: "Mapping[str, str]", descriptors: "Sequence[int]" = ()
) -> None:
    """Call a function of hookkit with these words; it inherits the descriptors and nothing else."""
    import subprocess

    _forget_ended()
    child = subprocess.Popen(
        [sys.executable, "-I", "-c", CODE, "\n".join(sys.path), module, function, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(environ),
        cwd="/",
        pass_fds=tuple(descriptors),
        start_new_session=True,
    )
    child.returncode = 0  # its end is not our business
    _started.append(child.pid)


def _forget_ended() -> None:
    """A server starts many, and each that has ended takes a place in the system's table until its parent looks."""
    for pid in [*_started]:
        try:
            has_ended = os.waitpid(pid, os.WNOHANG)[0] != 0
        except ChildProcessError:
            has_ended = True
        if has_ended and pid in _started:
            _started.remove(pid)


def take_over(left: list[int], seconds: float) -> ProgramResult:
    """Wait for a program that another process handed over (`ProgramResult.left`), and end it when its time is over."""
    import selectors  # late: it takes five milliseconds

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
    code, problem = outcome(os.read(result, 64).decode()) if not is_late else (None, f"{LATE} {seconds:g} s")
    for descriptor in {stdout, stderr} - {-1}:
        _take(descriptor, output)
    taken = ProgramResult(code, output[stdout], output.get(stderr, b""), problem)
    taken.seconds = time.monotonic() - began
    return taken


def _take(descriptor: int, output: dict[int, bytes]) -> bool:
    """Whether there may be more to read."""
    try:
        chunk = os.read(descriptor, READ)
    except BlockingIOError:
        return True
    output[descriptor] = (output[descriptor] + chunk)[:KEPT]
    return bool(chunk)

"""The process between hookkit and programs of the user's: it ends each program with all its children.

The supervisor is a sub-reaper (Linux): a child that left its process group, or its session, comes back to the
supervisor when its parent ends. For each program hookkit holds one end of a pipe, the lifeline. When hookkit closes it,
or dies, the supervisor ends the program. A program's process group ends with the program; children in other groups and
sessions end with the last program of the supervisor. macOS has no sub-reaper: there children with setsid live on.

The result of a program is written to its last descriptor: "7" is an exit code, "-9" a signal, "!2" an errno of the
start.
"""

import _signal  # type: ignore[import-not-found]  # `signal` itself costs an enum at start-up
import os
import select
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of Linux
PLACES = 5  # descriptors of a job: stdin, stdout, stderr, the lifeline to read from, the result to write to
ROUNDS = 100  # of ending children: each round may set free the children of the last
IGNORED_BY_PYTHON = (_signal.SIGPIPE, _signal.SIGXFSZ)


class Job:
    """One program, and the five descriptors of its own and of its supervisor."""

    __slots__ = ("descriptors", "directory", "environ", "text")

    def __init__(self, text: str, directory: str, environ: dict[str, str], descriptors: tuple[int, ...]) -> None:
        self.text = text
        self.directory = directory
        self.environ = environ
        self.descriptors = descriptors

    @property
    def lifeline(self) -> int:
        return self.descriptors[3]

    @property
    def result(self) -> int:
        return self.descriptors[4]

    def close(self) -> None:
        for descriptor in {*self.descriptors}:
            os.close(descriptor)


def supervise(jobs: list[Job]) -> None:
    """Run the programs and never return: the process ends with the last of them."""
    try:
        _keep_only({descriptor for job in jobs for descriptor in job.descriptors})
        Supervisor(jobs).run()
    finally:
        os._exit(0)


def _keep_only(wanted: set[int]) -> None:
    """Close every other descriptor: a pipe of a sibling would stay open for ever, and so would hookkit's own stdout."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    for name in os.listdir("/dev/fd"):
        number = int(name)
        if number > 2 and number not in wanted:  # noqa: PLR2004 - stderr
            try:
                os.close(number)
            except OSError:
                continue  # the descriptor of this listing


class Supervisor:
    """Starts the programs, and waits for their ends and for their lifelines."""

    def __init__(self, jobs: list[Job]) -> None:
        self.jobs = jobs
        self.running: dict[int, Job] = {}  # by process id
        self.here = os.getcwd() if any(not job.directory for job in jobs) else ""
        self.poll = select.poll()

    def run(self) -> None:
        os.setsid()
        _adopt_orphans()
        wake = _wake()
        self.poll.register(wake, select.POLLIN)
        for job in self.jobs:
            self._start(job)
        while self.running:
            for descriptor, _ in self.poll.poll():
                if descriptor == wake:
                    os.read(wake, 1024)
                else:
                    self._end(descriptor)
            self._reap()

    def _start(self, job: Job) -> None:
        stdin, stdout, stderr, lifeline, _ = job.descriptors
        words = ["/bin/sh", "-c", job.text]
        actions = [(os.POSIX_SPAWN_DUP2, end, number) for number, end in enumerate((stdin, stdout, stderr))]
        try:
            os.chdir(job.directory or self.here)
            pid = os.posix_spawn(
                words[0], words, job.environ, file_actions=actions, setpgroup=0, setsigdef=IGNORED_BY_PYTHON,
                setsigmask=(),
            )  # fmt: skip
        except (OSError, ValueError) as error:
            _say(job, f"!{getattr(error, 'errno', 22)}")
            return
        finally:
            for descriptor in {stdin, stdout, stderr}:  # both sides must notice when the other closes a pipe
                os.close(descriptor)
        self.running[pid] = job
        self.poll.register(lifeline, select.POLLIN)

    def _end(self, lifeline: int) -> None:
        """Hookkit does not wait for the program any more."""
        self.poll.unregister(lifeline)
        for pid, job in self.running.items():
            if job.lifeline == lifeline:
                _kill(os.killpg, pid)

    def _reap(self) -> None:
        """Take ended children off the process table, orphans too, and tell hookkit of programs that ended."""
        while self.running:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            job = self.running.pop(pid, None)
            if job is not None:
                _kill(os.killpg, pid)
                if not self.running:
                    _end_children()
                _say(job, str(os.waitstatus_to_exitcode(status)))


def _say(job: Job, outcome: str) -> None:
    try:
        os.write(job.result, outcome.encode())
    except BrokenPipeError:
        return  # hookkit has ended
    finally:
        os.close(job.result)


def _adopt_orphans() -> None:
    """`ctypes` would cost ten milliseconds of every program; the module below it costs one."""
    if sys.platform != "linux":
        return
    try:
        import _ctypes

        address = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type]
        _ctypes.call_function(address, (SUBREAPER, 1, 0, 0, 0))
    except (ImportError, AttributeError, OSError):
        return  # an interpreter without it: the process group still ends


def _wake() -> int:
    """A descriptor that becomes readable when a child ends."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    _signal.signal(_signal.SIGCHLD, lambda _number, _frame: None)
    for number in (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP):
        _signal.signal(number, _signal.SIG_IGN)  # the lifelines alone say when to end
    _signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


def _end_children() -> None:
    """End every child, then the children that these set free, until none is left."""
    for _ in range(ROUNDS):
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        children = _children()
        for pid in children:
            _kill(os.kill, pid)
        for pid in children:
            os.waitpid(pid, 0)


def _kill(send: "Callable[[int, int], None]", number: int) -> None:
    try:
        send(number, _signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return  # it has ended, or became another user's


def _children() -> list[int]:
    """The children of this process, from the process table of Linux; elsewhere the process group is all we can end."""
    own = str(os.getpid()).encode()
    numbers = []
    for name in os.listdir("/proc") if sys.platform == "linux" else ():
        if name.isdigit():
            try:
                handle = os.open(f"/proc/{name}/stat", os.O_RDONLY)
            except OSError:
                continue  # ended in this moment
            try:
                after_name = os.read(handle, 1024).rpartition(b")")[2].split()
            except OSError:
                after_name = []
            os.close(handle)
            if after_name[1:2] == [own]:
                numbers.append(int(name))
    return numbers


def _main() -> None:
    """Started by a process with threads, where a fork is not safe: the descriptors 0 to 4 are those of one program."""
    import fcntl

    high = tuple(fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, PLACES) for number in range(PLACES))
    supervise([Job(sys.argv[1], sys.argv[2], dict(os.environ), high)])


if __name__ == "__main__":
    _main()

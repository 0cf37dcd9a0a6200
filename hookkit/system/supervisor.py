"""The process between hookkit and a program of the user's: it ends the program with all its children.

The supervisor is a sub-reaper (Linux): a child that left its process group, or its session, comes back to the
supervisor when its parent ends. hookkit holds one end of a pipe, the lifeline. When hookkit closes it, or dies, the
supervisor ends the program. macOS has no sub-reaper: there the process group ends, and a child that called setsid
lives on.

    descriptors 0 1 2   the program's stdin, stdout, stderr
    descriptor 3        the lifeline, to read from
    descriptor 4        the result, to write to: "7" is an exit code, "-9" a signal, "!2" an errno of the start
"""

import os
import select
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of Linux
LIFELINE, RESULT = 3, 4
ROUNDS = 100  # of ending children: each round may set free the children of the last
IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


def supervise(text: str, directory: str, environ: dict[str, str]) -> None:
    """Run the text and never return: the process ends with its program."""
    try:
        _write(_outcome(text, directory, environ))
    finally:
        os._exit(0)


def place(descriptors: tuple[int, ...]) -> None:
    """Put descriptors in the places 0 to 4 and close every other one: a pipe of a sibling would stay open for ever."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
    for name in os.listdir("/dev/fd"):
        if int(name) > RESULT:
            try:
                os.close(int(name))
            except OSError:
                continue  # the descriptor of this listing


def _outcome(text: str, directory: str, environ: dict[str, str]) -> str:
    os.setsid()
    _adopt_orphans()
    wake = _wake()
    try:
        os.chdir(directory or ".")
        for descriptor in (LIFELINE, RESULT):
            os.set_inheritable(descriptor, False)  # noqa: FBT003 - the function takes no keyword
        words = ["/bin/sh", "-c", text]
        program = os.posix_spawn(words[0], words, environ, setpgroup=0, setsigdef=IGNORED_BY_PYTHON, setsigmask=())
    except (OSError, ValueError) as error:
        return f"!{getattr(error, 'errno', 22)}"
    _let_go()
    code = _waited(program, wake)
    _end(program)
    return "" if code is None else str(code)


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
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the lifeline alone says when to end
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


def _let_go() -> None:
    """The program alone holds its pipes, so that both sides notice when the other closes one."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.close(nothing)


def _waited(program: int, wake: int) -> int | None:
    """The program's exit code; None if hookkit ended first."""
    poll = select.poll()
    poll.register(wake, select.POLLIN)
    poll.register(LIFELINE, select.POLLIN)
    while True:
        ended, status = _reap(program)
        if ended:
            return os.waitstatus_to_exitcode(status)
        ready = [descriptor for descriptor, _ in poll.poll()]
        if LIFELINE in ready:
            return None
        os.read(wake, 1024)


def _reap(program: int) -> tuple[bool, int]:
    """Whether the program has ended, and how. Orphans that ended are taken off the process table too."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return True, 0
        if pid in (0, program):
            return pid == program, status


def _end(program: int) -> None:
    """End the process group, then every child, then the children that these set free, until none is left."""
    _kill(os.killpg, program)
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
        send(number, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return  # it has ended, or became another user's


def _children() -> list[int]:
    """The children of this process, from the process table of Linux; elsewhere the process group is all we can end."""
    own = str(os.getpid()).encode()
    found = []
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
                found.append(int(name))
    return found


def _write(outcome: str) -> None:
    if outcome:
        os.write(RESULT, outcome.encode())


if __name__ == "__main__":  # started by a process with threads, where a fork is not safe
    supervise(sys.argv[1], sys.argv[2], dict(os.environ))

"""Programs that the user wrote: started by the shell, with a deadline and bounded output, ended with their children.

    deadline = Deadline(25)                                  # one for all programs of a call
    check = UserProgram("make lint", project, environ, 60)
    result = check.run(stdin, deadline)                      # one program, or
    results = run_together([(check, stdin), …], deadline)    # several at the same time

`run` raises nothing: `result.problem` says why a program gave no result. `supervisor` runs between hookkit and the
programs, and ends their children, in other process groups and sessions too.

At its limit an agent ends the hook and loses every answer, so all programs of an event together get less. The limit is
`--limit` of the command line, which `hookkit init` writes if a handler needs more than usual; else the usual limit.
"""

import fcntl
import os
import sys
import time

from hookkit.system import supervisor
from hookkit.system.supervisor import Job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Ends = tuple[int, ...]


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


STANDARD = 3  # descriptors of pipes are above stdin, stdout and stderr, even if hookkit was started without them
TOGETHER = 32  # programs of one supervisor: each has ten descriptors open for a moment


def start(programs: "list[UserProgram]", supervisors: list[int]) -> "list[Ends | OSError]":
    """For each program the lifeline and our ends of stdin, stdout, stderr (-1 if merged) and the result.

    The processes of the supervisors are added to `supervisors`. A program that cannot be started has an error instead.
    """
    import threading

    is_alone = threading.active_count() == 1
    size = TOGETHER if is_alone else 1
    started: list[Ends | OSError] = []
    for first in range(0, len(programs), size):
        started += _group(programs[first : first + size], supervisors, is_alone=is_alone)
    return started


def _group(programs: "list[UserProgram]", supervisors: list[int], *, is_alone: bool) -> "list[Ends | OSError]":
    """A fork costs a millisecond; with other threads it is not safe, and a new interpreter is started instead."""
    made = [_pipes(program) for program in programs]
    jobs = [
        Job(program.text, program.directory, program.environ, pair[1])
        for program, pair in zip(programs, made, strict=True)
        if not isinstance(pair, OSError)
    ]
    try:
        if jobs:
            supervisors.append(_forked(jobs) if is_alone else _spawned(jobs[0]))
    except OSError as error:
        return [error if isinstance(pair, OSError) else _closed(pair[0], error) for pair in made]
    finally:
        for job in jobs:
            job.close()
    return [pair if isinstance(pair, OSError) else pair[0] for pair in made]


def _closed(ours: "Ends", error: OSError) -> OSError:
    for descriptor in {*ours} - {-1}:
        os.close(descriptor)
    return error


def _pipes(program: "UserProgram") -> "tuple[Ends, Ends] | OSError":
    """Our ends, and those of the program and its supervisor."""
    made: list[int] = []
    try:
        for _ in range(4 if program.merged else 5):  # stdin, stdout, lifeline, result, stderr
            made += map(_above, os.pipe())
    except OSError as error:
        return _closed(tuple(made), error)
    in_r, in_w, out_r, out_w, life_r, life_w, result_r, result_w, *rest = made
    err_r, err_w = rest or (-1, out_w)
    return (life_w, in_w, out_r, err_r, result_r), (in_r, out_w, err_w, life_r, result_w)


def _above(descriptor: int) -> int:
    if descriptor >= STANDARD:
        return descriptor
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, STANDARD)
    finally:
        os.close(descriptor)


def _forked(jobs: list[Job]) -> int:
    pid = os.fork()
    if not pid:
        try:
            supervisor.supervise(jobs)
        finally:
            os._exit(0)
    return pid


def _spawned(job: Job) -> int:
    words = [sys.executable, "-I", "-S", supervisor.__file__, job.text, job.directory]
    high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, supervisor.PLACES) for descriptor in job.descriptors]
    actions = [(os.POSIX_SPAWN_DUP2, descriptor, place) for place, descriptor in enumerate(high)]
    try:
        return os.posix_spawn(sys.executable, words, job.environ, file_actions=actions)
    finally:
        for descriptor in high:
            os.close(descriptor)


# -- the time that an agent gives to a hook --------------------------------------------------------


VARIABLE = "HOOKKIT_LIMIT"  # the seconds of --limit
# Seconds that `hookkit init` writes for an event, in the order of Claude Code's settings file.
WIRED = {
    "PreToolUse": 30, "PermissionRequest": 30, "PostToolUse": 30, "PostToolUseFailure": 30, "PostToolBatch": 5,
    "UserPromptSubmit": 3, "UserPromptExpansion": 3, "SessionStart": 5, "SubagentStart": 3, "SubagentStop": 600,
    "Stop": 600, "TaskCompleted": 600, "TeammateIdle": 5, "Notification": 5, "StopFailure": 5, "ConfigChange": 5,
    "PreCompact": 10, "SessionEnd": 10,
}  # fmt: skip
ON_DEMAND = ("PostToolBatch",)  # wired only if a feature or a handler needs it
# Other limits of the client: a plugin's timeout on SessionEnd does not count, and MessageDisplay is not wired.
CLIENTS = {"SessionEnd": 1.5, "MessageDisplay": 10}
USUAL = 600
LONGEST_LIMIT = 3600
SESSION_END = "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS"  # the client's variable for a longer limit


def time_limit(event: str, environ: dict[str, str]) -> float:
    """Seconds for all programs of one event together."""
    own = environ.get(SESSION_END, "") if event == "SessionEnd" else ""
    if own.isdigit():
        return max(0.5, usable(int(own) / 1000))
    given = environ.get(VARIABLE, "")
    return usable(min(int(given), LONGEST_LIMIT) if given.isdigit() and int(given) else usual(event))


def usual(event: str) -> float:
    return CLIENTS.get(event) or WIRED.get(event, USUAL)


def usable(limit: float) -> float:
    """The rest is for hookkit itself, and for the end of programs that are late."""
    return limit - min(limit / 6, 30.0)


def limit_for(seconds: float) -> int:
    """The smallest limit in whole seconds whose usable part is enough."""
    return min(LONGEST_LIMIT, int(min(seconds * 1.2, seconds + 30) + 1))

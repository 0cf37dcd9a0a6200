"""Starts programs of the user's under a supervisor, with pipes for their streams."""

import fcntl
import os
import sys

from hookkit.system import supervisor
from hookkit.system.supervisor import Job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.system.programs import UserProgram

    Ends = tuple[int, ...]

STANDARD = 3  # descriptors of pipes are above stdin, stdout and stderr, even if hookkit was started without them
TOGETHER = 32  # programs of one supervisor: each has ten descriptors open for a moment


def start(programs: "list[UserProgram]", supervisors: list[int]) -> "list[Ends | OSError]":
    """For each program the lifeline and our ends of stdin, stdout, stderr (-1 if merged) and the result.

    The processes of the supervisors are added to `supervisors`. A program that cannot be started has an error instead.
    """
    import threading

    is_alone = threading.active_count() == 1
    size = TOGETHER if is_alone else 1
    found: list[Ends | OSError] = []
    for first in range(0, len(programs), size):
        found += _group(programs[first : first + size], supervisors, is_alone=is_alone)
    return found


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

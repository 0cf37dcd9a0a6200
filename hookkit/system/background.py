"""Work of hookkit's own that goes on after the reply, in a process that nobody waits for."""

import os
import selectors
import sys
import time

from hookkit.system import files
from hookkit.system.programs import KEPT, LATE, ProgramResult
from hookkit.system.running import GRACE, READ, outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
    start("hookkit.server.fleet.sync", "main", [], environ)
    return True


def start(
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

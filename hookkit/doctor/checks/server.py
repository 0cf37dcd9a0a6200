"""The warm server, if a settings file uses the server. Without the server, hookkit-hook runs the cold command."""

import os

from hookkit.daemon import door, process
from hookkit.doctor.problem import NOTE, WARNING, Problem
from hookkit.doctor.setup import Setup
from hookkit.wiring import launcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def check(setup: Setup) -> "Iterator[Problem]":
    wired = [*setup.wired()]
    script = launcher.read(setup.script)
    is_warm = script is not None and script.is_warm
    warm = [(file, each) for file, each in wired if launcher.SHIM in each.command or is_warm]
    if not warm or _is_running(setup.environ):
        return
    file, each = warm[0]
    starts_itself = process.on_demand(setup.environ) == process.ON
    said = "the background server is not running: every call takes longer"
    severity = NOTE if starts_itself else WARNING
    fix = "the next call starts it" if starts_itself else "run: hookkit serve --start --on-demand"
    yield Problem("server.down", severity, said, fix, file=file.path, place=each.place)


def _is_running(environ: dict[str, str]) -> bool:
    try:
        os.kill(door.read(environ).pid, 0)
    except (door.NoDoorError, OSError):
        return False
    return True

"""The warm server, if a settings file uses the server. Without the server, hookkit-hook runs the cold command."""

import os

from hookkit.daemon import door
from hookkit.doctor.problem import NOTE, Problem
from hookkit.doctor.setup import Setup
from hookkit.wiring.launcher import SHIM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def check(setup: Setup) -> "Iterator[Problem]":
    warm = [(file, each) for file, each in setup.wired() if SHIM in each.command]
    if not warm or _is_running(setup.environ):
        return
    file, each = warm[0]
    said = "the warm server is not running: every call takes the time of the cold command"
    yield Problem("server.down", NOTE, said, "run: hookkit serve --start --on-demand", file=file.path, place=each.place)


def _is_running(environ: dict[str, str]) -> bool:
    try:
        os.kill(door.read(environ).pid, 0)
    except (door.NoDoorError, OSError):
        return False
    return True

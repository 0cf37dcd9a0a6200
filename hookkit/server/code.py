"""The code of the running server: loaded whole at the start, and compared with the files on disk.

An upgrade replaces files under a running server. A module that is loaded late would then be of another version than the
modules that call it, so every module is loaded before the first request.
"""

import contextlib
import os
import pkgutil
import sys

import hookkit

TYPE_CHECKING = False
if TYPE_CHECKING:
    Stamp = tuple[int, int, int]

PACKAGE = os.path.dirname(hookkit.__file__)
NOT_LOADED = ("hookkit.cli", "hookkit.__main__", "hookkit.play", "hookkit.settings.checks", "hookkit.conformance",
              "hookkit.server.fleet", "hookkit.server.fleet.hub")  # fmt: skip


def load_all() -> None:
    """Load every module that may answer an event. A module for an extra that is not installed is left out."""
    for module in pkgutil.walk_packages([PACKAGE], "hookkit."):
        if not module.name.startswith(NOT_LOADED):
            with contextlib.suppress(ImportError):
                __import__(module.name)


class Code:
    """The files as they were when the server started."""

    def __init__(self) -> None:
        self.first = stamp(os.path.join(PACKAGE, "__init__.py"))
        self.all = stamps()

    def is_replaced(self) -> bool:
        """A single stat at every request: an installer replaces this file with all the others."""
        return stamp(os.path.join(PACKAGE, "__init__.py")) != self.first

    def is_changed(self) -> bool:
        """All files, checked every second: a developer may change any file."""
        return stamps() != self.all


def stamps() -> "dict[str, Stamp | None]":
    times: dict[str, Stamp | None] = {}
    for directory, _, names in os.walk(PACKAGE):
        if not directory.endswith("__pycache__"):
            paths = [os.path.join(directory, name) for name in names if name.endswith((".py", ".toml"))]
            times |= {path: stamp(path) for path in paths}
    return times


def stamp(path: str) -> "Stamp | None":
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_ino, info.st_mtime_ns, info.st_ctime_ns


def launcher() -> list[str]:
    """The command to start hookkit in the same way as this process, isolated from variables that Python reads."""
    beside = os.path.join(os.path.dirname(sys.executable), "hookkit")
    for program in (sys.argv[0], beside):
        if os.path.basename(program) == "hookkit" and os.path.isfile(program):
            return [sys.executable, "-I", os.path.abspath(program)]
    return [sys.executable, "-I", "-m", "hookkit"]

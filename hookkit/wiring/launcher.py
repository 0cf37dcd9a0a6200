"""The `hookkit` program by its full path, so an agent needs no PATH, venv or working directory to start hookkit."""

import os
import shutil
import sys

SHIM = "hookkit-hook"


class Launcher:
    """The program and its interpreter. Both are checked before a hook starts: a venv can lose its Python."""

    __slots__ = ("interpreter", "program")

    def __init__(self, program: str, interpreter: str) -> None:
        self.program = program
        self.interpreter = interpreter

    def warm(self) -> "Launcher":
        """The same with the shim of the warm server, a bash script beside the program."""
        return Launcher(os.path.join(os.path.dirname(self.program), SHIM), self.interpreter)

    @property
    def call(self) -> list[str]:
        """The words of the start command.

        The words name Python for three reasons. The first line of a script cannot hold a path with a blank. Only
        Python's option -E keeps a project's PYTHONHASHSEED=x or PYTHONPATH from stopping the hook; the shim cleans both
        itself. And -S spares the site module: the launcher knows where hookkit lies.
        """
        is_shim = os.path.basename(self.program) == SHIM
        return [self.program] if is_shim else [self.interpreter, "-ES", self.program]

    @property
    def is_there(self) -> bool:
        return all(os.access(path, os.X_OK) for path in (self.program, self.interpreter))


def find() -> Launcher:
    """The launcher beside the interpreter of this process, else the called program, else the first on the PATH."""
    beside = os.path.join(os.path.dirname(sys.executable), "hookkit")
    called = os.path.abspath(sys.argv[0])
    names = (beside, called if os.path.basename(called) == "hookkit" else "", shutil.which("hookkit") or "")
    program = next((name for name in names if name and os.access(name, os.X_OK)), beside)
    return Launcher(os.path.abspath(program), sys.executable)

"""The launcher: a small script at a stable place that agents call, and that finds hookkit.

The settings of agents name only this script. The script holds the full paths of hookkit and its Python, so an agent
needs no PATH, venv or working directory. Once hookkit is gone, the script says so, or refuses the call.
"""

import json
import os
import shlex
import shutil
import sys

from hookkit.system import files

SHIM = "hookkit-hook"
NAME = os.path.join("hookkit", "hook")  # in the person's data directory
LIMIT = 1 << 16  # bytes of a launcher script
# Grok runs the hooks in Claude Code's settings, and knows no `args`: alone, the script answers every event.
ALONE = "[ $# -gt 0 ] || set -- run\n"
HEAD = "#!/bin/sh\n# hookkit: agents call this file. `hookkit init` writes it, `hookkit uninit` removes it.\n"
# No mark silences the message: whoever can take hookkit away could also leave such a mark.
GONE = """
case "$*" in *"--on-error deny"*)
  echo {closed} >&2
  exit 2 ;;
esac
event=$(head -c 8192)
case $event in {loud} | "")
  echo {message} ;;
esac
"""


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
    def is_warm(self) -> bool:
        return os.path.basename(self.program) == SHIM

    @property
    def call(self) -> list[str]:
        """The words of the start command.

        The words name Python for three reasons. The first line of a script cannot hold a path with a blank. Only
        Python's option -E keeps a project's PYTHONHASHSEED=x or PYTHONPATH from stopping the hook; the shim cleans both
        itself. And -S spares the site module: the launcher knows where hookkit lies.
        """
        return [self.program] if self.is_warm else [self.interpreter, "-ES", self.program]

    @property
    def is_there(self) -> bool:
        return all(os.access(path, os.X_OK) for path in (self.program, self.interpreter))

    def script(self, loud: list[str]) -> str:
        """The text of the launcher script; `loud` are the events of agents whose replies a person sees."""
        lost = f"{self.program} is missing. Reinstall hookkit"
        message = {"systemMessage": f"hookkit is off, nothing is checked: {lost}, or remove its hooks."}
        gone = GONE.format(
            closed=shlex.quote(f"hookkit cannot check this call: {lost}."),
            loud=" | ".join(f"*'\"{event}\"'*" for event in loud),
            message=shlex.quote(json.dumps(message)),
        )
        python, program = shlex.quote(self.interpreter), shlex.quote(self.program)
        return f'{HEAD}{ALONE}[ -x {python} ] && [ -x {program} ] && exec {shlex.join(self.call)} "$@"\n{gone}'


def find() -> Launcher:
    """The launcher beside the interpreter of this process, else the called program, else the first on the PATH."""
    beside = os.path.join(os.path.dirname(sys.executable), "hookkit")
    called = os.path.abspath(sys.argv[0])
    names = (beside, called if os.path.basename(called) == "hookkit" else "", shutil.which("hookkit") or "")
    program = next((name for name in names if name and os.access(name, os.X_OK)), beside)
    return Launcher(os.path.abspath(program), sys.executable)


def path(environ: dict[str, str]) -> str:
    """The place of the launcher script, the same for every version and every venv."""
    base = environ.get("XDG_DATA_HOME", "")
    return os.path.join(base if os.path.isabs(base) else os.path.join(files.home(environ), ".local", "share"), NAME)


def read(script: str) -> Launcher | None:
    """The program that a launcher script starts; None for a missing or foreign file."""
    try:
        text = files.read(script, LIMIT).decode("utf-8", "replace")
        body = text.removeprefix(HEAD).removeprefix(ALONE)
        words = shlex.split(body.partition("\n")[0]) if text.startswith(HEAD) else []
    except (OSError, ValueError):
        return None
    tests = [words[number + 1] for number, word in enumerate(words[:-1]) if word == "-x"]
    return Launcher(tests[1], tests[0]) if len(tests) == 2 else None  # noqa: PLR2004 - the interpreter, the program


def write(script: str, text: str) -> bool:
    """Write the script in a directory of ours; False if it is there already."""
    try:
        if files.read(script, LIMIT).decode("utf-8", "replace") == text and os.access(script, os.X_OK):
            return False
    except OSError:
        pass
    os.makedirs(os.path.dirname(os.path.dirname(script)), mode=0o700, exist_ok=True)
    files.private_dir(os.path.dirname(script))
    files.write(script, text.encode(), 0o700)
    return True


def remove(script: str) -> bool:
    """Remove the script and its empty directory; False if there was none."""
    if read(script) is None:
        return False
    os.unlink(script)
    if not os.listdir(os.path.dirname(script)):
        os.rmdir(os.path.dirname(script))
    return True

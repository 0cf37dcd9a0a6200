"""The launcher, a small script at a stable place that finds hookkit, and the handlers in settings files that call it.

The settings of agents name only this script. The script holds the full paths of hookkit and its Python, so an agent
needs no PATH, venv or working directory. Once hookkit is gone, the script says so, or refuses the call.
"""

import json
import os
import shlex
import shutil
import sys

from hookkit.settings.checks import client
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


DEFAULT = "run"
LATER = "--later"  # nobody needs the answer: the launcher stores the event
CLOSED_WORDS = ("--on-error", "deny")  # refuse the call if hookkit fails or is gone
SHIM = "hookkit-hook"
BASH, SHELL = "/bin/bash", "/bin/sh"
NAME = os.path.join("hookkit", "hook")  # in the person's data directory
LIMIT = 1 << 16  # bytes of a launcher script
ABOUT = "# hookkit: agents call this file. `hookkit init` writes it, `hookkit uninit` removes it.\n"
# Grok runs the hooks in Claude Code's settings, and knows no `args`: alone, the script answers every event.
ALONE = "[ $# -gt 0 ] || set -- run\n"
# With -p bash takes no functions and no start file from the environment, which a project may have set.
WARM_HEAD, PLAIN_HEAD = f"#!{BASH} -p\n", f"#!{SHELL}\n"
TESTS = "[ -x "
# No mark silences the message: whoever can take hookkit away could also leave such a mark.
GONE = """
case "$*" in *"--on-error deny"*)
  echo {closed} >&2
  exit 2 ;;
esac
read -r event
case $event in {loud} | "")
  echo {message} ;;
esac
"""
LOST = "hookkit is not installed here. Install hookkit, or remove its hooks"


def line(script: str, words: "Sequence[str]" = (DEFAULT,)) -> str:
    """The call of the launcher script, for agents that start handlers with a shell."""
    return shlex.join([script, *words])


def shared_line(words: "Sequence[str]" = (DEFAULT,), *, loud: bool) -> str:
    """The line for a file in the repository: no path of a person, every machine finds its own hookkit.

    Without hookkit a loud line tells the person, a line with CLOSED_WORDS refuses the call.
    """
    otherwise = "exit 0"
    if is_closed(words):
        otherwise = f"{{ echo {shlex.quote(f'hookkit cannot check this call: {LOST}.')} >&2; exit 2; }}"
    elif loud:
        message = {"systemMessage": f"Nothing is checked: {LOST}."}
        otherwise = f"exec echo {shlex.quote(json.dumps(message))}"
    return f"command -v hookkit >/dev/null || {otherwise}; exec hookkit {shlex.join(words)}"


def is_closed(words: "Sequence[str]") -> bool:
    return any(tuple(words[number : number + 2]) == CLOSED_WORDS for number in range(len(words)))


def calls(command: str, arguments: "list[str] | None" = None) -> list[list[str]]:
    """The words after each `hookkit` in a handler's command, if they call a hook."""
    lines = client.calls(command, arguments)
    return [words for words in lines if words and client.is_hook(words[0])]


def is_ours(command: object, arguments: "list[str] | None" = None) -> bool:
    """Whether a handler's command runs a hook of hookkit; the cheap test comes first."""
    return isinstance(command, str) and "hookkit" in command and bool(calls(command, arguments))


class Wanted:
    """A handler for `init` to write: the agent's name of the event, the command line, seconds or milliseconds.

    With `arguments` the agent starts the program `command` without a shell. `words` are hookkit's own words. `blocks`
    asks the agent itself to refuse the call if the command fails or is late.
    """

    __slots__ = ("arguments", "blocks", "command", "event", "timeout", "words")

    def __init__(
        self,
        event: str,
        command: str,
        timeout: int,
        words: "Sequence[str]" = (),
        *,
        shell: bool = True,
        blocks: bool = False,
    ) -> None:
        self.event = event
        self.command = command
        self.timeout = timeout
        self.words = [*words]
        self.arguments = None if shell else [*words]
        self.blocks = blocks

    @property
    def line(self) -> str:
        """The command for a shell."""
        return self.command if self.arguments is None else line(self.command, self.arguments)

    @property
    def is_closed(self) -> bool:
        """Whether the agent must refuse the call if hookkit fails or is gone."""
        return "deny" in self.words


class Wired:
    """A handler in a file. `path` lists the keys to the handler, `place` is its line and column."""

    __slots__ = ("event", "fields", "matcher", "path", "place")

    def __init__(
        self,
        event: str,
        fields: "dict[str, Any]",
        matcher: str,
        path: "tuple[str | int, ...]" = (),
        place: tuple[int, int] = (1, 1),
    ) -> None:
        self.event = event
        self.fields = fields
        self.matcher = matcher
        self.path = path
        self.place = place

    @property
    def command(self) -> str:
        return _text(self.fields.get("command") or self.fields.get("bash"))

    @property
    def calls(self) -> list[list[str]]:
        """The words after each `hookkit` in the command, if they call a hook."""
        return calls(self.command, self.arguments)

    @property
    def is_run(self) -> bool:
        """Whether the handler calls `hookkit run`, with whatever options."""
        return any(words[:1] == [DEFAULT] for words in self.calls)

    @property
    def is_ours(self) -> bool:
        """Whether the handler runs a hook of hookkit."""
        return is_ours(self.command, self.arguments)

    @property
    def arguments(self) -> "list[str] | None":
        words = self.fields.get("args")
        return [word for word in words if isinstance(word, str)] if isinstance(words, list) else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


class Launcher:
    """The program and its interpreter. Both are checked before a hook starts: a venv can lose its Python.

    `is_warm` says that hooks ask the server first.
    """

    __slots__ = ("interpreter", "is_warm", "program")

    def __init__(self, program: str, interpreter: str, *, is_warm: bool = False) -> None:
        self.program = program
        self.interpreter = interpreter
        self.is_warm = is_warm

    def warm(self) -> "Launcher":
        """The same with the server."""
        return Launcher(self.program, self.interpreter, is_warm=True)

    @property
    def shim(self) -> str:
        """The bash script beside the program: it asks the server and stores events."""
        return os.path.join(os.path.dirname(self.program), SHIM)

    @property
    def is_there(self) -> bool:
        return all(os.access(path, os.X_OK) for path in (self.program, self.interpreter))

    def script(self, loud: list[str], places: dict[str, str]) -> str:
        """The text of the launcher script; `loud` are the events of agents whose replies a person sees.

        `places` are the person's own directories. They stand in the script, because an agent may hand the variables of
        a project to its hooks, and these would lead to another policy.
        """
        lost = f"{self.program} is missing. Reinstall hookkit"
        message = {"systemMessage": f"hookkit is off, nothing is checked: {lost}, or remove its hooks."}
        gone = GONE.format(
            closed=shlex.quote(f"hookkit cannot check this call: {lost}."),
            loud=" | ".join(f"*'\"{event}\"'*" for event in loud),
            message=shlex.quote(json.dumps(message)),
        )
        pins = "".join(f"{name}={shlex.quote(place)}\n" for name, place in places.items())
        pins += f"export {' '.join(places)}\n" if places else ""
        python, program = shlex.quote(self.interpreter), shlex.quote(self.program)
        tests = f"{TESTS}{python} ] && [ -x {program} ] && "
        cold = f'{tests}exec {python} -IS {program} "$@"\n{gone}'
        if not os.access(BASH, os.X_OK):
            return f"{PLAIN_HEAD}{ABOUT}{pins}{ALONE}{cold}"
        server = "on" if self.is_warm else "off"
        own = f"_hk_server={server} _hk_marks= _hk_python={python} _hk_program={program}\n"
        shim = shlex.quote(self.shim)
        return f"{WARM_HEAD}{ABOUT}{pins}{own}{ALONE}{tests}[ -r {shim} ] && . {shim}\n{cold}"


def find() -> Launcher:
    """The launcher beside the interpreter of this process, else the called program, else the first on the PATH."""
    beside = os.path.join(os.path.dirname(sys.executable), "hookkit")
    called = os.path.abspath(sys.argv[0])
    names = (beside, called if os.path.basename(called) == "hookkit" else "", shutil.which("hookkit") or "")
    program = next((name for name in names if name and os.access(name, os.X_OK)), beside)
    return Launcher(os.path.abspath(program), sys.executable)


def path(environ: dict[str, str]) -> str:
    """The place of the launcher script, the same for every version and every venv."""
    return os.path.join(_place(environ, "XDG_DATA_HOME", ".local", "share"), NAME)


def places(environ: dict[str, str]) -> dict[str, str]:
    """The person's own directories of this moment, by the variables that name them."""
    home = files.home(environ)
    return {} if not home else {
        "HOME": home,
        "XDG_CONFIG_HOME": _place(environ, "XDG_CONFIG_HOME", ".config"),
        "XDG_STATE_HOME": _place(environ, "XDG_STATE_HOME", ".local", "state"),
        "XDG_DATA_HOME": _place(environ, "XDG_DATA_HOME", ".local", "share"),
    }  # fmt: skip


def _place(environ: dict[str, str], name: str, *usual: str) -> str:
    given = environ.get(name, "")
    return given if os.path.isabs(given) else os.path.join(files.home(environ), *usual)


def read(script: str) -> Launcher | None:
    """The program that a launcher script starts; None for a missing or foreign file."""
    try:
        text = files.read(script, LIMIT).decode("utf-8", "replace")
        line = next((line for line in text.splitlines() if line.startswith(TESTS)), "")
        words = shlex.split(line) if ABOUT in text else []
    except (OSError, ValueError):
        return None
    tests = [words[number + 1] for number, word in enumerate(words[:-1]) if word == "-x"]
    if len(tests) != 2:  # noqa: PLR2004 - the interpreter, the program
        return None
    directory, name = os.path.split(tests[1])
    is_warm = name == SHIM or "_hk_server=on" in text  # earlier versions named the shim as the program
    return Launcher(os.path.join(directory, "hookkit") if name == SHIM else tests[1], tests[0], is_warm=is_warm)


def elsewhere(script: str, places: dict[str, str], marks: str) -> str:
    """The text of a launcher script with other directories: a rehearsal leaves no trace in those of the person."""
    pins = {name: f"{name}={shlex.quote(place)}" for name, place in places.items()}
    lines = files.read(script, LIMIT).decode("utf-8", "replace").split("\n")
    text = "\n".join(pins.get(line.partition("=")[0], line) for line in lines)
    return text.replace(" _hk_marks= ", f" _hk_marks={shlex.quote(marks)} ", 1)


def write(script: str, text: str) -> bool:
    """Write the script in a directory of ours; False if it is there already."""
    try:
        if files.read(script, LIMIT).decode("utf-8", "replace") == text and os.access(script, os.X_OK):
            return False
    except OSError:
        pass
    files.private_dir(os.path.dirname(script))
    files.keep(script, text.encode(), 0o700)  # wired settings without their launcher would check nothing, silently
    return True


def remove(script: str) -> bool:
    """Remove the script and its empty directory; False if there was none."""
    if read(script) is None:
        return False
    os.unlink(script)
    if not os.listdir(os.path.dirname(script)):
        os.rmdir(os.path.dirname(script))
    return True

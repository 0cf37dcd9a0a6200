"""From the words on the command line to a command, and from its result to an exit code."""

import os
import sys

from hookkit.cli._command import CommandSpec, Param

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.cli._command import Subcommands


HELP = ("--help", "-h")


class Doubt(Exception):  # noqa: N818 - not an error yet: typer decides
    """The words are wrong, or so unusual that only typer can tell."""


class HelpWanted(Exception):  # noqa: N818 - not an error
    """--help is among the words."""


def parse(command: CommandSpec, words: list[str]) -> "tuple[dict[str, Any], str]":
    """The values of the parameters, and the format that was asked for."""
    if command.arrange is not None:
        words = command.arrange(command, words)
    reader = _Reader(command)
    reader.read(words)
    return reader.values(), reader.given.pop("--output", "")


class _Reader:
    def __init__(self, command: CommandSpec) -> None:
        self.command = command
        self.options = {name: param for param in command.params for name in param.names if "/" not in name}
        for param in command.params:
            for pair in (name for name in param.names if "/" in name):
                self.options.update(dict.fromkeys(pair.split("/"), param))
        self.outputs = command.output.names if command.output else ()
        self.help = HELP[:1] if command.is_free else HELP
        self.given: dict[str, Any] = {}
        self.rest: list[str] = []

    def read(self, words: list[str]) -> None:
        left = list(words)
        while left:
            word = left.pop(0)
            if word == "--":
                self.rest += left
                return
            if not word.startswith("-") or word == "-":
                self.rest.append(word)
            else:
                self._option(word, left)

    def _option(self, word: str, left: list[str]) -> None:
        if word in self.help:
            raise HelpWanted
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if name not in self.options and name not in self.outputs:
            has_value = word[:2] in self.options or word[:2] in self.outputs  # `-ojson`: typer reads it
            if not self.command.is_free or has_value:
                raise Doubt
            self.rest.append(word)
            return
        param = self.options.get(name)
        if param is not None and param.kind is bool:
            if equals:
                raise Doubt
            self.given[param.name] = not any(pair.split("/")[1:] == [name] for pair in param.names)
            return
        if not equals:
            if not left:
                raise Doubt
            value = left.pop(0)
        if param is None:
            self.given["--output"] = _chosen(value, self.command.output.choices if self.command.output else ())
        else:
            self.given[param.name] = _value(param, value)

    def values(self) -> "dict[str, Any]":
        """The values of all parameters; words without a dash go to the arguments in their order."""
        rest = list(self.rest)
        arguments = [param for param in self.command.params if not param.is_option]
        for param in arguments:
            if param.kind is list:
                self.given[param.name], rest = rest or None, []
            elif rest:
                self.given[param.name] = _value(param, rest.pop(0))
        if rest or any(param.is_required and param.name not in self.given for param in self.command.params):
            raise Doubt
        return {param.name: self.given.get(param.name, param.default) for param in self.command.params}


def _value(param: Param, text: str) -> "Any":
    if param.kind is str:
        return _chosen(text, param.flag.choices)
    try:
        number = param.kind(text)
    except ValueError:
        raise Doubt from None
    least, most = param.flag.least, param.flag.most
    if (least is not None and number < least) or (most is not None and number > most):
        raise Doubt
    return number


def _chosen(text: str, choices: tuple[str, ...]) -> str:
    if choices and text not in choices:
        raise Doubt
    return text


COMPLETION = "_HOOKKIT_COMPLETE"  # set by a shell that completes a command line
COMPLETING = ("--install-completion", "--show-completion")
VERSION = (["--version"], ["-V"])
PAGES: "tuple[list[str], ...]" = ([], ["all"], ["hooks"], ["--help"])  # of the first page


def run(words: list[str]) -> int:
    """The exit code: 0 all well, 1 a finding, 2 bad usage or an unreadable file, 141 the reader of a pipe has gone."""
    _prepare_streams()
    if words in VERSION and COMPLETION not in os.environ:
        return _print(_version())
    from hookkit.cli import _console
    from hookkit.errors import HookkitError

    try:
        try:
            code = _dispatch(words)
            sys.stdout.flush()
            return code  # noqa: TRY300 - the last thing that can fail is the flush
        except BrokenPipeError:
            _console.leave()
    except _console.Exit as end:
        return end.code
    except KeyboardInterrupt:
        return 1
    except (HookkitError, OSError, OverflowError) as error:
        _console.warn(_told(error) or type(error).__name__, "red")
    return 2


def _dispatch(words: list[str]) -> int:
    from hookkit.cli import _help

    if COMPLETION in os.environ or (words and words[0] in COMPLETING):
        from hookkit.cli import _typer

        return _typer.complete()
    if words[:1] in (["help"], ["--help"], ["-h"]) and words[1:] in PAGES:
        return _print(_help.overview([word for word in words[1:] if word in ("all", "hooks")]))
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    name, *rest = words or ["status"]
    name, *more = _help.OLDER.get(name, (name,))
    words = [*more, *rest]
    if [name] in VERSION:
        return _show_version(words)
    return _command(name, words)


def _command(name: str, words: list[str]) -> int:
    from hookkit import registry
    from hookkit.cli import _help
    from hookkit.cli._command import Subcommands

    if registry.exists("cli", name.replace("-", "_")) and "_" not in name:
        command: CommandSpec | Subcommands = _help.command_of(name)
    else:
        return _hook(name)
    path = [name]
    while isinstance(command, Subcommands):
        command, path, words = _sub_command(command, path, words)
    return _call(command, path, words)


def _sub_command(
    group: "Subcommands", path: list[str], words: list[str]
) -> "tuple[CommandSpec | Subcommands, list[str], list[str]]":
    from hookkit.cli import _console, _help
    from hookkit.cli._command import CommandSpec, Subcommands

    if words and words[0] in group.functions:
        inner = group.functions[words[0]]
        path = [*path, words[0]]
        return inner if isinstance(inner, Subcommands) else CommandSpec(inner, words[0]), path, words[1:]
    if words[:1] in (["--help"], ["-h"]) or (not words and group.alone is None):
        _print(_help.page(path, group))
        raise _console.Exit(0)
    if group.alone is not None and (not words or words[0].startswith("-")):
        return CommandSpec(group.alone, path[-1]), path, words
    from hookkit.cli import _typer

    return _typer.refuse(path, group, words)


def _call(command: "CommandSpec", path: list[str], words: list[str]) -> int:
    from hookkit.cli import _help

    try:
        values, form = parse(command, words)
    except HelpWanted:
        return _print(_help.page(path, command))
    except Doubt:
        from hookkit.cli import _typer

        values, form = _typer.read(path, command, words)
    output = command.call(values)
    if output is None:
        return 0
    output.print(form)
    return int(output.code)


def _hook(name: str) -> int:
    """A hook command gets here for its help alone. A wrong name exits with 1: wired into a client, 2 would block."""
    from hookkit import registry
    from hookkit.cli import _console, _help
    from hookkit.system.suggestions import closest

    own = name.replace("-", "_")
    if own == "run" or registry.exists("hooks", own) or registry.exists("hooks/_screen", own):
        return _print(_help.page([name], _help.hook_command(own)))
    hooks = ["run", *registry.names("hooks"), *registry.names("hooks/_screen")]
    known = [
        "help",
        "version",
        *_help.visible(),
        *_help.EFFORTS,
        *_help.OLDER,
        *(hook.replace("_", "-") for hook in hooks),
    ]
    close = closest(name, known, 0.6)
    fix = f"Did you mean {close}?" if close else "See: hookkit --help"
    return _console.fail(f"no command {name!r}. {fix}")


def _version() -> str:
    from hookkit import __version__

    return f"hookkit {__version__}\n"


def _show_version(words: list[str]) -> int:
    """`hookkit version -o json` has the version of Python too."""
    if not {"json", "--output=json"} & set(words):
        return _print(_version())
    from platform import python_version

    from hookkit import __version__
    from hookkit.cli._console import echo_json

    echo_json({"hookkit": __version__, "python": python_version()})
    return 0


def _prepare_streams() -> None:
    """A terminal that cannot show ✓ still gets an answer, and a closed stdout is no reason to crash."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open until the process ends
        getattr(sys, name).reconfigure(errors="replace")


def _print(text: str) -> int:
    """Print a text of our own: the version, a page of the help."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141
    return 0


def _told(error: Exception) -> str:
    if not isinstance(error, OSError):
        return str(error)
    path = f"{error.filename}: " if isinstance(error.filename, str) else ""
    if isinstance(error, FileNotFoundError) and not path:
        return "the working directory is gone: go to another one"
    return path + error.strerror if error.strerror else ""

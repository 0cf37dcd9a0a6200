"""The same commands as a typer application: it completes words in a shell, and says what is wrong with a command line.

Loading it takes longer than most commands: it is not loaded for a line that `_command` can read.
"""

import inspect
import sys
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from hookkit.cli import _main
from hookkit.cli._command import CommandSpec, Option, Param, Subcommands
from hookkit.cli._console import Exit, note, warn
from hookkit.system.suggestions import closest

# Typer's errors of usage: typer defines them itself or takes them from click, depending on its version.
USAGE: Any = typer.BadParameter.__mro__[2]
NUMBERS = {"integer": "a whole number", "number": "a number"}  # kinds in the messages of the library
OUTPUT = "output_"  # the parameter of --output; no command has one of this name
FREE_TEXT = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
USUAL = {"help_option_names": ["--help", "-h"]}

Values = dict[str, Any]


def read(path: list[str], command: CommandSpec, words: list[str]) -> tuple[Values, str]:
    """The values of a command line, and the format that was asked for. A mistake ends the command."""
    given: Values = {}
    app, inner = _nested(path)
    _add(inner, path[-1], command, given)
    _run(app, [*path, *(command.arrange(command, words) if command.arrange else words)])
    form = given.pop(OUTPUT, "") or ""
    return given, str(form)


def refuse(path: list[str], group: Subcommands, words: list[str]) -> NoReturn:
    """Say what is wrong with the words after a group."""
    app, inner = _nested(path)
    inner.add_typer(_filled(path[-1], group), name=path[-1])
    _run(app, [*path, *words])
    raise Exit(2)


def _nested(path: list[str]) -> tuple[typer.Typer, typer.Typer]:
    """The application, and the group of the path's last name in it."""
    app = inner = _group("hookkit")
    for name in path[:-1]:
        inner.add_typer(below := _group(name), name=name)
        inner = below
    return app, inner


def complete() -> int:
    """Complete a command line for a shell, or print or install the script for that."""
    app = _group("hookkit", add_completion=True)
    for name in _main.hook_names():
        _add(app, name.replace("_", "-"), _main.hook_command(name), {})
    for name in _main.visible():
        command = _main.command_of(name)
        if isinstance(command, Subcommands):
            app.add_typer(_filled(name, command), name=name)
        else:
            _add(app, name, command, {})
    return _run(app, sys.argv[1:])


def _group(name: str, **more: Any) -> typer.Typer:
    made = typer.Typer(name=name, cls=TyperGroup, context_settings=USUAL, pretty_exceptions_enable=False,
                       **{"add_completion": False, **more})  # fmt: skip
    made.callback(invoke_without_command=True)(lambda: None)
    return made


def _filled(name: str, group: Subcommands) -> typer.Typer:
    made = _group(name)
    for own, function in group.functions.items():
        if isinstance(function, Subcommands):
            made.add_typer(_filled(own, function), name=own)
        else:
            _add(made, own, CommandSpec(function, own), {})
    return made


def _add(app: typer.Typer, name: str, command: CommandSpec, given: Values) -> None:
    def run(**values: Any) -> None:
        given.update(values)

    keyword = inspect.Parameter.KEYWORD_ONLY
    params = [
        inspect.Parameter(param.name, keyword, default=param.default, annotation=_annotation(param))
        if not param.is_required
        else inspect.Parameter(param.name, keyword, annotation=_annotation(param))
        for param in command.params
    ]
    if command.output is not None:
        params.append(
            inspect.Parameter(OUTPUT, keyword, default="", annotation=Annotated[str, _option(command.output)])
        )
    run.__signature__ = inspect.Signature(params)  # type: ignore[attr-defined]
    run.__doc__ = command.about
    app.command(name, context_settings=FREE_TEXT if command.is_free else USUAL)(run)


def _annotation(param: Param) -> Any:
    flag = param.flag
    kinds: dict[type, Any] = {list: list[str] | None, bool: bool | None if param.default is None else bool}
    kind = kinds.get(param.kind, param.kind | None if param.default is None else param.kind)
    if isinstance(flag, Option):
        return Annotated[kind, _option(flag, param)]
    return Annotated[kind, typer.Argument(metavar=param.metavar, help=flag.help, **_checked(flag.choices))]


def _option(flag: Option, param: Param | None = None) -> Any:
    names = param.names if param is not None else flag.names
    limits: Values = {"min": flag.least, "max": flag.most} if flag.least is not None else {}
    more: Values = {"help": flag.help, "metavar": flag.metavar or None, **limits, **_checked(flag.choices)}
    return typer.Option(*names, **more)


def _checked(choices: tuple[str, ...]) -> Values:
    if not choices:
        return {}

    def check(value: str | None) -> str | None:
        if value and value not in choices:
            raise typer.BadParameter(f"{value} is not one of {', '.join(choices)}")
        return value

    return {"callback": check, "autocompletion": lambda: [*choices]}


def _run(app: typer.Typer, words: list[str]) -> int:
    try:
        return int(app(words, prog_name="hookkit", standalone_mode=False) or 0)
    except typer.Exit as end:
        raise Exit(end.exit_code) from None
    except typer.Abort:
        raise Exit(1) from None
    except USAGE as error:
        warn(_in_plain_words(error), "red")
        if error.ctx is not None:
            note(f"{error.ctx.get_usage()}\nSee: {error.ctx.command_path} --help", "")
        raise Exit(2) from None


def _in_plain_words(error: Any) -> str:
    """The library's message, but for a wrong number and a wrong sub-command."""
    message = str(error.format_message())
    for kind, simple in NUMBERS.items():
        head, mark, _ = message.partition(f": Input should be a valid {kind}")
        if mark:
            return f"{head}: expected {simple}"
    commands = getattr(error.ctx.command, "commands", {}) if error.ctx is not None else {}
    if not message.startswith("No such command"):
        return message
    wrong = message.split("'")[1]
    return f"no command {wrong!r}. {hint(wrong, [*commands], 'There are ' + ', '.join(commands))}"


def hint(name: str, known: list[str], otherwise: str) -> str:
    close = closest(name, known, 0.6)
    return f"Did you mean {close}?" if close else otherwise

"""The application: only the command on the command line is loaded; all commands for completion."""

import os
import sys
from typing import Annotated, Any

import typer

from hookkit import registry
from hookkit.cli import _console
from hookkit.cli._options import Actor, App
from hookkit.errors import HookkitError
from hookkit.system.suggestions import closest

ON_ERROR = "The answer if hookkit itself fails: open lets the call pass."
AGENTS = "For agents: read an event as JSON on stdin, answer on stdout, never fail"
PEOPLE = "For people"
# Typer's errors of usage: typer defines them itself or takes them from click, depending on its version.
USAGE: Any = typer.BadParameter.__mro__[2]
NUMBERS = {"integer": "a whole number", "number": "a number"}  # kinds in the messages of the library

app = App(
    "The hook layer for coding agents: one fast command that answers every hook event.",
    name="hookkit",
    epilog='Try it: echo \'{"prompt": "improve the docs"}\' | hookkit nudge',
)


@app.callback(invoke_without_command=True)
def _main(
    context: typer.Context,
    _: Annotated[bool, typer.Option("--version", "-V", help="Print the version.")] = False,  # noqa: FBT002
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _hook(
    on_error: Annotated[str, typer.Option(metavar="<open|ask|deny>", help=ON_ERROR)] = "open",
    actor: Actor = "",
    hooks: Annotated[str, typer.Option(metavar="NAMES", help="With run: only these hooks.")] = "",
) -> None:
    """The options of every hook command, for its help; the pipeline reads them from the command line."""


def _name(module: str) -> str:
    return module.replace("_", "-")


def _hook_help(name: str) -> str:
    if name == "run":
        about, events = "Run every hook of the event and merge their answers: the command to wire.", "every event"
    else:
        module = registry.find("hooks", name)
        about, events = (module.__doc__ or "").strip(), ", ".join(module.EVENTS)
    return f"{about}\n\nAnswers: {events}.\n\nExample: hookkit {name} --on-error ask < event.json"


def _screen_help(name: str) -> str:
    about = (registry.find("screen", name).__doc__ or "").strip()
    example = f"Example: hookkit {_name(name)} < question.json"
    return f"{about}\n\nAnswers the client's own question, not an event.\n\n{example}"


def _nothing() -> None:
    """A command without options, for its help; the pipeline runs it."""


def _register(hooks: list[str], commands: list[str]) -> None:
    """A file in cli/ is a command; a file in hooks/ is one too, for its help (the pipeline runs it)."""
    app.registered_commands.clear()
    app.registered_groups.clear()
    for name in hooks:
        if registry.exists("screen", name):
            app.command(_name(name), help=_screen_help(name), rich_help_panel=AGENTS)(_nothing)
        else:
            app.command(name, help=_hook_help(name), rich_help_panel=AGENTS)(_hook)
    for name in commands:
        app.add(registry.find("cli", name), _name(name), rich_help_panel=PEOPLE)


def show_help(words: list[str]) -> None:
    """`hookkit help ledger list` is `hookkit ledger list --help`."""
    sys.argv[1:] = [*words, "--help"]
    main()


def main() -> None:
    _prepare_streams()
    hooks, commands = ["run", *registry.names("hooks"), *registry.names("screen")], registry.names("cli")
    name = next(iter(sys.argv[1:]), "--help")
    if not name.startswith("-"):
        _check(name, [_name(each) for each in (*hooks, *commands)])
        hooks, commands = ([each for each in group if _name(each) == name] for group in (hooks, commands))
    _register(hooks, commands)
    sys.exit(_run())


def _prepare_streams() -> None:
    """A terminal that cannot show ✓ still gets an answer, and a closed stdout is no reason to crash."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open until the process ends
        getattr(sys, name).reconfigure(errors="replace")


def _run() -> int:
    """The exit code: 0 all well, 1 a finding, 2 bad usage or an unreadable file, 141 the reader of a pipe has gone."""
    try:
        try:
            code = app(standalone_mode=False)
            sys.stdout.flush()
        except BrokenPipeError:
            _console.leave()
        return int(code or 0)
    except typer.Exit as end:
        return end.exit_code
    except typer.Abort:
        return 1
    except USAGE as error:
        _misused(error)
    except (HookkitError, OSError, OverflowError) as error:
        _console.warn(_said(error) or type(error).__name__, "red")
    return 2


def _said(error: Exception) -> str:
    if not isinstance(error, OSError):
        return str(error)
    path = f"{error.filename}: " if isinstance(error.filename, str) else ""
    if isinstance(error, FileNotFoundError) and not path:
        return "the working directory is gone: go to another one"
    return path + error.strerror if error.strerror else ""


def _misused(error: Any) -> None:
    _console.warn(_in_plain_words(error), "red")
    if error.ctx is not None:
        _console.note(f"{error.ctx.get_usage()}\nSee: {error.ctx.command_path} --help", "")


def _in_plain_words(error: Any) -> str:
    """The library's message, but for a wrong number and a wrong sub-command."""
    message = str(error.format_message())
    for kind, plain in NUMBERS.items():
        head, found, _ = message.partition(f": Input should be a valid {kind}")
        if found:
            return f"{head}: expected {plain}"
    commands = getattr(error.ctx.command, "commands", {}) if error.ctx is not None else {}
    if not message.startswith("No such command"):
        return message
    wrong = message.split("'")[1]
    return f"no command {wrong!r}. {_hint(wrong, [*commands], 'There are ' + ', '.join(commands))}"


def _check(name: str, known: list[str]) -> None:
    """A wrong name exits with 1: wired into a client by mistake, a 2 would block every tool call."""
    if name in known:
        return
    _console.warn(f"no command {name!r}. {_hint(name, known, 'See: hookkit --help')}", "red")
    sys.exit(1)


def _hint(name: str, known: list[str], otherwise: str) -> str:
    close = closest(name, known, 0.6)
    return f"Did you mean {close}?" if close else otherwise

"""The people's commands: one file each, and the only place that knows typer and rich."""

import os
import sys
from typing import Annotated

import typer

from hookkit import __version__, registry
from hookkit.errors import HookkitError
from hookkit.system.suggestions import closest

AGENTS = "For agents: read an event as JSON on stdin, answer on stdout, never fail"
PEOPLE = "For people"

app = typer.Typer(
    name="hookkit",
    help="The hook layer for coding agents: one fast command that answers every hook event.",
    rich_markup_mode="rich",
    add_completion=False,
    context_settings={"help_option_names": ["--help", "-h"]},
    pretty_exceptions_enable=False,
    epilog='Try it: echo \'{"prompt": "improve the docs"}\' | hookkit nudge',
)


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer's callback
    if wanted:
        typer.echo(f"hookkit {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _main(
    context: typer.Context,
    _: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")] = False,  # noqa: FBT002
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _name(module: str) -> str:
    return module.replace("_", "-")


def _hook_help(name: str) -> str:
    if name == "run":
        about = "Every hook that the event's row names, merged into one reply: the one to wire."
        events = "every event"
    else:
        module = registry.find("hooks", name)
        about, events = (module.__doc__ or "").strip(), ", ".join(module.EVENTS)
    return (
        f"{about}\n\nAnswers: {events}.\n\n"
        "--on-error open|ask|deny says what to answer when it could not evaluate (default: open).\n\n"
        f"Example: hookkit {name} < event.json"
    )


def _register(hooks: list[str], commands: list[str]) -> None:
    """A file in cli/ is a command; a file in hooks/ is one too, for its help (the pipeline runs it)."""
    for name in hooks:
        app.command(name, help=_hook_help(name), rich_help_panel=AGENTS)(lambda: None)
    for name in commands:
        command = registry.find("cli", name).command
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=_name(name), rich_help_panel=PEOPLE)
        else:
            app.command(_name(name), rich_help_panel=PEOPLE)(command)


def main() -> None:
    """A wrong name exits with 1: wired into a client by mistake, a 2 would block every tool call."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that knows no ✓ still gets an answer
    hooks, commands = ["run", *registry.names("hooks")], registry.names("cli")
    name = next(iter(sys.argv[1:]), "--help")
    if not name.startswith("-"):
        _check(name, [*hooks, *(_name(each) for each in commands)])
        hooks, commands = ([each for each in group if _name(each) == name] for group in (hooks, commands))
    _register(hooks, commands)
    try:
        app()
    except BrokenPipeError:  # `… | head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (HookkitError, OSError, OverflowError) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        sys.stderr.write(f"hookkit: {said or type(error).__name__}\n")
        sys.exit(2)


def _check(name: str, known: list[str]) -> None:
    if name in known:
        return
    close = closest(name, known, 0.6)
    hint = f"Did you mean {close}?" if close else "See: hookkit --help"
    sys.stderr.write(f"hookkit: no command {name!r}. {hint}\n")
    sys.exit(1)

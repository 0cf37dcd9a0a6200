"""Options of several commands, and the kind of Typer application of all commands."""

from collections.abc import Callable
from enum import Enum
from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperCommand, TyperGroup


class Output(str, Enum):
    """How a command prints; each command offers some of these."""

    table = "table"
    json = "json"
    github = "github"
    junit = "junit"
    markdown = "markdown"


def _output(*offered: str, short: tuple[str, ...] = ("-o",)) -> Any:
    def check(value: Output) -> Output:
        if value not in offered:
            raise typer.BadParameter(f"{value.value} is not one of {', '.join(offered)}")
        return value

    return typer.Option(
        "--output", *short, metavar=f"<{'|'.join(offered)}>", help="How to print.", callback=check,
        autocompletion=lambda: list(offered),
    )  # fmt: skip


Printed = Annotated[Output, _output("table", "json")]
PrintedAsJson = Annotated[Output, _output("json")]
PrintedBesideText = Annotated[Output, _output("table", "json", short=())]  # a free text may hold -o
PrintedForGitHub = Annotated[Output, _output("table", "json", "github")]
PrintedForReview = Annotated[Output, _output("table", "json", "markdown")]
PrintedForCI = Annotated[Output, _output("table", "json", "junit", "github")]
Actor = Annotated[str, typer.Option(metavar="NAME", help="Who makes the call, such as agent:executor.")]


class HookkitCommand(TyperCommand):
    """A command whose help is text: typer would read `[[hooks]]` as markup."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.help = escape(self.help) if self.help else self.help
        for param in self.params:
            if getattr(param, "help", None):
                param.help = escape(param.help)  # type: ignore[attr-defined]

    def get_params(self, ctx: Any) -> list[Any]:
        return without_types(super().get_params(ctx))


class _Group(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:
        return without_types(super().get_params(ctx))


def without_types(params: list[Any]) -> list[Any]:
    """A flag takes no value, so its help shows no type."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params


class App(typer.Typer):
    """A group of commands with the same look of help, and without tracebacks of typer's own."""

    def __init__(self, help_: str, **more: Any) -> None:
        super().__init__(
            cls=_Group, help=help_, rich_markup_mode="rich", pretty_exceptions_enable=False,
            context_settings={"help_option_names": ["--help", "-h"]}, **more,
        )  # fmt: skip
        self.__doc__ = help_

    def command(self, name: str | None = None, **more: Any) -> Callable[[Any], Any]:
        return super().command(name, **{"cls": HookkitCommand, **more})

    def add(self, module: Any, name: str, **more: Any) -> None:
        """Register the command of a module in cli/; `KIND` is its class, where it is a special one."""
        if isinstance(module.command, typer.Typer):
            self.add_typer(module.command, name=name, **more)
        else:
            self.command(name, cls=getattr(module, "KIND", HookkitCommand), **more)(module.command)


def group(help_: str) -> App:
    """A command with sub-commands; without a sub-command its help is printed."""
    made = App(help_)

    @made.callback(invoke_without_command=True)
    def _help(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    return made

import json
import os
from enum import Enum
from typing import Annotated

import typer
from rich.console import Console

from hookkit import files, settings
from hookkit.errors import ConfigError
from hookkit.schema import Problem, check


class Output(str, Enum):
    table = "table"
    json = "json"
    github = "github"


def command(
    paths: Annotated[list[str] | None, typer.Argument(metavar="[FILE]…", help="By default every layer.")] = None,
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print.")] = Output.table,
) -> None:
    """Check hookkit.toml: every mistake at once, each with its place.

    Exits 0 if all is well, 1 if there is a mistake, 2 if a file cannot be read.

    Example: hookkit validate hookkit.toml --output github
    """
    console = Console(highlight=False, soft_wrap=True)
    found = paths or _layers()
    problems: list[Problem] = []
    try:
        for path in found:
            problems += check(path, settings.text(path))[1]
    except ConfigError as error:
        Console(stderr=True, highlight=False, soft_wrap=True).print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None
    _print(console, problems, output)
    if output is Output.table and not problems:
        console.print(
            f"No mistakes in {', '.join(found)}." if found else "There is no hookkit.toml here.", style="green"
        )
    raise typer.Exit(1 if problems else 0)


def _layers() -> list[str]:
    environ = dict(os.environ)
    layers = settings.layers(files.repository(os.getcwd()), environ)
    return [path for _, path in layers if os.path.isfile(path)]


def _print(console: Console, problems: list[Problem], output: Output) -> None:
    if output is Output.json:
        rows = [{key: getattr(problem, key) for key in Problem.__slots__} for problem in problems]
        typer.echo(json.dumps(rows, indent=2))
    for problem in problems:
        if output is Output.github:
            said = f"{problem.message} {problem.fix}".strip()
            typer.echo(f"::error file={problem.file},line={problem.line},col={problem.column}::{said}")
        elif output is Output.table:
            console.print(f"{problem.file}:{problem.line}:{problem.column}", style="bold", end=" ", markup=False)
            console.print(problem.message, style="red", end=" ", markup=False)
            console.print(problem.fix, style="dim", markup=False)

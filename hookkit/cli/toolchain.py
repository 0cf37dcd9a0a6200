import os
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hookkit.errors import ConfigError
from hookkit.redirect.search import CommandSearch, ProjectCommand
from hookkit.redirect.targets import TaskFiles
from hookkit.settings import layers
from hookkit.system import files


def command(
    directory: Annotated[str, typer.Argument(help="By default the current directory.")] = ".",
) -> None:
    """Show the commands that `redirect` uses in a directory, and the file and line that define each.

    Example: hookkit toolchain packages/api
    """
    here = os.path.realpath(directory)
    if not os.path.isdir(here):
        typer.echo(f"hookkit: no directory {directory}", err=True)
        raise typer.Exit(2)
    try:
        rows = layers.load(here, dict(os.environ))["toolchains"]
    except ConfigError as error:
        typer.echo(f"hookkit: {error}", err=True)
        raise typer.Exit(2) from None
    found = list(CommandSearch(here, files.repository(here), TaskFiles(), rows).overview())
    actions = [action for action, _, _ in found]
    table = Table("action", "for", "command", "from")
    for action, ecosystem, project in found:
        other = "every command" if actions.count(action) == 1 else "every other command"
        table.add_row(*map(Text, (action, ecosystem or other, *_shown(project, here))))
    Console().print(table if found else "No toolchain is known here: commands stay as written.")


def _shown(found: ProjectCommand | None, here: str) -> tuple[str, str]:
    return (found.text, os.path.relpath(found.place, here)) if found else ("as written", "")

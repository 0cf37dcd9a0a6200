import os
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from hookkit.errors import ConfigError
from hookkit.redirect import toolchains
from hookkit.settings import layers
from hookkit.system import files


def command(
    directory: Annotated[str, typer.Argument(help="By default where you are.")] = ".",
) -> None:
    """Show which commands `redirect` would use in a directory, and where they come from.

    Example: hookkit toolchain packages/api
    """
    here = os.path.abspath(directory)
    if not os.path.isdir(here):
        typer.echo(f"hookkit: no directory {directory}", err=True)
        raise typer.Exit(2)
    try:
        rows = layers.load(here, dict(os.environ))["toolchains"]
    except ConfigError as error:
        typer.echo(f"hookkit: {error}", err=True)
        raise typer.Exit(2) from None
    table = Table("action", "command", "toolchain")
    for action in toolchains.ACTIONS:
        target = toolchains.detect(here, action, files.repository(here), rows)
        table.add_row(action, target.text if target else "[dim]-[/]", target.toolchain if target else "")
    Console().print(table)

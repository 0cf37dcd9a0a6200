from typing import Annotated

import typer

from hookkit.cli import _toolchain
from hookkit.cli._options import Output, Printed


def command(
    directory: Annotated[str, typer.Argument(metavar="DIR", help="By default the working directory.")] = ".",
    output: Printed = Output.table,
) -> None:
    """Show the commands of `redirect` in a directory, and the file behind each.

    Example: hookkit toolchain packages/api
    """
    _toolchain.show(directory, as_json=output is Output.json)

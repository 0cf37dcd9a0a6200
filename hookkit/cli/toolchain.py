from typing import Annotated

import typer

from hookkit.cli import _toolchain


def command(
    directory: Annotated[str, typer.Argument(metavar="DIR", help="By default the working directory.")] = ".",
) -> None:
    """Show the commands that `redirect` would use in a directory, and their origin.

    Example: hookkit toolchain packages/api
    """
    _toolchain.show(directory)

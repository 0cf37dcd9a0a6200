from typing import Annotated

import typer

from hookkit import cli


def command(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND", help="A command, and its sub-command.")
    ] = None,
) -> None:
    """Show the help of a command; the same as its --help.

    Example: hookkit help ledger list
    """
    cli.show_help(words or [])

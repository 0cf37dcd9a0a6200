from typing import Annotated

import typer

from hookkit.cli import _app


def command(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND", help="A command, and its sub-command.")
    ] = None,
) -> None:
    """Show the help of a command; the same as its --help. `help all` and `help hooks` list more commands.

    Example: hookkit help ledger list
    """
    _app.show_help(words or [])

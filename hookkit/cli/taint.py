from typing import Annotated

import typer

from hookkit.cli import _taint
from hookkit.cli._options import Output, Printed


def command(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="The start of a session's id.")] = "",
    clear: Annotated[bool, typer.Option("--clear", help="Let these sessions send data again.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """List the sessions that have read a secret, or clear them.

    In such a session hookkit asks about each call that sends data out of the
    machine (setting taint.mode). Clearing is refused inside an agent's process
    tree.

    Exits 1 if no session with the given id has read a secret.

    Example: hookkit taint

    Example: hookkit taint --clear
    """
    _taint.show(session, clear=clear, as_json=output is Output.json)

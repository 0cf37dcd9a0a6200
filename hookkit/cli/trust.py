from typing import Annotated

import typer

from hookkit.cli import _trust
from hookkit.cli._options import Output, Printed


def command(
    directory: Annotated[str, typer.Argument(metavar="DIR", help="The project; by default the one you are in.")] = ".",
    revoke: Annotated[bool, typer.Option("--revoke", help="Take the trust back.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """Let a project's own settings allow, rewrite and run things, with their content of this moment.

    Until you trust them, and again after every change, only their deny and ask rules count: gates, handlers and
    approvals do not.

    Exits 1 if there is nothing to trust, or a file has a mistake.

    Example: hookkit trust
    """
    _trust.change(directory, revoke=revoke, as_json=output is Output.json)

from typing import Annotated

import typer

from hookkit.cli import _errors
from hookkit.cli._options import Output, Printed


def command(
    count: Annotated[int, typer.Option("--last", "-n", min=1, help="How many of the newest errors.")] = 20,
    clear: Annotated[bool, typer.Option("--clear", help="Delete the errors you have read.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """Show the errors of hooks: a hook never fails loudly, but never silently either.

    Exits 1 if there are errors.

    Example: hookkit errors -n 5
    """
    if clear:
        _errors.clear(as_json=output is Output.json)
    else:
        _errors.show(count, as_json=output is Output.json)

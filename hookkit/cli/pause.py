from typing import Annotated

import typer

from hookkit.cli import _pause
from hookkit.cli._options import Output, Printed


def command(
    duration: Annotated[str, typer.Argument(metavar="TIME", help="How long: 30m, 1h. At most 24h.")] = "",
    end: Annotated[bool, typer.Option("--end", help="End the pause now.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """Switch hookkit off for a while: it answers no event, tells every session so, and comes back by itself.

    The ledger still records each call. Without a time it says whether a pause is on.

    Exits 1 if an agent runs this, or if your organisation's settings forbid it.

    Example: hookkit pause 1h
    """
    _pause.run(duration, end=end, as_json=output is Output.json)

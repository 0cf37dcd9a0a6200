from typing import Annotated

import typer

from hookkit.cli import _allow
from hookkit.cli._options import Output, Printed


def command(
    id_: Annotated[str, typer.Argument(metavar="ID", help="The id in the message; without one, a list.")] = "",
    deny: Annotated[bool, typer.Option("--deny", help="Refuse an approval that a gate waits for.")] = False,  # noqa: FBT002
    who: Annotated[str, typer.Option("--as", metavar="NAME", help="Who you are, for an approval.")] = "",
    output: Printed = Output.table,
) -> None:
    """Show what waits for you, or allow one call: a stopped call once, or an approval that a gate waits for.

    A stopped call may run once within ten minutes. Exits 1 if there is no such id, or if an agent runs this.

    Example: hookkit allow 45e4d347
    """
    _allow.run(id_, who, deny=deny, as_json=output is Output.json)

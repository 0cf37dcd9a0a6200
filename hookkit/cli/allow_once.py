from typing import Annotated

import typer

from hookkit.cli import _allow_once
from hookkit.cli._options import Output, Printed


def command(
    id_: Annotated[str, typer.Argument(metavar="ID", help="Without an ID, stopped calls are listed.")] = "",
    output: Printed = Output.table,
) -> None:
    """Allow a call that hookkit stopped: this very call, once, within ten minutes.

    The ID stands in hookkit's message about the stopped call. Refused inside an
    agent's process tree: an agent cannot allow its own calls.

    Exits 1 for an unknown ID.

    Example: hookkit allow-once

    Example: hookkit allow-once 1f0c9a2e
    """
    if id_:
        _allow_once.give(id_, as_json=output is Output.json)
    else:
        _allow_once.show_list(as_json=output is Output.json)

from typing import Annotated

import typer

from hookkit.cli import _dashboard
from hookkit.cli._options import Output, Printed


def command(
    show: Annotated[  # noqa: FBT002
        bool, typer.Option("--print", help="Print the address in place of opening a browser.")
    ] = False,
    output: Printed = Output.table,
) -> None:
    """Open the page in your browser: live calls, their reasons, numbers, agents, approvals.

    Starts the warm server if none is running. The address holds a secret of this server: do not share it.

    Example: hookkit dashboard
    """
    _dashboard.open_(is_printed=show, as_json=output is Output.json)

from typing import Annotated

import typer

from hookkit.cli import _approve
from hookkit.cli._options import Output, Printed


def command(
    id_: Annotated[str, typer.Argument(metavar="ID", help="Without an ID, open approvals are listed.")] = "",
    deny: Annotated[bool, typer.Option("--deny", help="Refuse: the agent may stop without an approval.")] = False,  # noqa: FBT002
    who: Annotated[
        str, typer.Option("--as", metavar="NAME", help="Your name, such as human:rashid; by default your user name.")
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="List settled approvals too.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """Give the approval that a gate waits for, or list open approvals.

    Exits 1 for an unknown ID, or if another person has to give the approval.

    Example: hookkit approve

    Example: hookkit approve 1f0c9a2e --as human:rashid
    """
    if id_:
        _approve.settle(id_, who, deny=deny, as_json=output is Output.json)
    else:
        _approve.show_list(everything=everything, as_json=output is Output.json)

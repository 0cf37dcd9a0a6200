from typing import Annotated

import typer

from hookkit.cli import _top
from hookkit.cli._options import Output, Printed


def command(
    once: Annotated[bool, typer.Option("--once", help="Print it once and exit.")] = False,  # noqa: FBT002
    everything: Annotated[bool, typer.Option("--all", help="Also events without a call, such as Stop.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """Watch the hooks in the terminal: agents, what waits for you, times of the hooks, the latest calls.

    Needs no server; with one, its state is shown too. Ctrl-C ends it.

    Example: hookkit top
    """
    _top.show(once=once, everything=everything, as_json=output is Output.json)

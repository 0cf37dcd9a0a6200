from typing import Annotated

import typer

from hookkit.cli import _why_views
from hookkit.cli._options import Actor, Output, Printed


def command(
    args: Annotated[str, typer.Argument(metavar="COMMAND", help="A command line; for another tool its argument.")],
    tool: Annotated[str, typer.Option(metavar="NAME", help="The tool of the call.")] = "Bash",
    actor: Actor = "",
    everything: Annotated[bool, typer.Option("--all", help="Show every near miss.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """Explain the policy's verdict on a call: every command in it, the rules about each, and the one that decides.

    A rule that nearly matched is shown with the condition that failed. Nothing is run.

    Exits 0, or 2 if the settings cannot be read.

    Example: hookkit why "cd build && sudo sh -c 'rm -rf *'"
    """
    _why_views.explain(tool, args, actor, everything=everything, in_json=output is Output.json)

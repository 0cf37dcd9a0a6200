from typing import Annotated

import typer

from hookkit.cli import _agents
from hookkit.cli._options import App, Output, Printed

command = App(
    """Agents: who works, who waits for you, whose work failed; the most urgent first, until Ctrl-C.

    Example: hookkit agents --once
    """
)


@command.callback(invoke_without_command=True)
def show(
    context: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="Print the table once and exit.")] = False,  # noqa: FBT002
    tmux: Annotated[  # noqa: FBT002
        bool, typer.Option("--tmux", help="Colour tmux panes by status: AGENT_ID names the pane, such as worker%3.")
    ] = False,
    output: Printed = Output.table,
) -> None:
    if context.invoked_subcommand is None:
        _agents.show(once=once, tmux=tmux, as_json=output is Output.json)


@command.command()
def check(
    name: Annotated[str, typer.Argument(metavar="ID", help="The name in the table.")], output: Printed = Output.table
) -> None:
    """Mark an agent's alert as seen.

    Example: hookkit agents check a1
    """
    _agents.check(name, as_json=output is Output.json)

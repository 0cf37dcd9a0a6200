import time
from typing import Annotated, Any

import typer
from rich.live import Live
from rich.table import Table
from rich.text import Text

from hookkit.cli._output import console, echo_json
from hookkit.cli._work import Desk, Output, Printed, ago, cells, desk, fail, grid, say
from hookkit.work import agents

HELP = """Agents: who works, who waits for you, whose work broke; the most urgent first, until Ctrl-C.

Example: hookkit agents --once
"""
STYLES = {"error": "bold red", "attention": "bold yellow", "working": "cyan", "checked": "green", "done": "dim"}
EVERY = 1.0  # seconds

command = typer.Typer(help=HELP, pretty_exceptions_enable=False)
command.__doc__ = HELP  # as every command has one


@command.callback(invoke_without_command=True)
def show(
    context: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="Print once and be done.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    if context.invoked_subcommand is not None:
        return
    with desk() as here:
        here.warn_off("sessions.agents", "no status is kept")
        if output is Output.json:
            echo_json(agents.agents(here.work))
        elif once or not console().is_terminal:
            console().print(_table(here))
        else:
            _live(here)


def _live(here: Desk) -> None:
    with Live(_table(here), console=console(), screen=False, auto_refresh=False) as live:
        try:
            while True:
                time.sleep(EVERY)
                live.update(_table(here), refresh=True)
        except KeyboardInterrupt:
            return


def _table(here: Desk) -> Table | Text:
    rows = agents.agents(here.work)
    if not rows:
        return Text("No agents at work.")
    table = grid("AGENT", "PROJECT", "STATUS", "SINCE", "EFFORT", "CONTEXT", "CALLS", "NOTE")
    for row in rows:
        status = Text(row["status"], STYLES[row["status"]])
        used = f"{row['usage']:.0%}" if row["usage"] else ""
        work, since = _effort(row), ago(row["since"])
        table.add_row(
            *cells(row["id"], here.path(row["project"]), status, since, work, used, row["heartbeat"], row["note"])
        )
    return table


def _effort(row: dict[str, Any]) -> str:
    phase = f", {row['phase']}" if row["phase"] else ""
    return f"{row['effort']} {row['skill']}{phase}" if row["effort"] else ""


@command.command()
def check(name: Annotated[str, typer.Argument(metavar="ID", help="As the table names it.")]) -> None:
    """Say that you have looked: an agent's attention or error becomes checked.

    Example: hookkit agents check a1
    """
    with desk() as here:
        if not agents.check(here.work, name):
            fail(f"no agent {name} is at work. See: hookkit agents --once")
        say(f"Checked {name}")

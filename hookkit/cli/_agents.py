"""The table of agents, once or live."""

import time
from typing import Any

from rich.live import Live
from rich.table import Table

from hookkit.cli import _tmux
from hookkit.cli._console import Text, console, echo_json, fail, report, table
from hookkit.cli._work import Desk, add, ago, desk
from hookkit.work import agents

STYLES = {"error": "bold red", "attention": "bold yellow", "working": "cyan", "checked": "green", "done": "dim"}
EVERY = 1.0  # seconds


def show(*, once: bool, tmux: bool, as_json: bool) -> None:
    with desk() as here:
        here.warn_off("sessions.agents", "no status is kept")
        if tmux:
            _tmux.follow(here, once=once)
        elif as_json:
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
    shown = table("AGENT", "PROJECT", "STATUS", "SINCE", "EFFORT", "CONTEXT", "CALLS", "NOTE")
    for row in rows:
        status = Text(row["status"], STYLES[row["status"]])
        used = f"{row['usage']:.0%}" if row["usage"] else ""
        work, since = _effort(row), ago(row["since"])
        add(shown, row["id"], here.path(row["project"]), status, since, work, used, row["heartbeat"], row["note"])
    return shown


def _effort(row: dict[str, Any]) -> str:
    phase = f", {row['phase']}" if row["phase"] else ""
    return f"{row['effort']} {row['skill']}{phase}" if row["effort"] else ""


def check(name: str, *, as_json: bool) -> None:
    with desk() as here:
        if not agents.check(here.work, name):
            fail(f"no agent {name} is at work. See: hookkit agents --once")
        report(f"Checked {name}", {"agent": name, "status": "checked"}, as_json=as_json)

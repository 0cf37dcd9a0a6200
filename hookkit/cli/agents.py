"""The table of agents, once or live, and the colours of tmux panes by the status of their agent.

An agent names its pane in AGENT_ID: the pane's id (%3), or any text that ends in it (worker%3). Only panes with such
an agent are coloured; at the end every colour is taken back.
"""

import shutil
import subprocess
import time
from typing import Annotated, Any

from hookkit.cli._command import Argument, Option, Subcommands
from hookkit.cli._console import EVERY, STATUSES, Output, fail, note
from hookkit.cli._effort import Desk, open_desk
from hookkit.cli._here import ago
from hookkit.cli._view import Table, Text, View
from hookkit.work import agents

SECONDS = 5  # for tmux to answer
# Backgrounds that are dark enough to read on; the more urgent, the more they stand out.
COLOURS = {"error": "#4a1f1f", "attention": "#4a3a12", "working": "#16283d", "checked": "#17301f", "done": "default"}

command = Subcommands(
    """Agents: who works, who waits for you, whose work failed; the most urgent first, until Ctrl-C.

    Example: hookkit agents --once
    """
)


@command.default
def show(
    *,
    once: Annotated[bool, Option("--once", help="Print the table once and exit.")] = False,
    tmux: Annotated[
        bool, Option("--tmux", help="Colour tmux panes by status: AGENT_ID names the pane, such as worker%3.")
    ] = False,
    fleet: Annotated[bool, Option("--fleet", help="Sessions of the last day on all machines of your fleet.")] = False,
) -> Output | None:
    if fleet:
        from hookkit.cli import _fleet  # late: httpx is for those who read a fleet

        return _fleet.agents()
    with open_desk() as desk:
        desk.warn_off("status", "no status is kept")
        if tmux:
            follow(desk, once=once)
            return None
        rows = agents.agents(desk.work)
        output = Output(rows, _view(desk, rows))
        if not once:
            output.live = _live
        return output


def _live() -> View:
    with open_desk() as desk:
        return _view(desk, agents.agents(desk.work))


@command.command()
def check(name: Annotated[str, Argument(metavar="ID", help="The name in the table.")]) -> Output:
    """Mark an agent's alert as seen.

    Example: hookkit agents check a1
    """
    with open_desk() as desk:
        if not agents.check(desk.work, name):
            fail(f"no agent {name} is at work. See: hookkit agents --once")
        return Output({"agent": name, "status": "checked"}, f"Checked {name}")


def _view(desk: Desk, rows: list[dict[str, Any]]) -> View:
    if not rows:
        return Text("No agents at work. An agent appears here when its session starts.")
    shown = Table("AGENT", "PROJECT", "STATUS", "SINCE", "EFFORT", "CONTEXT", "CALLS", "NOTE",
                  extra=("CONTEXT", "CALLS", "EFFORT", "PROJECT"))  # fmt: skip
    for row in rows:
        status = Text(row["status"], STATUSES[row["status"]])
        used = f"{row['usage']:.0%}" if row["usage"] else ""
        work, since = _effort(row), ago(row["since"])
        shown.add(row["id"], desk.path(row["project"]), status, since, work, used, row["heartbeat"], row["note"])
    return shown


def _effort(row: dict[str, Any]) -> str:
    phase = f", {row['phase']}" if row["phase"] else ""
    return f"{row['effort']} {row['skill']}{phase}" if row["effort"] else ""


# -- tmux ------------------------------------------------------------------------------------------------------------


def follow(desk: Desk, *, once: bool) -> None:
    if shutil.which("tmux") is None:
        fail("tmux is not installed")
    coloured: dict[str, str] = {}
    try:
        while True:
            wanted = styles(agents.agents(desk.work), panes())
            paint(wanted, coloured)
            if once:
                return
            time.sleep(EVERY)
    except KeyboardInterrupt:
        paint({}, coloured)
        note("Took the colours back.")


def panes() -> list[str]:
    done = _tmux("list-panes", "-a", "-F", "#{pane_id}")
    if done.returncode:
        fail("no tmux server is running")
    return done.stdout.split()


def styles(rows: list[dict[str, Any]], known: list[str]) -> dict[str, str]:
    """The colour of each pane; of two agents in a pane, the more urgent one counts, and stands first."""
    colours: dict[str, str] = {}
    for row in rows:
        pane = f"%{row['id'].rpartition('%')[2]}" if "%" in row["id"] else ""
        if pane in known:
            colours.setdefault(pane, COLOURS[row["status"]])
    return colours


def paint(wanted: dict[str, str], coloured: dict[str, str]) -> None:
    """Only changes are sent. A pane without an agent gets its own colour back."""
    for pane in [*wanted, *(pane for pane in coloured if pane not in wanted)]:
        colour = wanted.get(pane, "default")
        if coloured.get(pane, "default") != colour:
            _tmux("select-pane", "-t", pane, "-P", f"bg={colour}")
    coloured.clear()
    coloured.update(wanted)


def _tmux(*words: str) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(["tmux", *words], capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        fail("tmux does not answer")

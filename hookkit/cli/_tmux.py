"""Colours the panes of tmux by the status of the agent that works in each of them.

An agent names its pane in AGENT_ID: the pane's id (%3), or any text that ends in it (worker%3). Only panes with such
an agent are coloured; at the end every colour is taken back.
"""

import shutil
import subprocess
import time
from typing import Any

from hookkit.cli._console import fail, note
from hookkit.cli._work import Desk
from hookkit.work import agents

EVERY = 1.0  # seconds
SECONDS = 5  # for tmux to answer
# Backgrounds that are dark enough to read on; the more urgent, the more they stand out.
COLOURS = {"error": "#4a1f1f", "attention": "#4a3a12", "working": "#16283d", "checked": "#17301f", "done": "default"}


def follow(here: Desk, *, once: bool) -> None:
    if shutil.which("tmux") is None:
        fail("tmux is not installed")
    coloured: dict[str, str] = {}
    try:
        while True:
            wanted = styles(agents.agents(here.work), panes())
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
    found: dict[str, str] = {}
    for row in rows:
        pane = f"%{row['id'].rpartition('%')[2]}" if "%" in row["id"] else ""
        if pane in known:
            found.setdefault(pane, COLOURS[row["status"]])
    return found


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

"""Where `cd` leads."""

import os

from hookkit.shell.state import UNKNOWN, UNSET, Shell


def go(goal: str, shell: Shell) -> None:
    here = shell.directory
    known = goal and goal[0] != UNKNOWN and (here is not None or goal[0] == "/")
    if known:
        shell.move(os.path.normpath(os.path.join(here or "/", goal)))
        return
    shell.move(None)
    if goal.startswith(UNSET):
        shell.set("PWD", UNSET)

"""The most common builtins: `cd`, `exit`, `true` and the like."""

import os

from hookkit.shell.state import UNKNOWN, UNSET, Shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution


def go(goal: str, shell: Shell) -> None:
    here = shell.directory
    known = goal and goal[0] != UNKNOWN and (here is not None or goal[0] == "/")
    if known:
        shell.move(os.path.normpath(os.path.join(here or "/", goal)))
        return
    shell.move(None)
    if goal.startswith(UNSET):
        shell.set("PWD", UNSET)


def cd(line: "Resolution", command: "Command", context: "Context") -> str:
    """Change the directory; a missing directory leaves the shell in the old directory."""
    operands = [word for word in command.words[1:] if word not in ("-P", "-L", "-e", "-@", "--")]
    shell = context.shell
    goal = operands[0] if operands else shell.home
    before = shell.copy()
    if goal == "-":
        shell.move(shell.old)
        return ""
    go(goal, shell)
    cdpath = shell.variables.get("CDPATH")
    if cdpath is not None and goal[:1] not in ("/", ".") and cdpath.options != ({"0": ""},):
        shell.move(shell.directory, None)
    elif not _is_there(line, goal, shell):
        line.failed = before
    return ""


def _is_there(line: "Resolution", goal: str, shell: Shell) -> bool:
    """Whether `cd` surely succeeds: the directory exists, or an earlier command of the line named the directory."""
    place = shell.directory
    if place is None:
        return False
    if place in ("/", shell.home, shell.project) or shell.is_directory(place):
        return True
    name = goal.rstrip("/").rpartition("/")[2].removesuffix(".git")
    return any(name in word for earlier in line.commands[:-1] for word in earlier.words[1:])


def pushd(line: "Resolution", command: "Command", context: "Context") -> str:
    context.shell.stack = (*context.shell.stack, context.shell.directory)
    return cd(line, command, context)


def popd(_: "Resolution", _command: "Command", context: "Context") -> str:
    stack = context.shell.stack
    context.shell.move(stack[-1] if stack else None)
    context.shell.stack = stack[:-1]
    return ""


def end(_: "Resolution", _command: "Command", context: "Context") -> str:
    context.shell.ended = True
    return ""


def quiet(_: "Resolution", _command: "Command", _context: "Context") -> str:
    return ""


MOVES = {
    "cd": cd,
    "pushd": pushd,
    "popd": popd,
    **dict.fromkeys(("exit", "return", "break", "continue"), end),
    **dict.fromkeys((":", "true", "false", "wait", "shopt"), quiet),
}

"""The most common builtins (`cd`, `exit`, `true` and the like), and the command inside of a wrapper."""

import os

from hookkit.shell.commands import FILE_TEXT
from hookkit.shell.follow import wrappers
from hookkit.shell.state import UNKNOWN, UNSET, Shell, scalar

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


def wrapped(line: "Resolution", command: "Command", context: "Context") -> str | None:
    """Follow the program run by a wrapper; None if the command is no wrapper or runs no program."""
    wrapper = wrappers.find(command.words, line.catalogue)
    if wrapper is None:
        return None
    record, place = wrapper
    is_transparent = record.has("transparent")
    command.transparent, command.followed = is_transparent, True
    inner = wrappers.unwrap(command.words, record, place)
    if inner is not None and inner.code == "":
        return None
    name = wrappers.name_of(command.words, line.catalogue)
    if inner is None:
        return _fed(line, command, context, name) if record.has("feeds") else None
    command.doubt = command.doubt or inner.doubt
    if inner.other is not None:
        _otherwise(line, inner.other, command, context)
    below = context.inside(name)
    if name == "coproc":
        below.stdin = UNKNOWN  # other commands may write to it
    below.negated, below.node = context.negated, context.node if is_transparent else None
    if inner.directory is not None or inner.values:
        below.shell = context.shell.copy()
    if inner.directory is not None:
        go(inner.directory, below.shell)
    for variable, value in inner.values:
        from hookkit.shell.follow import environment  # late: few wrappers set a variable

        below.shell.put(variable, scalar(value))
        if environment.watches(variable):
            environment.check(line, variable, value, command, below)
    if inner.words is not None and len(inner.words) == 1 and " " in inner.words[0]:
        return _code(line, inner.words[0], command, below, name)  # `yarn exec 'command line'`
    if inner.words is not None:
        output = line.run(inner.words, below)
        return UNKNOWN if output == FILE_TEXT and not is_transparent else output
    return _code(line, inner.code or "", command, below, name)


def _fed(line: "Resolution", command: "Command", context: "Context", name: str) -> str:
    from hookkit.shell.follow import shells  # late: most wrappers name their program in words

    return shells.fed(line, command, context, name)


def _code(line: "Resolution", text: str, command: "Command", context: "Context", name: str) -> str:
    from hookkit.shell.follow import shells  # late: most wrappers get no command line as a text

    return shells.code(line, text, command, context, name)


def _otherwise(line: "Resolution", words: list[str], command: "Command", context: "Context") -> None:
    """The same wrapper, if an option that its record does not know takes the next word as its value."""
    wrapper = wrappers.find(words, line.catalogue)
    inner = wrappers.unwrap(words, *wrapper) if wrapper is not None else None
    if inner is None or inner.code == "":
        return
    name = wrappers.name_of(words, line.catalogue)
    below = context.inside(name)
    if inner.words is not None:
        line.run(inner.words, below)
    else:
        _code(line, inner.code or "", command, below, name)

"""Wrappers: programs that run the program named after them."""

from hookkit.shell import wrappers
from hookkit.shell.directories import go
from hookkit.shell.made import FILE_TEXT
from hookkit.shell.nested import code, fed
from hookkit.shell.state import UNKNOWN, scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution


def wrapped(line: "Resolution", command: "Command", context: "Context") -> str | None:
    """Follow the program run by a wrapper; None if the command is no wrapper or runs no program."""
    found = wrappers.find(command.words, line.catalogue)
    if found is None:
        return None
    record, place = found
    is_transparent = record.has("transparent")
    command.transparent, command.followed = is_transparent, True
    inner = wrappers.unwrap(command.words, record, place)
    if inner is not None and inner.code == "":
        return None
    name = wrappers.name_of(command.words, line.catalogue)
    if inner is None:
        return fed(line, command, context, name) if record.has("feeds") else None
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
        from hookkit.shell import environment  # late: few wrappers set a variable

        below.shell.put(variable, scalar(value))
        if environment.watches(variable):
            environment.check(line, variable, value, command, below)
    if inner.words is not None and len(inner.words) == 1 and " " in inner.words[0]:
        return code(line, inner.words[0], command, below, name)  # `yarn exec 'command line'`
    if inner.words is not None:
        said = line.run(inner.words, below)
        return UNKNOWN if said == FILE_TEXT and not is_transparent else said
    return code(line, inner.code or "", command, below, name)


def _otherwise(line: "Resolution", words: list[str], command: "Command", context: "Context") -> None:
    """The same wrapper, if an option that its record does not know takes the next word as its value."""
    found = wrappers.find(words, line.catalogue)
    inner = wrappers.unwrap(words, *found) if found is not None else None
    if inner is None or inner.code == "":
        return
    name = wrappers.name_of(words, line.catalogue)
    below = context.inside(name)
    if inner.words is not None:
        line.run(inner.words, below)
    else:
        code(line, inner.code or "", command, below, name)

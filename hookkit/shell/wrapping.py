"""Wrappers: programs that run the program named after them."""

from hookkit.shell import environment, wrappers
from hookkit.shell.directories import go
from hookkit.shell.nested import code, fed
from hookkit.shell.state import scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution


def wrapped(line: "Resolution", command: "Command", context: "Context") -> str | None:
    """Follow the program run by a wrapper; None if the command is no wrapper or runs no program."""
    found = wrappers.find(command.words, line.wrappers)
    if found is None:
        return None
    wrapper, at = found
    command.transparent, command.followed = wrapper.transparent, True
    inner = wrappers.unwrap(command.words, wrapper, at)
    if inner is not None and inner.code == "":
        return None
    name = wrappers.name_of(command.words)
    if inner is None:
        return fed(line, command, context, name) if wrapper.feeds else None
    below = context.inside(name)
    below.negated, below.node = context.negated, context.node if wrapper.transparent else None
    if inner.directory is not None or inner.values:
        below.shell = context.shell.copy()
    if inner.directory is not None:
        go(inner.directory, below.shell)
    for variable, value in inner.values:
        below.shell.put(variable, scalar(value))
        if environment.watches(variable):
            environment.check(line, variable, value, command, below)
    if inner.words is not None:
        return line.run(inner.words, below)
    return code(line, inner.code or "", command, below, name)

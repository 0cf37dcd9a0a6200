"""What a command line leaves behind: the files that it creates, changes, moves or deletes."""

import os

from hookkit.shell import effects
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.policy.call import Call
    from hookkit.shell.commands import Command


def of(call: "Call") -> list[list[str]]:
    """Each as what happens and the path, or for a move both paths; what nobody can name is shown as …"""
    found = [trace for command in call.commands for trace in _of(call, command)]
    return [list(trace) for trace in dict.fromkeys(found)]


def _of(call: "Call", command: "Command") -> "Iterator[tuple[str, ...]]":
    touched = call.files(command)
    deleted = {path for kind, path in touched if kind == effects.DELETE}
    operands = call.shape(command).operands
    if operands[0] == "mv" and len(operands) > 2:  # noqa: PLR2004 - a source and a target
        *sources, target = operands[1:]
        yield from (("moves", _name(call, command, source), _name(call, command, target)) for source in sources)
        return
    for kind, path in touched:
        if kind == effects.DELETE:
            yield ("deletes", _name(call, command, path))
        elif kind == effects.WRITE and path not in deleted:
            yield ("changes" if _exists(call, command, path) else "creates", _name(call, command, path))


def _name(call: "Call", command: "Command", path: str) -> str:
    return call.place.names(path, command.directory)[0].replace(UNKNOWN, "…")


def _exists(call: "Call", command: "Command", path: str) -> bool:
    name = call.place.names(path, command.directory)[0]
    try:
        return UNKNOWN not in name and os.path.lexists(name)
    except ValueError:  # no name that a file could have
        return False

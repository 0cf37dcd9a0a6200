"""What a command line leaves behind: the files that it creates, changes, moves or deletes."""

import os

from hookkit.shell import effects
from hookkit.shell.expand import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.policy.match import Call
    from hookkit.shell.commands import Act


def of(call: "Call") -> list[list[str]]:
    """Each as what happens and the path, or for a move both paths; what nobody can name is shown as …"""
    found = [trace for act in call.acts for trace in _of(call, act)]
    return [list(trace) for trace in dict.fromkeys(found)]


def _of(call: "Call", act: "Act") -> "Iterator[tuple[str, ...]]":
    touched = call.files(act)
    deleted = {path for kind, path in touched if kind == effects.DELETE}
    operands = call.shape(act).operands
    if operands[0] == "mv" and len(operands) > 2:  # noqa: PLR2004 - a source and a target
        *sources, target = operands[1:]
        yield from (("moves", _name(call, act, source), _name(call, act, target)) for source in sources)
        return
    for kind, path in touched:
        if kind == effects.DELETE:
            yield ("deletes", _name(call, act, path))
        elif kind == effects.WRITE and path not in deleted:
            yield ("changes" if _exists(call, act, path) else "creates", _name(call, act, path))


def _name(call: "Call", act: "Act", path: str) -> str:
    return call.place.names(path, act.directory)[0].replace(UNKNOWN, "…")


def _exists(call: "Call", act: "Act", path: str) -> bool:
    name = call.place.names(path, act.directory)[0]
    try:
        return UNKNOWN not in name and os.path.lexists(name)
    except ValueError:  # no name that a file could have
        return False

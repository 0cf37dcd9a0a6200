"""Side effects of a command line: files created, changed, moved or deleted."""

import os

from hookkit.ledger import unmodelled
from hookkit.programs import effects
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.policy.call import Call
    from hookkit.shell.commands import Command


INTERPRETERS = frozenset("python pypy node nodejs bun deno ruby perl php".split())


def of(call: "Call") -> list[list[str]]:
    """Each as the kind of change and the path, or for a move both paths; an unknown part of a path is shown as …"""
    found = [trace for command in call.commands for trace in _of(call, command)]
    return [list(trace) for trace in dict.fromkeys(found)]


def _of(call: "Call", command: "Command") -> "Iterator[tuple[str, ...]]":
    touched = call.files(command)
    deleted = {path for kind, path in touched if kind == effects.DELETE}
    operands = call.parsed(command).operands
    if operands[0] == "mv" and len(operands) > 2:  # noqa: PLR2004 - a source and a target
        *sources, target = operands[1:]
        yield from (("moves", _name(call, command, source), _name(call, command, target)) for source in sources)
        return
    named = list(_unmodelled(call, command))
    yield from named
    if unmodelled.of(list(operands)) is not None:
        touched = touched if operands[0] == "tar" and not named else []
    for kind, path in touched:
        if kind == effects.DELETE:
            yield ("deletes", _name(call, command, path))
        elif kind == effects.WRITE and path not in deleted:
            yield ("changes" if _exists(call, command, path) else "creates", _name(call, command, path))


def _unmodelled(call: "Call", command: "Command") -> "Iterator[tuple[str, ...]]":
    """Unpacking and one-liners; a path of both is named once."""
    traces: list[tuple[str, ...]] = [*(unmodelled.of(command.words) or ())]
    if code := _one_liner(command.words):
        from hookkit.ledger import one_liners  # late: `re`

        traces += one_liners.traces(code)
    for kind, *paths in traces:
        yield (kind, *(path if path in ("stdin", "-") else _name(call, command, path) for path in paths))


def _one_liner(words: list[str]) -> str:
    """The text after -c or -e of an interpreter."""
    places = [place for place, word in enumerate(words[:-1]) if word in ("-c", "-e", "-r", "--eval")]
    is_known = bool(words) and words[0].rpartition("/")[2].rstrip("0123456789.") in INTERPRETERS
    return words[places[0] + 1] if places and is_known else ""


def _name(call: "Call", command: "Command", path: str) -> str:
    return call.place.names(path, command.directory)[0].replace(UNKNOWN, "…")


def _exists(call: "Call", command: "Command", path: str) -> bool:
    name = call.place.names(path, command.directory)[0]
    try:
        return UNKNOWN not in name and os.path.lexists(name)
    except ValueError:  # not a valid file name
        return False

"""Side effects of a command line: files created, changed, moved or deleted."""

import os

from hookkit.programs import effects
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.policy.call import Call
    from hookkit.programs.options import Parsed
    from hookkit.shell.commands import Command


def traces_of(call: "Call") -> list[list[str]]:
    """Each as the kind of change and the path, or for a move both paths; an unknown part of a path is shown as …"""
    traces = [trace for command in call.commands for trace in _traces(call, command)]
    return [list(trace) for trace in dict.fromkeys(traces)]


def _traces(call: "Call", command: "Command") -> "Iterator[tuple[str, ...]]":
    parsed = call.parsed(command)
    operands, roles = parsed.operands, parsed.record.words_of("operands")
    if roles == ["moves*", "writes"] and len(operands) > 2:  # noqa: PLR2004 - a source and a target
        *sources, target = operands[1:]
        yield from (("moves", _name(call, command, source), _name(call, command, target)) for source in sources)
        return
    unpacked = _unpacked(parsed) if parsed.record.has("unpacks") else None
    if unpacked is not None:
        yield ("unpacks", *(path if path in ("stdin", "-") else _name(call, command, path) for path in unpacked))
        return
    if code := _one_liner(command.words):
        yield from ((kind, _name(call, command, path)) for kind, path in _of_one_liner(code))
    yield from _touched(call, command)


def _unpacked(parsed: "Parsed") -> tuple[str, str] | None:
    from hookkit.programs import odd_files  # late: few calls unpack an archive

    return odd_files.unpacked(parsed)


def _touched(call: "Call", command: "Command") -> "Iterator[tuple[str, ...]]":
    touched = call.files(command)
    deleted = {path for kind, path in touched if kind == effects.DELETE}
    for kind, path in touched:
        if kind == effects.DELETE:
            yield ("deletes", _name(call, command, path))
        elif kind == effects.MAKE:
            yield ("creates", _name(call, command, path))
        elif kind == effects.WRITE and path not in deleted:
            yield ("changes" if _exists(call, command, path) else "creates", _name(call, command, path))


def _name(call: "Call", command: "Command", path: str) -> str:
    return call.place.names(path, command.directory)[0].replace(UNKNOWN, "…")


def _exists(call: "Call", command: "Command", path: str) -> bool:
    name = call.place.names(path, command.directory)[0]
    try:
        return UNKNOWN not in name and os.path.lexists(name)
    except ValueError:  # not a valid file name
        return False


# -- one-liners of Python, Node, Ruby, Perl and PHP --------------------------------------------------------------------


INTERPRETERS = frozenset("python pypy node nodejs bun deno ruby perl php".split())
LONGEST = 4_000  # characters of a one-liner to search
# Calls in other languages to write or delete a file, with the path as a literal.
TEXT = r"""\(\s{0,4}[rbf]{0,2}(["'])([^"'\n]{1,300})\1"""
WRITES = (
    rf"""(?:\bopen{TEXT}\s{{0,4}},\s{{0,4}}(?:mode=)?["'][rbt+]{{0,2}}[wax]"""
    r"""|(?:writeFile(?:Sync)?|appendFile(?:Sync)?|File\.write|IO\.write|file_put_contents)"""
    r"""\(\s{0,4}(["'])([^"'\n]{1,300})\3"""
    r"""|Path\(\s{0,4}(["'])([^"'\n]{1,300})\5\)\.(?:write_|touch))"""
)
DELETES = (
    r"""(?:\b(?:unlink(?:Sync)?|rmSync|rmtree|remove|File\.delete|removedirs|rm_rf)"""
    r"""[\s(]{1,4}(["'])([^"'\n]{1,300})\1|Path\(\s{0,4}(["'])([^"'\n]{1,300})\3\)\.(?:unlink|rmdir))"""
)


def _one_liner(words: list[str]) -> str:
    """The text after -c or -e of an interpreter."""
    indexes = [index for index, word in enumerate(words[:-1]) if word in ("-c", "-e", "-r", "--eval")]
    is_known = bool(words) and words[0].rpartition("/")[2].rstrip("0123456789.") in INTERPRETERS
    return words[indexes[0] + 1] if indexes and is_known else ""


def _of_one_liner(code: str) -> "Iterator[tuple[str, str]]":
    """The kind of change, and the path as written in the code."""
    import re  # late: few lines hold a one-liner

    for kind, pattern in (("changes", WRITES), ("deletes", DELETES)):
        for match in re.finditer(pattern, code[:LONGEST]):
            path = next((group for group in match.groups()[1::2] if group), "")
            if path:
                yield kind, path

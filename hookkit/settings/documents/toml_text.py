"""TOML with line and column, and the writer of TOML values."""

import re
import sys
from functools import cached_property
from typing import Any

from hookkit.settings.documents.finding import DEPTH, KEY, VALUE, Defect, Element, Finding, LineIndex, Unreadable, end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.settings.documents.finding import Path

    Spot = tuple[int, int]  # offsets of a value and of its key


if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


DOTS = 32  # parts of a dotted key; tomllib takes time that grows with the square of their number
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}(?!")|' + r"'''.*?'{3,5}(?!')|" + r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'", re.DOTALL
)
_REST = re.compile(r"[^,\]}#\n]*")
_PART = r"""\.[ \t]*(?:[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')[ \t]*"""
_DOTTED = re.compile(f"(?:{_PART}){{{DOTS}}}")
# What Python's reader says of common slips, in plain words.
_PLAIN = {
    r"Illegal character '\n'": "the text on this line has no closing quote",
    "Unterminated string": "the text has no closing quote",
    'Expected "\'"': "the text on this line has no closing quote",
    "Expected \"'''\"": "the text that begins with ''' has no end",
    "Unclosed array": "the list has no closing ]",
    "Invalid value": "expected a value; a text needs quotes",
    "Cannot overwrite a value": "this name stands twice",
}
_AT = re.compile(r"\(at (?:line (\d+), column (\d+)|end of document)\)")


def read(path: str, text: str) -> tuple[Element | None, list[Finding]]:
    """The whole tree, or the finding that says why there is none."""
    document = TomlDocument(path, text)
    return (document.tree, []) if document.problem is None else (None, [document.problem])


class TomlDocument:
    """`data` as tomllib reads it, or the `problem` in an unreadable text; places and tree are made on demand."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.data: dict[str, Any] = {}
        self.problem: Finding | None = None
        try:
            if _DOTTED.search(text):  # perhaps only inside a string: the walk knows
                _TomlWalk(text)
            self.data = tomllib.loads(text)
            _check_depth(self.data, DEPTH)
        except RecursionError:
            self.problem = Finding(path, (1, 1), f"nested deeper than {DEPTH}")
        except Unreadable as error:
            self.problem = error.finding(path)
        except ValueError as error:
            self.problem = self._unreadable(str(error))

    def _unreadable(self, message: str) -> Finding:
        at = _AT.search(message)
        where = (len(self.text.splitlines()) or 1, 1)
        if at and at.group(1):
            where = (int(at.group(1)), int(at.group(2)))
        reason = _AT.sub("", message).strip()
        return Finding(self.path, where, f"not TOML: {_PLAIN.get(reason, reason)}")

    @cached_property
    def lines(self) -> LineIndex:
        return LineIndex(self.text)

    @cached_property
    def tree(self) -> Element:
        return self._element((), self.data, inner=True)

    def finding(self, defect: Defect) -> Finding:
        """The defect with its line and column."""
        value: Any = self.data
        for step in defect.path:
            value = value[step]
        element = self._element(defect.path, value)
        is_inside = defect.at not in (KEY, VALUE)
        where = element.named if defect.at == KEY else element.where
        where = self.lines.inside(element, defect.at) if is_inside else where
        return Finding(self.path, where, defect.message, defect.fix, caret=is_inside, part=defect.part)

    def _element(self, path: "Path", value: Any, *, inner: bool = False) -> Element:
        if inner and isinstance(value, dict):
            value = {name: self._element((*path, name), item, inner=True) for name, item in value.items()}
        elif inner and isinstance(value, list):
            value = [self._element((*path, number), item, inner=True) for number, item in enumerate(value)]
        where, named = self._spots.get(path, (0, 0))
        return Element(value, self.lines.place(where), self.lines.place(named))

    @cached_property
    def _spots(self) -> "dict[Path, Spot]":
        try:
            return _TomlWalk(self.text).spots
        except Unreadable:  # tomllib read the text, so the walk is wrong: every place is the first
            return {}


def _check_depth(value: object, depth: int) -> None:
    if depth < 0:
        raise RecursionError
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check_depth(item, depth - 1)


class _TomlWalk:
    """The offsets of each value and of its key, in time that grows with the text's length. Stops at a mistake."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.rows: dict[Path, int] = {}  # the number of the last [[row]] of each path
        self.spots: dict[Path, Spot] = {}
        section: Path = ()
        while self.skip() < len(self.text):
            section = self.header() if self.text[self.at] == "[" else self.pair(section)

    def skip(self) -> int:
        self.at = end(_BLANK, self.text, self.at)
        return self.at

    def stop(self, message: str) -> Unreadable:
        return Unreadable(LineIndex(self.text).place(self.at), message)

    def note(self, path: "Path", known: int, where: int, named: int) -> None:
        """Keep a spot. The first mention of a path is its place: `[a.b]` also opens `a`; `known` parts are noted."""
        if len(path) > DEPTH:
            raise self.stop(f"nested deeper than {DEPTH}")
        for length in range(known + 1, len(path)):
            self.spots.setdefault(path[:length], (where, named))
        self.spots[path] = (where, named)

    def header(self) -> "Path":
        start = self.at
        is_row = self.text.startswith("[[", self.at)
        self.at += 2 if is_row else 1
        path: Path = ()
        names = self.names()
        for number, name in enumerate(names, 1):
            path = (*path, name)
            if is_row and number == len(names):
                self.rows[path] = self.rows.get(path, -1) + 1
            if path in self.rows:
                path = (*path, self.rows[path])
        self.at += 2 if is_row else 1
        self.note(path, 0, start, start)
        return path

    def names(self) -> list[str]:
        """The parts of a dotted key; stops before the text that follows the key."""
        names: list[str] = []
        while True:
            self.skip()
            quoted = _STRING.match(self.text, self.at)
            match = quoted or _BARE.match(self.text, self.at)
            if match is None:
                raise self.stop("not TOML: expected a key")
            self.at = match.end()
            names.append(_unquoted(match.group()) if quoted else match.group())
            if len(names) > DOTS:
                raise self.stop(f"a name of more than {DOTS} parts")
            self.skip()
            if self.text[self.at : self.at + 1] != ".":
                return names
            self.at += 1

    def pair(self, section: "Path") -> "Path":
        named = self.at
        path = (*section, *self.names())
        self.at += 1  # the =
        self.skip()
        self.value(path, len(section), named)
        return section

    def value(self, path: "Path", known: int, named: int) -> None:
        self.note(path, known, self.at, named)
        char = self.text[self.at : self.at + 1]
        if char in ("[", "{"):
            self.at += 1
            self.many(path, "]" if char == "[" else "}")
            return
        after = end(_STRING if char in ('"', "'") else _REST, self.text, self.at)
        if after == self.at:
            raise self.stop("not TOML: expected a value")
        self.at = after

    def many(self, path: "Path", bracket: str) -> None:
        number = 0
        while self.skip() < len(self.text) and self.text[self.at] != bracket:
            if self.text[self.at] == ",":
                self.at += 1
            elif bracket == "]":
                self.value((*path, number), len(path), self.at)
                number += 1
            else:
                self.pair(path)
        self.at += 1


def _unquoted(key: str) -> str:
    try:
        return next(iter(tomllib.loads(f"{key} = 0")))
    except ValueError:  # a key over several lines: not TOML
        return ""


BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def written(data: "dict[str, Any]") -> str:
    """The text of a file with these settings."""
    parts = ["\n".join(_plain(data))] + [
        block for name, rows in data.items() if _are_rows(rows) for row in rows for block in _row(name, row)
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _row(name: str, row: "dict[str, Any]") -> "Iterator[str]":
    yield "\n".join([f"[[{_key(name)}]]", *_plain(row)])
    for inner, table in row.items():
        if isinstance(table, dict):
            yield "\n".join(
                [f"[{_key(name)}.{_key(inner)}]", *(f"{_key(key)} = {value(v)}" for key, v in table.items())]
            )


def _plain(table: "dict[str, Any]") -> "Iterator[str]":
    yield from (
        f"{_key(name)} = {value(item)}"
        for name, item in table.items()
        if not isinstance(item, dict) and not _are_rows(item)
    )


def _are_rows(item: object) -> bool:
    return isinstance(item, list) and bool(item) and all(isinstance(row, dict) for row in item)


def _key(name: str) -> str:
    return name if name and BARE.issuperset(name) else _quoted(name)


def value(item: "Any") -> str:
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, (int, float)):
        return repr(item)
    if isinstance(item, str):
        return text(item)
    if isinstance(item, dict):
        return "{ " + ", ".join(f"{_key(str(name))} = {value(inner)}" for name, inner in item.items()) + " }"
    return "[" + ", ".join(value(inner) for inner in item) + "]"


def text(item: str) -> str:
    """A text of several lines is written as lines, if no character in it needs an escape there."""
    if "\n" in item and "'''" not in item and all(char.isprintable() or char in "\n\t" for char in item):
        return f"'''\n{item}'''"
    return _quoted(item)


def _quoted(item: str) -> str:
    return '"' + "".join(ESCAPES.get(char) or (char if char.isprintable() else _escape(char)) for char in item) + '"'


def _escape(char: str) -> str:
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004 - a lone surrogate is no character
        return "\ufffd"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - the basic plane

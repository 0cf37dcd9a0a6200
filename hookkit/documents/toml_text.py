"""TOML with the place of everything in it: tomllib tells the values, a walk over the same text tells the places."""

import re

from hookkit.documents.finding import Problem
from hookkit.documents.node import DEPTH, Lines, Node, end
from hookkit.documents.toml_source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Path = tuple[str | int, ...]
    Place = tuple[int, int]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}(?!")|' + r"'''.*?'{3,5}(?!')|" + r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'", re.DOTALL
)
_REST = re.compile(r"[^,\]}#\n]*")


def read(path: str, text: str) -> tuple[Node | None, list[Problem]]:
    try:
        source = Source(path, text)
    except ValueError as error:  # a whole number with thousands of digits
        return None, [Problem(path, (1, 1), f"not TOML: {error}")]
    if source.problem is not None:
        return None, [source.problem]
    if _is_deeper(source.data, DEPTH):
        return None, [Problem(path, (1, 1), f"nested deeper than {DEPTH}")]
    return _tree(source.data, (), _Walk(text).places), []


def _is_deeper(value: object, depth: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth < 0 or any(_is_deeper(item, depth - 1) for item in inner)


def _tree(value: "Any", path: "Path", places: "dict[Path, tuple[Place, Place]]") -> Node:
    inner: Any = value
    if isinstance(value, dict):
        inner = {name: _tree(item, (*path, name), places) for name, item in value.items()}
    elif isinstance(value, list):
        inner = [_tree(item, (*path, number), places) for number, item in enumerate(value)]
    where, named = places.get(path, ((1, 1), (1, 1)))
    return Node(inner, where, named)


class _Walk:
    """Where each value of a text that is TOML stands, and its key."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = Lines(self.text)
        self.at = 0
        self.rows: dict[Path, int] = {}  # how many [[rows]] each path has so far
        self.places: dict[Path, tuple[Place, Place]] = {}
        section: Path = ()
        while self.skip() < len(self.text):
            section = self.header() if self.text[self.at] == "[" else self.pair(section)

    def skip(self) -> int:
        self.at = end(_BLANK, self.text, self.at)
        return self.at

    def note(self, path: "Path", where: "Place", named: "Place | None" = None) -> None:
        """The first mention of a path is its place: `[a.b]` also opens `a`."""
        for length in range(1, len(path)):
            self.places.setdefault(path[:length], (where, named or where))
        self.places[path] = (where, named or where)

    def header(self) -> "Path":
        start = self.lines.place(self.at)
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
        self.note(path, start)
        return path

    def names(self) -> list[str]:
        """A dotted key; what stands after it is the caller's."""
        found: list[str] = []
        while True:
            self.skip()
            quoted = _STRING.match(self.text, self.at)
            match = quoted or _BARE.match(self.text, self.at)
            if match is None:  # not TOML after all: the caller goes on at the next character
                return found
            self.at = match.end()
            found.append(next(iter(Source("", f"{match.group()} = 0").data), "") if quoted else match.group())
            self.skip()
            if self.text[self.at : self.at + 1] != ".":
                return found
            self.at += 1

    def pair(self, section: "Path") -> "Path":
        named = self.lines.place(self.at)
        path = (*section, *self.names())
        self.at += 1  # the =
        self.skip()
        self.value(path, named)
        return section

    def value(self, path: "Path", named: "Place | None" = None) -> None:
        self.note(path, self.lines.place(self.at), named)
        char = self.text[self.at : self.at + 1]
        if char in ("[", "{"):
            self.at += 1
            self.many(path, "]" if char == "[" else "}")
            return
        is_string = char in ('"', "'")
        self.at = end(_STRING if is_string else _REST, self.text, self.at)

    def many(self, path: "Path", bracket: str) -> None:
        number = 0
        while self.skip() < len(self.text) and self.text[self.at] != bracket:
            if self.text[self.at] == ",":
                self.at += 1
            elif bracket == "]":
                self.value((*path, number))
                number += 1
            else:
                self.pair(path)
        self.at += 1

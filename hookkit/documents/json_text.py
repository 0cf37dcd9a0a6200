"""JSON with the place of everything in it, as strict as the agents that read the same file."""

import re
from json import JSONDecodeError, JSONDecoder

from hookkit.documents.finding import Problem
from hookkit.documents.node import DEPTH, Lines, Node, Unreadable, end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BLANK = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z]+")
WORDS = {"true": True, "false": False, "null": None}
_DECODER = JSONDecoder()  # for texts: the interpreter's own
LONG = 18  # digits of a whole number that stays one


def read(path: str, text: str) -> tuple[Node | None, list[Problem]]:
    """The tree and what else is wrong with the text: a key that stands twice counts for its last value only."""
    reader = _Reader(text)
    try:
        node = reader.document()
    except Unreadable as error:
        return None, [error.problem(path)]
    return node, [Problem(path, where, f"{name!r} stands here twice") for name, where in reader.twice]


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = Lines(text)
        self.at = 1 if text.startswith("\ufeff") else 0
        self.twice: list[tuple[str, tuple[int, int]]] = []

    def document(self) -> Node:
        self.skip()
        node = self.value(0)
        self.skip()
        if self.at < len(self.text):
            raise self.stop("one value is enough")
        return node

    def stop(self, said: str, fix: str = "") -> Unreadable:
        return Unreadable(self.lines.place(self.at), f"not JSON: {said}", fix)

    def skip(self) -> None:
        self.at = end(_BLANK, self.text, self.at)
        if self.text.startswith(("//", "/*"), self.at):
            raise self.stop("a comment", "JSON has none")

    def value(self, depth: int) -> Node:
        if depth > DEPTH:
            raise self.stop(f"nested deeper than {DEPTH}")
        start = self.lines.place(self.at)
        char = self.text[self.at : self.at + 1]
        if char == "{":
            return Node(self.pairs(depth), start)
        if char == "[":
            return Node(self.items(depth), start)
        return Node(self.string() if char == '"' else self.scalar(), start)

    def scalar(self) -> "Any":
        number = _NUMBER.match(self.text, self.at)
        if number:
            self.at = number.end()
            digits = number.group()
            is_whole = not (number.group(1) or number.group(2)) and len(digits) <= LONG
            return int(digits) if is_whole else float(digits)
        word = _WORD.match(self.text, self.at)
        if word and word.group() in WORDS:
            self.at = word.end()
            return WORDS[word.group()]
        if self.at >= len(self.text):
            raise self.stop("it ends too early")
        raise self.stop(f"expected a value, not {self.text[self.at]!r}")

    def string(self) -> str:
        try:
            found, self.at = _DECODER.raw_decode(self.text, self.at)
        except JSONDecodeError as error:
            self.at = error.pos
            raise self.stop(f"{error.msg[0].lower()}{error.msg[1:]}") from None
        return str(found)

    def items(self, depth: int) -> list[Node]:
        found: list[Node] = []
        while self.has_more("]", is_first=not found):
            found.append(self.value(depth + 1))
        return found

    def pairs(self, depth: int) -> dict[str, Node]:
        found: dict[str, Node] = {}
        is_first = True
        while self.has_more("}", is_first=is_first):
            is_first = False
            named = self.lines.place(self.at)
            if self.text[self.at : self.at + 1] != '"':
                is_over = self.at >= len(self.text)
                raise self.stop("it ends too early" if is_over else "expected a key in double quotes")
            name = self.string()
            self.skip()
            if self.text[self.at : self.at + 1] != ":":
                raise self.stop(f"expected : after {name!r}")
            self.at += 1
            self.skip()
            node = self.value(depth + 1)
            node.named = named
            if name in found:
                self.twice.append((name, named))
            found[name] = node
        return found

    def has_more(self, bracket: str, *, is_first: bool) -> bool:
        """Step over the opening bracket or the comma; False once the closing one is behind us."""
        if is_first:
            self.at += 1
        self.skip()
        char = self.text[self.at : self.at + 1]
        if char == bracket:
            self.at += 1
            return False
        if is_first:
            return True
        if char != ",":
            raise self.stop(f"expected , or {bracket}" if char else "it ends too early")
        self.at += 1
        self.skip()
        if self.text[self.at : self.at + 1] == bracket:
            raise self.stop("a comma before the end", "take it away")
        return True

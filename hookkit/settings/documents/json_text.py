"""Reads JSON with the place of every value, as strictly as the agents that read the same file."""

import re
from json import JSONDecodeError, JSONDecoder

from hookkit.settings.documents.element import DEPTH, Element, LineIndex, Unreadable, end
from hookkit.settings.documents.finding import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BLANK = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z]+")
WORDS = {"true": True, "false": False, "null": None}
_DECODER = JSONDecoder()  # reads strings
LONG = 18  # digits; a longer whole number becomes a float


def read(path: str, text: str) -> tuple[Element | None, list[Finding]]:
    """The tree, with a finding for each key that stands twice: only the last of its values counts."""
    reader = JsonReader(text)
    try:
        element = reader.document()
    except Unreadable as error:
        return None, [error.finding(path)]
    return element, [Finding(path, where, f"{name!r} stands here twice") for name, where in reader.twice]


class JsonReader:
    """Reads one text. `json_edit.py` also reads the dialect with comments, for files that it changes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = LineIndex(text)
        self.at = 1 if text.startswith("\ufeff") else 0
        self.twice: list[tuple[str, tuple[int, int]]] = []

    def document(self) -> Element:
        self.skip()
        element = self.value(0)
        self.skip()
        if self.at < len(self.text):
            raise self.stop("a second value", "keep one")
        return element

    def stop(self, message: str, fix: str = "") -> Unreadable:
        return Unreadable(self.lines.place(self.at), f"not JSON: {message}", fix)

    def skip(self) -> None:
        self.at = end(_BLANK, self.text, self.at)
        if self.text.startswith(("//", "/*"), self.at):
            raise self.stop("a comment", "JSON has no comments")

    def value(self, depth: int) -> Element:
        if depth > DEPTH:
            raise self.stop(f"nested deeper than {DEPTH}")
        start = self.lines.place(self.at)
        char = self.text[self.at : self.at + 1]
        if char == "{":
            return Element(self.pairs(depth), start)
        if char == "[":
            return Element(self.items(depth), start)
        return Element(self.string() if char == '"' else self.scalar(), start)

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
            raise self.stop("the text ends too early")
        raise self.stop(f"expected a value, not {self.text[self.at]!r}")

    def string(self) -> str:
        try:
            text, self.at = _DECODER.raw_decode(self.text, self.at)
        except JSONDecodeError as error:
            self.at = error.pos
            raise self.stop(f"{error.msg[0].lower()}{error.msg[1:]}") from None
        return str(text)

    def items(self, depth: int) -> list[Element]:
        items: list[Element] = []
        while self.has_more("]", is_first=not items):
            items.append(self.value(depth + 1))
        return items

    def pairs(self, depth: int) -> dict[str, Element]:
        pairs: dict[str, Element] = {}
        is_first = True
        while self.has_more("}", is_first=is_first):
            is_first = False
            named = self.lines.place(self.at)
            if self.text[self.at : self.at + 1] != '"':
                is_over = self.at >= len(self.text)
                raise self.stop("the text ends too early" if is_over else "expected a key in double quotes")
            name = self.string()
            self.skip()
            if self.text[self.at : self.at + 1] != ":":
                raise self.stop(f"expected : after {name!r}")
            self.at += 1
            self.skip()
            element = self.value(depth + 1)
            element.named = named
            if name in pairs:
                self.twice.append((name, named))
            pairs[name] = element
        return pairs

    def has_more(self, bracket: str, *, is_first: bool) -> bool:
        """Step over the opening bracket or the comma; False after the closing bracket."""
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
            raise self.stop(f"expected , or {bracket}" if char else "the text ends too early")
        self.at += 1
        self.skip()
        if self.text[self.at : self.at + 1] == bracket:
            raise self.stop("a comma before the end", "remove the comma")
        return True

"""A value of a file with its line and column. Readers of JSON, TOML and YAML all return elements."""

from bisect import bisect_right

from hookkit.settings.documents.finding import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Pattern
    from typing import Any

    Path = tuple[str | int, ...]  # keys and row numbers, from the top of the file
    Place = tuple[int, int]  # line and column, from 1

DEPTH = 50  # nesting; deeper than any file written by hand, far below the limit of recursion


class Element:
    """`value` is a scalar, a list of elements or a dict of elements. `named` is the place of its key, if any."""

    __slots__ = ("named", "value", "where")

    def __init__(self, value: "Any", where: "Place", named: "Place | None" = None) -> None:
        self.value = value
        self.where = where
        self.named = named or where

    def plain(self) -> "Any":
        """The value as data, without places."""
        if isinstance(self.value, dict):
            return {name: element.plain() for name, element in self.value.items()}
        if isinstance(self.value, list):
            return [element.plain() for element in self.value]
        return self.value

    def get(self, name: str) -> "Element | None":
        return self.value.get(name) if isinstance(self.value, dict) else None

    def items(self) -> "list[Element]":
        """The elements of a list; none for any other value."""
        return self.value if isinstance(self.value, list) else []

    def find(self, path: "Path") -> "Element":
        """The element at the path, or the last element on the way there."""
        element = self
        try:
            for step in path:
                element = element.value[step]
        except (LookupError, TypeError):
            return element
        return element


def end(pattern: "Pattern[str]", text: str, at: int) -> int:
    """The offset after a match at `at`; `at` itself without a match."""
    match = pattern.match(text, at)
    return match.end() if match else at


class Unreadable(Exception):  # noqa: N818 - describes the file
    """Stops a reader at the first character that is wrong in its language."""

    def __init__(self, where: "Place", message: str, fix: str = "") -> None:
        super().__init__(message)
        self.where = where
        self.message = message
        self.fix = fix

    def finding(self, path: str) -> Finding:
        return Finding(path, self.where, self.message, self.fix)


class LineIndex:
    """Converts offsets in a text to line and column."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0]
        for line in text.split("\n")[:-1]:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def place(self, offset: int) -> "Place":
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def line(self, number: int) -> str:
        if not 0 < number <= len(self.starts):
            return ""
        start = self.starts[number - 1]
        end = self.starts[number] if number < len(self.starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def inside(self, element: Element, offset: int) -> "Place":
        """The place of a character of a text element; the start of the element if escapes or line breaks hide it."""
        line, column = element.where
        if not isinstance(element.value, str) or offset > len(element.value):
            return element.where
        start = self.starts[line - 1] + column - 1
        for quote in ("", '"', "'"):
            if self.text.startswith(f"{quote}{element.value[: offset + 1]}", start):
                return line, column + len(quote) + offset
        return element.where

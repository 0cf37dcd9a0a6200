"""A value of a file with its place, whatever the language of the file: what is checked is written once."""

from hookkit.documents.finding import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Pattern
    from typing import Any

    Place = tuple[int, int]  # line and column, from 1

DEPTH = 50  # of any file that a person wrote, and far below what recursion takes


class Node:
    """`value` is a scalar, a list of nodes, or a dict of nodes; `named` is the place of its key, else its own."""

    __slots__ = ("named", "value", "where")

    def __init__(self, value: "Any", where: "Place", named: "Place | None" = None) -> None:
        self.value = value
        self.where = where
        self.named = named or where

    def plain(self) -> "Any":
        """The value as data, without places."""
        if isinstance(self.value, dict):
            return {name: node.plain() for name, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    def get(self, name: str) -> "Node | None":
        return self.value.get(name) if isinstance(self.value, dict) else None


def end(pattern: "Pattern[str]", text: str, at: int) -> int:
    """Behind what the pattern matches here; here, where it does not."""
    found = pattern.match(text, at)
    return found.end() if found else at


class Unreadable(Exception):  # noqa: N818 - it is what the file is
    """Stops a reader at the place where the text is none of its language."""

    def __init__(self, where: "Place", message: str, fix: str = "") -> None:
        super().__init__(message)
        self.where = where
        self.message = message
        self.fix = fix

    def problem(self, path: str) -> Problem:
        return Problem(path, self.where, self.message, self.fix)


class Lines:
    """Offsets in a text as line and column."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0]
        self.starts += [at + 1 for at, char in enumerate(text) if char == "\n"]

    def place(self, offset: int) -> "Place":
        from bisect import bisect_right

        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def line(self, number: int) -> str:
        if not 0 < number <= len(self.starts):
            return ""
        start = self.starts[number - 1]
        end = self.starts[number] if number < len(self.starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def inside(self, node: Node, offset: int) -> "Place":
        """The place of a character of a text node; its beginning, where escapes or line breaks hide the rest."""
        line, column = node.where
        written = self.line(line)[column - 1 :]
        if not isinstance(node.value, str) or offset > len(node.value):
            return node.where
        for quote in ("", '"', "'"):
            if written.startswith(f"{quote}{node.value[: offset + 1]}"):
                return line, column + len(quote) + offset
        return node.where

"""Elements: values of a file with their places. Findings: mistakes in a file, each with its place and a fix.

Readers of JSON, TOML and YAML all return elements; every check reports findings.
"""

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Pattern
    from typing import Any

    Fix = str | Callable[[], str]  # a function if finding the fix takes time: it runs when the fix is shown
    Path = tuple[str | int, ...]  # keys and row numbers, from the top of the file
    Place = tuple[int, int]  # line and column, from 1

DEPTH = 50  # nesting; deeper than any file written by hand, far below the limit of recursion
ERROR, WARNING = "error", "warning"  # an error does not work as written; a warning works differently than it looks
SHOWN, LONGEST_SHOWN = 60, 200  # characters of a text and of any value in a message
KEY, VALUE = -2, -1  # places of a defect


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


class Finding:
    """A mistake. `caret` marks a mistake inside a pattern: the line is printed with a caret below.

    `part` names the ignored part of a settings file: a setting, a rule, the whole file.
    """

    __slots__ = ("_fix", "caret", "column", "file", "line", "message", "part", "severity")

    def __init__(
        self,
        file: str,
        where: "Place",
        message: str,
        fix: "Fix" = "",
        *,
        severity: str = ERROR,
        caret: bool = False,
        part: str = "file",
    ) -> None:
        self.file = file
        self.line, self.column = where
        self.message = message
        self.part = part
        self._fix = fix
        self.severity = severity
        self.caret = caret

    @property
    def fix(self) -> str:
        return self._fix if isinstance(self._fix, str) else self._fix()

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}" + (f" ({self.fix})" if self.fix else "")


class Unreadable(Exception):  # noqa: N818 - describes the file
    """Stops a reader at the first character that is wrong in its language."""

    def __init__(self, where: "Place", message: str, fix: str = "") -> None:
        super().__init__(message)
        self.where = where
        self.message = message
        self.fix = fix

    def finding(self, path: str) -> Finding:
        return Finding(path, self.where, self.message, self.fix)


class Defect:
    """A mistake in parsed data, before its line is known: `path` has the keys and row numbers to the value.

    `at` is KEY for the place of the key, VALUE for the place of the value, or an offset into the value's text.
    """

    __slots__ = ("at", "fix", "message", "part", "path")

    def __init__(self, path: "Path", message: str, fix: "Fix" = "", at: int = KEY, part: str = "setting") -> None:
        self.path = path
        self.message = message
        self.fix = fix
        self.at = at
        self.part = part

    def below(self, path: "Path", name: str = "") -> "Defect":
        """The same defect, with the path and the name of the value around it."""
        message = f"{name}: {self.message}" if name else self.message
        return Defect((*path, *self.path), message, self.fix, self.at, self.part)


def shown(text: str) -> str:
    """The text, shortened for a message."""
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def shown_value(value: object) -> str:
    """The value in a message: short, and without the digits that Python refuses to print."""
    if isinstance(value, bool):
        return str(value).lower()  # as TOML and JSON write it
    try:
        text = repr(value)
    except ValueError:
        return "a number so large"
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def named_value(value: object) -> str:
    """The value in a message; a table or a list is only named."""
    if isinstance(value, dict):
        return "a table"
    return "a list" if isinstance(value, list) else shown(shown_value(value))


class WrittenRule:
    """A rule as written in a file, with the element of its pattern. `spares` is true for a rule with exceptions."""

    __slots__ = ("actors", "element", "file", "lines", "match", "spares", "verdict")

    def __init__(self, verdict: str, element: Element, actors: list[str], file: str, lines: LineIndex) -> None:
        self.verdict = verdict
        self.match = str(element.value)
        self.element = element
        self.actors = actors
        self.file = file
        self.lines = lines
        self.spares = False

    def __str__(self) -> str:
        return f"{self.verdict} {shown(self.match)}"


class FileReport:
    """The results for one file."""

    __slots__ = ("file", "findings", "rules", "values")

    def __init__(
        self,
        file: str,
        findings: list[Finding],
        rules: "list[WrittenRule] | None" = None,
        values: "dict[str, Any] | None" = None,
    ) -> None:
        self.file = file
        self.findings = findings
        self.rules = rules or []
        self.values = values or {}

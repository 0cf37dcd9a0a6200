"""A finding: a mistake in a file, with its place and a fix. Every check reports findings."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Fix = str | Callable[[], str]  # a function if finding the fix takes time: it runs when the fix is shown
    from typing import Any

    from hookkit.settings.documents.element import Element, LineIndex


ERROR, WARNING = "error", "warning"  # an error does not work as written; a warning works differently than it looks
SHOWN = 60
KEY, VALUE = -2, -1  # places of a defect


class Finding:
    """A mistake. `caret` marks a mistake inside a pattern: the line is printed with a caret below.

    `part` names the ignored part of a settings file: a setting, a rule, the whole file.
    """

    __slots__ = ("_fix", "caret", "column", "file", "line", "message", "part", "severity")

    def __init__(
        self,
        file: str,
        where: tuple[int, int],
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


class Defect:
    """A mistake in parsed data, before its line is known: `path` has the keys and row numbers to the value.

    `at` is KEY for the place of the key, VALUE for the place of the value, or an offset into the value's text.
    """

    __slots__ = ("at", "fix", "message", "part", "path")

    def __init__(
        self, path: "tuple[str | int, ...]", message: str, fix: "Fix" = "", at: int = KEY, part: str = "setting"
    ) -> None:
        self.path = path
        self.message = message
        self.fix = fix
        self.at = at
        self.part = part

    def below(self, path: "tuple[str | int, ...]", name: str = "") -> "Defect":
        """The same defect, with the path and the name of the value around it."""
        message = f"{name}: {self.message}" if name else self.message
        return Defect((*path, *self.path), message, self.fix, self.at, self.part)


def shown(text: str) -> str:
    """The text, shortened for a message."""
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


class WrittenRule:
    """A rule as written in a file, with the element of its pattern. `spares` is true for a rule with exceptions."""

    __slots__ = ("actors", "element", "file", "lines", "match", "spares", "verdict")

    def __init__(self, verdict: str, element: "Element", actors: list[str], file: str, lines: "LineIndex") -> None:
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

"""The result of checking a file: its findings, its rules with their places, its settings."""

from hookkit.documents.finding import Finding, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.documents.element import Element, LineIndex


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

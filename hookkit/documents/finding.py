"""What a check says: errors are what does not work as written, warnings what works otherwise than it looks."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.documents.node import Lines, Node

ERROR, WARNING = "error", "warning"
SHOWN = 60


class Problem:
    """A mistake in a settings file, with its place and a way out."""

    __slots__ = ("column", "file", "fix", "line", "message")

    def __init__(self, file: str, where: tuple[int, int], message: str, fix: str = "") -> None:
        self.file = file
        self.line, self.column = where
        self.message = message
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}" + (f" ({self.fix})" if self.fix else "")


class Finding(Problem):
    """A problem with its weight; one about a pattern is shown with its line and a caret."""

    __slots__ = ("caret", "severity")

    def __init__(
        self,
        file: str,
        where: tuple[int, int],
        message: str,
        fix: str = "",
        *,
        severity: str = ERROR,
        caret: bool = False,
    ) -> None:
        super().__init__(file, where, message, fix)
        self.severity = severity
        self.caret = caret


class Rule:
    """A rule where it is written: what it says, of whom, and the node of its pattern; `spares` has exceptions."""

    __slots__ = ("actors", "file", "lines", "match", "node", "spares", "verdict")

    def __init__(self, verdict: str, node: "Node", actors: "list[str]", file: str, lines: "Lines") -> None:
        self.verdict = verdict
        self.match = str(node.value)
        self.node = node
        self.actors = actors
        self.file = file
        self.lines = lines
        self.spares = False

    def __str__(self) -> str:
        return f"{self.verdict} {shown(self.match)}"


class Report:
    """All that one file comes to."""

    __slots__ = ("file", "findings", "rules", "values")

    def __init__(
        self,
        file: str,
        findings: list[Finding],
        rules: "list[Rule] | None" = None,
        values: "dict[str, Any] | None" = None,
    ) -> None:
        self.file = file
        self.values = values or {}
        self.findings = findings
        self.rules = rules or []


def weigh(problem: Problem) -> Finding:
    """A bare problem keeps somebody from working: an error."""
    if isinstance(problem, Finding):
        return problem
    return Finding(problem.file, (problem.line, problem.column), problem.message, problem.fix)


def shown(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def guess(name: str, known: "list[str] | tuple[str, ...]", cutoff: float = 0.7) -> str:
    """The known name that was probably meant; capitals count for nothing, as they are what is most often wrong."""
    from difflib import get_close_matches

    folded = {other.casefold(): other for other in known}
    close = get_close_matches(name.casefold(), [*folded], 1, cutoff)
    return folded[close[0]] if close else ""


def did_you_mean(name: str, known: "list[str] | tuple[str, ...]", cutoff: float = 0.7) -> str:
    found = guess(name, known, cutoff)
    return f"did you mean {found}?" if found else ""

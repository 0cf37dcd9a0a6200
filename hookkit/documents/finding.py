"""A finding: a mistake in a file, with its place and a fix. Every check reports findings."""

ERROR, WARNING = "error", "warning"  # an error does not work as written; a warning works differently than it looks
SHOWN = 60
KEY, VALUE = -2, -1  # places of a defect


class Finding:
    """A mistake. `caret` marks a mistake inside a pattern: the line is printed with a caret below."""

    __slots__ = ("caret", "column", "file", "fix", "line", "message", "severity")

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
        self.file = file
        self.line, self.column = where
        self.message = message
        self.fix = fix
        self.severity = severity
        self.caret = caret

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}" + (f" ({self.fix})" if self.fix else "")


class Defect:
    """A mistake in parsed data, before its line is known: `path` has the keys and row numbers to the value.

    `at` is KEY for the place of the key, VALUE for the place of the value, or an offset into the value's text.
    """

    __slots__ = ("at", "fix", "message", "path")

    def __init__(self, path: "tuple[str | int, ...]", message: str, fix: str = "", at: int = KEY) -> None:
        self.path = path
        self.message = message
        self.fix = fix
        self.at = at

    def below(self, path: "tuple[str | int, ...]", name: str) -> "Defect":
        """The same defect, with the path of the whole setting."""
        return Defect((*path, *self.path), f"{name}: {self.message}", self.fix, self.at)


def shown(text: str) -> str:
    """The text, shortened for a message."""
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"

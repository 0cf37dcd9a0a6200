"""A problem found by doctor."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Mend = Callable[[str], str]  # the text of the file → the text without the problem

SERIOUS, WARNING, NOTE = "serious", "warning", "note"  # serious: calls pass unchecked


class Problem:
    """`id` never changes between releases. `mend` changes the text of `file`; without `mend` a person must act."""

    __slots__ = ("column", "file", "fix", "id", "line", "mend", "message", "severity")

    def __init__(
        self,
        id_: str,
        severity: str,
        message: str,
        fix: str = "",
        *,
        file: str = "",
        place: tuple[int, int] = (0, 0),
        mend: "Mend | None" = None,
    ) -> None:
        self.id = id_
        self.severity = severity
        self.message = message
        self.fix = fix
        self.file = file
        self.line, self.column = place
        self.mend = mend

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file

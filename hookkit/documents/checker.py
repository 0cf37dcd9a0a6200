"""Checks an element tree against tables of fields. Every mistake is collected; no mistake raises."""

from hookkit.documents.element import Element, LineIndex
from hookkit.documents.finding import ERROR, WARNING, Finding, shown
from hookkit.documents.kinds import KINDS, shown_value
from hookkit.system.suggestions import closest, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.documents.finding import Fix
    from hookkit.documents.kinds import Fields, KindName

    Names = list[str] | tuple[str, ...]

MOST = 100  # findings for one file


class DocumentChecker:
    """The findings of one file. Each method returns the correct part of its element, so checking can go on."""

    unknown_fields = ERROR  # severity of an unknown field
    part = "file"  # ignored by the loader because of the next finding

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = LineIndex(text)
        self.found: list[Finding] = []
        self.errors = 0

    def say(
        self, where: tuple[int, int], message: str, fix: "Fix" = "", severity: str = ERROR, *, caret: bool = False
    ) -> None:
        """Add a finding; after the first hundred only count."""
        self.errors += severity == ERROR
        if len(self.found) < MOST:
            self.found.append(Finding(self.path, where, message, fix, severity=severity, caret=caret, part=self.part))

    def warn(self, where: tuple[int, int], message: str, fix: "Fix" = "") -> None:
        self.say(where, message, fix, WARNING)

    def inside(self, element: Element, at: int, message: str, fix: "Fix" = "", severity: str = ERROR) -> None:
        """A finding about one character of a text, shown with a caret."""
        self.say(self.lines.inside(element, at), message, fix, severity, caret=True)

    def table(self, element: Element | None, label: str) -> dict[str, Element]:
        """The fields of a table; empty for a missing element, empty with an error for any other value."""
        if element is None:
            return {}
        if not isinstance(element.value, dict):
            self.say(element.where, f"{label}: expected a table, not {_shown(element)}")
            return {}
        return element.value

    def rows(self, element: Element | None, label: str) -> list[Element]:
        if element is None:
            return []
        if not isinstance(element.value, list):
            self.say(element.where, f"{label}: expected a list, not {_shown(element)}")
            return []
        return element.value

    def fields(
        self, element: Element | None, kinds: "Fields", label: str, at: tuple[int, int] | None = None
    ) -> dict[str, Element]:
        """The fields that are known and of the right kind; a leading `*` in `kinds` marks a required field."""
        table = self.table(element, label)
        known = {name.lstrip("*"): kind for name, kind in kinds.items()}
        right = {}
        for name, item in table.items():
            if name not in known:
                self.unknown(name, item, [*known], label)
            elif self.fits(item, known[name], f"{label}: {name}"):
                right[name] = item
        if element is None or isinstance(element.value, dict):
            required = [name[1:] for name in kinds if name[0] == "*"]
            self.missing(table, required, label, element.where if element else at)
        return right

    def missing(self, table: dict[str, Element], names: "Names", label: str, at: tuple[int, int] | None = None) -> None:
        for name in names:
            if name not in table:
                self.say(at or (1, 1), f"{label}: missing {name}")

    def unknown(self, name: str, element: Element, known: "Names", label: str) -> None:
        self.say(
            element.named,
            f"{label}: unknown field {shown(name)}",
            lambda: did_you_mean(name, known) or f"known are {', '.join(known)}",
            self.unknown_fields,
        )

    def misspelt(self, table: dict[str, Element], known: "Names", label: str) -> None:
        """In a table with foreign fields, only a near miss of a known field is a mistake."""
        for name, element in list(table.items())[:MOST]:
            close = "" if name in known else closest(name, known, 0.8)
            if close and close not in table:
                self.say(element.named, f"{label}unknown field {shown(name)}", f"did you mean {close}?")

    def fits(self, element: Element, kind: "KindName", label: str) -> bool:
        """Whether the element is of the kind. A wrong item of a list or table is reported at the item's own place."""
        if KINDS[kind].fits(element.plain()):
            return True
        items: list[Element] = []
        if kind == "texts":
            items = element.items()
        elif kind == "text table" and isinstance(element.value, dict):
            items = [*element.value.values()]
        wrong = [item for item in items if not isinstance(item.value, str)]
        for item in wrong:
            self.say(item.where, f"{label}: expected text, not {_shown(item)}")
        if not wrong:
            self.say(element.where, f"{label}: expected {KINDS[kind].words}, not {_shown(element)}")
        return False

    def choice(self, element: Element | None, options: "Names", label: str) -> str:
        """The element's text if it is one of the options, else an empty text."""
        if element is None:
            return ""
        if isinstance(element.value, str) and element.value in options:
            return element.value
        is_text = isinstance(element.value, str) and len(self.found) < MOST
        fix = did_you_mean(element.value, options, 0.6) if is_text else ""
        said = f"unknown {_shown(element)}" if fix else f"expected one of {', '.join(options)}, not {_shown(element)}"
        self.say(element.where, f"{label}: {said}", fix)
        return ""


def _shown(element: Element) -> str:
    """The value in a message; a table or a list is only named."""
    if isinstance(element.value, dict):
        return "a table"
    return "a list" if isinstance(element.value, list) else shown(shown_value(element.value))


def text_of(element: Element | None) -> str:
    return element.value if element is not None and isinstance(element.value, str) else ""

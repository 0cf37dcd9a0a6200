"""Filling in a form: a tree of nodes against tables of fields, with every complaint kept and none raised."""

from hookkit.documents.finding import ERROR, WARNING, Finding, did_you_mean, guess, shown
from hookkit.documents.node import Lines, Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

TEXT, ANY_TEXT, FLAG, SECONDS = "text", "a text", "true or false", "a number of seconds above 0"
COUNT, WORDS, TABLE, ANYTHING = "a whole number above 0", "a list of texts", "a table of texts", "anything"


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _are_texts(values: "Any") -> bool:
    return all(isinstance(value, str) for value in values)


FITS: "dict[str, Callable[[Any], bool]]" = {
    TEXT: lambda value: isinstance(value, str) and bool(value.strip()),
    ANY_TEXT: lambda value: isinstance(value, str),
    FLAG: lambda value: isinstance(value, bool),
    SECONDS: lambda value: _is_number(value) and value > 0,
    COUNT: lambda value: isinstance(value, int) and not isinstance(value, bool) and value > 0,
    WORDS: lambda value: isinstance(value, list) and _are_texts(value),
    TABLE: lambda value: isinstance(value, dict) and _are_texts(value.values()),
    ANYTHING: lambda _: True,
}


CONTAINER = {WORDS: list, TABLE: type({}.values())}


class Form:
    """The complaints about one file. Every question answers with what is right of it, so that the rest goes on."""

    strangers = ERROR  # what a field that nobody knows is

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = Lines(text)
        self.found: list[Finding] = []

    def say(self, where: tuple[int, int], message: str, fix: str = "", severity: str = ERROR) -> None:
        self.found.append(Finding(self.path, where, message, fix, severity=severity))

    def warn(self, where: tuple[int, int], message: str, fix: str = "") -> None:
        self.say(where, message, fix, WARNING)

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.found if finding.severity == ERROR]

    def table(self, node: Node | None, label: str) -> dict[str, Node]:
        """The node's fields; nothing where it is missing, and a complaint where it is something else."""
        if node is None:
            return {}
        if not isinstance(node.value, dict):
            self.say(node.where, f"{label}: expected a table, not {_of(node)}")
            return {}
        return node.value

    def rows(self, node: Node | None, label: str) -> list[Node]:
        if node is None:
            return []
        if not isinstance(node.value, list):
            self.say(node.where, f"{label}: expected a list, not {_of(node)}")
            return []
        return node.value

    def fields(
        self, node: Node | None, kinds: dict[str, str], label: str, at: tuple[int, int] | None = None
    ) -> dict[str, Node]:
        """Those of the node's fields that are known and right; a leading `*` marks one that must be there."""
        table = self.table(node, label)
        known = {name.lstrip("*"): kind for name, kind in kinds.items()}
        right = {}
        for name, item in table.items():
            if name not in known:
                self.unknown(name, item, [*known], label)
            elif self.fits(item, known[name], f"{label}: {name}"):
                right[name] = item
        if node is None or isinstance(node.value, dict):
            self.missing(table, [name[1:] for name in kinds if name[0] == "*"], label, node.where if node else at)
        return right

    def missing(self, table: dict[str, Node], names: list[str], label: str, at: tuple[int, int] | None = None) -> None:
        for name in names:
            if name not in table:
                self.say(at or (1, 1), f"{label}: missing {name}")

    def unknown(self, name: str, node: Node, known: "list[str] | tuple[str, ...]", label: str) -> None:
        fix = did_you_mean(name, known) or f"known are {', '.join(known)}"
        self.say(node.named, f"{label}: unknown field {shown(name)}", fix, self.strangers)

    def misspelt(self, table: dict[str, Node], known: "list[str] | tuple[str, ...]", label: str) -> None:
        """Where other fields are nobody's business, one that is nearly ours is a mistake all the same."""
        for name, node in table.items():
            close = "" if name in known else guess(name, known, 0.8)
            if close and close not in table:
                self.say(node.named, f"{label}unknown field {shown(name)}", f"did you mean {close}?")

    def fits(self, node: Node, kind: str, label: str) -> bool:
        """A list or table that is wrong in one place is complained of in that place."""
        if FITS[kind](node.plain()):
            return True
        inner = node.value.values() if isinstance(node.value, dict) else node.value
        wrong = (
            [item for item in inner if not isinstance(item.value, str)] if CONTAINER.get(kind) is type(inner) else []
        )
        for item in wrong:
            self.say(item.where, f"{label}: expected text, not {_of(item)}")
        if not wrong:
            self.say(node.where, f"{label}: expected {kind}, not {_of(node)}")
        return False

    def choice(self, node: Node | None, options: "list[str] | tuple[str, ...]", label: str) -> str:
        """The node's text if it is one of the options."""
        if node is None:
            return ""
        if isinstance(node.value, str) and node.value in options:
            return node.value
        fix = did_you_mean(node.value, options, 0.6) if isinstance(node.value, str) else ""
        said = f"unknown {_of(node)}" if fix else f"expected one of {', '.join(options)}, not {_of(node)}"
        self.say(node.where, f"{label}: {said}", fix)
        return ""


def _of(node: Node) -> str:
    """What stands there, short: a table or a list by its name alone."""
    if isinstance(node.value, dict):
        return "a table"
    return "a list" if isinstance(node.value, list) else shown(repr(node.value))


def text_of(node: Node | None) -> str:
    return node.value if node is not None and isinstance(node.value, str) else ""

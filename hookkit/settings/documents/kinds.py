"""KINDS: every kind of value that a file may hold, in one table: its check, its words, an example, its JSON Schema.

The settings, the checks of foreign files, docs/settings.md and the schema for editors all use this table.
"""

import re
import warnings

from hookkit.settings.documents.finding import (
    ERROR,
    KEY,
    WARNING,
    Defect,
    Element,
    Finding,
    LineIndex,
    named_value,
    shown,
    shown_value,
)
from hookkit.system.suggestions import closest, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Literal

    from hookkit.settings.documents.finding import Fix

    KindName = Literal[
        "text", "any text", "flag", "count", "positive", "amount", "seconds", "texts", "text table", "targets", "json",
        "anything", "rows", "lists", "schemas", "approval", "words", "effect", "patterns",
        "choices",
    ]  # fmt: skip
    Fields = dict[str, KindName]  # a table's fields; a leading "*" marks a required field
    Names = list[str] | tuple[str, ...]


HIGHEST = 10**15  # the largest number
ENDLESS = 1.7976931348623157e308  # JSON may hold a larger number, which every reader takes for infinite
DEEPEST = 20  # tables inside tables
LONGEST_TARGET = 100


class Kind:
    """One row: `words` describe the kind in a message, `example` is written as TOML, `fits` checks a plain value.

    `schema` is the kind in the JSON Schema for editors; without one the value may be anything.
    """

    __slots__ = ("example", "fits", "schema", "words")

    def __init__(
        self, words: str, example: str, fits: "Callable[[Any], bool]", schema: "dict[str, Any] | None" = None
    ) -> None:
        self.words = words
        self.example = example
        self.fits = fits
        self.schema = schema or {}


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= HIGHEST


def are_texts(values: "Any") -> bool:
    return all(isinstance(value, str) for value in values)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and are_texts(value)


def _are_patterns(value: object) -> bool:
    """An empty pattern matches every call, as the documents say; nobody means it in a list."""
    if isinstance(value, str):
        return True
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) and item.strip() for item in value)


def is_target(value: object) -> bool:
    """`/command` or `@agent`: a single name, so a row cannot carry a message to the model."""
    if not isinstance(value, str) or value[:1] not in ("/", "@") or len(value) > LONGEST_TARGET:
        return False
    return all(char.isalnum() or char in "-_.:/" for char in value[1:]) and bool(value[1:])


def _is_json(value: object, depth: int = 0) -> bool:
    """Whether the cache can keep the value: no dates, no infinite numbers, no deep nesting."""
    if isinstance(value, (dict, list)):
        inner = value.values() if isinstance(value, dict) else value
        return depth < DEEPEST and all(_is_json(item, depth + 1) for item in inner)
    if isinstance(value, (bool, str)):
        return True
    return isinstance(value, (int, float)) and -HIGHEST <= value <= HIGHEST


def _is_effect(value: object) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    objects = isinstance(value, dict) and all(isinstance(name, str) and name.strip() for name in value)
    return objects and all(KINDS["words"].fits(item) for item in value.values())  # type: ignore[attr-defined]


def _are_tables(values: "Any") -> bool:
    return all(isinstance(value, dict) for value in values)


_TEXTS: "dict[str, Any]" = {"type": "array", "items": {"type": "string"}}
KINDS: "dict[KindName, Kind]" = {
    "text": Kind(
        "text", '"some text"', lambda value: isinstance(value, str) and bool(value.strip()),
        {"type": "string", "minLength": 1},
    ),
    "any text": Kind("any text", '""', lambda value: isinstance(value, str), {"type": "string"}),
    "flag": Kind("true or false", "true", lambda value: isinstance(value, bool), {"type": "boolean"}),
    "approval": Kind(
        '"always", "trusted" or "never"', '"trusted"',  # true and false, the older spelling, mean always and never
        lambda value: isinstance(value, bool) or value in ("always", "trusted", "never"),
        {"enum": ["always", "trusted", "never", True, False]},
    ),
    "count": Kind("a whole number from 0", "5", _is_count, {"type": "integer", "minimum": 0}),
    "positive": Kind(
        "a whole number above 0", "5", lambda value: _is_count(value) and value > 0, {"type": "integer", "minimum": 1}
    ),
    "amount": Kind(
        "a number from 0", "2.5", lambda value: _is_number(value) and 0 <= value <= HIGHEST,
        {"type": "number", "minimum": 0},
    ),
    "seconds": Kind(
        "a number of seconds above 0", "0.5", lambda value: _is_number(value) and 0 < value <= ENDLESS,
        {"type": "number", "exclusiveMinimum": 0},
    ),
    "texts": Kind("a list of texts", '["a", "b"]', _is_texts, _TEXTS),
    "choices": Kind("a list of words", '["a", "b"]', _is_texts, _TEXTS),
    "words": Kind(
        "text, or a list of texts", '["make", "lint"]',
        lambda value: bool(value) and are_texts(value if isinstance(value, list) else [value])
        and bool("".join(value).strip()),
    ),
    "patterns": Kind(
        "a pattern, or a list of patterns", '["Bash(rm *)", "Delete(~)"]', _are_patterns,
        {"anyOf": [{"type": "string", "minLength": 1}, {**_TEXTS, "minItems": 1}]},
    ),
    "effect": Kind(
        "a word, or a table of words with the commands of each", '{remote = ["rollout *"]}', _is_effect,
        {"type": ["string", "object"], "additionalProperties": {"type": ["string", "array"]}},
    ),
    "text table": Kind(
        "a table of texts", '{a = "b"}', lambda value: isinstance(value, dict) and are_texts(value.values()),
        {"type": "object", "additionalProperties": {"type": "string"}},
    ),
    "targets": Kind(
        'words, each with a "/command" or an "@agent"', '{deploy = "/deploy"}',
        lambda value: isinstance(value, dict) and all(is_target(item) for item in value.values()),
        {"type": "object", "additionalProperties": {"type": "string", "pattern": "^[/@]."}},
    ),
    "json": Kind("text, numbers, true or false, lists and tables", '{kind = "x", days = [1, 2]}', _is_json),
    "anything": Kind("anything", "1", lambda _: True),
    "rows": Kind(
        "rows", "[[rules]]", lambda value: isinstance(value, list) and _are_tables(value),
        {"type": "array", "items": {"type": "object"}},
    ),
    "lists": Kind(
        "tables of allow, ask and deny lists", '{"agent:a" = {deny = ["Bash(rm *)"]}}',
        lambda value: isinstance(value, dict) and _are_tables(value.values()),
        {"type": "object", "additionalProperties": {"type": "object"}},
    ),
    "schemas": Kind(
        "tools, each with a table or the name of a JSON file", '{mcp__s__send = "send.json"}',
        lambda value: isinstance(value, dict), {"type": "object"},
    ),
}  # fmt: skip


def wrong(kind: "KindName", value: object) -> str:
    """A message about a value of another kind, or an empty text for the right kind."""
    row = KINDS[kind]
    return "" if row.fits(value) else f"expected {row.words}, not {shown_value(value)}"


def wrong_fields(fields: "Fields", table: "dict[str, Any]", at: int = KEY) -> "Iterator[Defect]":
    """Fields of the wrong kind, unknown and missing fields; `at` is the place of a field of the wrong kind."""
    known = {name.lstrip("*"): kind for name, kind in fields.items()}
    for name, kind in known.items():
        message = wrong(kind, table[name]) if name in table else ""
        if message:
            yield Defect((name,), f"{name}: {message}", at=at)
    for name in table:
        if name not in known:
            yield Defect((name,), f"unknown field {name}", lambda name=name: did_you_mean(name, [*known]))  # type: ignore[misc]
    for name in fields:
        if name[0] == "*" and name[1:] not in table:
            yield Defect((), f"missing {name[1:]}")


def wrong_choice(name: str, value: str | None, options: "Names", at: int = KEY) -> "Iterator[Defect]":
    if value is not None and value not in options:
        message = f"{name}: expected one of {', '.join(options)}, not {value!r}"
        yield Defect((name,), message, lambda: did_you_mean(value, options, 0.6), at)


def wrong_regex(source: str, replacement: str = "") -> str:
    """A message about a Python regular expression or its replacement, or an empty text.

    The expression itself never runs: even on an empty text it may take forever. Its groups are enough to check the
    replacement.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pattern = re.compile(source)
            names = {number: name for name, number in pattern.groupindex.items()}
            groups = (f"(?P<{names[number]}>)" if number in names else "()" for number in range(1, pattern.groups + 1))
            re.sub("".join(groups), replacement, "")
    except (re.error, IndexError, RecursionError, OverflowError) as error:
        return f"not a regular expression: {error}"
    return ""


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
            self.say(element.where, f"{label}: expected a table, not {named_value(element.value)}")
            return {}
        return element.value

    def rows(self, element: Element | None, label: str) -> list[Element]:
        if element is None:
            return []
        if not isinstance(element.value, list):
            self.say(element.where, f"{label}: expected a list, not {named_value(element.value)}")
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
            self.say(item.where, f"{label}: expected text, not {named_value(item.value)}")
        if not wrong:
            self.say(element.where, f"{label}: expected {KINDS[kind].words}, not {named_value(element.value)}")
        return False

    def choice(self, element: Element | None, options: "Names", label: str) -> str:
        """The element's text if it is one of the options, else an empty text."""
        if element is None:
            return ""
        if isinstance(element.value, str) and element.value in options:
            return element.value
        is_text = isinstance(element.value, str) and len(self.found) < MOST
        fix = did_you_mean(element.value, options, 0.6) if is_text else ""
        text = named_value(element.value)
        message = f"unknown {text}" if fix else f"expected one of {', '.join(options)}, not {text}"
        self.say(element.where, f"{label}: {message}", fix)
        return ""

    def address(self, element: Element | None, label: str) -> None:
        if element is not None and not re.match(r"https?://[^\s/]", text_of(element)):
            self.say(element.where, f"{label}: expected http:// or https://, not {shown(text_of(element))}")


def text_of(element: Element | None) -> str:
    return element.value if element is not None and isinstance(element.value, str) else ""

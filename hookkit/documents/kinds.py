"""KINDS: every kind of value that a file may hold, in one table: how to check it, its words for people, an example.

The settings, the checks of foreign files and docs/settings.md all use this table.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

    KindName = Literal[
        "text", "any text", "flag", "count", "positive", "amount", "seconds", "texts", "text table", "targets", "json",
        "anything", "rows", "lists", "schemas", "approval", "words", "effect", "patterns",
    ]  # fmt: skip
    Fields = dict[str, KindName]  # a table's fields; a leading "*" marks a required field

HIGHEST = 10**15  # the largest number
DEEPEST = 20  # tables inside tables
LONGEST_TARGET = 100
LONGEST_SHOWN = 200


class Kind:
    """One row: `fits` checks a plain value, `words` describes the kind in a message, `example` is written as TOML."""

    __slots__ = ("example", "fits", "words")

    def __init__(self, words: str, example: str, fits: "Callable[[Any], bool]") -> None:
        self.words = words
        self.example = example
        self.fits = fits


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= HIGHEST


def are_texts(values: "Any") -> bool:
    return all(isinstance(value, str) for value in values)


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
    """Whether the snapshot can keep the value: no dates, no infinite numbers, no deep nesting."""
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


KINDS: "dict[KindName, Kind]" = {
    "text": Kind("text", '"some text"', lambda value: isinstance(value, str) and bool(value.strip())),
    "any text": Kind("any text", '""', lambda value: isinstance(value, str)),
    "flag": Kind("true or false", "true", lambda value: isinstance(value, bool)),
    "approval": Kind(
        '"always", "trusted" or "never"', '"trusted"',  # true and false, the older spelling, mean always and never
        lambda value: isinstance(value, bool) or value in ("always", "trusted", "never"),
    ),
    "count": Kind("a whole number from 0", "5", _is_count),
    "positive": Kind("a whole number above 0", "5", lambda value: _is_count(value) and value > 0),
    "amount": Kind("a number from 0", "2.5", lambda value: _is_number(value) and 0 <= value <= HIGHEST),
    "seconds": Kind("a number of seconds above 0", "0.5", lambda value: _is_number(value) and value > 0),
    "texts": Kind("a list of texts", '["a", "b"]', lambda value: isinstance(value, list) and are_texts(value)),
    "words": Kind(
        "text, or a list of texts", '["make", "lint"]',
        lambda value: bool(value) and are_texts(value if isinstance(value, list) else [value])
        and bool("".join(value).strip()),
    ),
    "patterns": Kind("a pattern, or a list of patterns", '["Bash(rm *)", "Delete(~)"]', _are_patterns),
    "effect": Kind(
        "a word, or a table of words with the commands of each", '{remote = ["rollout *"]}',
        _is_effect,
    ),
    "text table": Kind(
        "a table of texts", '{a = "b"}', lambda value: isinstance(value, dict) and are_texts(value.values())
    ),
    "targets": Kind(
        'words, each with a "/command" or an "@agent"', '{deploy = "/deploy"}',
        lambda value: isinstance(value, dict) and all(is_target(item) for item in value.values()),
    ),
    "json": Kind("text, numbers, true or false, lists and tables", '{kind = "x", days = [1, 2]}', _is_json),
    "anything": Kind("anything", "1", lambda _: True),
    "rows": Kind("rows", "[[rules]]", lambda value: isinstance(value, list) and _are_tables(value)),
    "lists": Kind(
        "tables of allow, ask and deny lists", '{"agent:a" = {deny = ["Bash(rm *)"]}}',
        lambda value: isinstance(value, dict) and _are_tables(value.values()),
    ),
    "schemas": Kind(
        "tools, each with a table or the name of a JSON file", '{mcp__s__send = "send.json"}',
        lambda value: isinstance(value, dict),
    ),
}  # fmt: skip


def wrong(kind: "KindName", value: object) -> str:
    """A message about a value of another kind, or an empty text for the right kind."""
    row = KINDS[kind]
    return "" if row.fits(value) else f"expected {row.words}, not {shown_value(value)}"


def shown_value(value: object) -> str:
    """The value in a message: short, and without the digits that Python refuses to print."""
    try:
        said = repr(value)
    except ValueError:
        return "a number so large"
    return said if len(said) <= LONGEST_SHOWN else f"{said[:LONGEST_SHOWN]}…"

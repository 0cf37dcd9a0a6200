"""A mistake in a value: the place, the expected value and the found value, in words."""

from hookkit.masking import line, weight
from hookkit.system.jsons import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Path = tuple[str | int, ...]

SHOWN = 60  # characters of a value
TRIED = 1_000  # characters searched for secrets before cutting
FEW = 8  # names listed in a message

WORDS = {
    "null": "null", "boolean": "true or false", "string": "text", "integer": "a whole number", "number": "a number",
    "array": "a list", "object": "an object",
}  # fmt: skip


class Mistake:
    """Builds its text only on request: most alternatives of an `anyOf` are tried and never reported."""

    __slots__ = ("keyword", "path", "value", "wanted")

    def __init__(self, path: "Path", keyword: str, wanted: "str | Callable[[], str]", value: object = None) -> None:
        self.path = path
        self.keyword = keyword
        self.wanted = wanted
        self.value = value

    @property
    def place(self) -> str:
        """The path in code form: `edits[0].old_string`."""
        shown = ""
        for step in self.path:
            name = step if isinstance(step, int) else line(step[:TRIED], SHOWN)
            plain = isinstance(name, str) and name.replace("-", "_").isidentifier()
            shown += f".{name}" if plain else f"[{_spelt(name)}]"
        return shown.removeprefix(".")

    @property
    def said(self) -> str:
        wanted = self.wanted if isinstance(self.wanted, str) else self.wanted()
        found = FOUND.get(self.keyword, shape)
        found = sealed if found is show and self.is_secret else found
        return f"{wanted}, found {found(self.value)}" if found else wanted

    @property
    def is_secret(self) -> bool:
        """Whether a name on the path marks a secret: the message must not repeat a password."""
        weights = {found for step in self.path if isinstance(step, str) and (found := weight(step))}
        if not weights:
            return False
        from hookkit.masking import keys

        return any(keys.is_secret(found, self.value) for found in weights)

    def __str__(self) -> str:
        return f"{self.place}: {self.said}" if self.path else self.said


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_whole(value: "Any") -> bool:
    return is_number(value) and (isinstance(value, int) or float(value).is_integer())


IS: "dict[str, Callable[[object], bool]]" = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "integer": _is_whole,
    "number": is_number,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def shape(value: object) -> str:
    """The kind of value, in place of a value that may be long or secret."""
    return next(words for name, words in WORDS.items() if name != "integer" and IS[name](value))


def show(value: object) -> str:
    """The value, masked and cut."""
    if isinstance(value, (dict, list)):
        return shape(value)
    return line(_spelt(value[:TRIED] if isinstance(value, str) else value), SHOWN)


def sealed(value: object) -> str:
    """A description of a secret without its text."""
    return f"text of {len(value):,} characters" if isinstance(value, str) else shape(value)


def _spelt(value: object) -> str:
    if isinstance(value, float):
        return repr(value)  # JSON cannot spell infinities and NaN
    return f'"{value}"' if isinstance(value, str) and value.isprintable() else dumps(value)


def names(known: list[str], before: str = "") -> str:
    more = f" and {len(known) - FEW} more" if len(known) > FEW else ""
    return known[0] if len(known) == 1 else before + ", ".join(known[:FEW]) + more


def _size(value: "Any") -> str:
    return f"{len(value):,}"


# How a message shows the found value, by keyword: the value, the size, or nothing (None). Default: the kind.
FOUND: "dict[str, Callable[[Any], str] | None]" = {
    **dict.fromkeys("const enum pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split(), show),
    **dict.fromkeys("minLength maxLength minItems maxItems minProperties maxProperties".split(), _size),
    **dict.fromkeys(["", "required", "additionalProperties", "uniqueItems", "oneOf"]),
}

"""RULES: the check for each JSON Schema keyword, as a function or as a row of LIMITS; values in the words of a message.

Keywords without a rule are ignored, so a schema with unsupported keywords never refuses a good value.
"""

from hookkit.errors import HookkitError
from hookkit.system.jsons import dumps
from hookkit.system.masking import line, weight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from hookkit.settings.inputs.check import Check

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
        shown = FOUND.get(self.keyword, shape)
        shown = sealed if shown is show and self.is_secret else shown
        return f"{wanted}, found {shown(self.value)}" if shown else wanted

    @property
    def is_secret(self) -> bool:
        """Whether a name on the path marks a secret: the message must not repeat a password."""
        weights = {name for step in self.path if isinstance(step, str) and (name := weight(step))}
        if not weights:
            return False
        from hookkit.system.masking import keys

        return any(keys.is_secret(name, self.value) for name in weights)

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


DEPTH = 100
LOOK = 3  # budget steps for checking one part of a value against one part of a schema
KIND = ("const", "enum", "type", "anyOf", "")  # a mistake in these keywords means a different alternative was intended
LONGEST = 10_000  # characters of the longest text tested against a pattern


class TooMuchError(HookkitError):
    """The check exceeds its budget of steps or depth."""


def same(value: object, depth: int = 0) -> object:
    """A key that is equal for values equal in JSON: 1 and 1.0 are equal, 1 and true are not."""
    if depth > DEPTH:
        raise TooMuchError
    if isinstance(value, list):
        return ("list", tuple(same(item, depth + 1) for item in value))
    if isinstance(value, dict):
        return ("object", frozenset((name, same(item, depth + 1)) for name, item in value.items()))
    return (isinstance(value, bool), value)


# Type of the value, test for a violation, text of the expectation.
LIMITS: "dict[str, tuple[str, Callable[[Any, Any], bool], str]]" = {
    "minLength": ("string", lambda value, limit: len(value) < limit, "at least {} characters"),
    "maxLength": ("string", lambda value, limit: len(value) > limit, "at most {} characters"),
    "minItems": ("array", lambda value, limit: len(value) < limit, "at least {} items"),
    "maxItems": ("array", lambda value, limit: len(value) > limit, "at most {} items"),
    "minProperties": ("object", lambda value, limit: len(value) < limit, "at least {} fields"),
    "maxProperties": ("object", lambda value, limit: len(value) > limit, "at most {} fields"),
    "minimum": ("number", lambda value, limit: value < limit, "at least {}"),
    "maximum": ("number", lambda value, limit: value > limit, "at most {}"),
    "exclusiveMinimum": ("number", lambda value, limit: value <= limit, "more than {}"),
    "exclusiveMaximum": ("number", lambda value, limit: value >= limit, "less than {}"),
    "multipleOf": ("number", lambda value, limit: not _is_multiple(value, limit), "a multiple of {}"),
}  # fmt: skip


def _is_multiple(value: "Any", step: "Any") -> bool:
    if not isinstance(step, float):
        return bool(value % step == 0)
    try:
        return float(value / step).is_integer()
    except OverflowError:
        return False


def _limit(keyword: str) -> "Callable[..., list[Mistake]]":
    kind, is_broken, words = LIMITS[keyword]

    def rule(_: "Check", schema: "Any", value: object, path: "Path", __: int) -> list[Mistake]:
        limit = schema[keyword]
        if not IS[kind](value) or not is_broken(value, limit):
            return []
        return [Mistake(path, keyword, f"expected {words.format(limit)}", value)]

    return rule


def _enum(check: "Check", schema: "Any", value: object, path: "Path", _: int) -> list[Mistake]:
    if check.same(value) in check.choices(schema["enum"]):
        return []
    return [Mistake(path, "enum", lambda: f"expected {check.expected({'enum': schema['enum']})}", value)]


def _const(check: "Check", schema: "Any", value: object, path: "Path", _: int) -> list[Mistake]:
    if check.same(value) == check.same(schema["const"]):
        return []
    return [Mistake(path, "const", lambda: f"expected {check.expected({'const': schema['const']})}", value)]


def _pattern(_: "Check", schema: "Any", value: object, path: "Path", __: int) -> list[Mistake]:
    """A text too long to test is a mistake: padding must not bypass the pattern."""
    import re

    if not isinstance(value, str):
        return []
    if len(value) > LONGEST:
        return [Mistake(path, "maxLength", f"expected at most {LONGEST:,} characters where a pattern holds", value)]
    if re.search(schema["pattern"], value):
        return []
    return [Mistake(path, "pattern", lambda: f"expected text that matches {line(schema['pattern'], SHOWN)}", value)]


def _unique(_: "Check", schema: "Any", value: object, path: "Path", __: int) -> list[Mistake]:
    if not isinstance(value, list) or not schema["uniqueItems"] or len({same(item) for item in value}) == len(value):
        return []
    return [Mistake(path, "uniqueItems", "expected no item twice")]


def _items(check: "Check", schema: "Any", value: object, path: "Path", depth: int) -> list[Mistake]:
    """`items` covers the items after those of `prefixItems`."""
    first = len(schema.get("prefixItems", ()))
    rest = value[first:] if isinstance(value, list) else ()
    return _inside(check, ((schema["items"], item, number) for number, item in enumerate(rest, first)), path, depth)


def _prefix(check: "Check", schema: "Any", value: object, path: "Path", depth: int) -> list[Mistake]:
    pairs = zip(schema["prefixItems"], value, strict=False) if isinstance(value, list) else ()
    return _inside(check, ((form, item, number) for number, (form, item) in enumerate(pairs)), path, depth)


def _inside(
    check: "Check", parts: "Iterable[tuple[Any, object, str | int]]", path: "Path", depth: int
) -> list[Mistake]:
    """The mistakes in the items of a list or the fields of an object: the schema, the value and the step of each."""
    return [mistake for form, item, step in parts for mistake in check.look(form, item, (*path, step), depth)]


def _required(check: "Check", schema: "Any", value: object, path: "Path", _: int) -> list[Mistake]:
    check.spend(len(schema["required"]))
    missing = [name for name in schema["required"] if name not in value] if isinstance(value, dict) else ()
    check.spend(LOOK * len(missing))
    known = schema.get("properties", {})

    def wanted(name: str) -> "Callable[[], str]":
        return lambda: f"missing, expected {check.expected(known[name])}" if name in known else "missing"

    return [Mistake((*path, name), "required", wanted(name)) for name in missing]


def _properties(check: "Check", schema: "Any", value: object, path: "Path", depth: int) -> list[Mistake]:
    if not isinstance(value, dict):
        return []
    known = schema["properties"]
    check.spend(len(known))
    return _inside(check, ((known[name], value[name], name) for name in known if name in value), path, depth)


def _patterned(check: "Check", schema: "Any", value: object, path: "Path", depth: int) -> list[Mistake]:
    pairs = value.items() if isinstance(value, dict) else ()
    parts = ((form, item, name) for name, item in pairs for form in check.named_by(schema, name))
    return _inside(check, parts, path, depth)


def _others(check: "Check", schema: "Any", value: object, path: "Path", depth: int) -> list[Mistake]:
    form, known = schema["additionalProperties"], schema.get("properties", {})

    def unknown() -> str:
        shown = [line(name, SHOWN) for name in known]
        return f"not a field here; known are {names(shown)}" if known else "not a field here"

    mistakes: list[Mistake] = []
    for name, item in value.items() if isinstance(value, dict) else ():
        check.spend(1)
        if name in known or check.named_by(schema, name):
            continue
        if form is False:
            mistakes.append(Mistake((*path, name), "additionalProperties", unknown))
        else:
            mistakes += check.look(form, item, (*path, name), depth)
    return mistakes


def _all(check: "Check", schema: "Any", value: object, path: "Path", depth: int) -> list[Mistake]:
    return [mistake for form in schema["allOf"] for mistake in check.look(form, value, path, depth)]


def _any(check: "Check", schema: "Any", value: object, path: "Path", depth: int) -> list[Mistake]:
    tried = [check.look(form, value, path, depth) for form in schema["anyOf"]]
    return [] if [] in tried else _nearest(check, schema["anyOf"], tried, value, path)


def _one(check: "Check", schema: "Any", value: object, path: "Path", depth: int) -> list[Mistake]:
    tried = [check.look(form, value, path, depth) for form in schema["oneOf"]]
    fitting = tried.count([])
    if fitting > 1:
        return [Mistake(path, "oneOf", f"fits {fitting} forms that exclude each other")]
    return [] if fitting else _nearest(check, schema["oneOf"], tried, value, path)


def _nearest(check: "Check", forms: "Any", tried: list[list[Mistake]], value: object, path: "Path") -> list[Mistake]:
    """The mistakes of the alternative that was probably intended, else a list of the alternatives."""
    kin = [
        mistakes
        for mistakes in tried
        if not any(mistake.path == path and mistake.keyword in KIND for mistake in mistakes)
    ]
    if kin:
        return min(kin, key=lambda mistakes: (any(mistake.keyword in KIND[:2] for mistake in mistakes), len(mistakes)))
    if len(tried) == 1:
        return tried[0]
    return [Mistake(path, "anyOf", lambda: f"expected {check.expected({'anyOf': forms})}", value)]


def _ref(check: "Check", schema: "Any", value: object, path: "Path", depth: int) -> list[Mistake]:
    return check.look(check.target(schema["$ref"]), value, path, depth)


RULES: "dict[str, Callable[[Check, Any, Any, Path, int], list[Mistake]]]" = {
    **{keyword: _limit(keyword) for keyword in LIMITS},
    "const": _const,
    "enum": _enum,
    "pattern": _pattern,
    "uniqueItems": _unique,
    "items": _items,
    "prefixItems": _prefix,
    "required": _required,
    "properties": _properties,
    "patternProperties": _patterned,
    "additionalProperties": _others,
    "allOf": _all,
    "anyOf": _any,
    "oneOf": _one,
    "$ref": _ref,
}

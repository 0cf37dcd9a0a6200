"""RULES: the check for each JSON Schema keyword, as a function or as a row of LIMITS.

Keywords without a rule are ignored, so a schema with unsupported keywords never refuses a good value.
"""

from hookkit.errors import HookkitError
from hookkit.inputs.mistake import IS, SHOWN, Mistake, names
from hookkit.masking import line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookkit.inputs.check import Check
    from hookkit.inputs.mistake import Path

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
    looks = (check.look(schema["items"], item, (*path, number), depth) for number, item in enumerate(rest, first))
    return [mistake for found in looks for mistake in found]


def _prefix(check: "Check", schema: "Any", value: object, path: "Path", depth: int) -> list[Mistake]:
    pairs = zip(schema["prefixItems"], value, strict=False) if isinstance(value, list) else ()
    looks = (check.look(form, item, (*path, number), depth) for number, (form, item) in enumerate(pairs))
    return [mistake for found in looks for mistake in found]


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
    looks = (check.look(known[name], value[name], (*path, name), depth) for name in known if name in value)
    return [mistake for found in looks for mistake in found]


def _patterned(check: "Check", schema: "Any", value: object, path: "Path", depth: int) -> list[Mistake]:
    pairs = value.items() if isinstance(value, dict) else ()
    forms = ((name, item, form) for name, item in pairs for form in check.named_by(schema, name))
    looks = (check.look(form, item, (*path, name), depth) for name, item, form in forms)
    return [mistake for found in looks for mistake in found]


def _others(check: "Check", schema: "Any", value: object, path: "Path", depth: int) -> list[Mistake]:
    form, known = schema["additionalProperties"], schema.get("properties", {})

    def unknown() -> str:
        shown = [line(name, SHOWN) for name in known]
        return f"not a field here; known are {names(shown)}" if known else "not a field here"

    found: list[Mistake] = []
    for name, item in value.items() if isinstance(value, dict) else ():
        check.spend(1)
        if name in known or check.named_by(schema, name):
            continue
        if form is False:
            found.append(Mistake((*path, name), "additionalProperties", unknown))
        else:
            found += check.look(form, item, (*path, name), depth)
    return found


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
    kin = [found for found in tried if not any(each.path == path and each.keyword in KIND for each in found)]
    if kin:
        return min(kin, key=lambda found: (any(each.keyword in KIND[:2] for each in found), len(found)))
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

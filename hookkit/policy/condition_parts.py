"""The parts of a condition: names, values, comparisons, and the value of each over the facts."""

from hookkit.programs.words import glob

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LONGEST_TEXT = 10_000  # characters of a fact that `matches` reads
PLAIN = ("number", "str", "truth")


class Node:
    """A part of a condition, with its value; `roots` are the first words of the names in the part."""

    __slots__ = ("act", "is_null", "parts", "roots")

    def __init__(self, act: "Callable[..., Any]", parts: "list[Node]", roots: "dict[str, int] | None" = None) -> None:
        self.act = act
        self.parts = parts
        self.is_null = False
        self.roots: dict[str, int] = dict(roots or {})  # with where each stands first
        for part in parts:
            for name, at in part.roots.items():
                self.roots.setdefault(name, at)

    def value(self, facts: "dict[str, Any]") -> "Any":
        return self.act(facts, *self.parts)


def literal(value: "Any") -> Node:
    node = Node(lambda _: value, [])
    node.is_null = value is None
    return node


def name(path: str, at: int) -> Node:
    first, *rest = path.split(".")

    def look_up(facts: "dict[str, Any]") -> "Any":
        found = facts.get(first)
        for step in rest:
            found = found.get(step) if isinstance(found, dict) else None
        return found

    return Node(look_up, [], {first: at})


def either(facts: "dict[str, Any]", *parts: Node) -> bool:
    return any(is_true(part.value(facts)) for part in parts)


def both(facts: "dict[str, Any]", *parts: Node) -> bool:
    return all(is_true(part.value(facts)) for part in parts)


def opposite(facts: "dict[str, Any]", part: Node) -> bool:
    return not is_true(part.value(facts))


def binary(sign: str, left: Node, right: Node) -> Node:
    test = COMPARE[sign]
    asks = sign in ("==", "!=") and (left.is_null or right.is_null)

    def compare(facts: "dict[str, Any]", left: Node, right: Node) -> bool:
        one, other = left.value(facts), right.value(facts)
        if asks:
            return (one is None and other is None) == (sign == "==")
        return one is not None and other is not None and test(one, other)

    return Node(compare, [left, right])


def call(name: str, parts: list[Node]) -> Node:
    function = FUNCTIONS[name][1]

    def call(facts: "dict[str, Any]", *parts: Node) -> "Any":
        values = [part.value(facts) for part in parts]
        return None if None in values else function(*values)

    return Node(call, parts)


def is_true(value: "Any") -> bool:
    """Empty texts, lists and tables, zero, false and null are not."""
    return bool(value)


def _kind(value: "Any") -> str:
    """Only values of the same kind compare: a bool is no number here, unlike in Python."""
    if isinstance(value, bool):
        return "truth"
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def _same(one: "Any", other: "Any") -> bool:
    """Lists and tables never compare equal: the sender may nest them as deep as he likes."""
    return _kind(one) == _kind(other) in PLAIN and bool(one == other)


def _ordered(test: "Callable[[Any, Any], bool]") -> "Callable[[Any, Any], bool]":
    def compare(one: "Any", other: "Any") -> bool:
        return _kind(one) == _kind(other) in PLAIN[:2] and test(one, other)

    return compare


def _contains(whole: "Any", part: "Any") -> bool:
    if isinstance(whole, str):
        return isinstance(part, str) and part in whole
    return isinstance(whole, (list, dict)) and any(_same(part, item) for item in whole)


def _matches(text: "Any", pattern: "Any") -> bool:
    return isinstance(text, str) and isinstance(pattern, str) and glob(pattern, text[:LONGEST_TEXT])


def _starts(text: "Any", start: "Any") -> bool:
    return isinstance(text, str) and isinstance(start, str) and text.startswith(start)


def _length(value: "Any") -> int | None:
    return len(value) if isinstance(value, (str, list, dict)) else None


COMPARE: "dict[str, Callable[[Any, Any], bool]]" = {
    "==": _same,
    "!=": lambda one, other: not _same(one, other),
    "<": _ordered(lambda one, other: one < other),
    "<=": _ordered(lambda one, other: one <= other),
    ">": _ordered(lambda one, other: one > other),
    ">=": _ordered(lambda one, other: one >= other),
    "in": lambda part, whole: _contains(whole, part),
    "matches": _matches,
}
FUNCTIONS: "dict[str, tuple[int, Callable[..., Any]]]" = {
    "len": (1, _length),
    "contains": (2, _contains),
    "startswith": (2, _starts),
}
POWERS = {"or": 1, "and": 2, "not": 3, **dict.fromkeys(COMPARE, 4)}

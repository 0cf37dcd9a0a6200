"""When a gate is due: a small language over facts, such as `git.dirty and len(git.files) > 3`.

An unknown name is null. A comparison with null is false, so a condition about an unknown fact does not hold; only
`x == null` and `x != null`, with the word itself, ask whether a fact is known. A condition cannot run a program, and
its cost is linear in its length.
"""

from hookkit.errors import PatternError
from hookkit.programs.words import glob

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Token = tuple[str, Any, int]  # kind, value, offset


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


def name_node(path: str, at: int) -> Node:
    first, *rest = path.split(".")

    def look_up(facts: "dict[str, Any]") -> "Any":
        value = facts.get(first)
        for step in rest:
            value = value.get(step) if isinstance(value, dict) else None
        return value

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


ROOTS = ("event", "session", "effort", "commitment", "git")  # groups of facts
LONGEST = 1_000
DEEPEST = 32
WORDS = {"true": True, "false": False, "null": None}
SPELLED = {"&&": "and", "||": "or", "!": "not"}
MARKS = ("==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "(", ")", ",")
DIGITS = "0123456789"
NAME, NUMBER, TEXT, MARK, END = "name", "number", "text", "mark", "end"


def parse(source: str) -> Node:
    """The condition as a tree; a PatternError names the place of a mistake."""
    if len(source) > LONGEST:
        raise PatternError(f"longer than {LONGEST} characters", source, LONGEST)
    return _Parser(source).whole()


def holds(node: Node, facts: "dict[str, Any]") -> bool:
    return is_true(node.value(facts))


def _tokens(source: str) -> "list[Token]":
    tokens: list[Token] = []
    at = 0
    while at < len(source):
        if source[at].isspace():
            at += 1
            continue
        kind, value, end = _token(source, at)
        tokens.append((kind, value, at))
        at = end
    return [*tokens, (END, "the end", len(source))]


def _token(source: str, at: int) -> "tuple[str, Any, int]":
    char = source[at]
    if char in "'\"":
        return _text(source, at)
    if char in DIGITS or (char == "-" and source[at + 1 : at + 2] in DIGITS and at + 1 < len(source)):
        return _number(source, at)
    if char.isascii() and (char.isalpha() or char == "_"):
        end = at
        while end < len(source) and source[end].isascii() and (source[end].isalnum() or source[end] in "_."):
            end += 1
        word = source[at:end]
        if not all(part.isidentifier() for part in word.split(".")):
            raise PatternError("a name is words with dots between them", source, at)
        return (MARK, word, end) if word in POWERS else (NAME, word, end)
    mark = next((mark for mark in MARKS if source.startswith(mark, at)), "")
    if not mark:
        raise PatternError("expected == for a comparison" if char == "=" else f"unexpected {char!r}", source, at)
    return MARK, SPELLED.get(mark, mark), at + len(mark)


def _text(source: str, at: int) -> "tuple[str, Any, int]":
    """A backslash takes the next character literally."""
    characters = []
    end = at + 1
    while end < len(source) and source[end] != source[at]:
        end += source[end] == "\\"
        characters.append(source[end : end + 1])
        end += 1
    if end >= len(source):
        raise PatternError(f"expected {source[at]} at the end of the text", source, at)
    return TEXT, "".join(characters), end + 1


def _number(source: str, at: int) -> "tuple[str, Any, int]":
    end = at + 1
    while end < len(source) and source[end] in f"{DIGITS}.":
        end += 1
    word = source[at:end]
    whole, dot, rest = word.partition(".")
    if (dot and not rest) or "." in rest:
        raise PatternError("not a number", source, at)
    return NUMBER, float(word) if dot else int(whole), end


class _Parser:
    """Precedence comes from POWERS. Comparisons do not chain: languages disagree on the meaning of `a < b < c`."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = _tokens(source)
        self.next = 0
        self.depth = 0

    def whole(self) -> Node:
        node = self.expression(0)
        kind, value, at = self.tokens[self.next]
        if kind != END:
            raise PatternError(f"unexpected {value!r}", self.source, at)
        return node

    def expression(self, power: int) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise PatternError(f"nested more than {DEEPEST} deep", self.source, self.tokens[self.next][2])
        left = self.first()
        while POWERS.get(self.mark(), 0) > power and self.mark() != "not":
            left = self.joined(left, self.take()[1])
        self.depth -= 1
        return left

    def joined(self, left: Node, sign: str) -> Node:
        if sign in COMPARE:
            node = binary(sign, left, self.expression(POWERS[sign]))
            if self.mark() in COMPARE:
                raise PatternError("comparisons do not chain: write and", self.source, self.tokens[self.next][2])
            return node
        row = [left, self.expression(POWERS[sign])]
        while self.mark() == sign:  # a flat list: a long row of `and` must not count as deep nesting
            self.take()
            row.append(self.expression(POWERS[sign]))
        return Node(either if sign == "or" else both, row)

    def first(self) -> Node:
        kind, value, at = self.take()
        if kind in (NUMBER, TEXT):
            return literal(value)
        if kind == NAME:
            return self.named(value, at)
        if value == "not":
            return Node(opposite, [self.expression(POWERS["not"])])
        if value == "(":
            node = self.expression(0)
            self.expect(")")
            return node
        raise PatternError(f"expected a value, not {value if kind == END else repr(value)}", self.source, at)

    def named(self, name: str, at: int) -> Node:
        if self.mark() == "(":
            return self.call(name, at)
        return literal(WORDS[name]) if name in WORDS else name_node(name, at)

    def call(self, name: str, at: int) -> Node:
        if name not in FUNCTIONS:
            raise PatternError(f"no function {name}: there are {', '.join(FUNCTIONS)}", self.source, at)
        self.take()
        given = [self.expression(0)]
        while self.mark() == ",":
            self.take()
            given.append(self.expression(0))
        self.expect(")")
        if len(given) != FUNCTIONS[name][0]:
            raise PatternError(f"{name} takes {FUNCTIONS[name][0]}, not {len(given)}", self.source, at)
        return call(name, given)

    def mark(self) -> str:
        kind, value, _ = self.tokens[self.next]
        return str(value) if kind == MARK else ""

    def take(self) -> "Token":
        token = self.tokens[self.next]
        self.next += token[0] != END
        return token

    def expect(self, sign: str) -> None:
        if self.mark() != sign:
            raise PatternError(f"expected {sign}", self.source, self.tokens[self.next][2])
        self.take()

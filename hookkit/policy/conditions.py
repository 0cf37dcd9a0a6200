"""When a gate is due: a small language over facts, such as `git.dirty and len(git.files) > 3`.

An unknown name is null. A comparison with null is false, so a condition about an unknown fact does not hold; only
`x == null` and `x != null`, with the word itself, ask whether a fact is known. A condition cannot run a program, and
its cost is linear in its length.
"""

from hookkit.errors import PatternError
from hookkit.policy import condition_parts as parts
from hookkit.policy.condition_parts import COMPARE, FUNCTIONS, POWERS, Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Token = tuple[str, Any, int]  # kind, value, offset

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
    return parts.is_true(node.value(facts))


def _tokens(source: str) -> "list[Token]":
    found: list[Token] = []
    at = 0
    while at < len(source):
        if source[at].isspace():
            at += 1
            continue
        kind, value, end = _token(source, at)
        found.append((kind, value, at))
        at = end
    return [*found, (END, "the end", len(source))]


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
    kept = []
    end = at + 1
    while end < len(source) and source[end] != source[at]:
        end += source[end] == "\\"
        kept.append(source[end : end + 1])
        end += 1
    if end >= len(source):
        raise PatternError(f"expected {source[at]} at the end of the text", source, at)
    return TEXT, "".join(kept), end + 1


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
            node = parts.binary(sign, left, self.expression(POWERS[sign]))
            if self.mark() in COMPARE:
                raise PatternError("comparisons do not chain: write and", self.source, self.tokens[self.next][2])
            return node
        row = [left, self.expression(POWERS[sign])]
        while self.mark() == sign:  # a flat list: a long row of `and` must not count as deep nesting
            self.take()
            row.append(self.expression(POWERS[sign]))
        return Node(parts.either if sign == "or" else parts.both, row)

    def first(self) -> Node:
        kind, value, at = self.take()
        if kind in (NUMBER, TEXT):
            return parts.literal(value)
        if kind == NAME:
            return self.named(value, at)
        if value == "not":
            return Node(parts.opposite, [self.expression(POWERS["not"])])
        if value == "(":
            node = self.expression(0)
            self.expect(")")
            return node
        raise PatternError(f"expected a value, not {value if kind == END else repr(value)}", self.source, at)

    def named(self, name: str, at: int) -> Node:
        if self.mark() == "(":
            return self.call(name, at)
        return parts.literal(WORDS[name]) if name in WORDS else parts.name(name, at)

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
        return parts.call(name, given)

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

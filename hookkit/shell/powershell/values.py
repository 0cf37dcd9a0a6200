"""Values: a list of items, as PowerShell's pipeline sees them: texts, hash tables, script blocks, objects."""

from hookkit.programs.words import UNKNOWN

# Expressions.
TEXT, STRING, VARIABLE, ARRAY, TABLE, BLOCK, GROUP = "text", "string", "variable", "array", "table", "block", "group"
MEMBER, STATIC, INVOKE, INDEX, TYPE, CAST = "member", "static", "invoke", "index", "type", "cast"
BINARY, UNARY, SPLAT = "binary", "unary", "splat"
# Parts of a pipeline.
COMMAND, OUTPUT, PIPELINE, PARAMETER, REDIRECT = "command", "output", "pipeline", "parameter", "redirect"
# Statements.
LIST, ASSIGN, BRANCH, LOOP, EACH, FUNCTION, LEAVE = "list", "assign", "branch", "loop", "each", "function", "leave"


class ScriptNode:
    """`text` is a name, an operator or a literal; `parts` are the nodes inside."""

    __slots__ = ("kind", "parts", "text")

    def __init__(self, kind: str, text: str = "", parts: "list[ScriptNode] | None" = None) -> None:
        self.kind = kind
        self.text = text
        self.parts = parts or []


def names(node: ScriptNode, kind: str = VARIABLE) -> "list[str]":
    """The names of all variables in a tree; the walk needs no recursion."""
    texts: list[str] = []
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.kind == kind:
            texts.append(node.text)
        waiting += node.parts
    return texts


MOST = 64  # items of a list that are followed one by one
ANY = "/*"  # behind a directory: all that is in it
SOME = f"/{UNKNOWN}"  # some of it


class Instance:
    """An object of a .NET type, or the type itself."""

    __slots__ = ("is_type", "type")

    def __init__(self, type_: str, *, is_type: bool = False) -> None:
        self.type = type_.lower().removeprefix("system.")
        self.is_type = is_type


Items = list[object]


def text_of(item: object) -> str:
    return item if isinstance(item, str) else UNKNOWN


def texts(items: Items) -> list[str]:
    return [text_of(item) for item in items]


def joined(items: Items, between: str = " ") -> str:
    """Items inside a string: with a blank between."""
    return between.join(texts(items))


def block_in(items: Items) -> ScriptNode | None:
    return next((item for item in items if isinstance(item, ScriptNode)), None)


def whole_number(text: str) -> int | None:
    """A small number, written as code usually writes it."""
    digits = text.removeprefix("-")
    if digits[:2].lower() == "0x" and len(digits) <= 8:  # noqa: PLR2004
        try:
            return int(digits, 16)
        except ValueError:
            return None
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= 8 else None  # noqa: PLR2004


def either(one: Items, other: Items) -> Items:
    """A value after two ways: whichever it is, both are looked at."""
    if one is other or one == other:
        return one
    items = [*one, *(item for item in other if item not in one)]
    return items if len(items) <= MOST else [UNKNOWN]


def narrowed(items: Items) -> Items:
    """What a condition leaves of them: some of the files of a directory."""
    return [item[: -len(ANY)] + SOME if isinstance(item, str) and item.endswith(ANY) else item for item in items]


def combined(operator: str, left: Items, right: Items) -> Items:
    """The operators that build texts; every other result is known only in a run."""
    if operator == "+":
        return [*left, *right] if len(left) > 1 or not all(isinstance(item, str) for item in left) else [
            joined(left) + joined(right)
        ]  # fmt: skip
    if operator == "-join":
        return [joined(left, joined(right))]
    if operator == "-f":
        return [_formatted(joined(left), texts(right))]
    if operator == "*":
        count = whole_number(joined(right))
        return [joined(left) * count] if count is not None and 0 <= count <= MOST else [UNKNOWN]
    if operator == "..":
        return _range(joined(left), joined(right))
    if operator in ("-replace", "-creplace", "-ireplace"):
        return [_replaced(item, texts(right)) for item in texts(left)]
    if operator == "-split" and right:
        mark = text_of(right[0])
        return list(joined(left).split(mark)) if mark and mark.isalnum() else [UNKNOWN]
    if operator in ("-as", "??"):
        return either(left, right) if operator == "??" else left
    return [UNKNOWN]


def _formatted(pattern: str, values: list[str]) -> str:
    for place, value in enumerate(values[:MOST]):
        pattern = pattern.replace(f"{{{place}}}", value)
    return pattern


def _range(first: str, last: str) -> Items:
    start, end = whole_number(first), whole_number(last)
    if start is None or end is None or abs(end - start) > MOST:
        return [UNKNOWN]
    step = 1 if end >= start else -1
    return [str(number) for number in range(start, end + step, step)]


def _replaced(text: str, values: list[str]) -> str:
    """A plain text for another; anything that may be a regular expression is not followed."""
    if not values or not values[0] or not values[0].replace("-", "").replace("_", "").isalnum():
        return UNKNOWN
    return text.replace(values[0], values[1] if len(values) > 1 else "")


def indexed(items: Items, places: Items) -> Items:
    """`$x[0]`, `'abc'[2,0]`: known places of known items, else all of them."""
    pool: Items = list(items[0]) if len(items) == 1 and isinstance(items[0], str) else items
    if len(items) == 1 and isinstance(items[0], dict):
        return [value for place in texts(places) for value in items[0].get(place.lower(), [UNKNOWN])]
    numbers = [whole_number(text) for text in texts(places)]
    if any(number is None or not -len(pool) <= number < len(pool) for number in numbers):
        return items if len(items) > 1 else [UNKNOWN]
    return [pool[number] for number in numbers if number is not None]

"""The shapes of a command line, as bash reads it. Every node knows where in the text it stands."""

# What a part of a word is.
LITERAL = "literal"  # text, with its quotes and escapes taken off
VARIABLE = "variable"  # $x, ${x:-y}
COMMAND = "command"  # $(…), `…`
ARITHMETIC = "arithmetic"  # $((…)), $[…]
PROCESS = "process"  # <(…), >(…)
ARRAY = "array"  # the (…) of name=(…)

NAME = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"  # what names are made of


class Part:
    """`scripts` are the command lines that run when the part is expanded, however deep they stand in it.

    `words` are the elements of an array, or the operand of `${name operator operand}` as one word, its literals
    included: `a/b` for `${x/a/b}`, and no word where the operand is empty. The command lines of an operand are in the
    part's own `scripts` too.
    """

    __slots__ = ("kind", "quoted", "scripts", "text", "words")

    def __init__(
        self,
        kind: str,
        text: str,
        *,
        quoted: bool = False,
        scripts: "tuple[Script, ...]" = (),
        words: "tuple[Word, ...]" = (),
    ) -> None:
        self.kind = kind
        self.text = text
        self.quoted = quoted
        self.scripts = scripts
        self.words = words


class Word:
    """`plain` says that the text is written out, with no quote, escape or expansion: only then can it be reserved."""

    __slots__ = ("end", "parts", "plain", "start")

    def __init__(self, start: int, end: int, parts: list[Part], *, plain: bool) -> None:
        self.start = start
        self.end = end
        self.parts = parts
        self.plain = plain

    @property
    def text(self) -> str | None:
        """What the program would get, or None where only a running shell can tell."""
        if len(self.parts) == 1 and self.parts[0].kind == LITERAL:
            return self.parts[0].text
        if any(part.kind != LITERAL for part in self.parts):
            return None
        return "".join(part.text for part in self.parts)

    @property
    def assigns(self) -> bool:
        """Whether this is `name=…`, `name+=…` or `name[…]=…`: only what stands unquoted before the `=` counts."""
        return bool(self.parts) and value_place(self.parts) is not None


def value_place(parts: list[Part]) -> tuple[int, int] | None:
    """Where the value of an assignment begins: the part's number and the place in its text; None if this is none."""
    first = parts[0].text if parts[0].kind == LITERAL and not parts[0].quoted else ""
    if "=" not in first and "[" not in first:
        return None
    end = 0
    while end < len(first) and first[end] in NAME:
        end += 1
    if not is_name(first[:end]):
        return None
    number, end = _behind_subscript(parts, end) if first.startswith("[", end) else (0, end)
    text = parts[number].text
    end += text.startswith("+", end)
    return (number, end + 1) if text.startswith("=", end) else None


def _behind_subscript(parts: list[Part], start: int) -> tuple[int, int]:
    """The part and the place behind the bracket that closes the one at `start`; an impossible place if none does."""
    level = 0
    for number, part in enumerate(parts):
        if part.kind != LITERAL or part.quoted:
            continue
        for place in range(start if number == 0 else 0, len(part.text)):
            level += (part.text[place] == "[") - (part.text[place] == "]")
            if level == 0:
                return number, place + 1
    return 0, len(parts[0].text)


def is_name(text: str) -> bool:
    """Whether this can be the name of a variable."""
    return text.isidentifier() and text.isascii()


class Redirect:
    """`body` is a here-document's text, its expansions included."""

    __slots__ = ("body", "end", "fd", "operator", "start", "target")

    def __init__(self, start: int, operator: str, fd: str) -> None:
        self.start = start
        self.end = start
        self.operator = operator
        self.fd = fd
        self.target = Word(start, start, [], plain=False)
        self.body: Word | None = None


class Simple:
    """A program with its arguments."""

    __slots__ = ("assignments", "end", "redirects", "start", "words")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.assignments: list[Word] = []
        self.words: list[Word] = []
        self.redirects: list[Redirect] = []


class Compound:
    """Anything with command lines inside: `kind` is its keyword, `scripts` its parts in their written order."""

    __slots__ = ("branches", "end", "endings", "kind", "name", "redirects", "scripts", "start", "text", "words")

    def __init__(self, kind: str, start: int) -> None:
        self.kind = kind
        self.start = start
        self.end = start
        self.name = ""  # a function's, a loop variable's
        self.text = ""  # the expression of `((…))` and `for ((…))`, as written
        self.scripts: list[Script] = []
        self.words: list[Word] = []  # what a loop runs over, a case looks at, a test compares
        self.branches: list[list[Word]] = []  # the patterns of a case, a list for each of its scripts
        self.endings: list[str] = []  # the `;;`, `;&` or `;;&` behind each of them, "" where none is written
        self.redirects: list[Redirect] = []


class Pipeline:
    __slots__ = ("commands", "negated", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.negated = False
        self.commands: list[Simple | Compound] = []


class Script:
    """Pipelines, each with the operator that follows it; `attached` says that its places are places in the line."""

    __slots__ = ("attached", "items")

    def __init__(self, *, attached: bool) -> None:
        self.items: list[tuple[Pipeline, str]] = []
        self.attached = attached

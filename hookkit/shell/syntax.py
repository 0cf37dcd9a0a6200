"""The tree of a command line, as bash reads the line. Every node has its position in the text."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# The kinds of parts of a word.
LITERAL = "literal"  # text, with quotes and escapes removed
VARIABLE = "variable"  # $x, ${x:-y}
COMMAND = "command"  # $(…), `…`
ARITHMETIC = "arithmetic"  # $((…)), $[…]
PROCESS = "process"  # <(…), >(…)
ARRAY = "array"  # the (…) of name=(…)

NAME = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"  # the characters of names
# The operators of `${name operator operand}` by their first character, the longer operators first.
EXPANSIONS = {
    ":": (":-", ":=", ":?", ":+", ":"),
    "#": ("##", "#"),
    "%": ("%%", "%"),
    "/": ("//", "/#", "/%", "/"),
    "^": ("^^", "^"),
    ",": (",,", ","),
    "-": ("-",),
    "=": ("=",),
    "?": ("?",),
    "+": ("+",),
    "@": ("@",),
}


class Part:
    """A piece of a word: literal text or a single expansion.

    `text` is the literal text, the `name` of `$name`, the text between the braces of `${…}`, or the source of the
    expansion. `scripts` are all command lines that run when the shell expands the part, at any depth.

    `words` are the elements of an array, or the operand of `${name operator operand}` as a single word with all its
    parts: `a/b` for `${x/a/b}`, no word for an empty operand. The command lines of an operand are in `scripts` too, so
    walk through `words` only for an array.
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
    """`plain`: the word has no quote, escape or expansion; only a plain word can be a reserved word.

    An operand inside a text that was taken out of the line (see Script) has the position of that text.
    """

    __slots__ = ("end", "parts", "plain", "start")

    def __init__(self, start: int, end: int, parts: list[Part], *, plain: bool) -> None:
        self.start = start
        self.end = end
        self.parts = parts
        self.plain = plain

    @property
    def text(self) -> str | None:
        """The argument passed to the program, or None if the value is known only to a running shell."""
        if len(self.parts) == 1 and self.parts[0].kind == LITERAL:
            return self.parts[0].text
        if any(part.kind != LITERAL for part in self.parts):
            return None
        return "".join(part.text for part in self.parts)

    @property
    def assigns(self) -> bool:
        """Whether this is `name=…`, `name+=…` or `name[…]=…`, with an unquoted name and `=`."""
        return bool(self.parts) and value_place(self.parts) is not None


def variables(word: Word) -> "Iterator[str]":
    """The names of the variables in a word."""
    for part in word.parts:
        if part.kind == VARIABLE:
            text = part.text.lstrip("!#")
            end = next((at for at, char in enumerate(text) if char not in NAME), len(text))
            yield text[:end]
        for inner in part.words:
            yield from variables(inner)


def value_place(parts: list[Part]) -> tuple[int, int] | None:
    """The start of the value of an assignment: index of the part and index in its text; None without assignment."""
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
    """The part and the index behind the bracket that closes the bracket at `start`, or the end of the first part."""
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
    """Whether the text is a valid name of a variable."""
    return text.isidentifier() and text.isascii()


class Redirect:
    """`body` is the text of a here-document, with its expansions; None for all other operators."""

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
    """A command with command lines inside: `kind` is the keyword, `scripts` are the command lines in written order."""

    __slots__ = ("branches", "end", "endings", "kind", "name", "redirects", "scripts", "start", "text", "words")

    def __init__(self, kind: str, start: int) -> None:
        self.kind = kind
        self.start = start
        self.end = start
        self.name = ""  # of a function, a coprocess or a loop variable
        self.text = ""  # the expression of `((…))` and `for ((…))`, as written
        self.scripts: list[Script] = []
        self.words: list[Word] = []  # items of a loop; subject and patterns of a case; operands of a test
        self.branches: list[list[Word]] = []  # the patterns of a case, a list for each script
        self.endings: list[str] = []  # `;;`, `;&` or `;;&` behind each script of a case, "" without
        self.redirects: list[Redirect] = []


class Pipeline:
    __slots__ = ("commands", "negated", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.negated = False
        self.commands: list[Simple | Compound] = []


class Script:
    """Pipelines, each with the operator behind it.

    `attached`: positions are positions in the command line. False for the text of backquotes and here-documents, which
    was taken out of the line with its escapes removed.
    """

    __slots__ = ("attached", "items")

    def __init__(self, *, attached: bool) -> None:
        self.items: list[tuple[Pipeline, str]] = []
        self.attached = attached

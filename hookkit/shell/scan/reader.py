"""The reader: a position in a text, the constructs open around the position, and the limits on cost.

Quotes, escapes and brackets whose content is only text stand here too: nothing here reads an expansion.
"""

from hookkit.errors import ShellError
from hookkit.shell.syntax import LITERAL, NAME, Part, Redirect, is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.shell.syntax import Script


DEPTH = 48
COMMANDS = 12_000
REREADS = 2  # how many times, on average, a character may be read again

END = "\0"  # follows the text and occurs nowhere in the text
META = " \t\n;&|<>()"
STOP = META + "\\'\"$`" + END  # end a run of plain characters


class Grammar:
    """Callbacks for lower modules: a command line holds words, and a word holds command lines.

    The scanner makes the only instance. `script` reads a command line, `parameter` reads `${…}`, and `bodies` reads the
    here-documents announced in the last line.
    """

    __slots__ = ("bodies", "parameter", "script")

    def __init__(
        self,
        script: "Callable[..., Script]",
        parameter: "Callable[..., Part]",
        bodies: "Callable[[Reader], None]",
    ) -> None:
        self.script = script
        self.parameter = parameter
        self.bodies = bodies


class ReadingBudget:
    """The remaining cost of a text, shared with all texts taken out of the text."""

    __slots__ = ("commands", "rereads")

    def __init__(self, size: int) -> None:
        self.commands = COMMANDS
        self.rereads = REREADS * size + 1024


class Reader:
    """A position in a text. `outer` is the reader of the larger text around a text taken out of the line."""

    __slots__ = (
        "at", "attached", "bare", "budget", "closer", "depth", "documents", "doubled", "enclosing", "extended",
        "grammar", "heredocs", "keyword", "keyword_at", "not_arithmetic", "origin", "size", "text",
    )  # fmt: skip

    def __init__(self, text: str, grammar: Grammar, outer: "Reader | None" = None) -> None:
        self.text = text + END + END
        self.grammar = grammar
        self.size = len(text)
        self.at = 0
        self.attached = outer is None
        self.origin: int = outer.offset() if outer else 0
        self.depth: int = outer.depth if outer else 0
        self.budget: ReadingBudget = outer.budget if outer else ReadingBudget(len(text))
        self.extended: bool = outer.extended if outer else "extglob" in text
        self.heredocs: list[Redirect] = []  # announced, but not read yet
        self.closer = ""  # closes the command substitution around this position
        self.documents = 0  # here-documents announced in this command substitution
        self.enclosing = 0  # open brackets of arithmetic, subscripts and patterns
        self.doubled = 0  # open `((` other than arithmetic
        self.bare = False  # in an operand of ${…} whose text is not quoted by the quotes around ${…}
        self.not_arithmetic: set[int] = set()
        self.keyword_at = -1  # position of the last look for a reserved word
        self.keyword = ""  # reserved word found there

    def inner(self, text: str) -> "Reader":
        """A reader for a text taken out of this text, for example the text between two backquotes."""
        self.reread(len(text))
        return Reader(text, self.grammar, self)

    # -- errors and limits -----------------------------------------------------------------------

    def offset(self) -> int:
        """The position in the command line; for a text taken out of the line, the position of the whole text."""
        return self.at if self.attached else self.origin

    def fail(self, message: str) -> ShellError:
        return ShellError(message, self.offset())

    def unexpected(self) -> ShellError:
        return self.fail(f"unexpected {self.peek()!r}" if self.at < self.size else "unexpected end")

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEPTH:
            raise self.fail(f"nested deeper than {DEPTH}")

    def check_level(self, level: int) -> None:
        if level > DEPTH:
            raise self.fail(f"nested deeper than {DEPTH}")

    def reread(self, count: int) -> None:
        """Charge for characters read a second time: the total cost stays linear."""
        self.budget.rereads -= count
        if self.budget.rereads < 0:
            raise self.fail("nested too heavily")

    def another_command(self) -> None:
        """Charge for a command or a command substitution."""
        self.budget.commands -= 1
        if self.budget.commands < 0:
            raise self.fail(f"more than {COMMANDS} commands")

    # -- reading ---------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> str:
        return self.text[self.at + ahead]

    def behind(self, token: str) -> int:
        """The position behind `token` if the text continues with `token`, joined lines allowed; else -1."""
        text = self.text
        at = self.at
        if text.startswith(token, at):
            return at + len(token)
        if text[at] != "\\" and text[at] != token[0]:
            return -1
        for char in token:
            while text.startswith("\\\n", at):
                at += 2
            if text[at : at + 1] != char:
                return -1
            at += 1
        return at

    def take(self, token: str) -> bool:
        """Move behind `token` if the text continues with `token`."""
        at = self.behind(token)
        if at < 0:
            return False
        self.at = at
        return True

    def behind_word(self, word: str) -> int:
        """Like `behind`, for a whole word."""
        at = self.behind(word)
        while at >= 0 and self.text.startswith("\\\n", at):
            at += 2
        return at if at < 0 or at >= self.size or self.text[at] in META else -1

    def take_word(self, word: str) -> bool:
        at = self.behind_word(word)
        if at < 0:
            return False
        self.at = at
        return True

    def expect_word(self, word: str) -> None:
        if not self.take_word(word):
            raise self.fail(f"expected {word}")

    def close(self, char: str) -> None:
        if self.peek() != char:
            raise self.fail(f"expected {char}")
        self.at += 1

    def join(self) -> None:
        """Skip backslashes at line ends: each joins two lines."""
        while self.text.startswith("\\\n", self.at):
            self.at += 2

    def blanks(self) -> None:
        """Skip blanks, joined lines and a comment, but no newline."""
        text, at = self.text, self.at
        while True:
            char = text[at]
            if char in " \t":
                at += 1
            elif char == "\\" and text[at + 1] == "\n":
                at += 2
            elif char == "#":
                end = text.find("\n", at)
                at = self.size if end < 0 else end
            else:
                self.at = at
                return

    def newlines(self) -> None:
        """Skip blanks and newlines; behind a newline, read the here-documents announced on the line before."""
        self.blanks()
        while self.text[self.at] == "\n":
            self.at += 1
            if self.heredocs:
                self.grammar.bodies(self)
            self.blanks()

    def run(self, stop: str) -> str:
        """One character or more, up to a character of `stop`; joined lines are left out."""
        text, start, end = self.text, self.at, self.at + 1
        stop += END
        pieces = []
        while True:
            while text[end] not in stop:
                end += 1
            pieces.append(text[start:end])
            if not text.startswith("\\\n", end):
                self.at = end
                return "".join(pieces)
            start = end = end + 2


# -- quotes and escapes ----------------------------------------------------------------------------


def escape(reader: Reader) -> list[Part]:
    r"""`\x` outside of quotes."""
    following = reader.peek(1)
    if following == END:
        if reader.at and reader.text[reader.at - 1] not in META:  # some shells drop it, and leave the rest of the word
            raise reader.fail("a backslash at the end")
        reader.at += 1
        return [Part(LITERAL, "\\", quoted=True)]  # a word of its own: bash and dash pass it on
    reader.at += 2
    return [] if following == "\n" else [Part(LITERAL, following, quoted=True)]


def escape_in_quotes(reader: Reader, special: str, *, every: bool = False) -> str:
    r"""`\x` between double quotes: removes the backslash before a `special` character, or before `every` character."""
    following = reader.peek(1)
    reader.at += 1 if following == END else 2
    if following == "\n":
        return ""
    return following if every or following in special else "\\" + following.rstrip(END)


def apostrophes(reader: Reader) -> str:
    """The text between two `'`."""
    end = reader.text.find("'", reader.at + 1)
    if end < 0:
        raise reader.fail("unclosed '")
    text = reader.text[reader.at + 1 : end]
    reader.at = end + 1
    return text


def read_name(reader: Reader) -> str:
    """The letters, digits and underscores from here on; joined lines are left out."""
    text = reader.text
    pieces = []
    while text[reader.at] in NAME:
        end = reader.at
        while end < reader.size and text[end] in NAME:
            end += 1
        pieces.append(text[reader.at : end])
        reader.at = end
        reader.join()
    return "".join(pieces)


def refuse_joined_name(reader: Reader) -> None:
    """`"${x:-$a"b"}"`: bash drops the inner quotes first and expands `$ab`; other shells expand `$a`."""
    text, start, end = reader.text, reader.at, reader.at
    while text[start - 1] in NAME or text.startswith("\\\n", start - 2):
        start -= 1 if text[start - 1] in NAME else 2
    if text[start - 1] != "$" or not is_name(text[start : reader.at].replace("\\\n", "")):
        return
    while text[end] == '"' or text.startswith("\\\n", end):
        end += 1 if text[end] == '"' else 2
    if text[end] in NAME + "\\" or text.startswith("$'", end):
        raise reader.fail("a name that goes on behind quotes, for some shells")


# -- parts ---------------------------------------------------------------------------------------


def is_plain(parts: list[Part]) -> bool:
    return all(part.kind == LITERAL and not part.quoted for part in parts)


def append(parts: list[Part], text: str) -> None:
    """Add plain text, to the last part if the last part is plain too."""
    if parts and parts[-1].kind == LITERAL and not parts[-1].quoted:
        parts[-1].text += text
    else:
        parts.append(Part(LITERAL, text))


def flush(parts: list[Part], run: list[str], *, quoted: bool) -> None:
    """Add the collected literal text as a single part."""
    if run:
        parts.append(Part(LITERAL, "".join(run), quoted=quoted))
        run.clear()


def may_comment(parts: list[Part]) -> bool:
    """Whether a hash stands where a comment could begin."""
    plain = "".join(part.text if part.kind == LITERAL and not part.quoted else "x" for part in parts)
    return any(start in " " + plain for start in (" #", "\t#", "\n#"))


# -- brackets ------------------------------------------------------------------------------------


def balanced(text: str, brackets: str) -> bool:
    """Whether the brackets outside of quotes match: then all shells agree on the closing bracket."""
    level = 0
    at = 0
    while at < len(text) and level >= 0:
        char = text[at]
        level += (char == brackets[0]) - (char == brackets[1])
        at = _behind_quotes(text, at)
    return level == 0


def closing(text: str, at: int) -> int:
    """The position behind the parenthesis that closes the parenthesis at `at`, skipping only quotes; else -1."""
    level = 0
    while at < len(text):
        char = text[at]
        level += (char == "(") - (char == ")")
        at = _behind_quotes(text, at)
        if level == 0:
            return at
    return -1


def _behind_quotes(text: str, at: int) -> int:
    """The position behind the character at `at`, or behind the quoted text begun by the character."""
    char = text[at]
    if char == "\\":
        return at + 2
    escapes = char != "'" or text.endswith("$", 0, at)
    at += 1
    if char in "'\"`":
        while at < len(text) and text[at] != char:
            at += 2 if text[at] == "\\" and escapes else 1
        at += 1
    return at

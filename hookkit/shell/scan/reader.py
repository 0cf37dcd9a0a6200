"""The reader: a position in a text, the constructs open around the position, and the limits on cost."""

from hookkit.errors import ShellError
from hookkit.shell.syntax import Redirect  # noqa: TC001 - typing costs 11 ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.shell.syntax import Part, Script

DEPTH = 48
COMMANDS = 12_000
REREADS = 2  # how many times, on average, a character may be read again

END = "\0"  # follows the text and occurs nowhere in the text
META = " \t\n;&|<>()"
STOP = META + "\\'\"$`" + END  # end a run of plain characters


class Grammar:
    """Callbacks for lower modules: a command line holds words, and a word holds command lines.

    scan.py makes the only instance. `script` reads a command line, `parameter` reads `${…}`, and `bodies` reads the
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

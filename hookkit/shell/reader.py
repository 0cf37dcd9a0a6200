"""A place in a text: what stands there, what is left behind, and what reading may cost."""

from hookkit.errors import ShellError
from hookkit.shell.syntax import Redirect  # noqa: TC001 - typing costs 11 ms

DEPTH = 48
COMMANDS = 12_000
REREADS = 2  # how often, on the average, a character may be read again

END = "\0"  # stands behind the text, and nowhere in it
META = " \t\n;&|<>()"
STOP = META + "\\'\"$`" + END  # where a run of plain characters ends


class Bounds:
    """What a text and all that is taken out of it may cost together."""

    __slots__ = ("commands", "rereads")

    def __init__(self, size: int) -> None:
        self.commands = COMMANDS
        self.rereads = REREADS * size + 1024


class Reader:
    """A place in a text, with what is open around it. `outer` is the reader of the text that this was taken out of."""

    def __init__(self, text: str, outer: "Reader | None" = None) -> None:
        self.text = text + END + END
        self.size = len(text)
        self.at = 0
        self.attached = outer is None
        self.origin: int = outer.place() if outer else 0
        self.depth: int = outer.depth if outer else 0
        self.bounds: Bounds = outer.bounds if outer else Bounds(len(text))
        self.extended: bool = outer.extended if outer else "extglob" in text
        self.heredocs: list[Redirect] = []  # announced, and not yet read
        self.closer = ""  # what ends the command substitution that this is in
        self.documents = 0  # here-documents announced in it
        self.enclosing = 0  # arithmetic and the like, open around this place
        self.bare = False  # in the operand of a ${…} that quotes around it do not quote
        self.doubled = 0  # `((` that were none, open around this place
        self.not_arithmetic: set[int] = set()

    def fail(self, message: str) -> ShellError:
        return ShellError(message, self.place())

    def place(self) -> int:
        """Where this is in the line, or where the text that this was taken out of is."""
        return self.at if self.attached else self.origin

    def unexpected(self) -> ShellError:
        return self.fail(f"unexpected {self.peek()!r}" if self.at < self.size else "unexpected end")

    def peek(self, ahead: int = 0) -> str:
        return self.text[self.at + ahead]

    def behind(self, token: str) -> int:
        """The place behind `token` if it stands here, be it over joined lines; else -1."""
        text = self.text
        at = self.at
        for char in token:
            while text.startswith("\\\n", at):
                at += 2
            if text[at : at + 1] != char:
                return -1
            at += 1
        return at

    def take(self, token: str) -> bool:
        """Whether `token` stands here; then it is left behind."""
        at = self.behind(token)
        self.at = max(at, self.at)
        return at >= 0

    def behind_word(self, word: str) -> int:
        """The same for a whole word: what follows it must end a word."""
        at = self.behind(word)
        while at >= 0 and self.text.startswith("\\\n", at):
            at += 2
        return at if at < 0 or at >= self.size or self.text[at] in META else -1

    def take_word(self, word: str) -> bool:
        at = self.behind_word(word)
        self.at = max(at, self.at)
        return at >= 0

    def close(self, char: str) -> None:
        if self.peek() != char:
            raise self.fail(f"expected {char}")
        self.at += 1

    def deeper(self) -> None:
        self.depth += 1
        self.not_deeper(self.depth)

    def not_deeper(self, level: int) -> None:
        if level > DEPTH:
            raise self.fail(f"nested deeper than {DEPTH}")

    def reread(self, count: int) -> None:
        """What is read twice is paid for, so that the whole stays linear whatever is nested in what."""
        self.bounds.rereads -= count
        if self.bounds.rereads < 0:
            raise self.fail("nested too heavily")

    def another_command(self) -> None:
        """Commands of all kinds are counted, and their substitutions."""
        self.bounds.commands -= 1
        if self.bounds.commands < 0:
            raise self.fail(f"more than {COMMANDS} commands")

    def join(self) -> None:
        """A backslash at a line's end makes one line of two."""
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

    def run(self, stop: str) -> str:
        """The characters from here, at least one, up to one of `stop`; a joined line does not end them."""
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

"""Redirections, and the here-documents that they announce for the lines below."""

from hookkit.shell.expansions import Expansions
from hookkit.shell.reader import STOP
from hookkit.shell.syntax import LITERAL, VARIABLE, Part, Redirect, Word, is_name

# By their first character, the longer ones first.
OPERATORS = {
    "<": ("<<<", "<<-", "<<", "<&", "<>", "<"),
    ">": (">>", ">&", ">|", ">"),
    "&": ("&>>", "&>"),
}
HEREDOCS = ("<<", "<<-")
DIGITS = "0123456789"
REDIRECTING = "<>&{" + DIGITS  # what a redirection may begin with
MOST_DIGITS = 9  # of a descriptor's number; more do not fit, and are a word


class Redirections(Expansions):
    def newlines(self) -> None:
        self.blanks()
        while self.peek() == "\n":
            self.at += 1
            self.bodies()
            self.blanks()

    def redirect(self) -> Redirect | None:
        """`2>file`, `{fd}<file`, `<<EOF`; None if no redirection stands here."""
        start = self.at
        char = self.text[start]
        if char not in REDIRECTING or (char == "&" and self.behind("&>") < 0):
            return None
        fd = self.descriptor()
        self.join()
        operator = self.redirect_operator()
        if not operator or (operator.startswith("&") and fd):
            self.at = start
            return None
        redirect = Redirect(start, operator, fd)
        self.blanks()
        redirect.target = self.target(operator)
        redirect.end = self.at
        if operator in HEREDOCS:
            self.announce(redirect)
        return redirect

    def descriptor(self) -> str:
        """A number, `{name}` or `{name[…]}`; nothing, with the place as it was, if something else stands here."""
        start = self.at
        if self.peek() in DIGITS:
            number = self.name()
            if number.isdigit() and len(number.lstrip("0")) <= MOST_DIGITS:
                return number
        elif self.take("{"):
            self.join()
            name = self.name()
            subscript = self.run(STOP + "]}") if is_name(name) and self.peek() == "[" else ""
            if is_name(name) and self.take("]}" if subscript else "}"):
                return "{" + name + (subscript + "]" if subscript else "") + "}"
        self.at = start
        return ""

    def redirect_operator(self) -> str:
        if self.is_process():
            return ""
        for operator in OPERATORS.get(self.peek(), ()):
            if self.take(operator):
                return operator
        return ""

    def target(self, operator: str) -> Word:
        """In `>&-x` the target is the dash alone: what follows it is a word of the command."""
        if operator in ("<&", ">&") and self.peek() == "-":
            self.at += 1
            return Word(self.at - 1, self.at, [Part(LITERAL, "-")], plain=True)
        word = self.word()
        if operator == ">&" and any(
            part.kind == LITERAL and ("$" in part.text or "`" in part.text) for part in word.parts
        ):
            raise self.fail("a target that bash expands twice")
        return word

    # -- here-documents --------------------------------------------------------------------------

    def announce(self, redirect: Redirect) -> None:
        if self.doubled:  # bash reads those parentheses twice, and the document from elsewhere
            raise self.fail("a here-document inside ((")
        self.heredocs.append(redirect)
        self.documents += 1

    def bodies(self) -> None:
        """The here-documents that were announced on the line that has just ended."""
        pending, self.heredocs = self.heredocs, []
        for redirect in pending:
            delimiter, literal = self.delimiter(redirect.target)
            start = self.at
            lines: list[str] = []
            while self.at < self.size:
                line = self.line(joined=not literal, tabs=redirect.operator == "<<-")
                if line == delimiter or self.closes_both(line, delimiter):
                    break
                lines.append(line + "\n")
            redirect.body = self.body("".join(lines), start, literal=literal)

    def delimiter(self, target: Word) -> tuple[str, bool]:
        """The line that ends the document, and whether nothing is expanded in it."""
        if target.text is not None:
            return target.text, not target.plain
        source = self.text[target.start : target.end]
        if {part.kind for part in target.parts} <= {LITERAL, VARIABLE} and not any(char in "{'\"\\" for char in source):
            return source, False
        raise self.fail("a computed here-document delimiter")

    def line(self, *, joined: bool, tabs: bool) -> str:
        """The next line, with those that a backslash joins to it."""
        pieces = []
        while True:
            end = self.text.find("\n", self.at)
            end = self.size if end < 0 else end
            piece = self.text[self.at : end]
            self.at = min(end + 1, self.size)
            if not joined or end == self.size or not _escapes(piece):
                pieces.append(piece)
                line = "".join(pieces)
                return line.lstrip("\t") if tabs else line
            pieces.append(piece[:-1])

    def closes_both(self, line: str, delimiter: str) -> bool:
        """`EOF)` ends a here-document and the command substitution that it stands in."""
        if not self.closer or not line.startswith(delimiter) or self.closer not in line[len(delimiter) :]:
            return False
        start = self.at - len(line) - (self.text[self.at - 1] == "\n")
        if not line.startswith(delimiter + self.closer) or not self.text.startswith(line, start):
            raise self.fail("a here-document that shells end differently")
        self.at = start + len(delimiter)
        return True

    def body(self, text: str, start: int, *, literal: bool) -> Word:
        parts = [Part(LITERAL, text, quoted=True)] if literal else self.inner(text).quoted("")
        return Word(start, self.at, parts, plain=False)


def _escapes(line: str) -> bool:
    """Whether the line ends in a backslash that is not itself escaped."""
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1

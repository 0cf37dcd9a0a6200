"""`$…` and backquotes: which command lines run when a word is expanded, wherever in it they stand."""

from hookkit.shell.lexer import Lexer, append, flush, is_plain
from hookkit.shell.reader import END
from hookkit.shell.syntax import ARITHMETIC, COMMAND, LITERAL, NAME, VARIABLE, Part, Script, Word

SPECIAL = "?$!#@*-0123456789"
INLINE = " \t\n|;"  # after ${ these make it a command substitution, in newer shells
PATTERNS = "#%/^,"  # operators whose operand is a pattern
DEFAULTS = "-=?+"
# Behind the name in ${…}, by their first character, the longer ones first.
OPERATORS = {
    ":": (":-", ":=", ":?", ":+", ":"),
    "#": ("##", "#"),
    "%": ("%%", "%"),
    "/": ("//", "/#", "/%", "/"),
    "^": ("^^", "^"),
    ",": (",,", ","),
    **dict(zip("-=?+@", "-=?+@", strict=True)),
}
AFTER_NAME = "}" + "".join(OPERATORS)
MEANT_IN_OPERAND = '$`"\\}'  # what a backslash escapes in the operand of a ${…} between quotes
MEANINGFUL = "$`\"'\\}"  # what must not come out of $'…' where bash would read it again

# What an apostrophe in ${…} is: a quote; a quote in which expansions go on; or that, but not for every shell.
QUOTE = "quote"
OPEN = "open"
DOUBTFUL = "doubtful"


class Expansions(Lexer):
    def dollar(self, *, quoted: bool) -> list[Part]:
        start = self.at
        self.at += 1
        self.join()
        char = self.peek()
        if char == "(":
            return [self.substitution(start, quoted=quoted)]
        if char == "{":
            return [self.parameter(quoted=quoted)]
        if char == "[":
            return [self.old_arithmetic(start, quoted=quoted)]
        if char == "'" and not quoted:
            return [Part(LITERAL, self.ansi(), quoted=True)]
        if char == '"' and not quoted:
            self.at += 1
            return self.quoted('"') or [Part(LITERAL, "", quoted=True)]
        if char in SPECIAL:
            self.at += 1
            return [Part(VARIABLE, char, quoted=quoted)]
        if char in NAME:
            return [Part(VARIABLE, self.name(), quoted=quoted)]
        return [Part(LITERAL, "$", quoted=quoted)]

    def name(self) -> str:
        """The letters and digits from here; a joined line does not end them."""
        pieces = []
        while self.peek() in NAME:
            end = self.at
            while end < self.size and self.text[end] in NAME:
                end += 1
            pieces.append(self.text[self.at : end])
            self.at = end
            self.join()
        return "".join(pieces)

    def ansi(self) -> str:
        from hookkit.shell.ansi import decode  # late: hardly anybody writes one

        text, end = decode(self.text, self.at + 1)
        if end < 0:
            raise self.fail("unclosed $'")
        self.at = end
        return text

    # -- commands --------------------------------------------------------------------------------

    def substitution(self, start: int, *, quoted: bool) -> Part:
        doubled = self.behind("((") >= 0
        if doubled:
            found = self.arithmetic()
            if found is not None:
                return Part(ARITHMETIC, self.text[start : self.at], quoted=quoted, scripts=tuple(found[0]))
        opening = self.at
        self.at += 1
        self.doubled += doubled
        script = self.substituted(")")
        self.doubled -= doubled
        if doubled and closing(self.text, opening) != self.at:
            raise self.fail("() that shells match differently")
        return Part(COMMAND, self.text[start : self.at], quoted=quoted, scripts=(script,))

    def substituted(self, close: str) -> Script:
        """The command line up to `close`; its here-documents are its own."""
        self.another_command()
        before = self.heredocs, self.closer, self.documents
        self.heredocs, self.closer, self.documents = [], close, 0
        script = self.script(close)
        self.blanks()
        self.close(close)
        if self.heredocs:
            raise self.fail("a here-document that begins behind its command substitution")
        self.heredocs, self.closer, self.documents = before
        return script

    def inline(self, start: int, *, quoted: bool) -> Part:
        """`${ command; }`."""
        self.at += self.peek() in "|;"
        script = self.substituted("}")
        return Part(COMMAND, self.text[start : self.at], quoted=quoted, scripts=(script,))

    def backquote(self, *, quoted: bool, escapable: str = "$`\\") -> Part:
        self.another_command()
        start = self.at
        self.at += 1
        inner = []
        while (char := self.peek()) != "`":
            if char == END:
                raise self.fail("unclosed `")
            if char != "\\":
                inner.append(self.run("`\\"))
                continue
            following = self.peek(1)
            self.at += 1 if following == END else 2
            if following != "\n":
                inner.append(following if following in escapable else "\\" + following)
        self.at += 1
        self.deeper()
        script = self.inner("".join(inner)).whole()
        self.depth -= 1
        return Part(COMMAND, self.text[start : self.at], quoted=quoted, scripts=(script,))

    # -- arithmetic ------------------------------------------------------------------------------

    def arithmetic(self) -> tuple[list[Script], str] | None:
        """What runs inside `((…))`, and its text; None, with the place as it was, where this turns out to be none."""
        back = self.at
        if back in self.not_arithmetic:
            return None
        self.take("((")
        start = self.at
        parts = self.enclosed("(", ")", quotes=False)
        if parts is not None and self.text.startswith("))", self.at):
            if may_comment(parts):
                raise self.fail("a comment in arithmetic, for some shells")
            self.at += 2
            return scripts_of(parts), self.text[start : self.at - 2]
        self.reread(self.at - back)
        self.not_arithmetic.add(back)
        self.at = back
        return None

    def old_arithmetic(self, start: int, *, quoted: bool) -> Part:
        self.at += 1
        parts = self.enclosed("[", "]", quotes=False)
        if parts is None:
            raise self.fail("unclosed $[")
        self.at += 1
        return Part(ARITHMETIC, self.text[start : self.at], quoted=quoted, scripts=tuple(scripts_of(parts)))

    def enclosed(self, opener: str, closer: str, *, quotes: bool) -> list[Part] | None:
        """What stands between brackets, up to the one that closes; None if none does.

        Without `quotes` an apostrophe hides brackets but no expansions: so it is in arithmetic.
        """
        self.deeper()
        self.enclosing += 1
        bare, self.bare = self.bare, False
        parts: list[Part] = []
        run: list[str] = []
        level = 0
        arithmetic = opener == "(" and not quotes
        special = "\\'\"$`" + opener + closer + ("" if arithmetic else "<>")
        while (char := self.peek()) != END and (char != closer or level):
            if char in (opener, closer) or char not in special or (char in "<>" and not self.is_process()):
                level += (char == opener) - (char == closer)
                self.not_deeper(level)
                run.append(self.run(special))
                continue
            flush(parts, run, quoted=False)
            parts += self.enclosed_piece(char, opener + closer, quotes=quotes)
        flush(parts, run, quoted=False)
        self.enclosing -= 1
        self.bare = bare
        self.depth -= 1
        return None if char == END else parts

    def enclosed_piece(self, char: str, brackets: str, *, quotes: bool) -> list[Part]:
        if char == "'" and not quotes:
            return self.apostrophes_open()
        start = self.at
        if char == "$" and not quotes and self.behind("$'") >= 0:
            return [Part(LITERAL, self.ansi_in_expansion(OPEN), quoted=True)]
        parts = self.piece(char, quoted=not quotes)
        piece = self.text[start : self.at].strip("`")
        if char in "$`" and self.enclosing == 1 and not balanced(piece, brackets):
            raise self.fail(f"{brackets} that shells match differently")
        return parts

    # -- parameters ------------------------------------------------------------------------------

    def parameter(self, *, quoted: bool) -> Part:
        """`${…}`, up to its brace."""
        start = self.at
        self.at += 1
        self.join()
        if self.peek() in INLINE:
            return self.inline(start, quoted=quoted)
        self.deeper()
        scripts = self.subject()
        words = self.parameter_operand(quoted=quoted)
        scripts += [script for word in words for script in scripts_of(word.parts)]
        self.at += 1
        self.depth -= 1
        text = self.text[start + 1 : self.at - 1]
        return Part(VARIABLE, text, quoted=quoted, scripts=tuple(scripts), words=words)

    def parameter_operand(self, *, quoted: bool) -> "tuple[Word, ...]":
        """What stands between the operator and the brace, as one word; none where that is empty."""
        rule = self.apostrophe_rule(quoted=quoted)
        for operator in OPERATORS.get(self.peek(), ()):
            if self.take(operator):
                break
        bare = self.bare
        self.bare = bare or not quoted or rule == QUOTE
        start = self.at
        parts: list[Part] = []
        while (char := self.peek()) != "}":
            if char == END:
                raise self.fail("unclosed ${")
            for part in self.operand_piece(char, rule, quoted=quoted):
                if part.kind == LITERAL and not part.quoted:
                    append(parts, part.text)
                else:
                    parts.append(part)
        self.bare = bare
        if not parts:
            return ()
        places = (start, self.at) if self.attached else (self.origin, self.origin)
        return (Word(*places, parts, plain=is_plain(parts)),)

    def operand_piece(self, char: str, rule: str, *, quoted: bool) -> list[Part]:
        """The next piece of what stands behind the operator."""
        if char == "'" and rule != QUOTE:
            return self.apostrophes_open(doubtful=rule == DOUBTFUL)
        if char == "\\" and not self.bare and self.peek(1) != END:
            text = self.escape_in_quotes(MEANT_IN_OPERAND)
            return [Part(LITERAL, text, quoted=True)] if text else []
        if char == '"' and rule == DOUBTFUL:
            self.no_joined_name()
            self.at += 1
            return self.quoted('"', again=True) or [Part(LITERAL, "", quoted=True)]
        if char == "$" and self.behind('$"') >= 0:
            if rule == DOUBTFUL:
                raise self.fail("a dollar sign that bash reads twice")
            return self.piece(char, quoted=False)
        if char == "$" and (quoted or rule != QUOTE) and self.behind("$'") >= 0:
            return [Part(LITERAL, self.ansi_in_expansion(rule), quoted=True)]
        if char in "$`\\\"'" or self.is_process():
            parts = self.piece(char, quoted=quoted)
            if char in "$`" and self.bare:
                for part in parts:
                    part.quoted = part.kind == LITERAL
            return parts
        return [Part(LITERAL, self.run("}'$`\\\"<>"), quoted=not self.bare)]

    def subject(self) -> list[Script]:
        """The name and its subscript, with what runs in that."""
        if self.peek() in "!#":
            self.at += 1
            self.join()
        if self.peek() in NAME:
            self.name()
        elif self.peek() in "?!#@*-" or (self.peek() == "$" and self.peek(1) in AFTER_NAME):
            self.at += 1
            self.join()
        if self.peek() != "[":
            return []
        self.at += 1
        start = self.at
        parts = self.enclosed("[", "]", quotes=False)
        if parts is None or any(part.kind == LITERAL and not part.quoted and "}" in part.text for part in parts):
            self.at = start
            raise self.fail("unclosed [")
        self.at += 1
        self.join()
        return scripts_of(parts)

    def apostrophe_rule(self, *, quoted: bool) -> str:
        operator = self.peek()
        if operator in PATTERNS:
            return QUOTE
        if quoted:
            return DOUBTFUL
        return OPEN if operator == ":" and self.peek(1) not in DEFAULTS else QUOTE

    def apostrophes_open(self, *, doubtful: bool = False) -> list[Part]:
        """The text between two `'`, with the expansions that go on in it."""
        start = self.at
        text = self.apostrophes()
        if doubtful and any(char in '}"\\`' for char in text):
            self.at = start
            raise self.fail("apostrophes that shells read differently")
        literal = "$" not in text and "`" not in text
        parts = [Part(LITERAL, text, quoted=True)] if literal else self.inner(text).quoted("")
        if doubtful and not self.bare:  # for bash these are no quotes
            return [Part(LITERAL, "'", quoted=True), *parts, Part(LITERAL, "'", quoted=True)]
        return parts

    def ansi_in_expansion(self, rule: str) -> str:
        """`$'…'` where its result is read again, by some shells."""
        if rule == DOUBTFUL:
            self.no_joined_name()
        self.take("$")
        self.join()
        text = self.ansi()
        if rule != QUOTE and any(char in MEANINGFUL for char in text):
            raise self.fail("a string that shells read differently")
        return text


def scripts_of(parts: list[Part]) -> list[Script]:
    return [script for part in parts for script in part.scripts]


def may_comment(parts: list[Part]) -> bool:
    """Whether a hash stands where a comment could begin."""
    plain = "".join(part.text if part.kind == LITERAL and not part.quoted else "x" for part in parts)
    return any(start in " " + plain for start in (" #", "\t#", "\n#"))


def balanced(text: str, brackets: str) -> bool:
    """Whether these brackets match outside of quotes: then no shell takes another one for the last."""
    level = 0
    at = 0
    while at < len(text) and level >= 0:
        char = text[at]
        level += (char == brackets[0]) - (char == brackets[1])
        at = behind_quotes(text, at)
    return level == 0


def closing(text: str, at: int) -> int:
    """The place behind the parenthesis that closes the one at `at`, if nothing but quotes could hide it; else -1."""
    level = 0
    while at < len(text):
        char = text[at]
        level += (char == "(") - (char == ")")
        at = behind_quotes(text, at)
        if level == 0:
            return at
    return -1


def behind_quotes(text: str, at: int) -> int:
    """The place behind this character, or behind what it quotes."""
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

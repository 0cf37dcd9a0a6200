"""The words of a command line: quotes and escapes undone, with the places kept."""

from hookkit.shell.reader import END, META, STOP, Reader
from hookkit.shell.syntax import (
    ARRAY,
    LITERAL,
    NAME,
    PROCESS,
    Compound,
    Part,
    Script,
    Simple,
    Word,
    is_name,
    value_place,
)

ENDS = " \t\n;&|)" + END  # where it ends, and its word with it
EXTENDED = "?*+@!"  # what may stand before the parentheses of an extended pattern

# The kinds of words, by what may stand in them.
ARGUMENT = "argument"
FIRST = "first"  # where a command or its assignments may stand: name[1 + 2]=x
ELEMENT = "element"  # of an array: [1 + 2]=x
OPERAND = "operand"  # of a test, a pattern of a case: no arrays
PATTERN = "pattern"  # of a test: @(a|b)
REGEX = "regex"  # of a test: (a|b)|c


class Lexer(Reader):
    """Words. What stands inside them is read by the classes that build on this one, up to the grammar's `script`."""

    def whole(self) -> Script:
        raise NotImplementedError

    def script(self, close: str = "") -> Script:
        raise NotImplementedError

    def command(self) -> Simple | Compound:
        raise NotImplementedError

    def newlines(self) -> None:
        raise NotImplementedError

    def dollar(self, *, quoted: bool) -> list[Part]:
        raise NotImplementedError

    def backquote(self, *, quoted: bool, escapable: str = "$`\\") -> Part:
        raise NotImplementedError

    def enclosed(self, opener: str, closer: str, *, quotes: bool) -> list[Part] | None:
        raise NotImplementedError

    def substituted(self, close: str) -> Script:
        raise NotImplementedError

    def inner(self, text: str) -> "Lexer":
        """A reader of the same kind for text that was taken out of its place."""
        self.reread(len(text))
        return type(self)(text, self)

    # -- words -----------------------------------------------------------------------------------

    def is_process(self) -> bool:
        return self.peek() in "<>" and self.behind(self.peek() + "(") >= 0

    def word(self, kind: str = ARGUMENT) -> Word:
        start = self.at
        end = self.plain_end(kind)
        if end:
            self.at = end
            return Word(start, end, [Part(LITERAL, self.text[start:end])], plain=True)
        parts: list[Part] = []
        while self.at < self.size:
            char = self.text[self.at]
            if char not in STOP:
                if char != "[" or not self.subscript(kind, parts):
                    named = kind == FIRST and not parts
                    append(parts, self.run(STOP + "[" if named else STOP))
            elif char in META and not self.is_process():
                if not self.parenthesis_in_word(kind, parts):
                    break
            elif char == "\\" and self.peek(1) == "\n":
                self.at += 2
            else:
                parts += self.piece(char, quoted=False)
        if not parts:
            raise self.unexpected()
        return Word(start, self.at, parts, plain=is_plain(parts))

    def plain_end(self, kind: str) -> int:
        """Where the word ends if it is nothing but plain characters, as most words are; else 0."""
        text, start = self.text, self.at
        end = start
        while text[end] not in STOP:
            end += 1
        if end == start or text[end] not in ENDS or kind == REGEX:
            return 0
        return 0 if kind in (FIRST, ELEMENT) and "[" in text[start:end] else end

    def subscript(self, kind: str, parts: list[Part]) -> bool:
        """`a[1 + $i]=x`: blanks inside the brackets of what may be an assignment do not end the word."""
        if kind == FIRST:
            if len(parts) != 1 or parts[0].quoted or not is_name(parts[0].text):
                return False
        elif kind != ELEMENT or parts:
            return False
        append(parts, "[")
        for part in self.brackets():
            if part.kind == LITERAL and not part.quoted:
                append(parts, part.text)
            else:
                parts.append(part)
        append(parts, "]")
        return True

    def brackets(self) -> list[Part]:
        """What stands in the brackets; if no `=` follows them, they are no subscript and quotes are quotes."""
        start = self.at
        parts = self.bracketed(quotes=False)
        if self.behind("=") < 0 and self.behind("+=") < 0:
            self.reread(self.at - start)
            self.at = start
            parts = self.bracketed(quotes=True)
        return parts

    def bracketed(self, *, quotes: bool) -> list[Part]:
        self.at += 1
        parts = self.enclosed("[", "]", quotes=quotes)
        if parts is None:
            raise self.fail("unclosed [")
        self.at += 1
        return parts

    def parenthesis_in_word(self, kind: str, parts: list[Part]) -> bool:
        """Read an array, a pattern's group, a regular expression's bar; any other such character ends the word."""
        char = self.peek()
        if char == "|" and kind == REGEX:
            self.at += 1
            parts.append(Part(LITERAL, "|"))
            return True
        if char != "(":
            return False
        last = parts[-1] if parts else None
        literal = last.text if last and last.kind == LITERAL and not last.quoted else ""
        extended = kind == PATTERN or (self.extended and kind != ELEMENT and self.empty_parentheses() < 0)
        if kind == REGEX or (extended and literal[-1:] and literal[-1] in EXTENDED):
            parts += self.group()
            return True
        if kind in (ARGUMENT, FIRST) and parts and value_place(parts) == (len(parts) - 1, len(literal)):
            parts.append(self.array())
            return True
        return False

    def empty_parentheses(self) -> int:
        """The place behind `()`, with nothing but blanks in it; else -1."""
        at = self.at + 1
        while at < self.size and (self.text[at] in " \t" or self.text.startswith("\\\n", at)):
            at += 2 if self.text[at] == "\\" else 1
        return at + 1 if self.text.startswith(")", at) else -1

    def group(self) -> list[Part]:
        """The parentheses of a pattern, with everything in them."""
        self.at += 1
        parts = self.enclosed("(", ")", quotes=True)
        if parts is None:
            raise self.fail("unclosed (")
        self.at += 1
        return [Part(LITERAL, "("), *parts, Part(LITERAL, ")")]

    def array(self) -> Part:
        """The words between the parentheses of `name=(…)`."""
        self.at += 1
        self.deeper()
        words = []
        pending = len(self.heredocs)
        self.newlines()
        while self.peek() != ")":
            words.append(self.word(ELEMENT))
            self.newlines()
        if pending != len(self.heredocs):
            raise self.fail("a here-document that begins inside an array")
        self.at += 1
        self.depth -= 1
        return Part(ARRAY, "", words=tuple(words))

    # -- quotes ----------------------------------------------------------------------------------

    def piece(self, char: str, *, quoted: bool) -> list[Part]:
        """One quoted, escaped or expanded piece of a word."""
        if char == "\\":
            return self.escape()
        if char == "'":
            return [Part(LITERAL, self.apostrophes(), quoted=True)]
        if char == '"':
            self.at += 1
            return self.quoted('"') or [Part(LITERAL, "", quoted=True)]
        if char == "$":
            return self.dollar(quoted=quoted)
        if char == "`":
            return [self.backquote(quoted=quoted)]
        self.take(char + "(")
        return [Part(PROCESS, char, scripts=(self.substituted(")"),))]

    def escape(self) -> list[Part]:
        following = self.peek(1)
        if following == END:  # bash drops it from the last of several lines, and keeps it where there is but one
            raise self.fail("a backslash at the end")
        self.at += 2
        return [] if following == "\n" else [Part(LITERAL, following, quoted=True)]

    def apostrophes(self) -> str:
        """The text between two `'`."""
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise self.fail("unclosed '")
        run = self.text[self.at + 1 : end]
        self.at = end + 1
        return run

    def quoted(self, close: str, *, again: bool = False) -> list[Part]:
        """Text in which only `$`, backquotes and some escapes mean anything: double quotes, here-documents.

        `again`: these are double quotes inside of others, which bash takes off before it reads what stands in them.
        """
        bare, self.bare = self.bare, False
        parts: list[Part] = []
        run: list[str] = []
        special = "$`\\" + close
        while True:
            char = self.peek()
            if char == END:
                if close:
                    raise self.fail(f"unclosed {close}")
                break
            if char == close:
                if again:
                    self.no_joined_name()
                self.at += 1
                break
            if char == "\\":
                run.append(self.escape_in_quotes(special, every=again and not bare))
            elif char == "$":
                flush(parts, run, quoted=True)
                parts += self.dollar(quoted=True)
                if again and parts[-1].kind == LITERAL:
                    raise self.fail("a dollar sign that bash reads twice")
            elif char == "`":
                flush(parts, run, quoted=True)
                parts.append(self.backquote(quoted=True, escapable=special))
                if again and "\\" in parts[-1].text:
                    raise self.fail("an escape that bash undoes twice")
            else:
                run.append(self.run(special))
        flush(parts, run, quoted=True)
        self.bare = bare
        return parts

    def no_joined_name(self) -> None:
        """`"${x:-$a"b"}"`: bash takes the inner quotes off first, and expands `$ab`; other shells expand `$a`."""
        text, start, end = self.text, self.at, self.at
        while text[start - 1] in NAME or text.startswith("\\\n", start - 2):
            start -= 1 if text[start - 1] in NAME else 2
        while text[end] == '"' or text.startswith("\\\n", end):
            end += 1 if text[end] == '"' else 2
        goes_on = text[end] in NAME + "\\" or text.startswith("$'", end)
        if goes_on and text[start - 1] == "$" and is_name(text[start : self.at].replace("\\\n", "")):
            raise self.fail("a name that goes on behind quotes, for some shells")

    def escape_in_quotes(self, special: str, *, every: bool = False) -> str:
        """The text of an escape: without its backslash before a special character, or before every one."""
        following = self.peek(1)
        self.at += 1 if following == END else 2
        if following == "\n":
            return ""
        return following if every or following in special else "\\" + following.rstrip(END)


def is_plain(parts: list[Part]) -> bool:
    return all(part.kind == LITERAL and not part.quoted for part in parts)


def append(parts: list[Part], text: str) -> None:
    """Add plain text to what stands before it, if that is plain too."""
    if parts and parts[-1].kind == LITERAL and not parts[-1].quoted:
        parts[-1].text += text
    else:
        parts.append(Part(LITERAL, text))


def flush(parts: list[Part], run: list[str], *, quoted: bool) -> None:
    if run:
        parts.append(Part(LITERAL, "".join(run), quoted=quoted))
        run.clear()

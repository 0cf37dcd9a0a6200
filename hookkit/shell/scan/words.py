"""The words of a command line: quotes and escapes removed, positions kept."""

from hookkit.shell.scan.expansions import dollar, enclosed, is_process, piece
from hookkit.shell.scan.quotes import append, is_plain
from hookkit.shell.scan.reader import END, META, STOP, Reader
from hookkit.shell.syntax import ARRAY, LITERAL, Part, Word, is_name, value_place

ENDS = " \t\n;&|)" + END  # characters always ending a word
EXTENDED = "?*+@!"  # characters before the parentheses of an extended pattern

# The kinds of words differ in their permitted constructs.
ARGUMENT = "argument"
FIRST = "first"  # where a command or its assignments may stand: name[1 + 2]=x
ELEMENT = "element"  # of an array: [1 + 2]=x
OPERAND = "operand"  # of a test, a pattern of a case: no arrays
PATTERN = "pattern"  # of a test: @(a|b)
REGEX = "regex"  # of a test: (a|b)|c

OPENERS = frozenset(("if", "while", "until", "for", "select", "case", "function", "{", "[[", "coproc"))
CLOSERS = frozenset(("then", "elif", "else", "fi", "do", "done", "esac", "}"))
RESERVED = OPENERS | CLOSERS | {"time", "!"}
FIRST_LETTERS = "itefdcwus{}[!"
LONGEST = len("function")


def keyword(reader: Reader) -> str:
    """The reserved word at this position, or an empty string."""
    text, at = reader.text, reader.at
    if text[at] not in FIRST_LETTERS:
        return ""
    if at != reader.keyword_at:
        word = ""
        while (char := text[at]) not in META and char != END and len(word) <= LONGEST:
            joined = text.startswith("\\\n", at)
            word += "" if joined else char
            at += 2 if joined else 1
        reader.keyword_at = reader.at
        reader.keyword = word if word in RESERVED else ""
    return reader.keyword


def word(reader: Reader, kind: str = ARGUMENT) -> Word:
    text, start = reader.text, reader.at
    end = start
    while text[end] not in STOP:
        end += 1
    if text[end] in ENDS and end > start:  # only plain characters, like most words
        plain = text[start:end]
        if kind == ARGUMENT or (kind != REGEX and ("[" not in plain or kind not in (FIRST, ELEMENT))):
            reader.at = end
            return Word(start, end, [Part(LITERAL, plain)], plain=True)
    return _composed(reader, kind)


def _composed(reader: Reader, kind: str) -> Word:
    """A word with possible quotes, escapes, expansions or parentheses."""
    start = reader.at
    parts: list[Part] = []
    while reader.at < reader.size:
        char = reader.text[reader.at]
        if char not in STOP:
            if char != "[" or not _subscript(reader, kind, parts):
                named = kind == FIRST and not parts
                append(parts, reader.run(STOP + "[" if named else STOP))
        elif char == "$":
            parts += dollar(reader, quoted=False)
        elif char in META and not is_process(reader):
            if not _parenthesis(reader, kind, parts):
                break
        elif char == "\\" and reader.peek(1) == "\n":
            reader.at += 2
        else:
            parts += piece(reader, char, quoted=False)
    if not parts:
        raise reader.unexpected()
    return Word(start, reader.at, parts, plain=is_plain(parts))


def literal_name(reader: Reader) -> str:
    """The name of a loop variable or a function."""
    name = word(reader, OPERAND).text
    if name is None:
        raise reader.fail("a computed name")
    return name


# -- brackets and parentheses --------------------------------------------------------------------


def _subscript(reader: Reader, kind: str, parts: list[Part]) -> bool:
    """`a[1 + $i]=x`: in a possible assignment, blanks between the brackets do not end the word."""
    if kind == FIRST:
        if len(parts) != 1 or parts[0].quoted or not is_name(parts[0].text):
            return False
    elif kind != ELEMENT or parts:
        return False
    append(parts, "[")
    for part in _brackets(reader):
        if part.kind == LITERAL and not part.quoted:
            append(parts, part.text)
        else:
            parts.append(part)
    append(parts, "]")
    return True


def _brackets(reader: Reader) -> list[Part]:
    """The text between the brackets, as a subscript if `=` follows, else as a pattern."""
    start = reader.at
    parts = _group(reader, "[", "]", in_pattern=False)
    if reader.behind("=") < 0 and reader.behind("+=") < 0:
        reader.reread(reader.at - start)
        reader.at = start
        parts = _group(reader, "[", "]", in_pattern=True)
    return parts


def _group(reader: Reader, opener: str, closer: str, *, in_pattern: bool) -> list[Part]:
    reader.at += 1
    parts = enclosed(reader, opener, closer, in_pattern=in_pattern)
    if parts is None:
        raise reader.fail(f"unclosed {opener}")
    reader.at += 1
    return parts


def _parenthesis(reader: Reader, kind: str, parts: list[Part]) -> bool:
    """Read an array, a group of a pattern or a bar of a regular expression; all else ends the word."""
    char = reader.peek()
    if char == "|" and kind == REGEX:
        reader.at += 1
        parts.append(Part(LITERAL, "|"))
        return True
    if char != "(":
        return False
    last = parts[-1] if parts else None
    literal = last.text if last and last.kind == LITERAL and not last.quoted else ""
    extended = kind == PATTERN or (reader.extended and kind != ELEMENT and behind_empty_parentheses(reader) < 0)
    if kind == REGEX or (extended and literal[-1:] and literal[-1] in EXTENDED):
        parts += [Part(LITERAL, "("), *_group(reader, "(", ")", in_pattern=True), Part(LITERAL, ")")]
        return True
    if kind in (ARGUMENT, FIRST) and parts and value_place(parts) == (len(parts) - 1, len(literal)):
        parts.append(_array(reader))
        return True
    return False


def behind_empty_parentheses(reader: Reader) -> int:
    """The position behind `()` with only blanks inside; else -1."""
    text, at = reader.text, reader.at + 1
    while at < reader.size and (text[at] in " \t" or text.startswith("\\\n", at)):
        at += 2 if text[at] == "\\" else 1
    return at + 1 if text.startswith(")", at) else -1


def _array(reader: Reader) -> Part:
    """The words between the parentheses of `name=(…)`."""
    reader.at += 1
    reader.deeper()
    words = []
    pending = len(reader.heredocs)
    reader.newlines()
    while reader.peek() != ")":
        words.append(word(reader, ELEMENT))
        reader.newlines()
    if pending != len(reader.heredocs):
        raise reader.fail("a here-document that begins inside an array")
    reader.at += 1
    reader.depth -= 1
    return Part(ARRAY, "", words=tuple(words))

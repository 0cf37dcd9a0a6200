"""The words of a command line with their positions, redirections, and here-documents."""

from hookkit.shell.scan.expansions import dollar, enclosed, in_quotes, is_process, piece
from hookkit.shell.scan.reader import END, META, STOP, Reader, append, is_plain, read_name
from hookkit.shell.syntax import ARRAY, LITERAL, VARIABLE, Part, Redirect, Word, is_name, value_place

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


# -- here-documents --------------------------------------------------------------------------------


def bodies(reader: Reader) -> None:
    """Read the here-documents announced on the line before this position."""
    pending, reader.heredocs = reader.heredocs, []
    for redirect in pending:
        delimiter, literal = _delimiter(reader, redirect.target)
        start = reader.at
        tabs = redirect.operator == "<<-"
        at_once = literal and not tabs and not reader.closer and delimiter and "\n" not in delimiter
        text = _literal(reader, delimiter) if at_once else _joined(reader, delimiter, literal=literal, tabs=tabs)
        parts = [Part(LITERAL, text, quoted=True)] if literal else in_quotes(reader.inner(text), "")
        redirect.body = Word(start, reader.at, parts, plain=False)


def _literal(reader: Reader, delimiter: str) -> str:
    """The text up to the line with the delimiter, or up to the end."""
    text, start, size = reader.text, reader.at, reader.size
    end = text.find(f"\n{delimiter}\n", start - 1, size)
    if end < 0 and text.endswith(f"\n{delimiter}", start - 1, size):
        end = size - len(delimiter) - 1
    if end < 0:
        reader.at = size
        return text[start:size] if text[size - 1] == "\n" or start == size else text[start:size] + "\n"
    reader.at = min(end + len(delimiter) + 2, size)
    return text[start : end + 1]


def _joined(reader: Reader, delimiter: str, *, literal: bool, tabs: bool) -> str:
    """The text line by line."""
    lines: list[str] = []
    while reader.at < reader.size:
        line = _line(reader, joined=not literal, tabs=tabs)
        if line == delimiter or _closes_both(reader, line, delimiter):
            break
        lines.append(line + "\n")
    return "".join(lines)


def _delimiter(reader: Reader, target: Word) -> tuple[str, bool]:
    """The last line of the document, and whether the body is literal."""
    if target.text is not None:
        return target.text, not target.plain
    source = reader.text[target.start : target.end]
    if {part.kind for part in target.parts} <= {LITERAL, VARIABLE} and not any(char in "{'\"\\" for char in source):
        return source, False
    raise reader.fail("a computed here-document delimiter")


def _line(reader: Reader, *, joined: bool, tabs: bool) -> str:
    """The next line; `joined` adds the lines behind a backslash, `tabs` removes tabs at the beginning."""
    pieces = []
    while True:
        end = reader.text.find("\n", reader.at)
        end = reader.size if end < 0 else end
        piece = reader.text[reader.at : end]
        reader.at = min(end + 1, reader.size)
        if not joined or end == reader.size or not _ends_in_escape(piece):
            pieces.append(piece)
            line = "".join(pieces)
            return line.lstrip("\t") if tabs else line
        pieces.append(piece[:-1])


def _closes_both(reader: Reader, line: str, delimiter: str) -> bool:
    """Whether this is `EOF)`: the end of a here-document and of the command substitution around the here-document."""
    if not reader.closer or not line.startswith(delimiter) or reader.closer not in line[len(delimiter) :]:
        return False
    start = reader.at - len(line) - (reader.text[reader.at - 1] == "\n")
    if not line.startswith(delimiter + reader.closer) or not reader.text.startswith(line, start):
        raise reader.fail("a here-document that shells end differently")
    reader.at = start + len(delimiter)
    return True


def _ends_in_escape(line: str) -> bool:
    """Whether the line ends in an unescaped backslash."""
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


# By their first character, the longer operators first.
OPERATORS = {
    "<": ("<<<", "<<-", "<<", "<&", "<>", "<"),
    ">": (">>", ">&", ">|", ">"),
    "&": ("&>>", "&>"),
}
HEREDOCS = ("<<", "<<-")
DIGITS = "0123456789"
REDIRECTING = "<>&{" + DIGITS  # first characters of a redirection
MOST_DIGITS = 9  # of a file descriptor; a longer number is a word


def redirections(reader: Reader, redirects: list[Redirect]) -> None:
    """Read all redirections from here on."""
    while True:
        back = reader.at
        reader.blanks()
        redirect = redirection(reader)
        if redirect is None:
            reader.at = back
            return
        redirects.append(redirect)


def redirection(reader: Reader) -> Redirect | None:
    """The redirection at this position, or None."""
    start = reader.at
    char = reader.text[start]
    if char not in REDIRECTING or (char == "&" and reader.behind("&>") < 0):
        return None
    fd = _descriptor(reader) if char not in "<>&" else ""
    reader.join()
    operator = _operator(reader)
    if not operator or (operator.startswith("&") and fd):
        reader.at = start
        return None
    redirect = Redirect(start, operator, fd)
    reader.blanks()
    redirect.target = _target(reader, operator)
    redirect.end = reader.at
    if operator in HEREDOCS:
        if reader.doubled:  # bash reads these parentheses twice, and the here-document from another position
            raise reader.fail("a here-document inside ((")
        reader.heredocs.append(redirect)
        reader.documents += 1
    return redirect


def _descriptor(reader: Reader) -> str:
    """A number, `{name}` or `{name[…]}`; an empty string, with the position unchanged, if there is none."""
    start = reader.at
    if reader.peek() in DIGITS:
        number = read_name(reader)
        if number.isdigit() and len(number.lstrip("0")) <= MOST_DIGITS:
            return number
    elif reader.take("{"):
        reader.join()
        variable = read_name(reader)
        subscript = reader.run(STOP + "]}") if is_name(variable) and reader.peek() == "[" else ""
        if is_name(variable) and reader.take("]}" if subscript else "}"):
            return "{" + variable + (subscript + "]" if subscript else "") + "}"
    reader.at = start
    return ""


def _operator(reader: Reader) -> str:
    if is_process(reader):
        return ""
    for operator in OPERATORS.get(reader.peek(), ()):
        if reader.take(operator):
            return operator
    return ""


def _target(reader: Reader, operator: str) -> Word:
    """In `>&-x` the target is only the dash, and `x` is a word of the command."""
    if operator in ("<&", ">&") and reader.peek() == "-":
        reader.at += 1
        return Word(reader.at - 1, reader.at, [Part(LITERAL, "-")], plain=True)
    target = word(reader)
    if operator == ">&" and any(
        part.kind == LITERAL and ("$" in part.text or "`" in part.text) for part in target.parts
    ):
        raise reader.fail("a target that bash expands twice")
    return target

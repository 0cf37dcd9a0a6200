"""Redirections, and here-documents."""

from hookkit.shell.scan.expansions import in_quotes, is_process
from hookkit.shell.scan.quotes import name
from hookkit.shell.scan.reader import STOP, Reader
from hookkit.shell.scan.words import word
from hookkit.shell.syntax import LITERAL, VARIABLE, Part, Redirect, Word, is_name


def bodies(reader: Reader) -> None:
    """Read the here-documents announced on the line before this position."""
    pending, reader.heredocs = reader.heredocs, []
    for redirect in pending:
        delimiter, literal = _delimiter(reader, redirect.target)
        start = reader.at
        tabs = redirect.operator == "<<-"
        is_plain = literal and not tabs and not reader.closer and delimiter and "\n" not in delimiter
        text = _literal(reader, delimiter) if is_plain else _joined(reader, delimiter, literal=literal, tabs=tabs)
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
        number = name(reader)
        if number.isdigit() and len(number.lstrip("0")) <= MOST_DIGITS:
            return number
    elif reader.take("{"):
        reader.join()
        variable = name(reader)
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

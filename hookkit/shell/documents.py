"""The bodies of here-documents, on the lines below the redirection."""

from hookkit.shell.expansions import in_quotes
from hookkit.shell.reader import Reader
from hookkit.shell.syntax import LITERAL, VARIABLE, Part, Word


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

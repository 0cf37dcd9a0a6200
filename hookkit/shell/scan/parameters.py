"""`${…}`: the name, its subscript, the operator and the operand."""

from hookkit.shell.scan import expansions
from hookkit.shell.scan.reader import (
    END,
    Reader,
    apostrophes,
    escape_in_quotes,
    flush,
    is_plain,
    read_name,
    refuse_joined_name,
)
from hookkit.shell.syntax import COMMAND, EXPANSIONS, LITERAL, NAME, VARIABLE, Part, Script, Word

INLINE = " \t\n|;"  # behind ${ these begin a command substitution, in newer shells
PATTERNS = "#%/^,"  # operators whose operand is a pattern
DEFAULTS = "-=?+"
AFTER_NAME = "}" + "".join(EXPANSIONS)
SPECIAL = "'$`\\\"<>"  # possibly special characters in an operand
ESCAPABLE = '$`"\\}'  # characters escaped by a backslash in a quoted operand

# The meaning of an apostrophe in an operand.
QUOTE = "quote"
OPEN = "open"  # a quote with expansions inside
DOUBTFUL = "doubtful"  # a literal apostrophe for bash, a quote for other shells


def parameter(reader: Reader, *, quoted: bool) -> Part:
    """`${…}`, from its brace on."""
    start = reader.at
    reader.at += 1
    reader.join()
    if reader.peek() in INLINE:
        return _inline(reader, start, quoted=quoted)
    reader.deeper()
    scripts = _name(reader)
    words = _operand(reader, quoted=quoted)
    for word in words:
        scripts += expansions.scripts_of(word.parts)
    reader.at += 1
    reader.depth -= 1
    text = reader.text[start + 1 : reader.at - 1]
    return Part(VARIABLE, text, quoted=quoted, scripts=tuple(scripts), words=words)


def _inline(reader: Reader, start: int, *, quoted: bool) -> Part:
    """`${ command; }`."""
    reader.at += reader.peek() in "|;"
    script = expansions.substituted(reader, "}")
    return Part(COMMAND, reader.text[start : reader.at], quoted=quoted, scripts=(script,))


def _name(reader: Reader) -> list[Script]:
    """Skip the name and its subscript; the command lines in the subscript."""
    char = reader.text[reader.at]
    if char in "!#":
        reader.at += 1
        reader.join()
        char = reader.text[reader.at]
    if char in NAME:
        read_name(reader)
    elif char in "?!#@*-" or (char == "$" and reader.peek(1) in AFTER_NAME):
        reader.at += 1
        reader.join()
    if reader.text[reader.at] != "[":
        return []
    reader.at += 1
    start = reader.at
    parts = expansions.enclosed(reader, "[", "]", in_pattern=False)
    if parts is None or any(part.kind == LITERAL and not part.quoted and "}" in part.text for part in parts):
        reader.at = start
        raise reader.fail("unclosed [")
    reader.at += 1
    reader.join()
    return expansions.scripts_of(parts)


def _operand(reader: Reader, *, quoted: bool) -> tuple[Word, ...]:
    """The text between the operator and the brace, as a single word; no word if there is no text."""
    char = reader.text[reader.at]
    if char == "}":
        return ()
    rule = _apostrophe_rule(reader, char, quoted=quoted)
    for operator in EXPANSIONS.get(char, ()):
        if reader.take(operator):
            break
    bare = reader.bare
    reader.bare = bare or not quoted or rule == QUOTE
    start = reader.at
    parts = _operand_parts(reader, rule, quoted=quoted)
    reader.bare = bare
    if not parts:
        return ()
    span = (start, reader.at) if reader.attached else (reader.origin, reader.origin)
    return (Word(*span, parts, plain=is_plain(parts)),)


def _apostrophe_rule(reader: Reader, operator: str, *, quoted: bool) -> str:
    if operator in PATTERNS:
        return QUOTE
    if quoted:
        return DOUBTFUL
    return OPEN if operator == ":" and reader.peek(1) not in DEFAULTS else QUOTE


def _operand_parts(reader: Reader, rule: str, *, quoted: bool) -> list[Part]:
    parts: list[Part] = []
    run: list[str] = []
    literal_quoted = not reader.bare
    while (char := reader.text[reader.at]) != "}":
        if char == END:
            raise reader.fail("unclosed ${")
        if char not in SPECIAL or (char in "<>" and not expansions.is_process(reader)):
            run.append(reader.run("}" + SPECIAL))
            continue
        flush(parts, run, quoted=literal_quoted)
        parts += _operand_piece(reader, char, rule, quoted=quoted)
    flush(parts, run, quoted=literal_quoted)
    return parts


def _operand_piece(reader: Reader, char: str, rule: str, *, quoted: bool) -> list[Part]:
    if char == "'" and rule != QUOTE:
        return _apostrophes(reader, rule)
    if char == "\\" and not reader.bare and reader.peek(1) != END:
        text = escape_in_quotes(reader, ESCAPABLE)
        return [Part(LITERAL, text, quoted=True)] if text else []
    if char == '"' and rule == DOUBTFUL:
        refuse_joined_name(reader)
        reader.at += 1
        return expansions.in_quotes(reader, '"', again=True) or [Part(LITERAL, "", quoted=True)]
    if char == "$" and reader.behind('$"') >= 0:
        if rule == DOUBTFUL:
            raise reader.fail("a dollar sign that bash reads twice")
        return expansions.dollar(reader, quoted=False)
    if char == "$" and (quoted or rule != QUOTE) and reader.behind("$'") >= 0:
        return [Part(LITERAL, _ansi(reader, rule), quoted=True)]
    parts = expansions.piece(reader, char, quoted=quoted)
    if char in "$`" and reader.bare:
        for part in parts:
            part.quoted = part.kind == LITERAL
    return parts


def _apostrophes(reader: Reader, rule: str) -> list[Part]:
    """`'…'` where expansions go on between the apostrophes."""
    start = reader.at
    text = apostrophes(reader)
    if rule == DOUBTFUL and any(char in '}"\\`' for char in text):
        reader.at = start
        raise reader.fail("apostrophes that shells read differently")
    parts = expansions.open_apostrophes(reader, text)
    if rule == OPEN or reader.bare:
        return parts
    return [Part(LITERAL, "'", quoted=True), *parts, Part(LITERAL, "'", quoted=True)]


def _ansi(reader: Reader, rule: str) -> str:
    """The text of `$'…'`."""
    if rule == DOUBTFUL:
        refuse_joined_name(reader)
    if rule != QUOTE:
        return expansions.ansi_read_again(reader)
    reader.take("$")
    reader.join()
    return expansions.ansi(reader)

"""Expansions and the command lines they run: `$…`, backquotes, arithmetic, double quotes."""

from hookkit.shell.scan.reader import (
    END,
    Reader,
    apostrophes,
    balanced,
    closing,
    escape,
    escape_in_quotes,
    flush,
    may_comment,
    read_name,
    refuse_joined_name,
)
from hookkit.shell.syntax import ARITHMETIC, COMMAND, LITERAL, NAME, PROCESS, VARIABLE, Part, Script

SPECIAL = "?$!#@*-0123456789"
MEANINGFUL = "$`\"'\\}"  # bash would read these characters of $'…' again


def piece(reader: Reader, char: str, *, quoted: bool) -> list[Part]:
    """A quoted, escaped or expanded piece of a word; `char` is its first character."""
    if char == '"':
        reader.at += 1
        return in_quotes(reader, '"') or [Part(LITERAL, "", quoted=True)]
    if char == "$":
        return dollar(reader, quoted=quoted)
    if char == "'":
        return [Part(LITERAL, apostrophes(reader), quoted=True)]
    if char == "\\":
        return escape(reader)
    if char == "`":
        return [backquote(reader, quoted=quoted)]
    reader.take(char + "(")
    return [Part(PROCESS, char, scripts=(substituted(reader, ")"),))]


def in_quotes(reader: Reader, close: str, *, again: bool = False) -> list[Part]:
    """Text of double quotes and here-documents: only `$`, backquotes and some escapes have a meaning.

    `again`: double quotes inside of double quotes; bash removes them before reading the text between them.
    """
    bare, reader.bare = reader.bare, False
    parts: list[Part] = []
    run: list[str] = []
    special = "$`\\" + close
    ends = close + END
    while (char := reader.text[reader.at]) not in ends:
        if char == "\\":
            run.append(escape_in_quotes(reader, special, every=again and not bare))
        elif char in "$`":
            flush(parts, run, quoted=True)
            pieces = dollar(reader, quoted=True) if char == "$" else [backquote(reader, quoted=True, escapable=special)]
            parts += _not_read_twice(reader, char, pieces) if again else pieces
        else:
            run.append(reader.run(special))
    flush(parts, run, quoted=True)
    if close:
        _close_quotes(reader, close, again=again)
    reader.bare = bare
    return parts


def _close_quotes(reader: Reader, close: str, *, again: bool) -> None:
    if reader.text[reader.at] == END:
        raise reader.fail(f"unclosed {close}")
    if again:
        refuse_joined_name(reader)
    reader.at += 1


def _not_read_twice(reader: Reader, char: str, parts: list[Part]) -> list[Part]:
    """The parts; ShellError if bash would read a character of the parts twice."""
    if char == "$" and parts[-1].kind == LITERAL:
        raise reader.fail("a dollar sign that bash reads twice")
    if char == "`" and "\\" in parts[-1].text:
        raise reader.fail("an escape that bash undoes twice")
    return parts


def dollar(reader: Reader, *, quoted: bool) -> list[Part]:
    start = reader.at
    reader.at += 1
    reader.join()
    char = reader.text[reader.at]
    if char == "(":
        return [_substitution(reader, start, quoted=quoted)]
    if char == "{":
        return [reader.grammar.parameter(reader, quoted=quoted)]
    if char in SPECIAL:
        reader.at += 1
        return [Part(VARIABLE, char, quoted=quoted)]
    if char in NAME:
        return [Part(VARIABLE, read_name(reader), quoted=quoted)]
    if char == "[":
        return [_old_arithmetic(reader, start, quoted=quoted)]
    if char == "'" and not quoted:
        return [Part(LITERAL, ansi(reader), quoted=True)]
    if char == '"' and not quoted:
        reader.at += 1
        return in_quotes(reader, '"') or [Part(LITERAL, "", quoted=True)]
    return [Part(LITERAL, "$", quoted=quoted)]


# -- commands ------------------------------------------------------------------------------------


def is_process(reader: Reader) -> bool:
    """Whether `<(` or `>(` stands here."""
    char = reader.text[reader.at]
    return char in "<>" and reader.behind(char + "(") >= 0


def _substitution(reader: Reader, start: int, *, quoted: bool) -> Part:
    doubled = reader.behind("((") >= 0
    if doubled:
        body = arithmetic(reader)
        if body is not None:
            return Part(ARITHMETIC, reader.text[start : reader.at], quoted=quoted, scripts=tuple(body[0]))
    opening = reader.at
    reader.at += 1
    reader.doubled += doubled
    script = substituted(reader, ")")
    reader.doubled -= doubled
    if doubled and closing(reader.text, opening) != reader.at:
        raise reader.fail("() that shells match differently")
    return Part(COMMAND, reader.text[start : reader.at], quoted=quoted, scripts=(script,))


def substituted(reader: Reader, close: str) -> Script:
    """The command line up to `close`, with the bodies of all its here-documents."""
    reader.another_command()
    before = reader.heredocs, reader.closer, reader.documents
    reader.heredocs, reader.closer, reader.documents = [], close, 0
    script = reader.grammar.script(reader, close)
    reader.blanks()
    reader.close(close)
    if reader.heredocs:
        raise reader.fail("a here-document that begins behind its command substitution")
    reader.heredocs, reader.closer, reader.documents = before
    return script


def backquote(reader: Reader, *, quoted: bool, escapable: str = "$`\\") -> Part:
    reader.another_command()
    start = reader.at
    reader.at += 1
    inner = []
    while (char := reader.peek()) != "`":
        if char == END:
            raise reader.fail("unclosed `")
        if char != "\\":
            inner.append(reader.run("`\\"))
            continue
        following = reader.peek(1)
        reader.at += 1 if following == END else 2
        if following != "\n":
            inner.append(following if following in escapable else "\\" + following)
    reader.at += 1
    reader.deeper()
    script = whole(reader.inner("".join(inner)))
    reader.depth -= 1
    return Part(COMMAND, reader.text[start : reader.at], quoted=quoted, scripts=(script,))


def whole(reader: Reader) -> Script:
    """The whole text of the reader as a command line."""
    script = reader.grammar.script(reader)
    if reader.at < reader.size:
        raise reader.unexpected()
    if reader.heredocs:
        reader.grammar.bodies(reader)
    return script


# -- brackets ------------------------------------------------------------------------------------


def arithmetic(reader: Reader) -> tuple[list[Script], str] | None:
    """The command lines inside `((…))`, and its text; None, with the position unchanged, if this is no arithmetic."""
    back = reader.at
    if back in reader.not_arithmetic:
        return None
    reader.take("((")
    start = reader.at
    parts = enclosed(reader, "(", ")", in_pattern=False)
    if parts is not None and reader.text.startswith("))", reader.at):
        if may_comment(parts):
            raise reader.fail("a comment in arithmetic, for some shells")
        reader.at += 2
        return scripts_of(parts), reader.text[start : reader.at - 2]
    reader.reread(reader.at - back)
    reader.not_arithmetic.add(back)
    reader.at = back
    return None


def _old_arithmetic(reader: Reader, start: int, *, quoted: bool) -> Part:
    """`$[…]`."""
    reader.at += 1
    parts = enclosed(reader, "[", "]", in_pattern=False)
    if parts is None:
        raise reader.fail("unclosed $[")
    reader.at += 1
    return Part(ARITHMETIC, reader.text[start : reader.at], quoted=quoted, scripts=tuple(scripts_of(parts)))


def enclosed(reader: Reader, opener: str, closer: str, *, in_pattern: bool) -> list[Part] | None:
    """The text between brackets, up to the closing bracket; None without a closing bracket.

    In a pattern an apostrophe is a quote; in arithmetic an apostrophe hides brackets, but no expansions.
    """
    reader.deeper()
    reader.enclosing += 1
    bare, reader.bare = reader.bare, False
    parts: list[Part] = []
    run: list[str] = []
    level = 0
    special = "\\'\"$`" + opener + closer + ("" if opener == "(" and not in_pattern else "<>")
    while (char := reader.text[reader.at]) != END and (char != closer or level):
        if char in (opener, closer) or char not in special or (char in "<>" and not is_process(reader)):
            level += (char == opener) - (char == closer)
            reader.check_level(level)
            run.append(reader.run(special))
            continue
        flush(parts, run, quoted=False)
        parts += _enclosed_piece(reader, char, opener + closer, in_pattern=in_pattern)
    flush(parts, run, quoted=False)
    reader.bare = bare
    reader.enclosing -= 1
    reader.depth -= 1
    return None if char == END else parts


def _enclosed_piece(reader: Reader, char: str, brackets: str, *, in_pattern: bool) -> list[Part]:
    if char == "'" and not in_pattern:
        return open_apostrophes(reader, apostrophes(reader))
    start = reader.at
    if char == "$" and not in_pattern and reader.behind("$'") >= 0:
        return [Part(LITERAL, ansi_read_again(reader), quoted=True)]
    parts = piece(reader, char, quoted=not in_pattern)
    source = reader.text[start : reader.at].strip("`")
    if char in "$`" and reader.enclosing == 1 and not balanced(source, brackets):
        raise reader.fail(f"{brackets} that shells match differently")
    return parts


def open_apostrophes(reader: Reader, text: str) -> list[Part]:
    """Text between apostrophes, with its expansions."""
    if "$" not in text and "`" not in text:
        return [Part(LITERAL, text, quoted=True)]
    return in_quotes(reader.inner(text), "")


def ansi_read_again(reader: Reader) -> str:
    """The text of `$'…'` where some shells read the result again."""
    reader.take("$")
    reader.join()
    text = ansi(reader)
    if any(char in MEANINGFUL for char in text):
        raise reader.fail("a string that shells read differently")
    return text


def scripts_of(parts: list[Part]) -> list[Script]:
    return [script for part in parts for script in part.scripts]


# -- $'…' ----------------------------------------------------------------------------------------

SIMPLE = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
HEX = "0123456789abcdefABCDEF"
OCTAL = "01234567"
LONGEST = 64 * 1024
DELETE = 0x7F
HIGHEST = 0x10FFFF


def ansi(reader: Reader) -> str:
    """The text of `$'…'`, from the first apostrophe on."""
    text, end = decode(reader.text, reader.at + 1)
    if end < 0:
        raise reader.fail("unclosed $'")
    reader.at = end
    return text


def decode(text: str, at: int) -> tuple[str, int]:
    """The string from `at`, behind the opening quote, and the position behind the closing quote or -1."""
    out: list[str] = []
    octets = bytearray()  # two bytes may be a single character: \xc3\xa9
    while at < len(text):
        char = text[at]
        piece: str | int = char
        if char == "\\":
            piece, at = _escape(text, at + 1)
        else:
            at += 1
        if isinstance(piece, int):
            octets.append(piece)
            continue
        if octets:
            out.append(octets.decode("utf-8", "surrogateescape"))
            octets.clear()
        if char == "'":
            return "".join(out).partition("\0")[0], at  # a NUL ends the string, as in bash
        out.append(piece)
    return "", -1


def _escape(text: str, at: int) -> tuple[str | int, int]:
    """The meaning of the escape, as a number if the escape is a byte, and the position behind the escape."""
    char = text[at : at + 1]
    if char in SIMPLE:
        return SIMPLE[char], at + 1
    if char == "c":
        return _control(text, at + 1)
    if char == "x" and text[at + 1 : at + 2] == "{":
        code, end = _number(text, at + 2, HEX, LONGEST)
        return code & 0xFF, end + (text[end : end + 1] == "}")
    if char == "x":
        code, end = _number(text, at + 1, HEX, 2)
        return (code & 0xFF, end) if end > at + 1 else ("\\x", end)
    if char in ("u", "U"):
        code, end = _number(text, at + 1, HEX, 4 if char == "u" else 8)
        return (chr(code) if code <= HIGHEST else "", end) if end > at + 1 else ("\\" + char, end)
    code, end = _number(text, at, OCTAL, 3)
    return (code & 0xFF, end) if end > at else ("\\" + char, at + 1)


def _control(text: str, at: int) -> tuple[str, int]:
    r"""The control character `\cX`; `\c\\` and `\c\x` are Control-backslash, the latter with an `x` behind it."""
    char = text[at : at + 1]
    if char in ("'", ""):
        return "\\c", at
    if char == "\\":
        following = text[at + 1 : at + 2]
        return "\x1c" + following.removeprefix("\\"), at + 2
    return chr(DELETE if char == "?" else ord(char.upper()[0]) & 0x1F), at + 1


def _number(text: str, start: int, digits: str, most: int) -> tuple[int, int]:
    """The number, cut to 32 bits as in bash, and the position behind the last digit."""
    base = 16 if digits is HEX else 8
    end = start
    code = 0
    while end < len(text) and end - start < most and text[end] in digits:
        code = (code * base + int(text[end], 16)) & 0xFFFFFFFF
        end += 1
    return code, end

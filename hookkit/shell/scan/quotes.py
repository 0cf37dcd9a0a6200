"""Quotes, escapes and brackets whose content is only text: no function here reads an expansion."""

from hookkit.shell.scan.reader import END, META, Reader
from hookkit.shell.syntax import LITERAL, NAME, Part, is_name


def escape(reader: Reader) -> list[Part]:
    r"""`\x` outside of quotes."""
    following = reader.peek(1)
    if following == END:
        if reader.at and reader.text[reader.at - 1] not in META:  # some shells drop it, and leave the rest of the word
            raise reader.fail("a backslash at the end")
        reader.at += 1
        return [Part(LITERAL, "\\", quoted=True)]  # a word of its own: bash and dash pass it on
    reader.at += 2
    return [] if following == "\n" else [Part(LITERAL, following, quoted=True)]


def escape_in_quotes(reader: Reader, special: str, *, every: bool = False) -> str:
    r"""`\x` between double quotes: removes the backslash before a `special` character, or before `every` character."""
    following = reader.peek(1)
    reader.at += 1 if following == END else 2
    if following == "\n":
        return ""
    return following if every or following in special else "\\" + following.rstrip(END)


def apostrophes(reader: Reader) -> str:
    """The text between two `'`."""
    end = reader.text.find("'", reader.at + 1)
    if end < 0:
        raise reader.fail("unclosed '")
    text = reader.text[reader.at + 1 : end]
    reader.at = end + 1
    return text


def ansi(reader: Reader) -> str:
    """The text of `$'…'`, from the first apostrophe on."""
    # late: rare, and not needed to start

    text, end = decode(reader.text, reader.at + 1)
    if end < 0:
        raise reader.fail("unclosed $'")
    reader.at = end
    return text


def name(reader: Reader) -> str:
    """The letters, digits and underscores from here on; joined lines are left out."""
    text = reader.text
    pieces = []
    while text[reader.at] in NAME:
        end = reader.at
        while end < reader.size and text[end] in NAME:
            end += 1
        pieces.append(text[reader.at : end])
        reader.at = end
        reader.join()
    return "".join(pieces)


def refuse_joined_name(reader: Reader) -> None:
    """`"${x:-$a"b"}"`: bash drops the inner quotes first and expands `$ab`; other shells expand `$a`."""
    text, start, end = reader.text, reader.at, reader.at
    while text[start - 1] in NAME or text.startswith("\\\n", start - 2):
        start -= 1 if text[start - 1] in NAME else 2
    if text[start - 1] != "$" or not is_name(text[start : reader.at].replace("\\\n", "")):
        return
    while text[end] == '"' or text.startswith("\\\n", end):
        end += 1 if text[end] == '"' else 2
    if text[end] in NAME + "\\" or text.startswith("$'", end):
        raise reader.fail("a name that goes on behind quotes, for some shells")


# -- parts ---------------------------------------------------------------------------------------


def is_plain(parts: list[Part]) -> bool:
    return all(part.kind == LITERAL and not part.quoted for part in parts)


def append(parts: list[Part], text: str) -> None:
    """Add plain text, to the last part if the last part is plain too."""
    if parts and parts[-1].kind == LITERAL and not parts[-1].quoted:
        parts[-1].text += text
    else:
        parts.append(Part(LITERAL, text))


def flush(parts: list[Part], run: list[str], *, quoted: bool) -> None:
    """Add the collected literal text as a single part."""
    if run:
        parts.append(Part(LITERAL, "".join(run), quoted=quoted))
        run.clear()


def may_comment(parts: list[Part]) -> bool:
    """Whether a hash stands where a comment could begin."""
    plain = "".join(part.text if part.kind == LITERAL and not part.quoted else "x" for part in parts)
    return any(start in " " + plain for start in (" #", "\t#", "\n#"))


# -- brackets ------------------------------------------------------------------------------------


def balanced(text: str, brackets: str) -> bool:
    """Whether the brackets outside of quotes match: then all shells agree on the closing bracket."""
    level = 0
    at = 0
    while at < len(text) and level >= 0:
        char = text[at]
        level += (char == brackets[0]) - (char == brackets[1])
        at = _behind_quotes(text, at)
    return level == 0


def closing(text: str, at: int) -> int:
    """The position behind the parenthesis that closes the parenthesis at `at`, skipping only quotes; else -1."""
    level = 0
    while at < len(text):
        char = text[at]
        level += (char == "(") - (char == ")")
        at = _behind_quotes(text, at)
        if level == 0:
            return at
    return -1


def _behind_quotes(text: str, at: int) -> int:
    """The position behind the character at `at`, or behind the quoted text begun by the character."""
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


SIMPLE = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
HEX = "0123456789abcdefABCDEF"
OCTAL = "01234567"
LONGEST = 64 * 1024
DELETE = 0x7F
HIGHEST = 0x10FFFF


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

"""The escapes of `$'…'`."""

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

r"""Words of a command as texts: the mark of a computed part, patterns over words.

>>> glob("delete-*", "delete-bucket")
True
"""

UNKNOWN = "\0"  # a part of a word that only a run can tell; no real word holds a null byte
ALL = "*"
_STAR = "\1"  # a literal star


def is_option(word: str) -> bool:
    """A word with a dash, except a lone dash."""
    return len(word) > 1 and word[0] == "-" and word[1] not in " \t"


def base_name(word: str) -> str:
    """The name of a program without its directory."""
    return word.rpartition("/")[2] or word


def glob(pattern: str, text: str) -> bool:
    r"""`*` is any run of characters, `\*` is a star; everything else is itself."""
    if "\\*" in pattern:
        pattern, text = pattern.replace("\\*", _STAR), text.replace("*", _STAR)
    if "*" not in pattern:
        return pattern == text
    head, *middle, tail = pattern.split("*")
    if len(text) < len(head) + len(tail) or not text.startswith(head) or not text.endswith(tail):
        return False
    start, end = len(head), len(text) - len(tail)
    for piece in middle:
        place = text.find(piece, start, end)
        if place < 0:
            return False
        start = place + len(piece)
    return True


def split(text: str) -> list[str]:
    """Words at blanks; quotes hold a word together."""
    words: list[str] = []
    current: list[str] | None = None
    quote = ""
    for char in text:
        if quote:
            if char == quote:
                quote = ""
            else:
                current = [*(current or []), char]
        elif char in "'\"":
            quote = char
            current = current or []
        elif char in " \t\n":
            if current is not None:
                words.append("".join(current))
            current = None
        else:
            current = current or []
            current.append(char)
    if current is not None:
        words.append("".join(current))
    return words

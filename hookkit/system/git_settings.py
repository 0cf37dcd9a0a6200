r"""A settings file of git, read as git reads it: names in any case, comments, quotes, escapes, lines that continue.

>>> list(settings('[Core] HooksPath = "My Hooks" ; c'))
[('core', 'hookspath', 'My Hooks')]
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

BLANKS = " \t\r\f\v"
IGNORED = f"{BLANKS}\n\ufeff"  # between settings
ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}


def settings(text: str) -> "Iterator[tuple[str, str, str]]":
    """Section, name and value of each setting; section and name in lower case. A name without a value is `true`."""
    section, at, size = "", 0, len(text)
    while at < size:
        char = text[at]
        if char == "[":
            section, at = _section(text, at + 1)
        elif char in "#;":
            at = _line_end(text, at)
        elif char in IGNORED:
            at += 1
        else:
            name, value, at = _setting(text, at)
            yield section, name, value


def _section(text: str, at: int) -> tuple[str, int]:
    """The name in `[name "more"]` without the rest, and the place behind the bracket."""
    start, quoted = at, False
    while at < len(text) and text[at] != "\n" and (quoted or text[at] != "]"):
        if text[at] == "\\" and quoted:
            at += 1
        elif text[at] == '"':
            quoted = not quoted
        at += 1
    inside = text[start:at].strip(BLANKS)
    return inside.partition('"')[0].strip(BLANKS).partition(".")[0].lower(), at + 1


def _setting(text: str, at: int) -> tuple[str, str, int]:
    start = at
    while at < len(text) and text[at] not in "=\n#;":
        at += 1
    name = text[start:at].strip(BLANKS).lower()
    if text[at : at + 1] != "=":
        return name, "true", _line_end(text, at)
    value, at = _value(text, at + 1)
    return name, value, at


def _value(text: str, at: int) -> tuple[str, int]:
    """The text up to the end of the line, without comments and quotes; blanks inside stay, blanks around go."""
    pieces: list[str] = []
    quoted = False
    length = 0  # pieces up to the last one that counts
    while at < len(text) and (text[at] != "\n"):
        char = text[at]
        if char == "\\":
            following = text[at + 1 : at + 2]
            at += 3 if text.startswith("\r\n", at + 1) else 2
            if following in ("\n", "\r"):
                length = len(pieces)
                continue  # the value continues on the next line
            char = ESCAPES.get(following, following)
        elif char == '"':
            quoted, at, length = not quoted, at + 1, len(pieces)
            continue
        elif char in "#;" and not quoted:
            at = _line_end(text, at)
            break
        else:
            at += 1
            if char in BLANKS and not quoted:
                pieces += [char] if pieces else []
                continue
        pieces.append(char)
        length = len(pieces)
    return "".join(pieces[:length]), at


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end

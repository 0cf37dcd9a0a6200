"""Scripts of sed: the commands run by `e`, the files written by `w` and read by `r`."""

from hookkit.shell.state import UNKNOWN

# Commands of sed with a text argument, and the characters that end the text.
_TO_THE_END = {**dict.fromkeys("eaicrwRW#", "\n"), **dict.fromkeys("btT:", ";\n")}


def commands_of(script: str) -> list[str]:
    """Command lines run by `e`; UNKNOWN for the computed command of `s///e`."""
    found: list[str] = []
    at = 0
    while at < len(script):
        at = _behind_address(script, at)
        letter = script[at : at + 1]
        start = at = at + 1
        if letter in ("s", "y"):
            at, flags = _behind_substitution(script, at)
            found += [UNKNOWN] if letter == "s" and "e" in flags else []
        elif letter in _TO_THE_END:
            at = _text_end(script, at, letter)
            found += [script[start:at].strip() or UNKNOWN] if letter == "e" else []
    return found


def _text_end(script: str, at: int, letter: str) -> int:
    """The end of a command's text; the lines of `a`, `i` and `c` go on behind a backslash."""
    while at < len(script) and script[at] not in _TO_THE_END[letter]:
        at += 2 if script[at] == "\\" and letter in "aic" else 1
    return min(at, len(script))


def _behind_address(script: str, at: int) -> int:
    """The place behind an address: numbers, patterns, and the punctuation around them."""
    while at < len(script):
        char = script[at]
        if char == "/" or (char == "\\" and at + 1 < len(script)):
            start = at + 1 if char == "/" else at + 2
            at = _behind(script, start, script[start - 1])
            while script[at : at + 1] in ("I", "M"):
                at += 1
        elif char in " \t\n;{}!,$~+" or char.isdigit():
            at += 1
        else:
            break
    return at


def _behind_substitution(script: str, at: int) -> tuple[int, str]:
    """The place behind `/a/b/flags`, and the flags."""
    mark = script[at : at + 1]
    start = end = _behind(script, _behind(script, at + 1, mark), mark, sets=False)
    while end < len(script) and script[end] in "gpiImMe0123456789":
        end += 1
    return end, script[start:end]


def _behind(script: str, at: int, mark: str, *, sets: bool = True) -> int:
    """The place behind the next delimiter, unless escaped or in a set."""
    inside = False
    while at < len(script):
        char = script[at]
        if char == "\\":
            at += 1
        elif inside:
            inside = char != "]" or script[at - 1] in "[^"
        elif char == mark:
            return at + 1
        elif char == "[" and sets:
            inside = True
        at += 1
    return at


def files_of(script: str) -> list[tuple[str, str]]:
    """Files behind `w` and `r`, as a command of their own or as a flag of `s///`."""
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(script):
        at = _behind_address(script, at)
        letter = script[at : at + 1]
        start = at = at + 1
        if letter in ("s", "y"):
            at, _ = _behind_substitution(script, at)
            if script[at : at + 1] == "w":
                letter, start = "w", at + 1
        if letter in _TO_THE_END:
            at = _text_end(script, at, letter)
            path = script[start:at].strip()
            if letter in "wWrR" and path:
                found.append((">" if letter in "wW" else "<", path.rstrip("}").strip()))
    return found

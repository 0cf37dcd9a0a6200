"""zsh: a spec of `_arguments` like `'(-C)'{-C+,--close-from=}'[close files]:lowest fd'` says how a value is given."""

import re
from collections.abc import Iterator

from judges import ATTACHED, NONE, VALUE, Claims, add

SPEC = re.compile(r"(?:\([^)]*\))?[!*]*(--?[\w?@#%/,.:][\w.-]*?|-\W)(=-|\+|=|-)?(\[.*?(?<!\\)\])?(:.*)?", re.DOTALL)
FUNCTION = re.compile(r"^\s*(?:function\s+)?_+([\w-]+)\s*\(\)", re.MULTILINE)
BRANCH = re.compile(r"^[ \t]*\(?([\w|*$. -]+)\)|;;", re.MULTILINE)
MOST = 64  # words of one brace expression


def read(files: dict[str, str], subs: dict[str, set[str]], names: set[str]) -> Claims:
    """`names` are the programs to read about; their files are long."""
    claims: Claims = {}
    for text in files.values():
        programs = _programs(text)
        if not names.isdisjoint(programs):
            _read(claims, text, programs, subs)
    return claims


def _programs(text: str) -> list[str]:
    """The programs of a file: `#compdef gzip gunzip -P *zip`."""
    first = text.partition("\n")[0].split()
    if first[:1] != ["#compdef"]:
        return []
    return [word.partition("=")[0] for word in first[1:] if re.fullmatch(r"[\w.+][\w.+=-]*", word)]


def _read(claims: Claims, text: str, programs: list[str], subs: dict[str, set[str]]) -> None:
    marks = sorted(
        [(match.start(), "function", match[1]) for match in FUNCTION.finditer(text)]
        + [(match.start(), "branch", match[1] or "") for match in BRANCH.finditer(text)]
    )
    function = branch = ""
    for start, word in words_of(text):
        while marks and marks[0][0] <= start:
            _, kind, name = marks.pop(0)
            function, branch = (name, "") if kind == "function" else (function, name)
        match = SPEC.fullmatch(word)
        if match and (match[3] or match[4] or match[2]):
            for name in _names(programs, function, branch, subs):
                _claim(claims, name, match)


def _claim(claims: Claims, name: str, match: "re.Match[str]") -> None:
    option, way, rest = match[1], match[2], match[4] or ""
    if not rest:
        kind = NONE if way != "=" else VALUE
    elif rest.startswith("::") or way in ("-", "=-"):
        kind = ATTACHED
    else:
        kind = VALUE
    add(claims, name, option, {kind})


def _names(programs: list[str], function: str, branch: str, subs: dict[str, set[str]]) -> list[str]:
    """Whom a spec is about: the program of its branch, the sub-command of its branch or function, or all programs."""
    choices = branch.replace(" ", "").split("|")
    own = [program for program in programs if program in choices]
    if own:
        return own
    names = []
    for program in programs:
        known = subs.get(program, set())
        sub = function[len(program) + 1 :] if function.startswith((f"{program}-", f"{program}_")) else ""
        below = [word for word in [*choices, sub] if word in known]
        if below:
            names += [f"{program} {word}" for word in below]
        elif not known or (not sub and not branch):
            names.append(program)
    return names


def words_of(text: str) -> Iterator[tuple[int, str]]:
    """The words of a shell text without their quotes, braces expanded, each with its place."""
    place, size = 0, len(text)
    while place < size:
        char = text[place]
        if char == "#":
            place = text.find("\n", place) % (size + 1)
        elif char in " \t\n;()&|<>":
            place += 1
        else:
            start = place
            place, word = _word(text, place)
            for expanded in _expand(word):
                yield start, expanded.replace("\1", "{").replace("\2", "}").replace("\3", ",")


def _word(text: str, place: int) -> tuple[int, str]:
    """One word; quoted braces and commas are marked, so that only the bare ones expand."""
    parts: list[str] = []
    while place < len(text) and text[place] not in " \t\n;()&|<>":
        char = text[place]
        if char == "\\":
            parts.append(text[place + 1 : place + 2].replace("\n", ""))
            place += 2
        elif char in "'\"":
            end = _closing(text, place)
            parts.append(text[place + 1 : end].replace("{", "\1").replace("}", "\2").replace(",", "\3"))
            place = end + 1
        else:
            parts.append(char)
            place += 1
    return place, "".join(parts)


def _closing(text: str, place: int) -> int:
    quote = text[place]
    end = place + 1
    while end < len(text) and text[end] != quote:
        end += 2 if quote == '"' and text[end] == "\\" else 1
    return end


def _expand(word: str) -> list[str]:
    match = re.search(r"\{([^{}]*,[^{}]*)\}", word)
    if match is None:
        return [word]
    before, after = word[: match.start()], word[match.end() :]
    choices = match[1].split(",")[:MOST]
    return [full for choice in choices for full in _expand(before + choice + after)][:MOST]

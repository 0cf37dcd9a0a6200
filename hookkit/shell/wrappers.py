"""The command behind a wrapper like `sudo` or `docker exec`.

A fixed list would be a known way around the guard, so an unknown program in front of a denied command line is
"could not tell" (policy/match.py).
"""

from hookkit.shell.programs import program_of
from hookkit.shell.state import UNKNOWN
from hookkit.shell.wrapper_rows import FIRST, WRAPPERS, Wrapper


class Inner:
    """The command behind a wrapper: words, or a command line as text; with its directory and its variables."""

    __slots__ = ("code", "directory", "values", "words")

    def __init__(self, words: list[str] | None = None, code: str | None = None, directory: str | None = None) -> None:
        self.words = words
        self.code = code
        self.directory = directory
        self.values: list[tuple[str, str]] = []


def find(words: list[str], more: "dict[str, Wrapper]") -> tuple[Wrapper, int] | None:
    """The row for these words, and how many of them are its name."""
    name = words[0].rpartition("/")[2]
    for table in (more, WRAPPERS):
        if name in table:
            return table[name], 1
    if name not in FIRST:
        return None
    places = _plain_words(words)
    for count in (3, 2):
        if len(places) >= count:
            full = " ".join([name, *(words[place] for place in places[1:count])])
            if full in WRAPPERS:
                return WRAPPERS[full], places[count - 1] + 1
    return None


def _plain_words(words: list[str]) -> list[int]:
    """Positions of the first words other than options: `docker --context prod exec` runs `docker exec`."""
    valued = program_of(words[0]).valued
    places = [0]
    at = 1
    while at < len(words) and len(places) < 3:  # noqa: PLR2004 - no wrapper's name is longer
        if words[at].startswith("-"):
            at += 2 if words[at] in valued else 1
        else:
            places.append(at)
            at += 1
    return places


def name_of(words: list[str]) -> str:
    """How a wrapper is called in an explanation."""
    name = words[0].rpartition("/")[2]
    return name if name not in FIRST else " ".join([name, *(words[place] for place in _plain_words(words)[1:2])])


def unwrap(words: list[str], wrapper: Wrapper, at: int) -> Inner | None:  # noqa: C901, PLR0912 - one case a kind of word
    """The command run by the wrapper at the head of the words; None if the wrapper runs no command."""
    operands = wrapper.operands
    directory = None
    program = ""
    values: list[tuple[str, str]] = []
    while at < len(words):
        word = words[at]
        name, equals, value = word.partition("=")
        following = words[at + 1] if at + 1 < len(words) else ""
        if word[:2] in wrapper.code and len(word) > 2 and word[1] != "-":  # noqa: PLR2004 - env -S'command'
            return Inner(code=" ".join([_begun(word[2:], wrapper), *(words[at + 1 :] if wrapper.assigns else ())]))
        if _holds_code(word, wrapper):
            return Inner(code=_begun(word[word.index("c") + 1 :], wrapper))
        if name in wrapper.code or _ends_in_code(word, wrapper):
            code = value if equals and name in wrapper.code else following
            if wrapper.assigns:  # env -S 'rm -rf' ~: the text is split, and the rest of the words follows the text
                return Inner(code=" ".join([code, *map(_quoted, words[at + (1 if equals else 2) :])]))
            return Inner(code=" ".join(words[at + 1 :]) if wrapper.joins and not equals else _begun(code, wrapper))
        if wrapper.entry and name == wrapper.entry:
            program = value if equals else following
            at += 1 if equals else 2
            continue
        if name in wrapper.way or word[:2] in wrapper.way:
            attached = value if equals else word[2:] if name not in wrapper.way else ""
            directory = attached or following
            at += 1 if attached else 2
            continue
        if word in wrapper.refuses or _refuses(word, wrapper):
            return None
        if word == "--":
            at += 1
            if not operands:
                break
        elif word.startswith("-"):
            at += 2 if word in wrapper.valued or _ends_in_value(word, wrapper) else 1
        elif wrapper.assigns and equals:
            values.append((name, value))
            at += 1
        elif operands:
            operands -= 1
            at += 1
            if program and not operands:
                break
        else:
            break
    rest = [program, *words[at:]] if program else words[at:]
    if not rest:
        return None
    inner = Inner(code=" ".join(rest)) if wrapper.joins else Inner(rest, directory=directory)
    inner.values = values
    return inner


def _quoted(word: str) -> str:
    return word if UNKNOWN in word else "'" + word.replace("'", "'\\''") + "'"


def _ends_in_value(word: str, wrapper: Wrapper) -> bool:
    """`sudo -Eu deploy`, but not `ssh -lme`: the first option with a value takes the rest of its word."""
    takers = [at for at, letter in enumerate(word) if at and f"-{letter}" in wrapper.valued]
    return word[1:2] != "-" and bool(takers) and takers[0] == len(word) - 1


def _refuses(word: str, wrapper: Wrapper) -> bool:
    """`command -pv` looks up a program without running the program."""
    return word[:1] == "-" and word[1:2] != "-" and any(f"-{letter}" in wrapper.refuses for letter in word[1:])


def _begun(code: str, wrapper: Wrapper) -> str:
    """The command line behind a prefix of the value: `exec=command`, `:!command`."""
    if not wrapper.begins:
        return code
    return next((code[len(start) :] for start in wrapper.begins if code.startswith(start)), "")


def _holds_code(word: str, wrapper: Wrapper) -> bool:
    """`script -qc'code'`: the value is attached to the last option of a cluster."""
    at = word.find("c")
    return "-c" in wrapper.code and word[:1] == "-" and word[1:2] != "-" and 1 < at < len(word) - 1 and " " in word


def _ends_in_code(word: str, wrapper: Wrapper) -> bool:
    """`script -qc code`: the last letter of a cluster takes the value."""
    return len(word) > 2 and word[0] == "-" and word[1] != "-" and f"-{word[-1]}" in wrapper.code  # noqa: PLR2004


def peel(words: list[str | None]) -> int:
    """The number of words before the wrapped program; len(words) if the number is unknown."""
    known = [UNKNOWN if word is None else word for word in words]
    at = 0
    while at < len(words):
        found = find(known[at:], {})
        if found is None or not found[0].transparent:
            return at
        inner = unwrap(known[at:], *found)
        if (
            inner is None
            or inner.words is None
            or inner.directory is not None
            or any(UNKNOWN in word for word in known[at : -len(inner.words)])
        ):
            return len(words)
        at = len(words) - len(inner.words)
    return at

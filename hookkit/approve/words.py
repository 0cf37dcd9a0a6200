"""Splits the words of a command by a row of the table; a word unknown to the row spoils the approval."""

from hookkit.approve.row import NONE, PATTERN, VERSION, Row
from hookkit.approve.rows import GLOBALS, ROWS
from hookkit.shell.state import UNKNOWN

SYSTEM = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")  # a program by its path is known only there
DEEPEST = 3  # words of a row's name


class Spoiled(Exception):  # noqa: N818 - not an error: the reason why a call is not approved
    """Why a call is not approved without a question."""


class Split:
    """Options of the command with their values, and all other words."""

    __slots__ = ("flags", "operands", "row", "values")

    def __init__(self, row: Row) -> None:
        self.row = row
        self.flags: list[str] = []
        self.values: list[tuple[str, str]] = []
        self.operands: list[str] = []

    @property
    def reads_below(self) -> bool:
        return "*" in self.row.below or any(flag in self.row.below for flag in self.flags)


def find(words: list[str], more: "dict[str, Row]") -> tuple[str, Row, list[str], str]:
    """The name of the row, the row, the words behind the name, and the directory of `git -C`."""
    name = program(words[0])
    rest, directory = behind_globals(name, words[1:])
    for count in range(min(DEEPEST - 1, len(rest)), -1, -1):
        full = " ".join((name, *rest[:count]))
        row = more.get(full) or ROWS.get(full)
        if row is not None and (row.check != VERSION or (len(rest) == 1 and rest[0] in row.options)):
            return full, row, rest[count:], directory
    raise Spoiled(f"{name} is not known to only read")


def program(word: str) -> str:
    """The program's name; another program may have the same name in a directory of the project."""
    place, slash, name = word.rpartition("/")
    if slash and f"{place}/" not in SYSTEM:
        raise Spoiled(f"{word} is not a program of the system")
    return name


def behind_globals(name: str, rest: list[str]) -> tuple[list[str], str]:
    """The words from the sub-command on."""
    alone, valued = GLOBALS.get(name, ((), ()))
    directory, at = "", 0
    while at < len(rest) and (rest[at] in alone or (rest[at] in valued and at + 1 < len(rest))):
        if rest[at] in valued:
            directory, at = rest[at + 1], at + 1
        at += 1
    return rest[at:], directory


def split(name: str, row: Row, words: list[str], *, until_operand: bool = False) -> Split:
    """Every option must stand in the row; `until_operand` is for a wrapper, whose first operand begins a command."""
    found = Split(row)
    if row.free:
        found.operands = words
        return found
    if any(UNKNOWN in word for word in words):
        raise Spoiled(f"a word of this {name} command is computed")
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--" and not row.single:
            found.operands += words[at:]
            break
        if not _is_option(word, row):
            found.operands.append(word)
            if until_operand:
                break
            continue
        at += _option(name, word, words[at] if at < len(words) else None, found)
    _count(name, found)
    return found


def _is_option(word: str, row: Row) -> bool:
    return (len(word) > 1 and word[0] == "-") or (row.single and word in row.options)


def _option(name: str, word: str, following: str | None, found: Split) -> int:
    """Note an option; 1 if the next word is its value."""
    row = found.row
    long, equals, value = word.partition("=")
    if word.startswith("--") or row.single:
        if long in row.valued or (equals and long in row.options):
            if not equals and following is None:
                raise Spoiled(f"{long} of {name} has no value")
            found.values.append((long, value if equals else following or ""))
            found.flags.append(long)
            return int(not equals)
        if word not in row.options:
            raise Spoiled(f"{word} is not an option of {name} that is known to only read")
        found.flags.append(word)
        return 0
    return _letters(name, word, following, found)


def _letters(name: str, word: str, following: str | None, found: Split) -> int:
    for place, letter in enumerate(word[1:], 2):
        flag = f"-{letter}"
        if flag in found.row.optional:
            found.flags.append(flag)
            return 0
        if flag in found.row.valued:
            rest = word[place:]
            if not rest and following is None:
                raise Spoiled(f"{flag} of {name} has no value")
            found.flags.append(flag)
            found.values.append((flag, rest or following or ""))
            return int(not rest)
        if flag not in found.row.options:
            raise Spoiled(f"{flag} is not an option of {name} that is known to only read")
        found.flags.append(flag)
    return 0


def _count(name: str, found: Split) -> None:
    given = [flag for flag, _ in found.values if flag in ("-e", "--expression", "--regexp")]
    most = 0 if found.row.operands == NONE else found.row.most
    if found.row.operands == PATTERN and given:
        found.operands.insert(0, "")  # the pattern came with an option: all operands are files
    if len(found.operands) > most:
        raise Spoiled(f"{name} takes at most {most} operands to only read")
    if found.row.needs and not any(flag in found.row.needs for flag in found.flags):
        raise Spoiled(f"{name} only reads with {' or '.join(found.row.needs[:2])}")

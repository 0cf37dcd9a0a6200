"""The command behind a wrapper like `sudo` or `docker exec`, by the wrapper's record.

A fixed list would be a known way around the guard, so an unknown program in front of a denied command line is
"could not tell" (policy/match.py), and so is an unknown option of a wrapper.
"""

from hookkit.programs.catalogue import SHIPPED, Catalogue, Program
from hookkit.programs.options import read_option
from hookkit.programs.words import UNKNOWN, quoted
from hookkit.shell.commands import FILE_TEXT
from hookkit.shell.state import scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution

NEVER = 1_000  # operands before the program, for a program that runs only the command line in an option
MOST_VALUES = 2  # words that one option may take
WRAPS = ("wraps", "commands", "feeds")  # columns of a program that runs another program


class Inner:
    """The command behind a wrapper: words, or a command line as text; with its directory and its variables.

    `other` is the command if an option that no record knows takes a value; `doubt` says why nobody can tell.
    """

    __slots__ = ("code", "directory", "doubt", "other", "values", "words")

    def __init__(self, words: list[str] | None = None, code: str | None = None, directory: str | None = None) -> None:
        self.words = words
        self.code = code
        self.directory = directory
        self.values: list[tuple[str, str]] = []
        self.other: list[str] | None = None
        self.doubt = ""


def is_wrapper(record: Program) -> bool:
    return any(column in record.row for column in WRAPS)


def may_wrap(record: Program) -> bool:
    """Whether the program or one of its sub-commands may run another program."""
    return "below" in record.row or is_wrapper(record)


def find(words: list[str], catalogue: Catalogue = SHIPPED) -> tuple[Program, int] | None:
    """The record of a wrapper, and the place behind its name: `docker --context prod exec` is `docker exec`."""
    record = catalogue.find(words[0].rpartition("/")[2])
    place = 1
    while record is not None and not is_wrapper(record):
        while place < len(words) and words[place][:1] == "-":
            place += 1 + (_taken(words, place, record) or _doubtful(words, place, record, catalogue))
        record = catalogue.below(record, words[place]) if place < len(words) else None
        place += 1
    return (record, place) if record is not None else None


def _taken(words: list[str], place: int, record: Program) -> int:
    return read_option(words[place], words[place + 1] if place + 1 < len(words) else None, record)[1]


def _doubtful(words: list[str], place: int, record: Program, catalogue: Catalogue) -> int:
    """The words behind an option that no column knows, if a sub-command follows them: `nix --option a b develop`."""
    if record.is_known(words[place].partition("=")[0]) or "=" in words[place]:
        return 0
    for taken in range(MOST_VALUES + 1):
        word = words[place + 1 + taken] if place + 1 + taken < len(words) else "-"
        if word[:1] == "-":
            return taken
        if catalogue.below(record, word) is not None:
            return taken
    return 0


def unwrap(words: list[str], record: Program, place: int) -> Inner | None:
    """The command run by the wrapper at the head of the words; None if the wrapper runs no command."""
    return Unwrapping(words, record, place).inner()


class Unwrapping:
    """A walk over the words of a wrapper, up to the first word of the program."""

    def __init__(self, words: list[str], record: Program, place: int) -> None:
        self.words = words
        self.record = record
        self.place = place
        self.left = int(record.text("wraps")) if record.has("wraps") else NEVER
        self.directory: str | None = None
        self.program = ""
        self.values: list[tuple[str, str]] = []
        self.unknown: tuple[str, int] | None = None  # an option without a column in the record, and its place

    def inner(self) -> Inner | None:
        words, record = self.words, self.record
        assigns = record.has("assigns")
        while self.place < len(words):
            word = words[self.place]
            if word == "--":
                self.place += 1
                if not self.left:
                    break
            elif word[:1] == "-":
                inner = self._option(word)
                if inner is not None:
                    return inner if inner.code is not None else None
            elif assigns and "=" in word:
                name, _, value = word.partition("=")
                self.values.append((name, value))
                self.place += 1
            elif self.left:
                self.left -= 1
                self.place += 1
                if self.program and not self.left:
                    break
            else:
                break
        return self._rest()

    def _option(self, word: str) -> Inner | None:
        """Read an option. A command line in its value ends the walk, and so does an option like `command -v`."""
        words, record = self.words, self.record
        options, taken = read_option(word, words[self.place + 1] if self.place + 1 < len(words) else None, record)
        for option, value in options:
            if option in record.words_of("refuses"):
                return Inner()
            if value is not None and option in record.words_of("commands"):
                return self._command_line(value, taken)
            if value is not None and option in record.words_of("directory"):
                self.directory = value
            elif value is not None and option == record.text("entry"):
                self.program = value
            if self.unknown is None and not record.is_known(option) and len(word) > 1:
                self.unknown = option, self.place
        self.place += 1 + taken
        return None

    def _command_line(self, value: str, taken: int) -> Inner:
        rest = self.words[self.place + 1 + taken :]
        if self.record.has("assigns"):  # env -S 'rm -rf' ~: the text is split, and the rest of the words follows it
            return Inner(code=" ".join([value, *map(_quoted, rest)]))
        if self.record.has("joins") and taken:
            return Inner(code=" ".join([value, *rest]))
        return Inner(code=_begun(value, self.record))

    def _rest(self) -> Inner | None:
        record = self.record
        rest = self.words[self.place :]
        if self.program:
            rest = [self.program, *rest]
        if not rest:
            return None
        inner = Inner(code=" ".join(rest)) if record.has("joins") else Inner(rest, directory=self.directory)
        inner.values = self.values
        if rest[0][:1] == "-" and len(rest[0]) > 1:
            inner.doubt = f"{record.name} has {rest[0]} in place of a program"
        elif self.unknown is not None:
            option, place = self.unknown
            if record.has("flags"):
                inner.doubt = f"hookkit does not know the option {option} of {record.name}, or which program runs"
            inner.other = [*self.words[: place + 1], *self.words[place + 2 :]]
        return inner


def name_of(words: list[str], catalogue: Catalogue = SHIPPED) -> str:
    """How a wrapper is called in an explanation."""
    wrapper = find(words, catalogue)
    name = words[0].rpartition("/")[2]
    sub = wrapper[0].name.partition(" ")[2] if wrapper is not None else ""
    return f"{name} {sub}".rstrip()


def _quoted(word: str) -> str:
    return word if UNKNOWN in word else quoted([word])


def _begun(code: str, record: Program) -> str:
    """The command line behind a prefix of the value: `exec=command`, `:!command`."""
    starts = record.words_of("begins")
    if not starts:
        return code
    return next((code[len(start) :] for start in starts if code.startswith(start)), "")


def peel(words: list[str | None]) -> int:
    """The number of words before the wrapped program; len(words) if the number is unknown."""
    known = [UNKNOWN if word is None else word for word in words]
    place = 0
    while place < len(words):
        wrapper = find(known[place:])
        if wrapper is None or not wrapper[0].has("transparent"):
            return place
        inner = unwrap(known[place:], *wrapper)
        if (
            inner is None
            or inner.words is None
            or inner.directory is not None
            or inner.other is not None
            or any(UNKNOWN in word for word in known[place : -len(inner.words)])
        ):
            return len(words)
        place = len(words) - len(inner.words)
    return place


# -- following ------------------------------------------------------------------------------------


def wrapped(line: "Resolution", command: "Command", context: "Context") -> str | None:
    """Follow the program run by a wrapper; None if the command is no wrapper or runs no program."""
    wrapper = find(command.words, line.catalogue)
    if wrapper is None:
        return None
    record, place = wrapper
    is_transparent = record.has("transparent")
    command.transparent, command.followed = is_transparent, True
    inner = unwrap(command.words, record, place)
    if inner is not None and inner.code == "":
        return None
    name = name_of(command.words, line.catalogue)
    if inner is None:
        return _fed(line, command, context, name) if record.has("feeds") else None
    command.doubt = command.doubt or inner.doubt
    if inner.other is not None:
        _otherwise(line, inner.other, command, context)
    below = context.inside(name)
    if name == "coproc":
        below.stdin = UNKNOWN  # other commands may write to it
    below.negated, below.node = context.negated, context.node if is_transparent else None
    if inner.directory is not None or inner.values:
        below.shell = context.shell.copy()
    if inner.directory is not None:
        below.shell.go(inner.directory)
    for variable, value in inner.values:
        from hookkit.shell.follow import environment  # late: few wrappers set a variable

        below.shell.put(variable, scalar(value))
        if environment.watches(variable):
            environment.check(line, variable, value, command, below)
    if inner.words is not None and len(inner.words) == 1 and " " in inner.words[0]:
        return _code(line, inner.words[0], command, below, name)  # `yarn exec 'command line'`
    if inner.words is not None:
        output = line.run(inner.words, below)
        return UNKNOWN if output == FILE_TEXT and not is_transparent else output
    return _code(line, inner.code or "", command, below, name)


def _fed(line: "Resolution", command: "Command", context: "Context", name: str) -> str:
    from hookkit.shell.follow import shells  # late: most wrappers name their program in words

    return shells.fed(line, command, context, name)


def _code(line: "Resolution", text: str, command: "Command", context: "Context", name: str) -> str:
    from hookkit.shell.follow import shells  # late: most wrappers get no command line as a text

    return shells.code(line, text, command, context, name)


def _otherwise(line: "Resolution", words: list[str], command: "Command", context: "Context") -> None:
    """The same wrapper, if an option that its record does not know takes the next word as its value."""
    wrapper = find(words, line.catalogue)
    inner = unwrap(words, *wrapper) if wrapper is not None else None
    if inner is None or inner.code == "":
        return
    name = name_of(words, line.catalogue)
    below = context.inside(name)
    if inner.words is not None:
        line.run(inner.words, below)
    else:
        _code(line, inner.code or "", command, below, name)

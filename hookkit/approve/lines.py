"""Whether a command line may run without a question: hookkit must know every command of the line, with all words."""

from hookkit.approve import writers
from hookkit.approve.checks import CHECKS
from hookkit.approve.paths import Ground
from hookkit.approve.row import PATHS, PATTERN, TEXT, Row
from hookkit.approve.rows import WRAPPERS
from hookkit.approve.tree import Tree
from hookkit.approve.words import Split, Spoiled, behind_globals, find, program, split
from hookkit.policy.call import is_device
from hookkit.shell.globs import is_pattern
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.shell.commands import Command
    from hookkit.shell.resolve import Resolution

INPUT, OUTPUT = ("<",), (">", ">>", ">|", "&>", "&>>", ">&")
PROGRAMS_IN_WORDS = ("sed", "awk", "jq")  # their programs have a check of their own
GIVERS = ("find", "xargs")  # give the names of files to another program
LONGEST = 20_000  # characters of a line: a longer line is read by a person


class Approvable:
    """The commands of an approved line by kind: commands that only read, written files, the project's own commands."""

    def __init__(self, ground: Ground, more: "dict[str, Row]", *, work: bool) -> None:
        self.ground = ground
        self.more = more
        self.work = work
        self.is_own: Callable[[Command, Ground], bool] = lambda _, __: False  # a command of the project
        self.read = 0
        self.written: list[str] = []
        self.changes: list[str] = []  # the real paths of changed files
        self.runs: list[str] = []
        self.is_narrow = False  # every find names its files by -name alone: no `-o`, no `!`
        self.stages = False  # the line puts files into git's index

    def check(self, look: "Resolution") -> None:
        """Raise Spoiled at the first unknown part."""
        if look.doubts or look.tree is None:
            raise Spoiled(f"hookkit cannot tell what this would run: {(look.doubts or ['no command'])[0]}")
        if len(look.line) > LONGEST:
            raise Spoiled("the line is too long")
        tree = Tree()
        tree.check(look.tree)
        if not look.commands:
            raise Spoiled("the line has no command")
        if tree.private:
            raise Spoiled(f"the value of ${tree.private} is not known, and may be a secret")
        found = [word for command in look.commands if _is_find(command.words) for word in command.words]
        self.is_narrow = not {"-o", "-or", "-not", "!", ",", "-regex", "-iregex", "-L", "-follow", "-lname"} & {*found}
        for command in look.commands:
            self.command(command, look)

    def command(self, command: "Command", look: "Resolution") -> None:
        if command.doubt or command.defined:
            raise Spoiled(command.doubt or f"{command.words[0]} is defined by the line itself")
        if command.code and command.words[0] not in PROGRAMS_IN_WORDS:
            raise Spoiled(f"{command.words[0]} runs a program that is written in the line")
        self._redirects(command)
        if any(word[:1] in ("*", "?", "[") for word in command.words[1:]) or _is_given(command):
            self.ground.no_dashes(command.directory)
        name = program(command.words[0]) if not self._is_project(command) else ""
        if not name:
            return
        is_wrapper = name in WRAPPERS and (command.transparent or name == "xargs")
        if is_wrapper and any(name in other.via for other in look.commands):
            split(name, WRAPPERS[name], command.words[1:], until_operand=True)
        elif self.work and self._writes(name, command):
            return
        else:
            self._reads(command)

    def _is_project(self, command: "Command") -> bool:
        if not self.work or not self.is_own(command, self.ground):
            return False
        self.runs.append(" ".join(command.words[:2]))
        return True

    def _redirects(self, command: "Command") -> None:
        for operator, path in command.files:
            if is_device(path):
                continue
            if path.startswith("!"):
                raise Spoiled("for zsh, >! overwrites the file that follows")
            if operator in INPUT:
                self.ground.read(path, command.directory)
            elif operator in OUTPUT and self.work:
                self._written([self.ground.write(path, command.directory)], [path])
            else:
                raise Spoiled(f"the line writes {path}")

    def _writes(self, name: str, command: "Command") -> bool:
        """Whether the program writes the files named in its words. The files go to `changes` and `written`."""
        words = command.words[1:]
        inner = writers.in_place(words) if name == "sed" else None
        if inner is not None:
            parts = split(name, writers.SED, inner)
            self._written(writers.sed(parts, inner, command.directory, self.ground).changed, parts.operands[1:])
            return True
        if name == "git" and self._stages(words, command.directory):
            return True
        row = writers.WRITERS.get(name)
        if row is None:
            return False
        parts = split(name, row, words)
        found = writers.of(name, parts, command.directory, self.ground)
        for path in found.read:
            self.ground.read(path, command.directory)
        self._written(found.changed, parts.operands)
        return True

    def _stages(self, words: list[str], directory: str | None) -> bool:
        """Whether this is a plain `git add`: the files stay as they are, and git keeps a copy."""
        rest, moved = behind_globals("git", words)
        if rest[:1] != ["add"] or moved:
            return False
        parts = split("git add", writers.ADD, rest[1:])
        CHECKS["git"](parts, rest, directory, self.ground)
        self._paths(parts, directory)
        self.stages = True
        return True

    def _written(self, real: list[str], shown: list[str]) -> None:
        self.changes += real
        self.written += [path for path in shown if path not in self.written]

    def _reads(self, command: "Command") -> None:
        name, row, words, moved = find(command.words, self.more)
        directory = command.directory
        if moved:
            directory = f"{directory}/{moved}" if moved[:1] != "/" and directory else moved
        if _is_given(command):
            self._given(name, row, words)
        rest = _without_exec(words) if name == "find" else _dashed(words) if name == "tar" else words
        parts = split(name, row, rest)
        if row.check in CHECKS:
            CHECKS[row.check](parts, rest, directory, self.ground)
        self._paths(parts, directory)
        self.read += 1

    def _given(self, name: str, row: Row, words: list[str]) -> None:
        """A program that shows the content of given files is followed only for a plain ending, like `*.py`."""
        for word in words:
            _, dot, ending = word.rpartition("/")[2].rpartition(".")
            is_known = row.names or row.operands == TEXT or (self.is_narrow and dot and ending.isalnum())
            if UNKNOWN in word or (is_pattern(word) and not is_known):
                raise Spoiled(f"the files that find or xargs gives to {name} are not known")

    def _paths(self, parts: Split, directory: str | None) -> None:
        row = parts.row
        paths = parts.operands[1:] if row.operands == PATTERN else parts.operands if row.operands == PATHS else []
        if parts.reads_below and not paths:
            paths = ["."]
        for path in paths:
            self.ground.read(path, directory, names=row.names, below=parts.reads_below)


def _is_given(command: "Command") -> bool:
    """Whether find or xargs adds names of files to the command."""
    return any(wrapper.partition(" ")[0] in GIVERS for wrapper in command.via)


def _is_find(words: list[str]) -> bool:
    return words[0].rpartition("/")[2] == "find"


def _dashed(words: list[str]) -> list[str]:
    """`tar tzf x` is `tar -tzf x`; without a dash, `tfz x` has the same meaning, and with a dash another one."""
    if words and words[0].isalpha() and "f" in words[0][:-1]:
        raise Spoiled("the name of tar's archive is not clear")
    return [f"-{words[0]}", *words[1:]] if words and words[0].isalpha() else words


def _without_exec(words: list[str]) -> list[str]:
    """The words of find without the command behind -exec: `look.commands` lists the command separately."""
    kept: list[str] = []
    inside = False
    for word in words:
        if inside:
            inside = word not in (";", "+")
        else:
            kept.append(word)
            inside = word == "-exec"
    if inside:
        raise Spoiled("the command behind -exec of find has no end")
    return kept

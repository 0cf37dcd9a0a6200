"""Whether a command line may run without a question: hookkit must know every command of the line, with all words.

Programs that write the files in their words are here, too, for `work`: which operands are read, and which change.
"""

import os

from hookkit.errors import Spoiled
from hookkit.policy.call import is_device
from hookkit.programs import effects
from hookkit.programs.catalogue import Program
from hookkit.programs.options import Parsed, parse, read_option
from hookkit.shell.expand import is_pattern
from hookkit.shell.state import UNKNOWN
from hookkit.verdicts.approve import checks
from hookkit.verdicts.approve.checks import CHECKS
from hookkit.verdicts.approve.paths import DEVICES, Ground
from hookkit.verdicts.approve.readers import Reading, is_safe, known, program, read
from hookkit.verdicts.approve.tree import Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.shell.commands import Command
    from hookkit.shell.resolve import Resolution


# -- programs that write ---------------------------------------------------------------------------


MODES = ("+x", "u+x", "a+x", "755", "644", "0755", "0644", "700", "600", "u+rw", "-x")


class Written:
    """Files of a command: `changed` get a new content or vanish, `read` are copied."""

    __slots__ = ("changed", "read")

    def __init__(self) -> None:
        self.changed: list[str] = []
        self.read: list[str] = []


def written_by(reading: Reading) -> Written:
    """The files of a command whose record is `undoable`, by the roles of its operands."""
    files = Written()
    name, operands = reading.name, reading.operands
    if not operands:
        raise Spoiled(f"{name} names no file")
    roles = effects.roles_of(reading.record, reading.parsed)
    if roles in (["reads*", "writes"], ["moves*", "writes"]):
        _copied(reading, files, moves=roles[0] == "moves*")
    elif any(option in ("-s", "--size") and not _is_small(value) for option, value in reading.values):
        raise Spoiled(f"{name} may fill the disk")
    elif roles in (["makes*"], ["names*"]):
        _inside(operands, reading)  # a directory has no content for git to bring back
    elif name == "chmod":
        if operands[0] not in MODES:
            raise Spoiled(f"chmod {operands[0]} is not known to be harmless")
        _inside(operands[1:], reading)
    else:
        files.changed = [reading.ground.write(path, reading.directory) for path in operands]
    return files


def _is_small(size: str) -> bool:
    """At most a few megabytes: `0`, `+100`, `10K`, `4M`."""
    number, unit = size.lstrip("+-<>/%").rstrip("KMB"), size[-1:]
    most = {"K": 10_000, "M": 10}.get(unit, 10_000_000)
    return number.isdigit() and int(number) <= most


def _inside(paths: list[str], reading: Reading) -> None:
    for path in paths:
        reading.ground.write(path, reading.directory)


def _copied(reading: Reading, written: Written, *, moves: bool) -> None:
    ground, directory = reading.ground, reading.directory
    *sources, goal = reading.operands
    if not sources:
        raise Spoiled(f"{reading.name} names no goal")
    real = ground.write(goal, directory) if goal not in (".", "./") else os.path.realpath(directory or "/")
    into = os.path.isdir(real) or goal.endswith("/")
    if len(sources) > 1 and not into:
        raise Spoiled(f"{goal} is not a directory")
    for source in sources:
        if moves and os.path.islink(os.path.join(directory or "/", source)):
            raise Spoiled(f"{source} is a link, which would lead to another file from its new place")
        if moves:
            written.changed.append(ground.write(source, directory))
            if not os.path.lexists(written.changed[-1]):
                raise Spoiled(f"{source} is not there yet")
        else:
            written.read.append(source)
        place = os.path.join(goal, os.path.basename(source.rstrip("/"))) if into else goal
        written.changed.append(ground.write(place, directory))


def in_place(words: list[str]) -> list[str] | None:
    """The words of sed without `-i`; None without the option. A suffix would make a second file: not known."""
    options: list[str] = []
    is_in_place = False
    for at, word in enumerate(words):
        if word == "--":
            return [*options, *words[at:]] if is_in_place else None
        is_short = len(word) > 1 and word[0] == "-" and word[1] != "-"
        if word == "--in-place" or (is_short and word[-1] == "i" and word[1:-1].strip("nErsuz") == ""):
            is_in_place = True
            options += [word[:-1]] if is_short and len(word) > 2 else []  # noqa: PLR2004 - `-Ei`
        else:
            options.append(word)
    return options if is_in_place else None


def written_by_sed(reading: Reading) -> Written:
    checks.sed(reading)
    directory = reading.directory
    if any(" " in path and not os.path.lexists(os.path.join(directory or "/", path)) for path in reading.paths):
        raise Spoiled("a file of sed may be a script on macOS, where -i has a value")
    files = Written()
    files.changed = [reading.ground.write(path, directory) for path in reading.paths]
    return files


# -- lines -----------------------------------------------------------------------------------------


INPUT, OUTPUT = ("<",), (">", ">>", ">|", "&>", "&>>", ">&")
PROGRAMS_IN_WORDS = ("sed", "awk", "jq")  # their programs have a check of their own
GIVERS = ("find", "xargs")  # give the names of files to another program
LONGEST = 20_000  # characters of a line: a longer line is read by a person


class Approvable:
    """The commands of an approved line by kind: commands that only read, written files, the project's own commands."""

    def __init__(self, ground: Ground, *, work: bool) -> None:
        self.ground = ground
        self.catalogue = ground.call.catalogue
        self.work = work
        self.is_own: Callable[[Command, Ground], bool] = lambda _, __: False  # a command of the project
        self.read = 0
        self.written: list[str] = []
        self.changes: list[str] = []  # the real paths of changed files
        self.streams: list[str] = []  # those of them that grow while the line runs
        self.runs: list[str] = []
        self.is_narrow = False  # every find names its files by -name alone: no `-o`, no `!`
        self.stages = False  # the line puts files into git's index

    def check(self, look: "Resolution") -> None:
        """Raise Spoiled at the first unknown part."""
        if look.doubts:
            raise Spoiled(f"hookkit cannot tell what this would run: {look.doubts[0]}")
        if len(look.line) > LONGEST:
            raise Spoiled("the line is too long")
        if not look.plain:
            raise Spoiled("the script does more than to run commands with plain words")
        tree = Tree()
        if look.tree is not None:  # PowerShell has none
            tree.check(look.tree)
        if not look.commands:
            raise Spoiled("the line has no command")
        if tree.private:
            raise Spoiled(f"the value of ${tree.private} is not known, and may be a secret")
        words = [word for command in look.commands if _is_find(command.words) for word in command.words]
        self.is_narrow = not {"-o", "-or", "-not", "!", ",", "-regex", "-iregex", "-L", "-follow", "-lname"} & {*words}
        shown = self.ground.shown
        for command in look.commands:
            before, grown = len(shown), len(self.streams)
            self.command(command, look)
            if not set(shown[before:]).isdisjoint(self.streams[grown:]):
                raise Spoiled("a program reads the file that it writes, and may never end")
        if tree.has_pipe and any(f"{path}/".startswith(f"{read}/") for path in self.streams for read in shown):
            raise Spoiled("the line reads a file that it writes, and may never end")

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
        record = self.catalogue.get(name)
        is_wrapper = record.has("harmless") and (command.transparent or name == "xargs")
        if is_wrapper and any(name in other.via for other in look.commands):
            _harmless_wrapper(record, command.words)
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
            if path in DEVICES:
                raise Spoiled(f"{path} never ends, or is the terminal of the person")
            if is_device(path):
                continue
            if path.startswith("!"):
                raise Spoiled("for zsh, >! overwrites the file that follows")
            if operator in INPUT:
                self.ground.read(path, command.directory)
            elif operator in OUTPUT and self.work:
                self.streams.append(self.ground.write(path, command.directory))
                self._written(self.streams[-1:], [path])
            else:
                raise Spoiled(f"the line writes {path}")

    def _writes(self, name: str, command: "Command") -> bool:
        """Whether the program writes the files named in its words. The files go to `changes` and `written`."""
        parsed = parse([name, *command.words[1:]], self.catalogue)
        inner = in_place(command.words[1:]) if name == "sed" else None
        if inner is not None:
            parsed = read([name, *inner], self.catalogue)
            reading = Reading(parsed, inner, command.directory, self.ground)
            self._written(written_by_sed(reading).changed, reading.paths)
            return True
        if not parsed.record.has("undoable"):
            return False
        known(name, command.words, parsed)
        reading = Reading(parsed, command.words[1:], command.directory, self.ground)
        if parsed.record.text("check") == "git":
            self._stages(reading)
            return True
        files = written_by(reading)
        for path in files.read:
            self.ground.read(path, command.directory)
        self.streams += files.changed if name == "tee" else []
        self._written(files.changed, reading.operands)
        return True

    def _stages(self, reading: Reading) -> None:
        """A plain `git add`: the files stay as they are, and git keeps a copy."""
        if _moved(reading.parsed, [reading.name, *reading.words]):
            raise Spoiled("git works in another directory")
        reading.paths = list(reading.operands)
        CHECKS["git"](reading)
        self._paths(reading)
        self.stages = True

    def _written(self, real: list[str], shown: list[str]) -> None:
        self.changes += real
        self.written += [path for path in shown if path not in self.written]

    def _reads(self, command: "Command") -> None:
        words = _without_exec(command.words) if _is_find(command.words) else command.words
        parsed = read(words, self.catalogue)
        directory = command.directory
        moved = _moved(parsed, words)
        if moved:
            directory = f"{directory}/{moved}" if moved[:1] != "/" and directory else moved
        if _is_given(command):
            self._given(parsed, words[1:])
        reading = Reading(parsed, words[1:], directory, self.ground)
        check = reading.record.text("check")
        if check in CHECKS:
            CHECKS[check](reading)
        for path in parsed.values_of("reads"):
            self.ground.read(path, directory)
        for path in parsed.values_of("paths"):
            if path[:2] == "//":
                raise Spoiled(f"{path} is on another machine, which would get your login")
            self.ground.read(path, directory, names=True)
        self._paths(reading)
        self.read += 1

    def _given(self, parsed: Parsed, words: list[str]) -> None:
        """A program that shows the content of given files is followed only for a plain ending, like `*.py`."""
        roles = {role.rstrip("*") for role in parsed.record.words_of("operands")}
        shows = not roles <= {"names", "text", "none"} and not parsed.record.has("names")
        for word in words:
            _, dot, ending = word.rpartition("/")[2].rpartition(".")
            is_known = not shows or (self.is_narrow and dot and ending.isalnum())
            if UNKNOWN in word or (is_pattern(word) and not is_known):
                raise Spoiled(f"the files that find or xargs gives to {parsed.operands[0]} are not known")

    def _paths(self, reading: Reading) -> None:
        below = effects.reads_below(reading.parsed)
        for path in reading.paths or (["."] if below else []):
            self.ground.read(path, reading.directory, names=reading.names, below=below)


def _harmless_wrapper(record: Program, words: list[str]) -> None:
    """Every option in front of the wrapped program must be harmless."""
    place = 1
    while place < len(words) and words[place][:1] == "-" and words[place] != "--":
        options, taken = read_option(words[place], words[place + 1] if place + 1 < len(words) else None, record)
        spoils = next((option for option, _ in options if not is_safe(option, record)), "")
        if spoils:
            raise Spoiled(f"{spoils} is not an option of {record.name} that is known to only read")
        place += 1 + taken


def _moved(parsed: Parsed, words: list[str]) -> str:
    """The directory of `git -C`."""
    base = parsed.records[0]
    if base.name != "git":
        return ""
    moved = ""
    place = 1
    while place < len(words) and words[place][:1] == "-":
        options, taken = read_option(words[place], words[place + 1] if place + 1 < len(words) else None, base)
        for option, value in options:
            if option == "-C" and moved:
                raise Spoiled("git changes its directory twice")
            moved = (value or "") if option == "-C" else moved
        place += 1 + taken
    return moved


def _is_given(command: "Command") -> bool:
    """Whether find or xargs adds names of files to the command."""
    return any(wrapper.partition(" ")[0] in GIVERS for wrapper in command.via)


def _is_find(words: list[str]) -> bool:
    return words[0].rpartition("/")[2] == "find"


def _without_exec(words: list[str]) -> list[str]:
    """The words of find without the command behind -exec: `look.commands` lists the command separately."""
    words_left: list[str] = []
    inside = False
    for word in words:
        if inside:
            inside = word not in (";", "+")
        else:
            words_left.append(word)
            inside = word == "-exec"
    if inside:
        raise Spoiled("the command behind -exec of find has no end")
    return words_left

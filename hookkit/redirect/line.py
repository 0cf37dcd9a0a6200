"""Replaces commands of a line by the project's own commands, in place: the rest of the line stays byte for byte."""

import os

from hookkit.programs.catalogue import SHIPPED
from hookkit.programs.options import read_option
from hookkit.programs.words import is_option
from hookkit.redirect import detectors, toolchains
from hookkit.redirect.detectors import SCRIPT, Detector
from hookkit.redirect.search import CommandSearch, ProjectCommand
from hookkit.redirect.targets import TaskFiles
from hookkit.shell.follow.wrappers import peel
from hookkit.shell.resolve import Resolution
from hookkit.shell.syntax import LITERAL, Script, Simple, Word
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings


RECORDS = {"script": "npm run", "maven": "mvn"}  # families of commands with a record of another name


def is_cosmetic(words: list[str | None], family: str) -> bool:
    """Whether a run with these arguments is the same run as a run without them."""
    record = SHIPPED.get(RECORDS.get(family, family))
    cosmetic, everything, whole = record.words_of("cosmetic"), record.words_of("everything"), record.text("whole")
    if whole and whole not in words:  # without this operand the command covers only a part of the project
        return False
    place = 0
    while place < len(words):
        word = words[place]
        following = words[place + 1] if place + 1 < len(words) else None
        place += 1
        if word is None:
            return False
        if word in everything or (word in cosmetic and word not in record.value):
            continue
        if not is_option(word):
            return False
        options, taken = read_option(word, following, record)
        if any(option not in cosmetic or (option in record.value and value is None) for option, value in options):
            return False
        place += taken
    return True


Edit = tuple[int, int, str]

ESCAPE = "command"  # `command pytest` runs as written: the shell's own word against aliases, and it keeps the exit code
# Options that decide when a run stops: letters of a cluster, and long options. A run without them is another run.
STOPS = {
    "pytest": ("x", "--exitfirst --maxfail"),
    "cargo test": ("", "--no-fail-fast"),
    "go test": ("", "-failfast"),
    "jest": ("", "--bail"),
    "vitest": ("", "--bail"),
    "mocha": ("b", "--bail"),
    "gradle": ("", "--continue"),
}


class CommandChange:
    """One replaced command of a line: its text before and after; `command` is None where only a `!` was removed."""

    __slots__ = ("action", "command", "edits", "new", "old")

    def __init__(
        self,
        line: str,
        span: tuple[int, int],
        edits: list[Edit],
        action: str = "",
        command: ProjectCommand | None = None,
    ) -> None:
        start, end = span
        self.edits = edits
        self.action = action
        self.command = command
        self.old = line[start:end]
        self.new = _apply(self.old, [(first - start, last - start, text) for first, last, text in edits])


class Rewrite:
    """The new line and its changes."""

    __slots__ = ("changes", "text")

    def __init__(self, line: str, changes: list[CommandChange]) -> None:
        self.changes = changes
        self.text = _apply(line, [edit for change in changes for edit in change.edits])

    @property
    def actions(self) -> list[str]:
        return list(dict.fromkeys(change.action for change in self.changes if change.action))

    @property
    def commands(self) -> list[ProjectCommand]:
        return [change.command for change in self.changes if change.command is not None]

    @property
    def whole(self) -> bool:
        """Whether the line consists only of the project's command."""
        return len(self.changes) == 1 and [self.text] == [command.text for command in self.commands]


def rewrite(
    line: str, directory: str, settings: "Settings", look: Resolution | None = None, *, takes_off: bool = False
) -> Rewrite | None:
    """The line with the project's own commands, or None where they are already there, or nothing may be touched.

    `look` is the resolved line, where the guard has looked at it before. `takes_off` removes the mark of `! pytest`.
    """
    if look is None or look.line != line:
        look = Resolution(line, directory=directory, home=files.home(settings.environ), is_directory=os.path.isdir)
    if look.tree is None or look.doubts:
        return None
    if _escapes(look.tree):
        return _without_mark(line, directory, settings) if takes_off and len(look.tree.items) == 1 else None
    tasks = TaskFiles()
    placed = _placed(look, settings)
    changes = [change for command in placed if (change := _replace(line, command, tasks, settings)) is not None]
    if any(_activates(other.words) for other in look.commands):
        changes = [change for change in changes if change.command is None or not change.command.runner]
    if not changes or _overlap([edit for change in changes for edit in change.edits]):
        return None
    return Rewrite(line, changes)


class Placed:
    """A command of the line itself, with the one directory that it can run in."""

    __slots__ = ("command", "directory")

    def __init__(self, command: Simple, directory: str) -> None:
        self.command = command
        self.directory = directory


def _placed(look: Resolution, settings: "Settings") -> list[Placed]:
    """Commands that stand in the line as they are: not negated, not a function of the line, in a known directory."""
    places: dict[int, set[str | None]] = {}
    nodes: dict[int, Simple] = {}
    spoilt: set[int] = set()
    moved = "CDPATH" in settings.environ and any(command.words[0] == "cd" for command in look.commands)
    for command in look.commands:
        if command.node is None or command.via:
            continue
        nodes[id(command.node)] = command.node
        places.setdefault(id(command.node), set()).add(None if moved else command.directory)
        if command.negated or command.defined:
            spoilt.add(id(command.node))
    commands = []
    for key, node in nodes.items():
        here = places[key]
        where = next(iter(here))
        if len(here) == 1 and where is not None and key not in spoilt:
            commands.append(Placed(node, where))
    return commands


def _activates(words: list[str]) -> bool:
    """Whether a command chooses the environment of later ones: `uv run` would take another."""
    first, *rest = words[:2]
    if first in ("source", "."):
        return bool(rest) and rest[0].rpartition("/")[2].startswith("activate")
    return first == "workon" or (first in ("conda", "mamba", "micromamba") and rest == ["activate"])


def _escapes(script: Script) -> bool:
    """`! pytest` is a way to run a command without a redirect."""
    return bool(script.items) and script.items[0][0].negated


def _without_mark(line: str, directory: str, settings: "Settings") -> Rewrite | None:
    """`! pytest -q` as `pytest -q`, if the mark was meant for us: bash would turn a failed run into a success.

    Only a line that would be redirected without the mark loses it: `! pytest tests/test_bug.py` is a negation.
    """
    start = line.index("!")
    end = start + 1
    while line[end : end + 1] in (" ", "\t"):
        end += 1
    if rewrite(line[end:], directory, settings) is None:
        return None
    return Rewrite(line, [CommandChange(line, (start, len(line)), [(start, end, "")])])


def _replace(line: str, placed: Placed, tasks: TaskFiles, settings: "Settings") -> CommandChange | None:
    """The change of one command, if the project has a command of its own for it."""
    words = placed.command.words
    texts = [word.text for word in words]
    start = peel(texts)
    if start >= len(words) or ESCAPE in texts[:start]:
        return None
    rows = (*detectors.user_rows(settings["redirect.detectors"]), *detectors.ROWS)
    program = texts[start] or ""
    span = (words[start].start, words[-1].end)
    if program.startswith("!") and words[start].plain and detectors.match([program[1:], *texts[start + 1 :]], rows):
        return CommandChange(line, span, [(span[0], span[0] + 1, "")])
    detector = detectors.match(texts[start:], rows)
    if detector is None or not os.path.isdir(placed.directory):
        return None
    runner, row = detector
    here = os.path.realpath(placed.directory)  # make, cargo and others search upward from the real path
    path = settings.environ.get("PATH", os.defpath)
    search = CommandSearch(here, files.repository(here), tasks, settings["toolchains"], path)
    command = search.find(row.action, row.words[0], row.family)
    if command is None or (row.foreign and not command.own):
        return None
    count = (runner.count(" ") + 1 if runner else 0) + len(row.words)
    detected = DetectedCommand(line, words[start : start + count], words[start + count :], runner, row)
    if toolchains.is_other_run(command.recipe, texts) and row.family != command.family:
        return None
    edits = detected.edits(command, settings["redirect.arguments"])
    return CommandChange(line, span, edits, row.action, command) if edits else None


class DetectedCommand:
    """A command that matches a detector's row: the words of its name (`head`) and its arguments (`rest`)."""

    def __init__(self, line: str, head: list[Word], rest: list[Word], runner: str, row: Detector) -> None:
        self.line = line
        self.head = head
        self.rest = rest
        self.runner = runner
        self.row = row

    def edits(self, target: ProjectCommand, policy: str) -> list[Edit]:
        """No edits where the command is already the project's own, or where the new run would not be the same."""
        if self.is_own(target) or self.is_torn():
            return []
        text = target.text
        if self.row.family == target.family == "pytest" or (self.row.family == target.family and target.runner):
            skip = self.runner.count(" ") + 1 if self.runner else 0
            text = target.runner + self.line[self.head[skip].start : self.head[-1].end]
        start, end = self.head[0].start, self.head[-1].end
        if not self.rest and (self.row.family == target.family or is_cosmetic([], self.row.family)):
            return [(start, end, text)]
        if policy == "drop":
            return [(start, end, text), *self.dropped(self.rest)]
        if policy == "pass-through" or self.row.family == target.family:
            return self.kept(target, text)
        if is_cosmetic([_constant(word) for word in self.rest], self.row.family) and not self.stops_early():
            return [(start, end, text), *self.dropped(self.rest)]
        return self.kept(target, text) if self.runs_it(target) else []

    def is_own(self, target: ProjectCommand) -> bool:
        """Whether the command is the project's own tool, with the right package manager or runner."""
        if self.row.family != target.family:
            return False
        if target.family == SCRIPT:
            return self.head[0].text == target.toolchain
        return not target.runner or self.runner + " " == target.runner

    def is_torn(self) -> bool:
        """Whether a redirection stands between the words of the command's name: too unusual to edit."""
        between = zip(self.head, self.head[1:], strict=False)
        return any(self.line[one.end : two.start].strip(" \t\\\n") for one, two in between)

    def runs_it(self, target: ProjectCommand) -> bool:
        """Whether the script runs only this tool, without operands: else the arguments would mean something else."""
        program, *options = target.body.split() or [""]
        plain = not any(char in target.body for char in "&|;<>$`\"'(")
        return plain and program == self.row.family and all(option.startswith("-") for option in options)

    def stops_early(self) -> bool:
        """Whether an option decides when the run stops: without `-x` it would be another run."""
        letters, options = STOPS.get(self.row.family, ("", ""))
        for text in (word.text or "" for word in self.rest):
            is_cluster = text[:1] == "-" and text[1:2] != "-" and any(letter in text for letter in letters)
            if is_cluster or text.partition("=")[0] in options.split():
                return True
        return False

    def dropped(self, words: list[Word]) -> list[Edit]:
        """Remove each word with the blanks before it."""
        return [(self.blank_before(word.start), word.end, "") for word in words]

    def blank_before(self, at: int) -> int:
        while self.line[at - 1] in " \t":
            at -= 1
        return at

    def is_for_script(self) -> bool:
        """Whether the arguments before `--` are cosmetic, or plain words for the script."""
        texts = [word.text for word in self.rest]
        own = texts[: texts.index("--")] if "--" in texts else texts
        return is_cosmetic([text for text in own if text is None or text.startswith("-")], SCRIPT)

    def kept(self, target: ProjectCommand, text: str) -> list[Edit]:
        """Keep the arguments; npm needs `--` before them, the other package managers do not."""
        start, end = self.head[0].start, self.head[-1].end
        rest = self.rest
        edits: list[Edit] = []
        if self.head[0].text == "npm" and not self.is_for_script():
            return []  # npm's own options have another meaning, or none, for another tool
        if self.row.family == SCRIPT and any(word.text == "--" for word in rest):
            at = next(index for index, word in enumerate(rest) if word.text == "--")
            if not is_cosmetic([word.text for word in rest[:at]], SCRIPT):
                return []
            edits = self.dropped(rest[: at + 1])
            rest = rest[at + 1 :]
        dashes = " --" if target.takes == toolchains.DASHES and rest else ""
        return [(start, end, text + dashes), *edits]


def _constant(word: Word) -> str | None:
    """The word's text, or None where the shell would expand braces or patterns in it."""
    bare = "".join(part.text for part in word.parts if part.kind == LITERAL and not part.quoted)
    return None if any(char in bare for char in "{*?[") else word.text


def _overlap(edits: list[Edit]) -> bool:
    """Whether a replaced command lies inside the arguments of another replaced command."""
    ordered = sorted(edits)
    return any(one[1] > two[0] for one, two in zip(ordered, ordered[1:], strict=False))  # noqa: RUF007 - itertools is not loaded


def _apply(line: str, edits: list[Edit]) -> str:
    pieces = []
    at = 0
    for start, end, text in sorted(edits):
        glued = text[-1:].isdigit() and line[end : end + 1] in (
            "<",
            ">",
        )  # a digit before < or > would become a file descriptor
        pieces += [line[at:start], text + " " * glued]
        at = end
    return "".join([*pieces, line[at:]])

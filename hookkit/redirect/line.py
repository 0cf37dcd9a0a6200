"""Replaces the commands of a line by the project's own, in place: everything else stays byte for byte."""

import os

from hookkit.redirect import detectors, toolchains
from hookkit.redirect.arguments import only_looks
from hookkit.redirect.detectors import SCRIPT, Detector
from hookkit.redirect.toolchains import Target
from hookkit.shell.resolve import Resolution
from hookkit.shell.syntax import LITERAL, Script, Simple, Word
from hookkit.shell.wrappers import peel
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

Edit = tuple[int, int, str]


class Rewrite:
    """`whole` says that nothing of the line is left but what we wrote."""

    __slots__ = ("actions", "text", "whole")

    def __init__(self, text: str, actions: list[str], *, whole: bool) -> None:
        self.text = text
        self.actions = actions
        self.whole = whole


def rewrite(line: str, directory: str, settings: "Settings", look: Resolution | None = None) -> Rewrite | None:
    """The line with the project's own commands, or None where they are already there, or nothing may be touched.

    `look` is the resolved line, where the guard has looked at it before.
    """
    if look is None or look.line != line:
        look = Resolution(line, directory=directory, home=files.home(settings.environ), is_directory=os.path.isdir)
    if look.tree is None or look.doubts or _escapes(look.tree):
        return None
    edits: list[Edit] = []
    actions: list[str] = []
    texts: list[str] = []
    for placed in _placed(look, settings):
        found = _replace(line, placed, settings)
        if found is not None:
            edits += found[0]
            actions += [found[1]] if found[1] and found[1] not in actions else []
            texts.append(found[2])
    if not edits or _overlap(edits):
        return None
    text = _apply(line, edits)
    return Rewrite(text, actions, whole=len(texts) == 1 and text == texts[0])


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
    found = []
    for key, node in nodes.items():
        here = places[key]
        where = next(iter(here))
        if len(here) == 1 and where is not None and key not in spoilt:
            found.append(Placed(node, where))
    return found


def _escapes(script: Script) -> bool:
    """`! pytest`: the one who writes it means just that."""
    return bool(script.items) and script.items[0][0].negated


def _replace(line: str, placed: Placed, settings: "Settings") -> tuple[list[Edit], str, str] | None:
    """The edits for one command, its action, and the command that now stands there."""
    words = placed.command.words
    texts = [word.text for word in words]
    start = peel(texts)
    if start >= len(words):
        return None
    rows = (*detectors.user_rows(settings["redirect.detectors"]), *detectors.ROWS)
    program = texts[start] or ""
    if program.startswith("!") and words[start].plain and detectors.match([program[1:], *texts[start + 1 :]], rows):
        at = words[start].start
        return [(at, at + 1, "")], "", ""
    found = detectors.match(texts[start:], rows)
    if found is None or not os.path.isdir(placed.directory):
        return None
    runner, row = found
    here = os.path.realpath(placed.directory)  # where make and its kin would look upward from
    target = toolchains.detect(here, row.action, files.repository(here), settings["toolchains"], row.family)
    if target is None or (row.foreign and not target.own):
        return None
    count = (runner.count(" ") + 1 if runner else 0) + len(row.words)
    match = Match(line, words[start : start + count], words[start + count :], runner, row)
    edits = match.edits(target, settings["redirect.arguments"])
    return (edits, row.action, target.text) if edits else None


class Match:
    """A command that a detector knows: the words that name it, and the arguments behind them."""

    def __init__(self, line: str, head: list[Word], rest: list[Word], runner: str, row: Detector) -> None:
        self.line = line
        self.head = head
        self.rest = rest
        self.runner = runner
        self.row = row

    def edits(self, target: Target, policy: str) -> list[Edit]:
        """None at all where the command is the project's own already, or would not be the same run."""
        if self.is_own(target) or self.is_torn():
            return []
        text = target.text
        if self.row.family == target.family == "pytest" or (self.row.family == target.family and target.runner):
            skip = self.runner.count(" ") + 1 if self.runner else 0
            text = target.runner + self.line[self.head[skip].start : self.head[-1].end]
        start, end = self.head[0].start, self.head[-1].end
        if not self.rest and (self.row.family == target.family or only_looks([], self.row.family)):
            return [(start, end, text)]
        if policy == "drop":
            return [(start, end, text), *self.dropped(self.rest)]
        if policy == "pass-through" or self.row.family == target.family:
            return self.kept(target, text)
        if only_looks([_told(word) for word in self.rest], self.row.family):
            return [(start, end, text), *self.dropped(self.rest)]
        return self.kept(target, text) if self.runs_it(target) else []

    def is_own(self, target: Target) -> bool:
        """The same tool: only another package manager or runner is still worth a change."""
        if self.row.family != target.family:
            return False
        if target.family == SCRIPT:
            return self.head[0].text == target.toolchain
        return not target.runner or self.runner + " " == target.runner

    def is_torn(self) -> bool:
        """A redirection in the midst of the command's name: nobody writes that, and we leave it alone."""
        between = zip(self.head, self.head[1:], strict=False)
        return any(self.line[one.end : two.start].strip(" \t\\\n") for one, two in between)

    def runs_it(self, target: Target) -> bool:
        """Whether the new command is a script of nothing but this tool: with operands of its own, or another command
        behind it, arguments would mean something else there.
        """
        program, *options = target.body.split() or [""]
        plain = not any(char in target.body for char in "&|;<>$`\"'(")
        return plain and program == self.row.family and all(option.startswith("-") for option in options)

    def dropped(self, words: list[Word]) -> list[Edit]:
        """Each word goes with the blanks before it."""
        return [(self.blank_before(word.start), word.end, "") for word in words]

    def blank_before(self, at: int) -> int:
        while self.line[at - 1] in " \t":
            at -= 1
        return at

    def is_for_script(self) -> bool:
        """Whether all that stands before `--` only changes how the run looks, or is a plain word for the script."""
        texts = [word.text for word in self.rest]
        own = texts[: texts.index("--")] if "--" in texts else texts
        return only_looks([text for text in own if text is None or text.startswith("-")], SCRIPT)

    def kept(self, target: Target, text: str) -> list[Edit]:
        """The arguments stay; npm wants `--` before them, the others want none."""
        start, end = self.head[0].start, self.head[-1].end
        rest = self.rest
        edits: list[Edit] = []
        if self.head[0].text == "npm" and not self.is_for_script():
            return []  # npm's own options mean nothing, or something else, to another
        if self.row.family == SCRIPT and any(word.text == "--" for word in rest):
            at = next(index for index, word in enumerate(rest) if word.text == "--")
            if not only_looks([word.text for word in rest[:at]], SCRIPT):
                return []
            edits = self.dropped(rest[: at + 1])
            rest = rest[at + 1 :]
        dashes = " --" if target.takes == toolchains.DASHES and rest else ""
        return [(start, end, text + dashes), *edits]


def _told(word: Word) -> str | None:
    """What a word says, unless the shell would make something else of it: braces, patterns."""
    bare = "".join(part.text for part in word.parts if part.kind == LITERAL and not part.quoted)
    return None if any(char in bare for char in "{*?[") else word.text


def _overlap(edits: list[Edit]) -> bool:
    """A command inside the arguments of another that is replaced too: too clever to be touched."""
    ordered = sorted(edits)
    return any(one[1] > two[0] for one, two in zip(ordered, ordered[1:], strict=False))  # noqa: RUF007 - itertools is not loaded


def _apply(line: str, edits: list[Edit]) -> str:
    pieces = []
    at = 0
    for start, end, text in sorted(edits):
        glued = text[-1:].isdigit() and line[end : end + 1] in ("<", ">")  # would become a descriptor's number
        pieces += [line[at:start], text + " " * glued]
        at = end
    return "".join([*pieces, line[at:]])

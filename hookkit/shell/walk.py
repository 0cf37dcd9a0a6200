"""Every simple command of a line, with the directory in which it would run."""

import os

from hookkit.shell.syntax import ARRAY, Compound, Pipeline, Script, Simple, Word
from hookkit.shell.wrappers import peel


class Placed:
    """`directory` is None where only a running shell can tell; `own` says that the line itself defined the program."""

    __slots__ = ("command", "directory", "negated", "own")

    def __init__(self, command: Simple, directory: str | None, *, negated: bool, own: bool) -> None:
        self.command = command
        self.directory = directory
        self.negated = negated
        self.own = own


class Walk:
    """Follows `cd` as the shell would: through lists and groups, but not out of subshells and pipelines."""

    def __init__(self, directory: str, home: str, cdpath: str = "") -> None:
        self.directory: str | None = directory
        self.home = home
        self.cdpath = bool(cdpath)  # then a relative cd may lead anywhere
        self.found: list[Placed] = []
        self.functions: set[str] = set()

    def script(self, script: Script) -> None:
        """Lists of pipelines joined by && and ||: behind a & the whole list runs apart."""
        if not script.attached:
            return
        group: list[Pipeline] = []
        for pipeline, operator in script.items:
            group.append(pipeline)
            if operator not in ("&&", "||"):
                self.chain(group, apart=operator == "&")
                group = []
        self.chain(group, apart=False)

    def chain(self, group: "list[Pipeline]", *, apart: bool) -> None:
        """A cd that only happens if something before it succeeded leaves the place behind the list unknown."""
        before = self.directory
        moved = False
        for number, pipeline in enumerate(group):
            here = self.directory
            if len(pipeline.commands) > 1:
                self.apart(pipeline)
            else:
                self.command(pipeline.commands[0], pipeline)
            moved = moved or (number > 0 and self.directory != here)
        if apart:
            self.directory = before
        elif moved:
            self.directory = None

    def apart(self, part: "Pipeline | Script") -> None:
        """What a subshell does to its directory is forgotten with it."""
        before = self.directory
        if isinstance(part, Script):
            self.script(part)
        else:
            for command in part.commands:
                self.directory = before
                self.command(command, part)
        self.directory = before

    def command(self, command: "Simple | Compound", pipeline: Pipeline) -> None:
        for word in _words(command):
            self.substitutions(word)
        if isinstance(command, Simple):
            self.cdpath = self.cdpath or any(_sets(word, "CDPATH") for word in command.assignments)
            own = bool(command.words) and command.words[0].text in self.functions
            self.found.append(Placed(command, self.directory, negated=pipeline.negated, own=own))
            self.move(command)
        elif command.kind == "function":
            self.functions.add(command.name)
        elif command.kind in ("(", "((", "coproc"):
            for script in command.scripts:
                self.apart(script)
        else:
            self.branches(command)

    def substitutions(self, word: Word) -> None:
        for part in word.parts:
            for script in part.scripts:
                self.apart(script)
            if part.kind == ARRAY:
                for inner in part.words:
                    self.substitutions(inner)

    def branches(self, command: Compound) -> None:
        """Where a branch or a loop moves, nobody knows in which directory its commands and those behind it run."""
        before = self.directory
        count = len(self.found)
        moved = False
        for script in command.scripts:
            self.script(script)
            moved = moved or self.directory != before
        if not moved or command.kind == "{":
            return
        self.directory = None
        for placed in self.found[count:]:
            placed.directory = None

    def move(self, command: Simple) -> None:
        texts = [word.text for word in command.words]
        start = peel(texts)
        name = texts[start] if start < len(texts) else None
        if name in ("popd", "eval") or name in self.functions:
            self.directory = None
        elif name in ("cd", "pushd"):
            self.directory = self.target(texts[start + 1 :])

    def target(self, words: "list[str | None]") -> str | None:
        operands = [word for word in words if word not in ("-L", "-e", "--")]
        if not operands:
            return self.home or None
        goal = operands[0]
        if len(operands) > 1 or goal is None or goal.startswith("-") or self.directory is None:
            return None
        if goal == "~" or goal.startswith("~/"):
            return os.path.normpath(self.home + goal[1:]) if self.home else None
        if any(char in goal for char in "*?[{~") or (self.cdpath and goal[:1] not in "./"):
            return None
        return os.path.normpath(os.path.join(self.directory, goal))


def _sets(word: Word, name: str) -> bool:
    return bool(word.parts) and word.parts[0].text.startswith(f"{name}=")


def _words(command: "Simple | Compound") -> list[Word]:
    """Every word of a command whose expansion may run something."""
    assignments = command.assignments if isinstance(command, Simple) else []
    return [*assignments, *command.words, *(redirect.target for redirect in command.redirects)]

"""Every simple command of a line, with the directory in which it would run."""

import os

from hookkit.policy.syntax import Compound, Pipeline, Script, Simple, Word


class Placed:
    """`directory` is None where only a running shell can tell."""

    __slots__ = ("command", "directory", "negated")

    def __init__(self, command: Simple, directory: str | None, *, negated: bool) -> None:
        self.command = command
        self.directory = directory
        self.negated = negated


class Walk:
    """Follows `cd` as the shell would: through lists and groups, but not out of subshells and pipelines."""

    def __init__(self, directory: str, home: str) -> None:
        self.directory: str | None = directory
        self.home = home
        self.found: list[Placed] = []
        self.functions: set[str] = set()

    def script(self, script: Script) -> None:
        if not script.attached:
            return
        for pipeline, operator in script.items:
            if operator == "&" or len(pipeline.commands) > 1:
                self.apart(pipeline)
            else:
                self.pipeline(pipeline)

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

    def pipeline(self, pipeline: Pipeline) -> None:
        for command in pipeline.commands:
            self.command(command, pipeline)

    def command(self, command: "Simple | Compound", pipeline: Pipeline) -> None:
        for word in _words(command):
            self.substitutions(word)
        if isinstance(command, Simple):
            self.found.append(Placed(command, self.directory, negated=pipeline.negated))
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
            for inner in part.words:
                self.substitutions(inner)

    def branches(self, command: Compound) -> None:
        """After a branch or a loop that may have moved, nobody knows where we are; inside a loop that moves, too."""
        before = self.directory
        count = len(self.found)
        for script in command.scripts:
            self.script(script)
        if self.directory == before or command.kind == "{":
            return
        self.directory = None
        if command.kind in ("for", "while", "until", "select"):
            for placed in self.found[count:]:
                placed.directory = None

    def move(self, command: Simple) -> None:
        name = command.words[0].text if command.words else None
        if name in ("popd", "eval") or name in self.functions:
            self.directory = None
        elif name in ("cd", "pushd"):
            self.directory = self.target([word.text for word in command.words[1:]])

    def target(self, words: list[str | None]) -> str | None:
        operands = [word for word in words if word not in ("-P", "-L", "-e", "--")]
        if not operands:
            return self.home or None
        goal = operands[0]
        if len(operands) > 1 or goal is None or goal.startswith("-") or self.directory is None:
            return None
        if goal == "~" or goal.startswith("~/"):
            return os.path.normpath(self.home + goal[1:]) if self.home else None
        if any(char in goal for char in "*?[{~"):
            return None
        return os.path.normpath(os.path.join(self.directory, goal))


def _words(command: "Simple | Compound") -> list[Word]:
    """Every word of a command whose expansion may run something."""
    assignments = command.assignments if isinstance(command, Simple) else []
    return [*assignments, *command.words, *(redirect.target for redirect in command.redirects)]

"""What is certain of inputs and outputs: texts that the line prints, files that it makes, names that it lists."""

import os

from hookkit.shell import builtins, interpreters
from hookkit.shell.commands import Step
from hookkit.shell.expand import ROOM, Expander, Shell
from hookkit.shell.interpreters import LISTERS
from hookkit.shell.syntax import COMMAND, PROCESS, Compound, Pipeline, Redirect, Script, Simple, Word

TEXTS = ("<<", "<<-", "<<<")


class Outputs:
    """What the line has said so far."""

    def __init__(self) -> None:
        self.written: dict[str, str] = {}  # files that the line itself makes, with what is in them
        self.fetched: set[str] = set()  # those of them that come from elsewhere
        self.listed: dict[tuple[int, int], list[str]] = {}  # names of files that come in at a stage of a pipeline
        self.room = [ROOM]

    def placed(self, path: str, step: Step) -> str:
        return os.path.normpath(os.path.join(step.shell.directory or "", path))

    def write(self, path: str, content: str, step: Step) -> str:
        place = self.placed(path, step)
        self.written[place] = content
        return place

    def expander(self, step: Step) -> Expander:
        return builtins.Expansion(step.shell, lambda script: self.output(script, step), self.room)

    def given(self, redirects: list[Redirect], step: Step) -> str | None:
        """What stands on stdin: a here-document or a here-string, or what came before."""
        for redirect in reversed(redirects):
            if redirect.operator in ("<<", "<<-") and redirect.body is not None:
                return self.expander(step).text(redirect.body)
            if redirect.operator == "<<<":
                return self.expander(step).text(redirect.target) + "\n"
            if redirect.operator == "<" and redirect.fd in ("", "0"):
                place = self.placed(self.expander(step).text(redirect.target), step)
                return self.written.get(place, self.made(redirect.target, step))
        return step.stdin

    def made(self, word: Word, step: Step) -> str | None:
        """What `<(command)` hands on."""
        scripts = [script for part in word.parts for script in part.scripts]
        return self.output(scripts[0], step) if len(scripts) == 1 else None

    def output(self, script: Script, step: Step) -> str | None:
        """What a command line prints, where it does nothing but print."""
        pieces: list[str] = []
        shell = step.shell.copy()
        for pipeline, _ in script.items:
            said: str | None = None
            if self.moves(pipeline, step, shell):
                continue
            for command in pipeline.commands:
                inner = step.inside("", shell)
                inner.stdin = self.given(command.redirects, inner) if command.redirects else said
                said = self.output_of(command, inner)
            if said is None:
                return None
            pieces.append(said)
        return "".join(pieces) if pieces else None

    def output_of(self, command: "Simple | Compound", step: Step) -> str | None:
        if any(opens(redirect) and redirect.fd != "2" for redirect in command.redirects):
            return None
        if not isinstance(command, Simple):
            return self.output(command.scripts[0], step) if command.kind in ("(", "{") else None
        expander = self.expander(step)
        words = [field for word in command.words for field in expander.fields(word)]
        if not words or words[0] in step.shell.functions:
            return None
        if words[0] == "tee" or words == ["cat"]:
            return step.stdin
        if words[0] == "cat" and len(words) == 2:  # noqa: PLR2004
            return self.written.get(self.placed(words[1], step))
        return interpreters.says(words, step.shell)

    def moves(self, pipeline: Pipeline, step: Step, shell: Shell) -> bool:
        """`$(cd there && pwd)`: a change of directory prints nothing."""
        command = pipeline.commands[0]
        if len(pipeline.commands) > 1 or not isinstance(command, Simple) or command.words[:1] == []:
            return False
        if command.words[0].text != "cd" or "cd" in shell.functions:
            return False
        expander = self.expander(step.inside("", shell))
        goal = [field for word in command.words[1:] for field in expander.fields(word)][:1]
        builtins.go(goal[0] if goal else shell.home, shell)
        return True

    def names(self, command: "Simple | Compound", before: list[str] | None, step: Step) -> list[str] | None:
        """The names of files that a stage of a pipeline prints, as patterns."""
        if not before and not _lists(command):
            return None
        from hookkit.shell.listings import printed_by  # late: most pipelines begin otherwise

        return printed_by(self, command, before, step)

    def substituted(self, word: Word, step: Step) -> list[str] | None:
        """The names that `$(ls)` or `<(ls)` stands for."""
        if not any(part.kind in (COMMAND, PROCESS) for part in word.parts):
            return None
        from hookkit.shell.listings import substituted  # late: most words are written out

        return substituted(self, word, step)

    def incoming(self, step: Step) -> list[str] | None:
        """The names of files on stdin: from the stage before, or the one before a loop around us."""
        for place in reversed(step.places):
            if place in self.listed or place[1]:
                return self.listed.get(place)
        return None


def _lists(command: "Simple | Compound") -> bool:
    """Whether it looks like a listing; of git's many commands one does."""
    if not isinstance(command, Simple) or not command.words or command.words[0].text not in LISTERS:
        return False
    return command.words[0].text != "git" or any(word.text in ("ls-files", None) for word in command.words)


def opens(redirect: Redirect) -> bool:
    """Whether the redirection opens a file: not a copy of another, nor text."""
    if redirect.operator in TEXTS:
        return False
    text = redirect.target.text or ""
    return not (redirect.operator in ("<&", ">&") and (text.rstrip("-").isdigit() or text == "-"))

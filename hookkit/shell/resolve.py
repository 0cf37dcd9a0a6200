"""What a command line would run: every simple command in it, unquoted and unwrapped, with where and on what.

Branches and loops are all taken, since any of them may be. What cannot be told is said: it is never "fine".
"""

from hookkit.errors import ShellError
from hookkit.shell import builtins, wrappers
from hookkit.shell.commands import Act, Step
from hookkit.shell.effects import DELETERS
from hookkit.shell.expand import UNKNOWN, Shell
from hookkit.shell.following import ACTS, DEPTH, Following
from hookkit.shell.interpreters import VARIABLES, printed
from hookkit.shell.outputs import TEXTS, opens
from hookkit.shell.syntax import ARRAY, COMMAND, LITERAL, PROCESS, Compound, Pipeline, Redirect, Script, Simple, Word

LOOPS = 8  # values of a loop variable that are looked at


class Resolution(Following):
    """Everything that would run. `doubts` are the reasons why something else might, too."""

    def __init__(
        self,
        line: str,
        directory: str,
        home: str,
        more: "dict[str, wrappers.Wrapper] | None" = None,
        project: str = "",
    ) -> None:
        super().__init__(line, more)
        self.doubts: list[str] = []
        self.pipelines = 0
        step = Step(Shell(directory, home, project))
        try:
            self.script(self.read(line), step)
        except ShellError as error:
            self.doubts.append(f"{error} at character {error.offset + 1}")

    def script(self, script: Script, step: Step) -> None:
        if step.depth > DEPTH or len(self.acts) > ACTS:
            raise ShellError("commands inside commands, too deep to follow", 0)
        for pipeline, operator in script.items:
            alone = len(pipeline.commands) == 1 and operator != "&"
            self.pipeline(pipeline, step, apart=not alone)

    def pipeline(self, pipeline: Pipeline, outer: Step, *, apart: bool) -> None:
        self.pipelines += 1
        number = self.pipelines
        said: str | None = outer.stdin
        hidden = outer.hidden
        names: list[str] | None = None
        for stage, command in enumerate(pipeline.commands):
            step = outer.inside("", outer.shell.copy() if apart else None)
            step.via, step.depth = outer.via, outer.depth
            step.places = (*outer.places, (number, stage))
            step.stdin, step.hidden = said, hidden and said is None
            step.forks = outer.forks or apart
            if names:
                self.listed[number, stage] = names
            self.command(command, step)
            names = self.names(command, names, step) if stage + 1 < len(pipeline.commands) else None
            hidden = hidden or said is not None or any(redirect.operator in TEXTS for redirect in command.redirects)
            said = self.output_of(command, step)
            hidden = hidden or said is not None

    def command(self, command: "Simple | Compound", step: Step) -> None:
        for redirect in command.redirects:
            self.expansions(redirect.target, step)
            if redirect.body is not None:
                self.expansions(redirect.body, step)
        step.stdin = self.given(command.redirects, step)
        for redirect in command.redirects:
            if redirect.operator == "<" and any(part.kind == PROCESS for part in redirect.target.parts):
                step.hidden = step.stdin is None  # sh < <(command)
                self.listed[step.places[-1]] = self.substituted(redirect.target, step) or []
        if isinstance(command, Simple):
            self.simple(command, step)
        elif command.kind == "function":
            step.shell.functions[command.name] = command.scripts
        else:
            self.compound(command, step)

    def compound(self, command: Compound, step: Step) -> None:
        for word in command.words:
            self.expansions(word, step)
        if command.redirects:
            self.touched([], command.redirects, step)
        inner = step.inside(command.kind)
        inner.via, inner.depth = step.via, step.depth + 1
        if command.kind in ("(", "coproc"):
            inner.shell = step.shell.copy()
        values = [""]
        if command.kind in ("for", "select") and command.name:
            expander = self.expander(step)
            values = [field for word in command.words for field in expander.fields(word)][:LOOPS] or [UNKNOWN]
        for value in values:
            if command.name:
                inner.shell.variables[command.name] = [value]
            self.branches(command, inner)

    def branches(self, command: Compound, step: Step) -> None:
        """All of them, one after the other; what they set differently is anybody's guess afterwards."""
        variables = step.shell.variables
        ends = [dict(variables)]
        for script in command.scripts:
            self.script(script, step)
            ends.append(dict(variables))
        if command.kind in ("if", "case"):
            for name in variables:
                if len({tuple(end.get(name, ())) for end in ends}) > 2:  # noqa: PLR2004 - as before, and one branch
                    variables[name] = [UNKNOWN]

    def expansions(self, word: Word, step: Step) -> None:
        """Command lines inside a word run in a subshell before the word is there."""
        for part in word.parts:
            for script in part.scripts:
                inner = step.inside("", step.shell.copy())
                inner.via = step.via
                inner.stdin = step.stdin if part.kind == PROCESS and part.text == ">" else None  # tee >(sh)
                self.script(script, inner)
            if part.kind == ARRAY:
                for element in part.words:
                    self.expansions(element, step)

    def simple(self, command: Simple, step: Step) -> None:
        for word in (*command.assignments, *command.words):
            self.expansions(word, step)
        expander = self.expander(step)
        if not command.words:
            for word in command.assignments:
                builtins.assign(self, word, step, expander)
        words = [field for word in command.words for field in expander.fields(word)]
        if any(part.kind == COMMAND for word in command.words for part in word.parts) and _deletes(words):
            words = [field for word in command.words for field in self.substituted(word, step) or expander.fields(word)]
        act = self.touched(words, command.redirects, step)
        if not words:
            return
        if act is None:
            act = self.add(words, step)
        for word in command.assignments:
            if word.parts[0].text.partition("=")[0] in VARIABLES:
                self.told([builtins.assigned(word, expander)[1]], act, step, words[0])
        made = [self.made(word, step) for word in command.words if any(part.kind == PROCESS for part in word.parts)]
        step.made = made[0] if len(made) == 1 else None
        first = command.words[0]
        globbed = any(
            part.kind == LITERAL and not part.quoted and any(char in part.text for char in "*?[")
            for part in first.parts
        )
        if globbed and words[0] != "[":
            act.doubt = "its name is a pattern"
        self.program(act, step)

    def touched(self, words: list[str], redirects: list[Redirect], step: Step) -> Act | None:
        """An act that holds the redirections, even where no program stands beside them."""
        expander = self.expander(step)
        touched = [(redirect.operator, expander.text(redirect.target)) for redirect in redirects if opens(redirect)]
        if not touched:
            return None
        act = self.add(words or [":"], step)
        act.files = touched
        self.remember(words, touched, step)
        return act

    def remember(self, words: list[str], touched: list[tuple[str, str]], step: Step) -> None:
        """What a redirection puts into a file, in case the line goes on to run it."""
        for operator, path in touched:
            if operator in (">", ">>", ">|", "&>"):
                said = step.stdin if words[:1] == ["cat"] else printed(words) if words else ""
                self.write(path, UNKNOWN if said is None else said, step)


def _deletes(words: list[str]) -> bool:
    return any(word.rpartition("/")[2] in DELETERS for word in words)

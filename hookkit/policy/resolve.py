"""What a command line would run: every simple command in it, unquoted and unwrapped, with where and on what.

Branches and loops are all taken, since any of them may be. What cannot be told is said: it is never "fine".
"""

import os

from hookkit.errors import ShellError
from hookkit.policy import builtins, wrappers
from hookkit.policy.acts import Act, Step
from hookkit.policy.builtins import BUILTINS
from hookkit.policy.expand import ROOM, UNKNOWN, Expander, Shell
from hookkit.policy.interpreters import CODE, INTERPRETERS, alarms, handed, printed
from hookkit.policy.scan import scan
from hookkit.policy.syntax import LITERAL, PROCESS, Compound, Part, Pipeline, Redirect, Script, Simple, Word

DEPTH = 48  # command lines inside command lines
ACTS = 1_000  # commands in one line; beyond that nobody can tell
READING = 256 * 1024  # characters that are read in all
LOOPS = 8  # values of a loop variable that are looked at
SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "fish")


class Resolution:
    """Everything that would run. `doubts` are the reasons why something else might, too."""

    def __init__(self, line: str, directory: str, home: str, more: "dict[str, wrappers.Wrapper] | None" = None) -> None:
        self.line = line
        self.more = more or {}
        self.acts: list[Act] = []
        self.doubts: list[str] = []
        self.aliases: set[str] = set()
        self.written: dict[str, str] = {}  # files that the line itself makes, with what is in them
        self.pipelines = 0
        self.reading = 0
        self.room = [ROOM]
        step = Step(Shell(directory, home))
        try:
            self.script(self.read(line), step)
        except ShellError as error:
            self.doubts.append(f"{error} at character {error.offset + 1}")

    # -- the tree --------------------------------------------------------------------------------

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
        for stage, command in enumerate(pipeline.commands):
            step = outer.inside("", outer.shell.copy() if apart else None)
            step.via, step.depth = outer.via, outer.depth
            step.places = (*outer.places, (number, stage))
            step.stdin, step.hidden = said, hidden and said is None
            step.forks = outer.forks or apart
            self.command(command, step)
            hidden = hidden or said is not None
            said = self.output_of(command, step)
            hidden = hidden or said is not None

    def command(self, command: "Simple | Compound", step: Step) -> None:
        for redirect in command.redirects:
            self.expansions(redirect.target, step)
            if redirect.body is not None:
                self.expansions(redirect.body, step)
        step.stdin = self.given(command.redirects, step)
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
            for element in part.words:
                self.expansions(element, step)

    # -- simple commands -------------------------------------------------------------------------

    def simple(self, command: Simple, step: Step) -> None:
        for word in (*command.assignments, *command.words):
            self.expansions(word, step)
        expander = self.expander(step)
        if not command.words:
            for word in command.assignments:
                builtins.assign(self, word, step, expander)
        words = [field for word in command.words for field in expander.fields(word)]
        act = self.touched(words, command.redirects, step)
        if not words:
            return
        if act is None:
            act = self.add(words, step)
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
        touched = [(redirect.operator, expander.text(redirect.target)) for redirect in redirects if _opens(redirect)]
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

    def write(self, path: str, content: str, step: Step) -> None:
        self.written[os.path.normpath(os.path.join(step.shell.directory or "", path))] = content

    def made_here(self, act: Act, path: str, step: Step, name: str) -> bool:
        """A program that this very line wrote: its text where that is certain, else a doubt."""
        content = self.written.get(os.path.normpath(os.path.join(step.shell.directory or "", path)))
        if content is None:
            return False
        if UNKNOWN in content:
            act.doubt = "it was made by this very line"
        else:
            self.code(content, act, step, name)
        return True

    def add(self, words: list[str], step: Step) -> Act:
        if len(self.acts) >= ACTS:
            raise ShellError(f"more than {ACTS} commands", 0)
        act = Act(words, step)
        self.acts.append(act)
        return act

    def read(self, text: str) -> Script:
        """A command line inside the line; how much of that there may be is bounded, however it is nested."""
        self.reading += len(text)
        if self.reading > READING:
            raise ShellError("too many command lines inside the line", 0)
        return scan(text)

    def program(self, act: Act, step: Step) -> None:
        """Follow what the program itself runs."""
        words = act.words
        if UNKNOWN in words[0]:
            act.doubt = "its name is computed"
            return
        name = words[0].rpartition("/")[2]
        shell = step.shell
        if "/" in words[0] and self.made_here(act, words[0], step, name):
            return
        if name in self.aliases:
            act.doubt = "it is an alias"
            return
        self.keeps(act, name, step)
        if name in shell.functions and id(shell.functions[name]) in step.bodies:
            act.doubt = "it starts itself again, perhaps without end" if step.forks else ""
        elif name in shell.functions:
            act.followed = True
            inner = step.inside(f"{name}()")
            inner.bodies = (*step.bodies, id(shell.functions[name]))
            before, shell.positional = shell.positional, words[1:]
            for script in shell.functions[name]:
                self.script(script, inner)
            shell.positional = before
        elif name in BUILTINS:
            act.followed = True
            BUILTINS[name](self, act, step)
        elif name in SHELLS:
            act.followed = True
            self.shell(act, step)
        elif name in INTERPRETERS:
            self.interpreter(act, step, name)
        else:
            self.wrapped(act, step)

    def keeps(self, act: Act, name: str, step: Step) -> None:
        """Files that a program makes under another name: what they hold is whatever it was."""
        words = act.words
        if name == "tee":
            for path in words[1:]:
                self.write(path, UNKNOWN if step.stdin is None else step.stdin, step)
        elif name in ("cp", "ln", "mv", "install") and len(words) > 2:  # noqa: PLR2004
            self.write(words[-1], UNKNOWN, step)
        elif name in ("curl", "wget"):
            for at, word in enumerate(words[:-1]):
                if word in ("-o", "--output", "-O", "--output-document"):
                    self.write(
                        words[at + 1].rpartition("/")[2] if "://" in words[at + 1] else words[at + 1], UNKNOWN, step
                    )

    def wrapped(self, act: Act, step: Step) -> None:
        for text in _aliased(act.words):
            self.code(text, act, step, "git alias")
        found = wrappers.find(act.words, self.more)
        if found is None:
            return
        wrapper, at = found
        act.transparent, act.followed = wrapper.transparent, True
        inner = wrappers.unwrap(act.words, wrapper, at)
        if inner is not None and inner.code == "":
            return
        name = wrappers.name_of(act.words)
        if inner is None:
            if wrapper.feeds:
                self.fed(act, step, name)
            return
        if inner.words is not None:
            below = step.inside(name)
            if inner.directory is not None:
                below.shell = step.shell.copy()
                builtins.go(self, inner.directory, below.shell)
            self.run(inner.words, below)
        elif inner.code is not None:
            self.code(inner.code, act, step, name)

    def run(self, words: list[str], step: Step) -> None:
        """Words as a command of their own."""
        if step.depth > DEPTH:
            raise ShellError("commands inside commands, too deep to follow", 0)
        self.program(self.add(words, step), step)

    def code(self, text: str, act: Act, step: Step, name: str, arguments: list[str] | None = None) -> None:
        """Text that a shell would read as a command line."""
        if UNKNOWN in text and text.strip(UNKNOWN).strip() == "":
            act.doubt = f"what {name} runs is computed"
            return
        inner = step.inside(name, step.shell.copy())
        if arguments is not None:
            inner.shell.positional = arguments
        hole = "${__computed__}"
        try:
            self.script(self.read(text.replace(UNKNOWN, hole)), inner)
        except ShellError as error:
            act.doubt = f"what {name} runs cannot be read: {error}"

    def shell(self, act: Act, step: Step) -> None:
        """`sh -c code`, `bash -lc code`, `sh < code`, `echo code | sh`, `bash <(echo code)`."""
        words = act.words
        name = words[0].rpartition("/")[2]
        at = 1
        while at < len(words) and words[at][:1] in "-+" and len(words[at]) > 1 and words[at] != "--":
            option = words[at]
            at += 1
            takes = option in ("--rcfile", "--init-file") or (option[1] != "-" and option[-1] in "oO")
            at += takes
            if not option.startswith("--") and "c" in option[1:]:
                while at < len(words) and words[at][:1] in "-+" and len(words[at]) > 0 and words[at] != "":
                    at += 2 if words[at][-1] in "oO" else 1
                code = words[at] if at < len(words) else ""
                self.code(code, act, step, name, words[at + 2 :])
                return
            if not option.startswith("--") and "s" in option[1:]:
                at = len(words)
        at += words[at : at + 1] == ["--"]
        if at >= len(words) or words[at] in ("-", "/dev/stdin"):
            self.fed(act, step, name)
        elif words[at].startswith("/dev/fd/"):
            self.from_command(act, step, name)
        else:
            self.made_here(act, words[at], step, name)

    def interpreter(self, act: Act, step: Step, name: str) -> None:
        """Another language's program on the command line: we do not read it, but know what is worth a question."""
        options, alarming = INTERPRETERS[name]
        codes = handed(act.words, options.split())
        if step.stdin is not None:
            codes.append(step.stdin)
        act.code = "\n".join(codes)
        if UNKNOWN in act.code:
            act.doubt = f"the program that {name} runs is computed" if alarming is CODE else ""
        elif alarms(act.code.lower(), alarming):
            act.doubt = f"what {name} is told may run or delete anything"

    def fed(self, act: Act, step: Step, name: str) -> None:
        """What comes in on stdin is the program."""
        if step.stdin is None:
            if step.hidden:
                act.doubt = f"what {name} is fed is computed"
            return
        said, step.stdin = step.stdin, None
        if UNKNOWN in said:
            act.doubt = f"what {name} is fed is computed"
        else:
            self.code(said, act, step, f"{name} <")

    def from_command(self, act: Act, step: Step, name: str) -> None:
        """`bash <(command)`: the program is what the command prints."""
        if step.made is None or UNKNOWN in step.made:
            act.doubt = f"what {name} reads is made by another command"
        else:
            self.code(step.made, act, step, f"{name} <")

    # -- what is certain of inputs and outputs -----------------------------------------------------

    def expander(self, step: Step) -> Expander:
        return Expander(step.shell, lambda script: self.output(script, step), self.room)

    def given(self, redirects: list[Redirect], step: Step) -> str | None:
        """What stands on stdin: a here-document or a here-string, or what came before."""
        for redirect in reversed(redirects):
            if redirect.operator in ("<<", "<<-") and redirect.body is not None:
                return self.expander(step).text(redirect.body)
            if redirect.operator == "<<<":
                return self.expander(step).text(redirect.target) + "\n"
            if redirect.operator == "<" and redirect.fd in ("", "0"):
                return self.made(redirect.target, step)
        return step.stdin

    def made(self, word: Word, step: Step) -> str | None:
        """What `<(command)` hands on."""
        scripts = [script for part in word.parts for script in part.scripts]
        return self.output(scripts[0], step) if len(scripts) == 1 else None

    def output(self, script: Script, step: Step) -> str | None:
        """What a command line prints, where it does nothing but print."""
        pieces: list[str] = []
        for pipeline, _ in script.items:
            said: str | None = None
            for command in pipeline.commands:
                inner = step.inside("", step.shell.copy())
                inner.stdin = self.given(command.redirects, inner) if command.redirects else said
                said = self.output_of(command, inner)
            if said is None:
                return None
            pieces.append(said)
        return "".join(pieces) if pieces else None

    def output_of(self, command: "Simple | Compound", step: Step) -> str | None:
        if any(_opens(redirect) for redirect in command.redirects):
            return None
        if not isinstance(command, Simple):
            return self.output(command.scripts[0], step) if command.kind in ("(", "{") else None
        expander = self.expander(step)
        words = [field for word in command.words for field in expander.fields(word)]
        if not words:
            return None
        if words[0] == "tee" or words == ["cat"]:
            return step.stdin
        return printed(words)


def _aliased(words: list[str]) -> list[str]:
    """`git -c alias.x='!command' x`."""
    if not words[0].endswith("git"):
        return []
    return [word.partition("=!")[2] for word in words if word.startswith("alias.") and "=!" in word]


def _globs(part: Part) -> bool:
    return part.kind == LITERAL and not part.quoted and any(char in part.text for char in "*?[")


def _opens(redirect: Redirect) -> bool:
    """Whether the redirection opens a file: not a copy of another, nor text."""
    if redirect.operator in ("<<", "<<-", "<<<"):
        return False
    text = redirect.target.text or ""
    return not (redirect.operator in ("<&", ">&") and (text.rstrip("-").isdigit() or text == "-"))

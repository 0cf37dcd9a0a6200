"""What a command line would run: every simple command in it, unquoted and unwrapped, with where and on what.

Branches and loops are all taken, since any of them may be. What cannot be told is said: it is never "fine".
"""

import os

from hookkit.errors import ShellError
from hookkit.policy import builtins, interpreters, wrappers
from hookkit.policy.acts import Act, Step
from hookkit.policy.builtins import BUILTINS
from hookkit.policy.effects import DELETERS, UNSET
from hookkit.policy.expand import ROOM, UNKNOWN, Expander, Shell
from hookkit.policy.interpreters import CARRIERS, INTERPRETERS, LISTERS, QUERIES, VARIABLES, alarms, handed, printed
from hookkit.policy.programs import sort_words
from hookkit.policy.scan import scan
from hookkit.policy.syntax import (
    COMMAND,
    LITERAL,
    PROCESS,
    Compound,
    Pipeline,
    Redirect,
    Script,
    Simple,
    Word,
)

DEPTH = 48  # command lines inside command lines
ACTS = 1_000  # commands in one line; beyond that nobody can tell
READING = 256 * 1024  # characters that are read in all
LOOPS = 8  # values of a loop variable that are looked at
SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "fish")
TEXTS = ("<<", "<<-", "<<<")


class Resolution:
    """Everything that would run. `doubts` are the reasons why something else might, too."""

    def __init__(self, line: str, directory: str, home: str, more: "dict[str, wrappers.Wrapper] | None" = None) -> None:
        self.line = line
        self.more = more or {}
        self.acts: list[Act] = []
        self.doubts: list[str] = []
        self.aliases: set[str] = set()
        self.written: dict[str, str] = {}  # files that the line itself makes, with what is in them
        self.fetched: set[str] = set()  # those of them that come from elsewhere
        self.listed: dict[tuple[int, int], list[str]] = {}  # names of files that come in at a stage of a pipeline
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

    def placed(self, path: str, step: Step) -> str:
        return os.path.normpath(os.path.join(step.shell.directory or "", path))

    def write(self, path: str, content: str, step: Step) -> str:
        place = self.placed(path, step)
        self.written[place] = content
        return place

    def made_here(self, act: Act, path: str, step: Step, name: str) -> bool:
        """A program that this very line wrote: its text where that is certain, else a doubt."""
        content = self.written.get(self.placed(path, step))
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
        """Follow what the program itself runs; afterwards what is unset is as unknown as anything."""
        self.follow(act, step)
        act.words = [word.replace(UNSET, UNKNOWN) for word in act.words]

    def follow(self, act: Act, step: Step) -> None:
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
        builtins.keeps(self, act, name, step)
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
            self.beside(act, step, name)
            self.wrapped(act, step)

    def told(self, texts: list[str], act: Act, step: Step, name: str) -> None:
        """Command lines that a program is handed beside its own work."""
        from hookkit.policy.told import follow

        for text in texts:
            follow(self, text, act, step, name)

    def beside(self, act: Act, step: Step, name: str) -> None:
        """What a program runs beside its own work."""
        seldom = name in ("git", "env") and not any(word.startswith(CARRIERS[name]) for word in act.words)
        if name in CARRIERS and not seldom:
            from hookkit.policy.told import carried  # late: hardly a command is told another

            self.told(carried(act.words), act, step, name)
        elif name in ("make", "gmake"):
            builtins.makefile(self, act, step)

    def wrapped(self, act: Act, step: Step) -> None:
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
            inner.shell.positional = arguments[1:]
            inner.shell.variables["0"] = arguments[:1] or [name]
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
                self.code(code, act, step, name, words[at + 1 :])
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
        script = "" if codes else (sort_words(act.words).operands[1:] or [""])[0]
        data = alarming not in QUERIES and (codes or script not in ("", "-", "/dev/stdin") or "-m" in act.words)
        if step.stdin is not None and not data:
            codes.append(step.stdin)
        if script.startswith("/dev/fd/"):
            codes.append(UNKNOWN if step.made is None else step.made)
        code = "\n".join(codes)
        place = self.placed(script, step) if script else ""
        text = f"{code}\n{self.written.get(place, '')}"
        act.code = code
        if alarming not in QUERIES and len(text) > 1:
            from hookkit.policy import listings  # late: most programs stand in files

            act.code = listings.written(code)
            act.files += listings.touched(text, step.shell.home)
        if place in self.fetched:
            act.doubt = "it was made by this very line"
        elif UNKNOWN in code:
            act.doubt = f"the program that {name} runs is computed" if alarming not in QUERIES else ""
        elif alarms(code.lower(), alarming):
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
        if any(_opens(redirect) and redirect.fd != "2" for redirect in command.redirects):
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
        builtins.go(self, goal[0] if goal else shell.home, shell)
        return True

    # -- names of files ----------------------------------------------------------------------------

    def names(self, command: "Simple | Compound", before: list[str] | None, step: Step) -> list[str] | None:
        """The names of files that a stage of a pipeline prints, as patterns."""
        if not before and not (isinstance(command, Simple) and command.words and command.words[0].text in LISTERS):
            return None
        from hookkit.policy.listings import printed_by  # late: most pipelines begin otherwise

        return printed_by(self, command, before, step)

    def substituted(self, word: Word, step: Step) -> list[str] | None:
        """The names that `$(ls)` or `<(ls)` stands for."""
        if not any(part.kind in (COMMAND, PROCESS) for part in word.parts):
            return None
        from hookkit.policy.listings import substituted  # late: most words are written out

        return substituted(self, word, step)

    def incoming(self, step: Step) -> list[str] | None:
        """The names of files on stdin: from the stage before, or the one before a loop around us."""
        for place in reversed(step.places):
            if place in self.listed or place[1]:
                return self.listed.get(place)
        return None


def _deletes(words: list[str]) -> bool:
    return any(word.rpartition("/")[2] in DELETERS for word in words)


def _opens(redirect: Redirect) -> bool:
    """Whether the redirection opens a file: not a copy of another, nor text."""
    if redirect.operator in TEXTS:
        return False
    text = redirect.target.text or ""
    return not (redirect.operator in ("<&", ">&") and (text.rstrip("-").isdigit() or text == "-"))

"""What a command line would run: every simple command in it, unquoted and unwrapped, with where and on what.

Branches and loops are all taken, since any of them may be. What cannot be told is said: it is never "fine".
"""

import os

from hookkit.errors import ShellError
from hookkit.policy import wrappers
from hookkit.policy.expand import UNKNOWN, Expander, Shell
from hookkit.policy.scan import scan
from hookkit.policy.syntax import ARRAY, LITERAL, PROCESS, Compound, Part, Pipeline, Redirect, Script, Simple, Word

DEPTH = 16  # command lines inside command lines
ACTS = 20_000
SHOWN = 80
LOOPS = 8  # values of a loop variable that are looked at
SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "fish")
# Interpreters and the options that hand them a program; what in it makes us ask.
INTERPRETERS = {
    "python": "-c", "python2": "-c", "python3": "-c", "perl": "-e -E", "ruby": "-e", "node": "-e --eval -p --print",
    "nodejs": "-e --eval -p --print", "deno": "eval", "bun": "-e --eval", "php": "-r", "lua": "-e", "osascript": "-e",
}  # fmt: skip
ALARMING = (
    "system", "subprocess", "popen", "exec", "spawn", "rmtree", "unlink", "os.remove", "rmdir", "child_process", "eval",
    "__import__", "rmSync", "fs.rm", "shell", "ctypes", "socket", "urlopen", "`", "do shell script", "base64",
)  # fmt: skip
READERS = ("cat", "tee")  # hand on what they are given


class Act:
    """One program that would run, or one that nobody can name (`doubt` says why)."""

    __slots__ = ("directory", "doubt", "files", "pipeline", "stage", "text", "transparent", "via", "words")

    def __init__(self, words: list[str], step: "Step") -> None:
        self.words = words
        self.directory = step.shell.directory
        self.pipeline = step.pipeline
        self.stage = step.stage
        self.via = step.via
        self.text = step.text
        self.files: list[tuple[str, str]] = []  # redirections: operator and path
        self.doubt = ""
        self.transparent = False

    def __str__(self) -> str:
        """For people: one line, not too long."""
        line = " ".join(word.replace(UNKNOWN, "…") or "''" for word in self.words).replace("\n", " ")
        return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


class Step:
    """Where in the line we are."""

    __slots__ = ("depth", "made", "pipeline", "shell", "stage", "stdin", "text", "via")

    def __init__(self, shell: Shell, depth: int = 0, via: tuple[str, ...] = ()) -> None:
        self.shell = shell
        self.depth = depth
        self.via = via
        self.pipeline = 0
        self.stage = 0
        self.stdin: str | None = None  # what comes in, where that is certain
        self.made: str | None = None  # what a <(command) among the words prints, where that is certain
        self.text = ""

    def inside(self, name: str, shell: Shell | None = None) -> "Step":
        step = Step(shell or self.shell, self.depth + 1, (*self.via, name))
        step.pipeline, step.stage, step.stdin, step.text = self.pipeline, self.stage, self.stdin, self.text
        return step


class Resolution:
    """Everything that would run. `doubts` are the reasons why something else might, too."""

    def __init__(self, line: str, directory: str, home: str, more: "dict[str, wrappers.Wrapper] | None" = None) -> None:
        self.line = line
        self.more = more or {}
        self.acts: list[Act] = []
        self.doubts: list[str] = []
        self.pipelines = 0
        step = Step(Shell(directory, home))
        try:
            self.script(scan(line), step)
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
        for stage, command in enumerate(pipeline.commands):
            step = outer.inside("", outer.shell.copy() if apart else None)
            step.via, step.depth = outer.via, outer.depth
            step.pipeline, step.stage, step.stdin = number, stage, said
            self.command(command, step)
            said = self.output_of(command, step)

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
            for script in command.scripts:
                self.script(script, inner)

    def expansions(self, word: Word, step: Step) -> None:
        """Command lines inside a word run in a subshell before the word is there."""
        for part in word.parts:
            for script in part.scripts:
                inner = step.inside("", step.shell.copy())
                inner.via, inner.stdin = step.via, None
                self.script(script, inner)
            for element in part.words:
                self.expansions(element, step)

    # -- simple commands -------------------------------------------------------------------------

    def simple(self, command: Simple, step: Step) -> None:
        for word in (*command.assignments, *command.words):
            self.expansions(word, step)
        expander = self.expander(step)
        step.text = self.line[command.start : command.end] if step.depth == 0 or not step.via else step.text
        if not command.words:
            for word in command.assignments:
                self.assign(word, step, expander)
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
        return act

    def add(self, words: list[str], step: Step) -> Act:
        act = Act(words, step)
        self.acts.append(act)
        return act

    def program(self, act: Act, step: Step) -> None:
        """Follow what the program itself runs."""
        words = act.words
        if UNKNOWN in words[0]:
            act.doubt = "its name is computed"
            return
        name = words[0].rpartition("/")[2]
        shell = step.shell
        if name in shell.functions and f"{name}()" in step.via:
            act.doubt = "it calls itself, perhaps without end"
        elif name in shell.functions:
            inner = step.inside(f"{name}()")
            before, shell.positional = shell.positional, words[1:]
            for script in shell.functions[name]:
                self.script(script, inner)
            shell.positional = before
        elif name in _BUILTINS:
            _BUILTINS[name](self, act, step)
        elif name in SHELLS:
            self.shell(act, step)
        elif name in INTERPRETERS:
            self.interpreter(act, step, name)
        else:
            self.wrapped(act, step)

    def wrapped(self, act: Act, step: Step) -> None:
        found = wrappers.find(act.words, self.more)
        if found is None:
            return
        wrapper, at = found
        act.transparent = wrapper.transparent
        inner = wrappers.unwrap(act.words, wrapper, at)
        if inner is None:
            if act.words[0].endswith("env") and any(word in ("-S", "--split-string") for word in act.words):
                self.code(" ".join(act.words[2:]), act, step, "env -S")
            return
        name = " ".join(act.words[:at]).rpartition("/")[2]
        if inner.words is not None:
            self.run(inner.words, step.inside(name))
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
            self.script(scan(text.replace(UNKNOWN, hole)), inner)
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
            if option in ("-o", "+o", "-O", "+O", "--rcfile", "--init-file"):
                at += 1
            elif not option.startswith("--") and "c" in option[1:]:
                at += words[at : at + 1] in (["--"], ["-"])
                while at < len(words) and words[at] in ("-o", "+o"):
                    at += 2
                code = words[at] if at < len(words) else ""
                self.code(code, act, step, name, words[at + 2 :])
                return
            elif not option.startswith("--") and "s" in option[1:]:
                at = len(words)
        at += words[at : at + 1] == ["--"]
        if at >= len(words) or words[at] in ("-", "/dev/stdin"):
            self.fed(act, step, name)
        elif words[at].startswith("/dev/fd/"):
            self.from_command(act, step, name)

    def interpreter(self, act: Act, step: Step, name: str) -> None:
        """Another language's program on the command line: we do not read it, but know what is worth a question."""
        words = act.words
        codes = [words[at + 1] for at, word in enumerate(words[:-1]) if word in INTERPRETERS[name].split()]
        joined = [word[2:] for word in words[1:] if word[:2] in INTERPRETERS[name].split() and len(word) > 2]  # noqa: PLR2004
        if len(words) == 1 or words[1:] == ["-"]:
            codes += [step.stdin] if step.stdin is not None else []
        for code in codes + joined:
            if UNKNOWN in code:
                act.doubt = f"the program that {name} runs is computed"
            elif any(word in code for word in ALARMING):
                act.doubt = f"the program that {name} is given may run or delete anything"

    def fed(self, act: Act, step: Step, name: str) -> None:
        """What comes in on stdin is the program."""
        if step.stdin is not None:
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
        return Expander(step.shell, lambda script: self.output(script, step))

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
        if len(script.items) != 1:
            return None
        said: str | None = None
        for command in script.items[0][0].commands:
            inner = step.inside("", step.shell.copy())
            inner.stdin = self.given(command.redirects, inner) if command.redirects else said
            said = self.output_of(command, inner)
        return said

    def output_of(self, command: "Simple | Compound", step: Step) -> str | None:
        if not isinstance(command, Simple) or any(_opens(redirect) for redirect in command.redirects):
            return None
        expander = self.expander(step)
        words = [field for word in command.words for field in expander.fields(word)]
        if not words:
            return None
        if words[0] in READERS and len(words) == 1:
            return step.stdin
        return _printed(words)

    # -- builtins ----------------------------------------------------------------------------------

    def assign(self, word: Word, step: Step, expander: Expander) -> None:
        """`name=value`, `name=(…)`, `name+=value`."""
        head = word.parts[0].text
        name, _, value = head.partition("=")
        array = next((part for part in word.parts if part.kind == ARRAY), None)
        if array is not None:
            values = [field for element in array.words for field in expander.fields(element)]
        else:
            rest = expander.text(Word(0, 0, word.parts[1:], plain=False)) if len(word.parts) > 1 else ""
            values = [expander.tilde(value, word.parts) + rest]
        variables = step.shell.variables
        if name.endswith("+"):
            name = name[:-1]
            before = variables.get(name, [UNKNOWN])
            values = [*before, *values] if array is not None else [before[0] + values[0]] if before else values
        variables[name.partition("[")[0]] = values

    def declare(self, act: Act, step: Step) -> None:
        for word in act.words[1:]:
            name, equals, value = word.partition("=")
            if equals and name.isidentifier():
                step.shell.variables[name] = [value]

    def set(self, act: Act, step: Step) -> None:
        if "--" in act.words:
            step.shell.positional = act.words[act.words.index("--") + 1 :]

    def read(self, act: Act, step: Step) -> None:
        for name in act.words[1:]:
            if name.isidentifier():
                step.shell.variables[name] = [UNKNOWN if step.stdin is None else step.stdin.split("\n")[0]]

    def cd(self, act: Act, step: Step) -> None:
        operands = [word for word in act.words[1:] if word not in ("-P", "-L", "-e", "--")]
        goal = operands[0] if operands else step.shell.home
        here = step.shell.directory
        if here is None or UNKNOWN in goal or goal == "-" or not goal:
            step.shell.directory = None
        else:
            step.shell.directory = os.path.normpath(os.path.join(here, goal))
        step.shell.variables["PWD"] = [step.shell.directory or UNKNOWN]

    def eval(self, act: Act, step: Step) -> None:
        inner = step.inside("eval")
        inner.depth = step.depth + 1
        text = " ".join(act.words[1:])
        if UNKNOWN in text:
            act.doubt = "what eval runs is computed"
        elif text:
            try:
                self.script(scan(text), inner)
            except ShellError as error:
                act.doubt = f"what eval runs cannot be read: {error}"

    def trap(self, act: Act, step: Step) -> None:
        words = [word for word in act.words[1:] if word != "--"]
        if len(words) > 1 and words[0] not in ("-", "", "-p", "-l"):
            self.code(words[0], act, step, "trap")

    def source(self, act: Act, step: Step) -> None:
        if len(act.words) > 1 and act.words[1].startswith("/dev/fd/"):
            self.from_command(act, step, "source")
        elif act.words[1:2] == ["/dev/stdin"]:
            self.fed(act, step, "source")

    def xargs(self, act: Act, step: Step) -> None:
        words = act.words
        valued = ("-I", "-i", "-n", "-P", "-L", "-s", "-d", "-E", "-a", "--arg-file", "--delimiter", "--max-args",
                  "--max-procs", "--replace", "--max-lines", "--max-chars")  # fmt: skip
        at, hole = 1, ""
        while at < len(words) and words[at].startswith("-"):
            option = words[at]
            if option.startswith(("-I", "--replace")):
                hole = option.partition("=")[2] if option[1] == "-" else option[2:]
                hole = hole or (words[at + 1] if at + 1 < len(words) and option == "-I" else "{}")
            at += 2 if option in valued and option not in ("-i", "--replace") else 1
        rest = words[at:]
        if not rest:
            return
        given = step.stdin if step.stdin is not None and UNKNOWN not in step.stdin else None
        if hole:
            rest = [word.replace(hole, UNKNOWN if given is None else given.strip()) for word in rest]
        else:
            rest = [*rest, *(given.split() if given is not None else [UNKNOWN])]
        inner = step.inside("xargs")
        inner.stdin = None
        self.run(rest, inner)

    def find(self, act: Act, step: Step) -> None:
        words = act.words
        at = 1
        while at < len(words):
            if words[at] in ("-exec", "-execdir", "-ok", "-okdir"):
                ends = [end for end in (";", "+") if end in words[at:]]
                end = min((words.index(stop, at) for stop in ends), default=len(words))
                inner = [UNKNOWN if word == "{}" else word.replace("{}", UNKNOWN) for word in words[at + 1 : end]]
                if inner:
                    self.run(inner, step.inside(f"find {words[at]}"))
                at = end
            at += 1

    def parallel(self, act: Act, step: Step) -> None:
        words = act.words[1:]
        end = min((words.index(mark) for mark in (":::", "::::", ":::+") if mark in words), default=len(words))
        rest = words[:end]
        while rest and rest[0].startswith("-"):
            rest = rest[2:] if rest[0] in ("-j", "--jobs", "-n", "-N", "-S", "--joblog", "-a") else rest[1:]
        if rest:
            self.code(" ".join([*rest, UNKNOWN]).replace("{}", UNKNOWN), act, step, "parallel")
        elif step.stdin is not None:
            self.fed(act, step, "parallel")


_BUILTINS = {
    "cd": Resolution.cd,
    "pushd": Resolution.cd,
    "export": Resolution.declare,
    "declare": Resolution.declare,
    "typeset": Resolution.declare,
    "local": Resolution.declare,
    "readonly": Resolution.declare,
    "set": Resolution.set,
    "read": Resolution.read,
    "eval": Resolution.eval,
    "trap": Resolution.trap,
    "source": Resolution.source,
    ".": Resolution.source,
    "xargs": Resolution.xargs,
    "find": Resolution.find,
    "fd": Resolution.find,
    "parallel": Resolution.parallel,
}


def builtins() -> list[str]:
    return [*_BUILTINS]


def _globs(part: Part) -> bool:
    return part.kind == LITERAL and not part.quoted and any(char in part.text for char in "*?[")


def _opens(redirect: Redirect) -> bool:
    """Whether the redirection opens a file: not a copy of another, nor text."""
    if redirect.operator in ("<<", "<<-", "<<<"):
        return False
    text = redirect.target.text or ""
    return not (redirect.operator in ("<&", ">&") and (text.rstrip("-").isdigit() or text == "-"))


def _printed(words: list[str]) -> str | None:
    """What echo and printf print."""
    name, rest = words[0].rpartition("/")[2], words[1:]
    if name == "echo":
        options = ""
        while rest and len(rest[0]) > 1 and rest[0][0] == "-" and all(char in "neE" for char in rest[0][1:]):
            options += rest.pop(0)
        text = " ".join(rest)
        if "e" in options and "\\" in text:
            text = _escapes(text)
        return text + ("" if "n" in options else "\n")
    if name == "printf" and rest:
        rest = rest[1:] if rest[0] == "--" else rest
        form, arguments = _escapes(rest[0]), rest[1:]
        if form.count("%") == form.count("%s") + form.count("%b"):
            pieces = form.replace("%b", "%s").split("%s")
            if len(pieces) == 1:
                return form
            text = ""
            holes = len(pieces) - 1
            for start in range(0, max(len(arguments), 1), holes):
                given = [*arguments[start : start + holes], *[""] * holes][:holes]
                text += "".join(piece + value for piece, value in zip(pieces, given, strict=False)) + pieces[-1]
            return text
        return UNKNOWN
    return None


def _escapes(text: str) -> str:
    from hookkit.policy.ansi import decode

    decoded, end = decode(text.replace("'", "\\'") + "'", 0)
    return decoded if end >= 0 else text

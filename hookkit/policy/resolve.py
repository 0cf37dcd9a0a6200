"""What a command line would run: every simple command in it, unquoted and unwrapped, with where and on what.

Branches and loops are all taken, since any of them may be. What cannot be told is said: it is never "fine".
"""

import os

from hookkit.errors import ShellError
from hookkit.policy import wrappers
from hookkit.policy.expand import UNKNOWN, Expander, Shell
from hookkit.policy.scan import scan
from hookkit.policy.syntax import ARRAY, LITERAL, PROCESS, Compound, Part, Pipeline, Redirect, Script, Simple, Word

DEPTH = 48  # command lines inside command lines
ACTS = 2_000  # commands in one line; beyond that nobody can tell
SHOWN = 80
EXECUTES = ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch")
LOOPS = 8  # values of a loop variable that are looked at
SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "fish")
# What makes us ask about a program of another language on the command line.
_CODE = (
    "system", "subprocess", "popen", "exec", "spawn", "rmtree", "unlink", "os.remove", "rmdir", "child_process", "eval",
    "__import__", "rmSync", "fs.rm", "shell", "ctypes", "socket", "urlopen", "`", "do shell script", "base64", '| "',
)  # fmt: skip
_SQL = ("drop database", "drop schema", "drop table", "truncate", "delete from", "drop owned")
_MONGO = ("dropdatabase", ".drop(", "deletemany", "remove(")
# Interpreters: the options that hand them a program ("1" is the first operand, "2" the second), and what to ask about.
INTERPRETERS = {
    **dict.fromkeys(("python", "python2", "python3"), ("-c", _CODE)),
    **dict.fromkeys(("node", "nodejs", "bun"), ("-e --eval -p --print", _CODE)),
    **dict.fromkeys(("awk", "gawk", "mawk"), ("1", _CODE)),
    **dict.fromkeys(("mysql", "mariadb"), ("-e --execute", _SQL)),
    **dict.fromkeys(("mongosh", "mongo"), ("--eval", _MONGO)),
    "perl": ("-e -E", _CODE),
    "ruby": ("-e", _CODE),
    "deno": ("eval", _CODE),
    "php": ("-r", _CODE),
    "lua": ("-e", _CODE),
    "osascript": ("-e", _CODE),
    "tclsh": ("", _CODE),
    "expect": ("-c", _CODE),
    "psql": ("-c --command", _SQL),
    "sqlite3": ("2", _SQL),
}


class Act:
    """One program that would run, or one that nobody can name (`doubt` says why)."""

    __slots__ = ("code", "directory", "doubt", "files", "followed", "places", "transparent", "via", "words")

    def __init__(self, words: list[str], step: "Step") -> None:
        self.words = words
        self.directory = step.shell.directory
        self.places = step.places
        self.via = step.via
        self.code = ""  # another language's program, as text
        self.followed = False  # we know what it runs in turn
        self.files: list[tuple[str, str]] = []  # redirections: operator and path
        self.doubt = ""
        self.transparent = False

    def __str__(self) -> str:
        """For people: one line, not too long."""
        line = " ".join(word.replace(UNKNOWN, "…") or "''" for word in self.words).replace("\n", " ")
        return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


class Step:
    """Where in the line we are."""

    __slots__ = ("bodies", "depth", "forks", "hidden", "made", "places", "shell", "stdin", "via")

    def __init__(self, shell: Shell, depth: int = 0, via: tuple[str, ...] = ()) -> None:
        self.shell = shell
        self.depth = depth
        self.via = via
        self.places: tuple[tuple[int, int], ...] = ()  # the pipelines around this, each with the stage in it
        self.bodies: tuple[int, ...] = ()  # of functions that we are in: a name may be given to another meanwhile
        self.forks = False  # this goes on beside something else
        self.hidden = False  # what comes in was text of this line, changed beyond recognition
        self.stdin: str | None = None  # what comes in, where that is certain
        self.made: str | None = None  # what a <(command) among the words prints, where that is certain

    def inside(self, name: str, shell: Shell | None = None) -> "Step":
        step = Step(shell or self.shell, self.depth + 1, (*self.via, name))
        step.places, step.stdin, step.hidden = self.places, self.stdin, self.hidden
        step.forks, step.bodies = self.forks, self.bodies
        return step


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
        self.remember(words, touched, step)
        return act

    def remember(self, words: list[str], touched: list[tuple[str, str]], step: Step) -> None:
        """What a redirection puts into a file, in case the line goes on to run it."""
        for operator, path in touched:
            if operator in (">", ">>", ">|", "&>"):
                printed = step.stdin if words[:1] == ["cat"] else _printed(words) if words else ""
                self.write(path, UNKNOWN if printed is None else printed, step)

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
        elif name in _BUILTINS:
            act.followed = True
            _BUILTINS[name](self, act, step)
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
                self.go(inner.directory, below.shell)
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
        codes = _handed(act.words, options.split())
        if step.stdin is not None:
            codes.append(step.stdin)
        act.code = "\n".join(codes)
        if UNKNOWN in act.code:
            act.doubt = f"the program that {name} runs is computed" if alarming is _CODE else ""
        elif _alarms(act.code.lower(), alarming):
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
        by_name = any(word.startswith("-") and "n" in word for word in act.words[1:])
        for word in act.words[1:]:
            name, equals, value = word.partition("=")
            if equals and name.isidentifier():
                step.shell.variables[name] = [UNKNOWN if by_name else value]

    def alias(self, act: Act, _: Step) -> None:
        """Aliases hold in a script only if it asks for them; then nobody follows them."""
        if "expand_aliases" in self.line:
            self.aliases.update(word.partition("=")[0] for word in act.words[1:] if "=" in word)

    def set(self, act: Act, step: Step) -> None:
        if "--" in act.words:
            step.shell.positional = act.words[act.words.index("--") + 1 :]

    def read(self, act: Act, step: Step) -> None:
        for name in act.words[1:]:
            if name.isidentifier():
                step.shell.variables[name] = [UNKNOWN if step.stdin is None else step.stdin.split("\n")[0]]

    def cd(self, act: Act, step: Step) -> None:
        operands = [word for word in act.words[1:] if word not in ("-P", "-L", "-e", "--")]
        self.go(operands[0] if operands else step.shell.home, step.shell)

    def pushd(self, act: Act, step: Step) -> None:
        step.shell.stack = (*step.shell.stack, step.shell.directory)
        self.cd(act, step)

    def popd(self, _: Act, step: Step) -> None:
        stack = step.shell.stack
        step.shell.directory = stack[-1] if stack else None
        step.shell.stack = stack[:-1]

    def go(self, goal: str, shell: Shell) -> None:
        here = shell.directory
        known = here is not None and goal and goal != "-" and UNKNOWN not in goal
        shell.directory = os.path.normpath(os.path.join(here or "/", goal)) if known else None
        shell.variables["PWD"] = [shell.directory or UNKNOWN]

    def eval(self, act: Act, step: Step) -> None:
        inner = step.inside("eval")
        inner.depth = step.depth + 1
        text = " ".join(act.words[2:] if act.words[1:2] == ["--"] else act.words[1:])
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
        elif len(act.words) > 1:
            self.made_here(act, act.words[1], step, "source")

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
        elif given is not None:
            rest += [given.rstrip("\n")] if "-0" in words[:at] or "--null" in words[:at] else given.split()
        else:
            rest.append(UNKNOWN)
        inner = step.inside("xargs")
        inner.stdin = None
        self.run(rest, inner)

    def find(self, act: Act, step: Step) -> None:
        """What it runs on each file; the name that it looks for stands in for the files that it finds."""
        words = act.words
        names = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-name", "-iname", "-path")]
        start = words[1] if len(words) > 1 and not words[1].startswith("-") else "."
        found = f"{start}/{names[0] if names else '*'}"
        at = 1
        while at < len(words):
            if words[at] in EXECUTES:
                ends = [end for end in (";", "+") if end in words[at:]]
                end = min((words.index(stop, at) for stop in ends), default=len(words))
                inner = [word.replace("{}", found) for word in words[at + 1 : end]]
                if inner:
                    self.run(inner, step.inside(f"{words[0]} {words[at]}"))
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
        elif words[end:]:
            for text in words[end + 1 :]:
                self.code(text, act, step, "parallel")
        elif step.stdin is not None:
            self.fed(act, step, "parallel")


_BUILTINS = {
    "cd": Resolution.cd,
    "pushd": Resolution.pushd,
    "popd": Resolution.popd,
    "export": Resolution.declare,
    "declare": Resolution.declare,
    "typeset": Resolution.declare,
    "local": Resolution.declare,
    "readonly": Resolution.declare,
    "alias": Resolution.alias,
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


def _alarms(code: str, words: tuple[str, ...]) -> bool:
    """Rows that a condition picks out are everyday work; without one the table is emptied."""
    return any(word in code and not (word == "delete from" and " where " in code) for word in words)


def _handed(words: list[str], options: list[str]) -> list[str]:
    """The programs among an interpreter's words: behind an option, joined to it, or as an operand."""
    operands = [word for word in words[1:] if not word.startswith("-")]
    codes = [operands[int(place) - 1] for place in options if place.isdigit() and int(place) <= len(operands)]
    for at, word in enumerate(words[1:], 1):
        name, equals, value = word.partition("=")
        cluster = word[:1] == "-" and word[1:2] != "-" and f"-{word[-1]}" in options
        if (word in options or cluster) and at + 1 < len(words):
            codes.append(words[at + 1])
        elif equals and name in options:
            codes.append(value)
        elif word[:2] in options and len(word) > 2:  # noqa: PLR2004
            codes.append(word[2:])
    return codes


def _aliased(words: list[str]) -> list[str]:
    """`git -c alias.x='!command' x`."""
    if not words[0].endswith("git"):
        return []
    return [word.partition("=!")[2] for word in words if word.startswith("alias.") and "=!" in word]


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

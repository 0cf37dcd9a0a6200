"""What a program runs in turn: a shell its code, a wrapper what it wraps, an interpreter what we cannot read."""

from hookkit.errors import ShellError
from hookkit.shell import builtins, wrappers
from hookkit.shell.builtins import BUILTINS
from hookkit.shell.commands import Act, Step
from hookkit.shell.effects import UNSET
from hookkit.shell.expand import UNKNOWN
from hookkit.shell.interpreters import CARRIERS, INTERPRETERS, QUERIES, alarms, handed
from hookkit.shell.outputs import Outputs
from hookkit.shell.programs import sort_words
from hookkit.shell.scan import scan
from hookkit.shell.syntax import Script

DEPTH = 48  # command lines inside command lines
ACTS = 1_000  # commands in one line; beyond that nobody can tell
READING = 256 * 1024  # characters that are read in all
SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "fish")


class Following(Outputs):
    """The commands found so far, and how one leads to the next."""

    def __init__(self, line: str, more: "dict[str, wrappers.Wrapper] | None") -> None:
        super().__init__()
        self.line = line
        self.more = more or {}
        self.acts: list[Act] = []
        self.aliases: set[str] = set()
        self.reading = 0

    def script(self, script: Script, step: Step) -> None:
        """A command line inside of the line: `Resolution` knows its shape."""
        raise NotImplementedError

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

    def told(self, texts: list[str], act: Act, step: Step, name: str) -> None:
        """Command lines that a program is handed beside its own work."""
        from hookkit.shell.carriers import follow

        for text in texts:
            follow(self, text, act, step, name)

    def beside(self, act: Act, step: Step, name: str) -> None:
        """What a program runs beside its own work."""
        seldom = name in ("git", "env") and not any(word.startswith(CARRIERS[name]) for word in act.words)
        if name in CARRIERS and not seldom:
            from hookkit.shell.carriers import carried  # late: hardly a command is told another

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
                builtins.go(inner.directory, below.shell)
            self.run(inner.words, below)
        elif inner.code is not None:
            self.code(inner.code, act, step, name)

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
            from hookkit.shell import listings  # late: most programs stand in files

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

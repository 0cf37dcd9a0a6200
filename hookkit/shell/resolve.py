"""The commands of a line: every simple command, unquoted and unwrapped, with its directory and stdin.

All branches are followed, since any of them may be taken. A part too hard to analyse becomes a doubt, never "fine".
"""

from hookkit.errors import ShellError
from hookkit.programs.catalogue import SHIPPED, Catalogue
from hookkit.shell.commands import Command, Context, Made, files_of, redirected, stdin_of
from hookkit.shell.expand import Expander
from hookkit.shell.follow import follow
from hookkit.shell.scan import scan
from hookkit.shell.state import UNKNOWN, UNSET, Budget, Shell, merge, moved, possible, set_usual
from hookkit.shell.syntax import LITERAL, PROCESS, VARIABLE, Compound, Part, Pipeline, Script, Simple, Word, variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.shell.expand.assignments import Temporary

DEPTH = 48  # command lines inside command lines
COMMANDS = 1_000  # commands of a line
READING = 32 * 1024  # characters read of nested command lines, beside twice the length of the line itself
DECLARERS = ("export", "declare", "typeset", "local", "readonly")
SURE = (":", "true", "echo", "printf", "export", "declare", "local", "readonly", "unset", "set", "shopt", "pwd")
GLOB = frozenset("*?[")
ZSH = ("${(", "alias -", "mapfile[", "zmodload", "aliases[", "functions[")  # texts that zsh may read otherwise
POWERSHELL = "powershell"  # a language of a line, beside that of bash
Items = list[tuple[Pipeline, str]]


class Resolution:
    """`commands` would run; `doubts` are reasons why other commands might run, too."""

    def __init__(  # noqa: PLR0913 - all that a shell would know when it reads the line
        self,
        line: str,
        *,
        directory: str | None,
        home: str,
        project: str = "",
        catalogue: Catalogue = SHIPPED,
        is_directory: "Callable[[str], bool] | None" = None,
        budget: Budget | None = None,
        folds: bool = False,
        language: str = "",
    ) -> None:
        self.line = line
        self.folds = folds  # file names have no case here
        self.catalogue = catalogue
        self.budget = budget or Budget()
        self.commands: list[Command] = []
        self.doubts: list[str] = []
        self.made = Made()
        self.git: dict[str, str] = {}  # settings made by `git config` earlier in the line
        self.failed: Shell | None = None  # the state if the last command failed, where the state differs
        self.pipelines = 0
        self.reading = 0
        self.tree: Script | None = None
        self.plain = True  # PowerShell: only commands with their words, no variable, method or block
        context = Context(Shell(directory, home, project, is_directory))
        if "$" in line and home:
            set_usual(line, context.shell)
        try:
            if language == POWERSHELL:
                from hookkit.shell import powershell  # late: few lines are PowerShell

                powershell.whole(self, line, context)
            else:
                self.tree = self.read(line)
                self.script(self.tree, context)
                self.zsh(line)
        except ShellError as error:
            self.doubts.append(f"{error} at character {error.offset + 1}" if error.offset else str(error))

    def read(self, text: str) -> Script:
        """Scan a command line inside the line."""
        self.charge(text)
        return scan(text)

    def charge(self, text: str) -> None:
        """The sum of the lengths of all command lines inside the line is bounded."""
        self.reading += len(text)
        if self.reading > READING + 3 * len(self.line):
            raise ShellError("too many command lines inside the line", 0)

    def zsh(self, line: str) -> None:
        """The agent's shell may be zsh, which gives some texts another meaning."""
        if any(mark in line for mark in ZSH):
            from hookkit.shell.follow import shells  # late: few lines have a text like that

            why = shells.zsh_doubt(line)
            self.doubts += [why] if why else []

    def add(self, words: list[str], context: Context) -> Command:
        if len(self.commands) >= COMMANDS:
            raise ShellError(f"more than {COMMANDS} commands", 0)
        command = Command(words, context)
        self.commands.append(command)
        return command

    def run(self, words: list[str], context: Context) -> str:
        """Follow words as a command of their own; return the command's output."""
        if context.depth > DEPTH:
            raise ShellError("commands inside commands, too deep to follow", 0)
        self.budget.spend(4, sum(map(len, words)))
        return self.program(self.add(words, context), context)

    def program(self, command: Command, context: Context) -> str:
        """Follow the programs run by the command; afterwards an unset variable is as unknown as any."""
        command.computed = any(word[:1] == UNKNOWN and word[:2] != UNSET for word in command.words[1:])
        record = self.catalogue.find(command.words[0].rpartition("/")[2])
        if record is not None and record.has("settings"):
            command.moved = moved(context.shell, record.words_of("settings"))
        output = follow(self, command, context)
        command.words = [word.replace(UNSET, UNKNOWN) for word in command.words]
        return output

    # -- lists and pipelines -----------------------------------------------------------------------

    def script(self, script: Script, context: Context) -> str:
        """Follow a command line and return its output; UNKNOWN for output known only after a run."""
        if context.depth > DEPTH:
            raise ShellError("commands inside commands, too deep to follow", 0)
        outputs: list[str] = []
        chain: Items = []
        for pipeline, operator in script.items:
            chain.append((pipeline, operator))
            if operator not in ("&&", "||"):
                outputs.append(self.chain(chain, context, attached=script.attached))
                chain = []
        if chain:
            outputs.append(self.chain(chain, context, attached=script.attached))
        text = "".join(outputs)
        self.budget.spend(1, len(text))
        return text

    def chain(self, items: Items, context: Context, *, attached: bool) -> str:
        """`a && b || c`: each part starts from every state that can lead to the part, and any part may be the last."""
        shell = context.shell
        background = items[-1][1] == "&"
        if background:
            shell = shell.copy()
        output, good, bad = self.part(items[0][0], context, shell, attached=attached, background=background)
        for (_, operator), (pipeline, _) in zip(items, items[1:], strict=False):  # noqa: RUF007 - itertools is not loaded
            start = good if operator == "&&" else bad
            way = (start or shell).copy()
            more, success, failure = self.part(pipeline, context, way, attached=attached, background=background)
            if start is not None and way.changes == start.changes and success is way and not way.ended:
                success, failure = start, (start if failure is way else failure)
            if operator == "&&":
                good, bad, output = success, self.either(bad, failure), output + more
            else:
                good, bad, output = self.either(good, success), failure, UNKNOWN if more else output
        end = self.either(good, bad)
        if not background and end is not None and end is not context.shell:
            context.shell.become(end)
        return output

    def either(self, one: Shell | None, other: Shell | None) -> Shell | None:
        """The state after either of two ways; an impossible way is None."""
        if one is None or other is None or one is other:
            return one or other
        return merge([one, other], self.budget)

    def part(
        self, pipeline: Pipeline, context: Context, shell: Shell, *, attached: bool, background: bool
    ) -> tuple[str, Shell | None, Shell | None]:
        """A pipeline of a list: its output, and the state of the shell after success and after failure."""
        self.failed = None
        before = len(self.commands)
        output = self.pipeline(pipeline, context, shell, attached=attached, background=background)
        good: Shell | None = shell
        bad: Shell | None = self.failed or shell
        self.failed = None
        if len(pipeline.commands) == 1 and isinstance(pipeline.commands[0], Simple):
            words = self.commands[before].words if len(self.commands) > before else []
            if not words or words[0] in SURE:
                bad = None
            elif words[0] == "false":
                good = None
        return (output, bad, good) if pipeline.negated else (output, good, bad)

    def pipeline(self, pipeline: Pipeline, outer: Context, shell: Shell, *, attached: bool, background: bool) -> str:
        self.pipelines += 1
        number = self.pipelines
        self.budget.spend(2)
        apart = len(pipeline.commands) > 1
        output: str | None = outer.stdin
        for stage, command in enumerate(pipeline.commands):
            context = outer.inside("", shell.copy() if apart else shell)
            context.depth = outer.depth
            context.places = (*outer.places, (number, stage))
            context.stdin = output
            context.forks = outer.forks or apart or background
            context.negated = pipeline.negated
            context.read = outer.read or apart or any(redirect.operator[0] in ">&" for redirect in command.redirects)
            context.node = command if attached and isinstance(command, Simple) else None
            output = self.command(command, context)
        return output or ""

    # -- commands ----------------------------------------------------------------------------------

    def command(self, command: "Simple | Compound", context: Context) -> str:
        """Set up stdin, follow the command, write its output to the redirect targets."""
        if command.redirects:
            for redirect in command.redirects:
                self.nested(redirect.target, context)
                if redirect.body is not None:
                    self.nested(redirect.body, context)
            context.stdin = stdin_of(self, command.redirects, context)
        if isinstance(command, Simple):
            return self.simple(command, context)
        if command.kind == "function":
            context.shell.functions[command.name] = command.scripts
            context.shell.changes += 1
            if command.name == "command_not_found_handle":
                self.run([command.name, UNKNOWN], context.inside(command.name))
            return ""
        files = files_of(self, command.redirects, context)
        holder = self.add([":"], context) if files else None
        from hookkit.shell.follow import branches  # late: most lines have no compound command

        output = branches.follow(self, command, context)
        return redirected(self, command.redirects, files, output, holder, context)

    def simple(self, command: Simple, context: Context) -> str:
        """Check the command once for each combination of possible values of the variables in its words."""
        shell = context.shell
        open_names = shell.open_names()
        if not open_names and len(shell.directories) == 1:
            return self.once(command, context)
        used = {name for word in (*command.assignments, *command.words) for name in variables(word)}
        used.update(name for redirect in command.redirects for name in variables(redirect.target))
        states = list(possible(shell, [name for name in open_names if name in used]))
        if len(states) == 1:
            context.shell = states[0]
            output = self.once(command, context)
            shell.become(states[0])
            return output
        texts, failures = [], []
        for state in states:
            inner = context.inside("", state)
            inner.depth, inner.node, inner.negated = context.depth, context.node, context.negated
            self.failed = None
            texts.append(self.once(command, inner))
            failures.append(self.failed or state)
        shell.become(merge(states, self.budget))
        self.failed = merge(failures, self.budget) if any(way not in states for way in failures) else None
        return texts[0] if len(set(texts)) == 1 else UNKNOWN

    def once(self, command: Simple, context: Context) -> str:
        self.budget.spend(4)
        for word in (*command.assignments, *command.words):
            self.nested(word, context)
        expander = self.expander(context)
        if command.assignments or not command.words or command.words[0].text in DECLARERS:
            return self.assigning(command, context, expander)
        return self.program_of(command, context, expander)

    def assigning(self, command: Simple, context: Context, expander: Expander) -> str:
        """`x=1`, `x=1 command`, `export x=1`."""
        from hookkit.shell.expand import assignments  # late: most commands have no assignment

        if not command.words:
            for word in command.assignments:
                assignments.assign(self, word, context, expander)
            files = files_of(self, command.redirects, context)
            holder = self.add([":"], context) if files else None
            reads = any(redirect.operator == "<" for redirect in command.redirects) and not command.assignments
            output = context.stdin or "" if reads else ""  # `$(<file)`
            return redirected(self, command.redirects, files, output, holder, context)
        if command.words[0].text in DECLARERS:
            return assignments.declare(self, command, context, expander)
        values = assignments.Temporary(self, command.assignments, context, expander)
        output = self.program_of(command, context, expander, values)
        values.restore()
        return output

    def program_of(
        self, command: Simple, context: Context, expander: Expander, values: "Temporary | None" = None
    ) -> str:
        words = expander.all_fields(command.words)
        files = files_of(self, command.redirects, context)
        if not words:
            holder = self.add([":"], context) if files else None
            return redirected(self, command.redirects, files, "", holder, context)
        self.array(command.words[0], words, context)
        added = self.add(words, context)
        if _is_globbed(command.words[0]) and words[0] != "[":
            added.doubt = "its name is a pattern"
        if values is not None:
            values.check(self, added, context)
        output = self.program(added, context)
        return redirected(self, command.redirects, files, output, added, context)

    def array(self, word: Word, words: list[str], context: Context) -> None:
        """`$x -f`: for zsh all elements of an array are words, for bash only the first."""
        part = word.parts[0] if len(word.parts) == 1 else None
        if part is None or part.kind != VARIABLE or part.quoted:
            return
        variable = context.shell.variables.get(part.text)
        elements = list(variable.options[0].values()) if variable is not None else []
        if len(elements) > 1 and elements[0]:
            self.run([*elements, *words[1:]], context.inside("zsh"))

    # -- words -------------------------------------------------------------------------------------

    def expander(self, context: Context) -> Expander:
        return Expander(
            context.shell,
            self.budget,
            lambda script: self.output(script, context),
            lambda text: self.again(text, context),
            lambda part: self.process(part, context),
        )

    def nested(self, word: Word, context: Context) -> None:
        """Command lines inside a word run in a subshell before the word is there."""
        for part in word.parts:
            if part.kind != PROCESS:
                for script in part.scripts:
                    self.output(script, context)
            for element in part.words:
                self.nested(element, context)

    def output(self, script: Script, context: Context) -> str:
        """The output of a command substitution; each substitution runs once for a command."""
        if id(script) not in context.outputs:
            inner = context.inside("", context.shell.copy())
            inner.stdin, inner.read = context.stdin, True
            context.outputs[id(script)] = self.script(script, inner)
        return context.outputs[id(script)]

    def process(self, part: Part, context: Context) -> str:
        """The name of the pipe behind `<(command)` or `>(command)`."""
        script = part.scripts[0]
        if id(script) in context.outputs:
            return context.outputs[id(script)]
        inner = context.inside("", context.shell.copy())
        inner.read = True
        if part.text == ">":
            inner.stdin = context.stdin if context.stdin is not None else UNKNOWN
        output = self.script(script, inner)
        path = context.outputs[id(script)] = self.made.pipe(output if part.text == "<" else "")
        return path

    def again(self, text: str, context: Context) -> None:
        """Text expanded by bash a second time: a subscript, an arithmetic value, a prompt."""
        if ("$(" in text or "`" in text) and context.depth <= DEPTH:
            end = "HOOKKIT"
            self.script(
                self.read(f": <<{end}\n{text.replace(UNKNOWN, 'x')}\n{end}\n"), context.inside("", context.shell.copy())
            )


def _is_globbed(word: Word) -> bool:
    return any(part.kind == LITERAL and not part.quoted and not GLOB.isdisjoint(part.text) for part in word.parts)


def resolve(line: str, *, directory: str = "/", home: str = "/home/user", project: str = "") -> Resolution:
    """Find every command in a command line, without running any."""
    return Resolution(line, directory=directory, home=home, project=project)

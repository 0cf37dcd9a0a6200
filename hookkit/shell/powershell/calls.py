"""One call in a session: of a script block, a function, a cmdlet, a script or a program."""

import os

from hookkit.programs.effects import GONE
from hookkit.programs.words import EMPTY, UNKNOWN, is_top, meanings, whole
from hookkit.shell.follow import KIND
from hookkit.shell.powershell import cmdlets
from hookkit.shell.powershell.names import PROGRAMS, Bound, BoundWord, bind, full_name, home_path, path_of
from hookkit.shell.powershell.reader import BLOCK, ScriptNode
from hookkit.shell.powershell.values import Items, block_in, text_of, texts
from hookkit.shell.state import UNSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.powershell.session import ScriptSession

HOPS = 8  # aliases of aliases
SHELLS = ("pwsh", "powershell")
# Cmdlets that show their arguments.
SHOWERS = frozenset("write-host write-output echo write out-host write-information write-warning out-string".split())


class CmdletCall:
    """Arguments, the items of the pipeline in front (None without a pipe), and redirections."""

    def __init__(
        self, session: "ScriptSession", arguments: list[BoundWord], stdin: Items | None, context: "Context"
    ) -> None:
        self.session = session
        self.line = session.line
        self.arguments = arguments
        self.stdin = stdin
        self.context = context
        self.redirects: list[tuple[str, str]] = []
        self.blocks_output: Items = []  # what the script blocks among the arguments gave back

    def run(self, item: object, *, sign: str = "") -> Items:
        """Call what a name, or a value behind `&`, stands for."""
        if isinstance(item, ScriptNode):
            return self.block(item)
        name = text_of(item)
        for _ in range(HOPS):
            name = self.session.aliases.get(name.lower(), name)
        path = name.replace("\\", "/")
        if UNKNOWN in path.rpartition("/")[2] or not path.strip():
            command = self.line.add([UNKNOWN, *self.plain_words()], self.context)
            command.doubt = "the name of the program is computed"
            return [UNKNOWN]
        lowered = name.lower()
        if lowered in self.session.functions:
            function = self.session.functions[lowered]
            return self.session.call_block(function, self.arguments, self.context, lowered)
        full = full_name(name, self.line.catalogue)
        if not full:
            return self.program(path, sign=sign)
        if lowered in PROGRAMS:
            self.program(lowered)
        if full == "Remove-Item" and self._is_for_cmd():
            from hookkit.shell.powershell import run_cmd

            run_cmd(self.session, [lowered, *self.plain_words()], self.redirects, self.context)
            return []
        return self.cmdlet(full)

    def _is_for_cmd(self) -> bool:
        """`rd /s /q x` is a line of cmd, whichever shell gets it."""
        words = [text_of(items[0]) for items in (argument.items for argument in self.arguments) if items]
        return any(word.lower() in ("/s", "/q", "/f") for word in words)

    def block(self, block: ScriptNode) -> Items:
        """A script block reads the pipeline as `$_`, item by item."""
        if self.stdin is None:
            return self.session.call_block(block, self.arguments, self.context)
        output: Items = []
        for item in self.stdin or [UNKNOWN]:
            self.session.variables["_"] = self.session.variables["psitem"] = [item]
            output += self.session.call_block(block, self.arguments, self.context)
        return output

    # -- cmdlets -----------------------------------------------------------------------------------

    def cmdlet(self, name: str) -> Items:
        record = self.line.catalogue.get(name)
        bound = bind(record, self.arguments, self.stdin)
        home = self.context.shell.home
        for option in bound.path_options().intersection(bound.values):
            items = bound.values[option]
            bound.values[option] = [home_path(item, home) if isinstance(item, str) else item for item in items]
        if "-WhatIf" in bound.flags:
            self.line.add([name, "-WhatIf"], self.context)
            return []
        command = self.line.add([name], self.context)
        command.followed = True
        self.line.budget.spend(len(self.arguments))
        self._risks(bound, command)
        self.blocks_output = self._blocks(name, bound)
        special = cmdlets.SPECIAL.get(name)
        output = special(self, bound, command) if special is not None else self.blocks_output or [UNKNOWN]
        command.words = [name, *(word.replace(UNSET, UNKNOWN) for word in bound.words())]
        self.session.written(command, self.redirects, output, self.context)
        return output

    def _risks(self, bound: Bound, command: "Command") -> None:
        """Deleting: a path that is computed as a whole, or that is the root if a variable is empty.

        Moving: the home, or a directory of the system, is as good as deleted where it was.
        """
        for text in texts(bound.value("-Path")) if bound.record.name in ("Move-Item", "Rename-Item") else ():
            path = meanings(path_of(text), deletes=False)[0]
            where = os.path.normpath(os.path.join(self.context.shell.directory or UNKNOWN, whole(path)))
            if is_top(where) or where == self.context.shell.home:
                command.files.append((GONE, where))
        for option in bound.record.words_of("deletes"):
            for text in texts(bound.value(option)):
                rest = path_of(text.replace(UNSET, ""))
                if text.startswith(UNSET) and is_top(rest or "x"):
                    command.files.append((GONE, EMPTY))
                elif text == UNKNOWN:
                    command.doubt = "the files to delete are computed"

    def _blocks(self, name: str, bound: Bound) -> Items:
        """A script block given to a cmdlet runs, with the items of the pipeline as `$_`."""
        given = [item for items in (*bound.values.values(), bound.rest) for item in items]
        blocks = [item for item in given if isinstance(item, ScriptNode) and item.kind == BLOCK]
        output: Items = []
        for block in blocks:
            inner = CmdletCall(self.session, [], self.stdin, self.context.inside(name, self.context.shell))
            inner.context.read = self.context.read or name in cmdlets.TESTERS
            output += inner.block(block)
        return output

    def named(self, name: str, values: dict[str, Items]) -> Items:
        """Call a cmdlet with these parameters: what a method of .NET or a command of cmd comes to."""
        arguments = [BoundWord(option, items) for option, items in values.items()]
        return CmdletCall(self.session, arguments, self.stdin, self.context).cmdlet(name)

    # -- programs ----------------------------------------------------------------------------------

    def plain_words(self) -> list[str]:
        words: list[str] = []
        for argument in self.arguments:
            values = texts(argument.items or [])
            if argument.name:
                words.append(argument.name + (f":{' '.join(values)}" if argument.items is not None else ""))
            else:
                words += [home_path(value, self.context.shell.home) for value in values]
        return [word.replace(UNSET, UNKNOWN) for word in words]

    def program(self, path: str, *, sign: str = "") -> Items:
        """A program, a script of PowerShell, or a name that only another shell would take for a builtin."""
        base = path.rpartition("/")[2].lower()
        words = [path.replace(UNSET, UNKNOWN), *self.plain_words()]
        if base.endswith((".ps1", ".psm1")):
            return self._script(path, words, sign)
        if UNKNOWN in words[0]:
            words[0] = base
        block = block_in([item for argument in self.arguments for item in argument.items or []])
        if block is not None and base.removesuffix(".exe") in SHELLS:
            return self.session.call_block(block, [], self.context.inside(base, self.context.shell.copy()))
        if KIND.get(base) in ("builtins", "directories"):
            self.line.add(words, self.context).followed = True
            return [UNKNOWN]
        before = len(self.line.commands)
        output = self.line.run(words, self.context)
        if self.line.made.place(path, self.context) in self.line.made.fetched:  # Windows looks here first
            self.line.commands[before].doubt = "this program was made by the same line"
        if len(self.line.commands) > before:
            self.session.written(self.line.commands[before], self.redirects, [output], self.context)
        return [output]

    def _script(self, path: str, words: list[str], sign: str) -> Items:
        """A script file: followed if the line made it."""
        command = self.line.add(words, self.context)
        command.followed = True
        text = self.line.made.find(path, self.context)
        if self.line.made.place(path, self.context) in self.line.made.fetched:
            command.doubt = "this program was made by the same line"
        elif text is not None:
            return self.session.inner(text, command, self.context, f"{sign} {path}".strip())
        return [UNKNOWN]

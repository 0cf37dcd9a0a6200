"""A session of PowerShell: follows the tree of a script, and adds every command to the line.

All branches are followed. A variable that two branches set differently has both values: whatever is done to it is
looked at for each.
"""

from hookkit.errors import ShellError
from hookkit.programs.words import UNKNOWN
from hookkit.shell.commands import FILE_TEXT
from hookkit.shell.powershell import reader as kinds
from hookkit.shell.powershell import statements
from hookkit.shell.powershell.names import BoundWord, path_of
from hookkit.shell.powershell.reader import ScriptNode, names
from hookkit.shell.powershell.values import (
    COMPUTED,
    HOLE,
    MOST,
    Evaluator,
    Items,
    combined,
    displayed,
    either,
    is_unknown,
    joined,
    narrowed,
    text_of,
)
from hookkit.shell.state import merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.shell.commands import Command, Context


class ScriptSession(Evaluator):
    """Statements and pipelines of a session."""

    def script(self, text: str, context: "Context") -> Items:
        """Follow a text as part of this session; ShellError if it cannot be read."""
        self.line.charge(text)
        return self.run(statements.scan(text.replace(UNKNOWN, HOLE)), context)

    def inner(self, text: str, command: "Command", context: "Context", name: str) -> Items:
        """Follow a text that a command runs; a text that hookkit cannot analyse is a doubt about the command."""
        plain = text.replace(FILE_TEXT, "")
        if not plain.strip():
            return []
        if is_unknown(plain):
            command.doubt = f"the script that {name} runs is computed"
            return [UNKNOWN]
        try:
            return self.script(plain, context.inside(name))
        except ShellError as error:
            command.doubt = f"the script that {name} runs cannot be read: {error}"
            return [UNKNOWN]

    # -- statements --------------------------------------------------------------------------------

    def run(self, node: ScriptNode, context: "Context") -> Items:
        """Follow a statement and return its output."""
        self.enter()
        output = STATEMENTS[node.kind](self, node, context) if node.kind in STATEMENTS else self.value(node, context)
        self.depth -= 1
        return output

    def quietly(self, node: ScriptNode, context: "Context") -> Items:
        """Follow a statement whose output is not shown: a condition, the right side of an assignment."""
        inner = context.inside("", context.shell)
        inner.depth, inner.read = context.depth, True
        return self.run(node, inner)

    def list_(self, node: ScriptNode, context: "Context") -> Items:
        output: Items = []
        for part in node.parts:
            output += self.run(part, context)
            if len(output) > MOST:
                output = [UNKNOWN]
        return output

    def assign(self, node: ScriptNode, context: "Context") -> Items:
        self.line.plain = False
        target = node.parts[0]
        while target.kind == kinds.CAST:
            target = target.parts[0]
        items = self.quietly(node.parts[1], context) if len(node.parts) > 1 else self.given(target)
        if target.kind == kinds.VARIABLE:
            before = self.variables.get(target.text, [])
            if node.text == "param" and target.text in self.variables:
                items = either(before, items)
            elif node.text == "+=":
                items = combined("+", before, items) if before else items
            elif node.text not in ("=", "param"):
                items = either(before, items) if node.text == "??=" else [UNKNOWN]
            self.put(target.text, items)
            return []
        if target.kind == kinds.ARRAY:
            for part in target.parts:
                self.put(part.text, items)
            return []
        self.value(target, context)
        return []

    def given(self, target: ScriptNode) -> Items:
        """A parameter without a default: the argument that a caller has set, or nothing known."""
        return self.variables.get(target.text, [UNKNOWN])

    def put(self, name: str, items: Items) -> None:
        self.line.budget.spend(1, sum(len(item) for item in items if isinstance(item, str)))
        scope, colon, rest = name.partition(":")
        if colon and scope == "function" and items and isinstance(items[0], ScriptNode):
            self.functions[rest] = items[0].parts[0]
        elif colon and scope == "alias" and items:
            self.aliases[rest] = text_of(items[0])
        else:
            self.variables[name] = items

    def branch(self, node: ScriptNode, context: "Context") -> Items:
        """Each body starts from the same state; afterwards the state is that of any of them."""
        self.line.plain = False
        pairs = list(node.parts)
        ways: list[Callable[[], Items]] = []
        if node.text == "switch":
            ways = [lambda body=body: self.run(body, context) for body in pairs]  # type: ignore[misc]
        while node.text != "switch" and len(pairs) > 1:
            condition, body = pairs[:2]
            pairs = pairs[2:]
            self.quietly(condition, context)
            ways.append(lambda condition=condition, body=body: self.narrow(condition, body, context))  # type: ignore[misc]
        if node.text == "else":
            ways.append(lambda: self.run(pairs[0], context))
        else:
            ways.append(list)
        return self.any_of(ways, context)

    def narrow(self, condition: ScriptNode, body: ScriptNode, context: "Context") -> Items:
        """A condition about a file leaves only some of the files that the variable may be."""
        for name in names(condition):
            if name in self.variables:
                self.variables[name] = narrowed(self.variables[name])
        return self.run(body, context)

    def any_of(self, ways: "list[Callable[[], Items]]", context: "Context") -> Items:
        output: Items = []
        shell = context.shell
        start = (dict(self.variables), dict(self.aliases), dict(self.functions), shell.copy())
        variables: dict[str, Items] = {}
        ends = []
        for way in ways:
            self.variables, self.aliases = dict(start[0]), {**self.aliases, **start[1]}
            shell.become(start[3].copy())
            output = either(output, way()) if output else way()
            ends.append(shell.copy())
            self.line.budget.spend(1 + len(self.variables) // 16)
            for name, items in self.variables.items():
                variables[name] = either(variables[name], items) if name in variables else items
        self.variables = variables
        shell.become(merge(ends, self.line.budget))
        return output

    def loop(self, node: ScriptNode, context: "Context") -> Items:
        """Twice, since the second round may find what the first has set."""
        self.line.plain = False
        return self.any_of([list, lambda: self._rounds(node, context)], context)

    def _rounds(self, node: ScriptNode, context: "Context") -> Items:
        before = dict(self.variables)
        output = [item for part in node.parts for item in self.run(part, context)]
        if any(self.variables.get(name) != items for name, items in before.items()):
            output = either(output, [item for part in node.parts for item in self.run(part, context)])
        return output

    def each(self, node: ScriptNode, context: "Context") -> Items:
        """`foreach`, and `switch` over a list."""
        self.line.plain = False
        items = self.quietly(node.parts[0], context)
        output: Items = []
        for item in items or [UNKNOWN]:
            self.put(node.text, [item])
            output = either(output, self.run(node.parts[1], context))
        return output

    def function(self, node: ScriptNode, _: "Context") -> Items:
        self.line.plain = False
        self.functions[node.text] = ScriptNode(kinds.LIST, "", node.parts)
        return []

    def leave(self, node: ScriptNode, context: "Context") -> Items:
        return self.list_(node, context)

    # -- pipelines ---------------------------------------------------------------------------------

    def pipeline(self, node: ScriptNode, outer: "Context") -> Items:
        self.line.pipelines += 1
        number = self.line.pipelines
        items: Items | None = None
        for stage, part in enumerate(node.parts):
            context = outer.inside("", outer.shell)
            context.depth = outer.depth
            context.places = (*outer.places, (number, stage))
            context.read = outer.read or stage < len(node.parts) - 1
            context.stdin = None if items is None else joined(items, "\n")
            items = self.command(part, items, context) if part.kind == kinds.COMMAND else self.output(part, context)
        return items or []

    def output(self, node: ScriptNode, context: "Context") -> Items:
        """An expression as a command: its value is the output."""
        items = self.value(node.parts[0], context)
        if node.parts[0].kind == kinds.VARIABLE and node.parts[0].text == COMPUTED:
            self.line.add([UNKNOWN], context).doubt = "a part of this script is computed"
        self.shown(node.parts[0], context)
        redirects = self.redirects(node.parts[1:], context)
        if redirects:
            holder = self.line.add(["Out-File"], context)
            self.written(holder, redirects, items, context)
            return []
        return items

    def shown(self, node: ScriptNode, context: "Context") -> None:
        """Variables of the environment in a shown text: reading them is reading `env:NAME`."""
        if context.read and not (context.places and context.places[-1][1]):
            return
        for name in displayed(node):
            self.line.add(["Get-Content", "-Path", f"env:{name[4:].upper()}"], context)

    def redirects(self, parts: list[ScriptNode], context: "Context") -> list[tuple[str, str]]:
        opened = [part for part in parts if part.kind == kinds.REDIRECT and part.parts]
        targets = [(part.text, self.value(part.parts[0], context)) for part in opened]
        return [(sign, path_of(text_of(item))) for sign, items in targets for item in items]

    def written(self, command: "Command", redirects: list[tuple[str, str]], items: Items, context: "Context") -> None:
        for sign, path in redirects:
            command.files.append((sign, path))
            if sign != "<":
                self.line.made.write(path, joined(items, "\n"), context, append=sign == ">>")

    def command(self, node: ScriptNode, stdin: "Items | None", context: "Context") -> Items:
        from hookkit.shell.powershell import calls

        self.line.budget.spend(4)
        head = self.value(node.parts[0], context)
        arguments = self.arguments([part for part in node.parts[1:] if part.kind != kinds.REDIRECT], context)
        for part in node.parts[1:]:
            self.shown_by(head, part, context)
        call = calls.CmdletCall(self, arguments, stdin, context)
        call.redirects = self.redirects(node.parts[1:], context)
        output: Items = []
        for item in head or [UNKNOWN]:
            output = either(output, call.run(item, sign=node.text))
        return output if not any(sign != "<" for sign, _ in call.redirects) else []

    def shown_by(self, head: Items, part: ScriptNode, context: "Context") -> None:
        from hookkit.shell.powershell.calls import SHOWERS

        if head and text_of(head[0]).lower() in SHOWERS:
            for name in displayed(part):
                self.line.add(["Get-Content", "-Path", f"env:{name[4:].upper()}"], context.inside("", context.shell))

    def arguments(self, parts: list[ScriptNode], context: "Context") -> list[BoundWord]:
        words: list[BoundWord] = []
        for part in parts:
            if part.kind == kinds.PARAMETER:
                glued = part.parts[0] if len(part.parts) > 1 else None
                words.append(BoundWord(part.text, self.value(glued, context) if glued is not None else None))
            elif part.kind == kinds.SPLAT:
                words += self._splat(self.variables.get(part.text, [UNKNOWN]))
            else:
                words.append(BoundWord("", self.value(part, context)))
        return words

    def _splat(self, items: Items) -> list[BoundWord]:
        self.line.plain = False
        if items and isinstance(items[0], dict):
            return [BoundWord(f"-{name}", value) for name, value in items[0].items()]
        return [BoundWord("", [item]) for item in items]

    def invoke(self, node: ScriptNode, context: "Context") -> Items:
        from hookkit.shell.powershell import methods

        self.line.plain = False
        target, *arguments, _ = node.parts
        given = [self.value(argument, context) for argument in arguments]
        if target.kind == kinds.TYPE and "array" in target.text:  # `[array]::Reverse($x)` changes the array itself
            for name in [name for argument in arguments for name in names(argument)]:
                self.variables[name] = [UNKNOWN]
        return methods.invoke(self, self.value(target, context), node.text, given, context)

    def call_block(self, block: ScriptNode, arguments: list[BoundWord], context: "Context", name: str = "") -> Items:
        """Run a script block or a function with its arguments as `$args` and by the names of its parameters."""
        if name and name in self.running:
            return [UNKNOWN]
        before, running = dict(self.variables), self.running
        self.running = (*running, name) if name else running
        self.variables["args"] = [item for argument in arguments for item in argument.items or []]
        _bind_parameters(self, block, arguments)
        body = block.parts[0] if block.kind == kinds.BLOCK else block
        output = self.run(body, context.inside(name, context.shell))
        self.running = running
        for variable in [variable for variable in before if variable in ("args", "_")]:
            self.variables[variable] = before[variable]
        return output


def _bind_parameters(session: ScriptSession, block: ScriptNode, arguments: list[BoundWord]) -> None:
    """Arguments by name, then by position; an argument behind a switch is taken for its value, and stays positional."""
    order = [part.parts[0].text for group in _parameter_lists(block) for part in group.parts]
    loose: list[Items] = []
    named: dict[str, Items] = {}
    for place, argument in enumerate(arguments):
        if not argument.name:
            loose.append(argument.items or [])
            continue
        name = next((name for name in order if name.startswith(argument.name[1:].lower())), "")
        following = arguments[place + 1].items if place + 1 < len(arguments) and not arguments[place + 1].name else None
        named[name] = argument.items or following or ["True"]
    free = [name for name in order if name not in named]
    session.variables.update(dict(zip(free, loose, strict=False)))
    session.variables.update({name: items for name, items in named.items() if name})


def _parameter_lists(block: ScriptNode) -> list[ScriptNode]:
    """`param(…)` at the head of a body, or the parameters behind a function's name."""
    lists: list[ScriptNode] = []
    waiting = [block]
    for _ in range(3):  # the block, its body, the body's statements
        waiting = [part for node in waiting for part in node.parts if part.kind == kinds.LIST]
        lists += [node for node in waiting if node.text == "param"]
    return lists[:1]


STATEMENTS = {
    kinds.LIST: ScriptSession.list_,
    kinds.ASSIGN: ScriptSession.assign,
    kinds.BRANCH: ScriptSession.branch,
    kinds.LOOP: ScriptSession.loop,
    kinds.EACH: ScriptSession.each,
    kinds.FUNCTION: ScriptSession.function,
    kinds.LEAVE: ScriptSession.leave,
    kinds.PIPELINE: ScriptSession.pipeline,
}

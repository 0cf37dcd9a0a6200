"""Values of expressions, as far as the script itself tells them. A method, or a group of commands, runs on the way."""

from hookkit.errors import ShellError
from hookkit.programs.words import UNKNOWN
from hookkit.shell.powershell import statements
from hookkit.shell.powershell.names import is_unknown, known_variables
from hookkit.shell.powershell.values import (
    ARRAY,
    BINARY,
    BLOCK,
    CAST,
    GROUP,
    INDEX,
    INVOKE,
    LIST,
    MEMBER,
    MOST,
    OUTPUT,
    PIPELINE,
    STATIC,
    STRING,
    TABLE,
    TEXT,
    TYPE,
    UNARY,
    VARIABLE,
    Instance,
    Items,
    ScriptNode,
    combined,
    indexed,
    joined,
    text_of,
    whole_number,
)
from hookkit.shell.state import UNSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.shell.commands import Context
    from hookkit.shell.resolve import Resolution

DEEPEST = 90  # parts inside parts, functions inside functions
COMPUTED = "__computed__"
HOLE = f"${{{COMPUTED}}}"  # stands for an unknown part of a script
SHOWS = (STRING, ARRAY, GROUP, LIST, PIPELINE, OUTPUT)  # their output holds the values inside
LAST_CHARACTER = 0x10FFFF
# Variables that only a run can tell. Any other variable that the script does not set is empty.
RUNTIME = ("_", "input", "args", COMPUTED, "psitem", "?", "lastexitcode", "pid", "error", "matches", "host")


class Evaluator:
    """`variables`, `aliases` and `functions` by their lower-case names."""

    def __init__(self, line: "Resolution", context: "Context") -> None:
        shell = context.shell
        self.line = line
        known = known_variables(shell.home or UNKNOWN, shell.directory or UNKNOWN)
        self.variables: dict[str, Items] = {name: [text] for name, text in known.items()}
        self.variables["null"] = []
        self.aliases: dict[str, str] = {}
        self.functions: dict[str, ScriptNode] = {}
        self.running: tuple[str, ...] = ()  # functions that run, to end recursion
        self.depth = 0

    def enter(self) -> None:
        self.line.budget.spend()
        self.depth += 1
        if self.depth > DEEPEST:
            raise ShellError("PowerShell: nested too deep to follow", 0)

    def value(self, node: ScriptNode, context: "Context") -> Items:
        self.enter()
        value = VALUES[node.kind](self, node, context) if node.kind in VALUES else self.run(node, context)
        self.depth -= 1
        return value

    def text(self, node: ScriptNode, _: "Context") -> Items:
        return [node.text]

    def string(self, node: ScriptNode, context: "Context") -> Items:
        text = "".join(joined(self.value(part, context)) for part in node.parts)
        self.line.budget.spend(1, len(text))
        return [text]

    def variable(self, node: ScriptNode, context: "Context") -> Items:
        if node.text == "pwd":
            return [context.shell.directory or UNKNOWN]
        if node.text in self.variables:
            return self.variables[node.text]
        self.line.plain = False
        scope, colon, rest = node.text.partition(":")
        if colon and scope == "function" and rest in self.functions:
            return [ScriptNode(BLOCK, "", [self.functions[rest]])]
        if colon and scope == "env":
            return [UNSET]
        if colon or node.text in RUNTIME:
            return [UNKNOWN]
        return [UNSET]

    def array(self, node: ScriptNode, context: "Context") -> Items:
        parts = node.parts[1:] if node.text == "?" else node.parts
        if node.text == "?":
            self.value(node.parts[0], context)
        return [item for part in parts for item in self.value(part, context)]

    def table(self, node: ScriptNode, context: "Context") -> Items:
        pairs = zip(node.parts[::2], node.parts[1::2], strict=True)
        return [{joined(self.value(key, context)).lower(): self.quietly(value, context) for key, value in pairs}]

    def block(self, node: ScriptNode, _: "Context") -> Items:
        return [node]

    def group(self, node: ScriptNode, context: "Context") -> Items:
        return self.quietly(node.parts[0], context)

    def member(self, node: ScriptNode, context: "Context") -> Items:
        from hookkit.shell.powershell import methods

        self.line.plain = False
        return methods.member(self.value(node.parts[0], context), node.text)

    def index(self, node: ScriptNode, context: "Context") -> Items:
        self.line.plain = False
        return indexed(self.value(node.parts[0], context), self.value(node.parts[1], context))

    def type(self, node: ScriptNode, _: "Context") -> Items:
        return [Instance(node.text, is_type=True)]

    def cast(self, node: ScriptNode, context: "Context") -> Items:
        items = self.value(node.parts[0], context)
        name = node.text.removeprefix("system.").removesuffix("[]")
        if name == "char":
            numbers = [whole_number(text_of(item)) for item in items]
            is_code = all(number is not None and 0 <= number <= LAST_CHARACTER for number in numbers)
            if is_code:
                return [chr(number or 0) for number in numbers]
            return [letter for item in items for letter in text_of(item)[:MOST]]
        if name in ("scriptblock", "management.automation.scriptblock"):
            return [self.block_from(joined(items))]
        return items if name != "void" else []

    def block_from(self, text: str) -> object:
        """A script block made of a text; UNKNOWN for a text that nobody knows, which then is a doubt where it runs."""
        if is_unknown(text):
            return UNKNOWN
        try:
            self.line.charge(text)
            return ScriptNode(BLOCK, "", [statements.scan(text.replace(UNKNOWN, HOLE))])
        except ShellError:
            return UNKNOWN

    def binary(self, node: ScriptNode, context: "Context") -> Items:
        self.line.plain = False
        items = combined(node.text, self.value(node.parts[0], context), self.value(node.parts[1], context))
        self.line.budget.spend(1, sum(len(item) for item in items if isinstance(item, str)))
        return items

    def unary(self, node: ScriptNode, context: "Context") -> Items:
        self.line.plain = False
        items = self.value(node.parts[0], context)
        if node.text == "-join":
            return [joined(items, "")]
        if node.text == "-":
            return [f"-{joined(items)}"]
        return items if node.text == "+" else [UNKNOWN]

    def run(self, node: ScriptNode, context: "Context") -> Items:
        raise NotImplementedError

    def quietly(self, node: ScriptNode, context: "Context") -> Items:
        raise NotImplementedError

    def invoke(self, node: ScriptNode, context: "Context") -> Items:
        raise NotImplementedError


def displayed(node: ScriptNode) -> list[str]:
    """The variables of the environment whose values are in the text itself."""
    if node.kind == VARIABLE:
        return [node.text] if node.text.startswith("env:") else []
    is_text = node.kind in SHOWS or (node.kind == BINARY and node.text in ("+", "-f", "-join"))
    return [name for part in node.parts for name in displayed(part)] if is_text else []


VALUES: "dict[str, Callable[[Evaluator, ScriptNode, Context], Items]]" = {
    TEXT: Evaluator.text,
    STRING: Evaluator.string,
    VARIABLE: Evaluator.variable,
    ARRAY: Evaluator.array,
    TABLE: Evaluator.table,
    BLOCK: Evaluator.block,
    GROUP: Evaluator.group,
    MEMBER: Evaluator.member,
    STATIC: Evaluator.member,
    INVOKE: lambda evaluator, node, context: evaluator.invoke(node, context),
    INDEX: Evaluator.index,
    TYPE: Evaluator.type,
    CAST: Evaluator.cast,
    BINARY: Evaluator.binary,
    UNARY: Evaluator.unary,
}

"""Values: a list of items, as PowerShell's pipeline sees them: texts, hash tables, script blocks, objects.

Expressions have values as far as the script itself tells them; a method, or a group of commands, runs on the way.
"""

from hookkit.errors import ShellError
from hookkit.programs.words import UNKNOWN
from hookkit.shell.powershell import reader as kinds
from hookkit.shell.powershell import statements
from hookkit.shell.powershell.reader import ScriptNode
from hookkit.shell.state import UNSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.shell.commands import Context
    from hookkit.shell.resolve import Resolution


PROFILE = "/.config/powershell/Microsoft.PowerShell_profile.ps1"


MOST = 64  # items of a list that are followed one by one
ANY = "/*"  # behind a directory: all that is in it
SOME = f"/{UNKNOWN}"  # some of it


class Instance:
    """An object of a .NET type, or the type itself."""

    __slots__ = ("is_type", "type")

    def __init__(self, type_: str, *, is_type: bool = False) -> None:
        self.type = type_.lower().removeprefix("system.")
        self.is_type = is_type


Items = list[object]


def text_of(item: object) -> str:
    return item if isinstance(item, str) else UNKNOWN


def texts(items: Items) -> list[str]:
    return [text_of(item) for item in items]


def joined(items: Items, between: str = " ") -> str:
    """Items inside a string: with a blank between."""
    return between.join(texts(items))


def block_in(items: Items) -> ScriptNode | None:
    return next((item for item in items if isinstance(item, ScriptNode)), None)


def whole_number(text: str) -> int | None:
    """A small number, written as code usually writes it."""
    digits = text.removeprefix("-")
    if digits[:2].lower() == "0x" and len(digits) <= 8:  # noqa: PLR2004
        try:
            return int(digits, 16)
        except ValueError:
            return None
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= 8 else None  # noqa: PLR2004


def either(one: Items, other: Items) -> Items:
    """A value after two ways: whichever it is, both are looked at."""
    if one is other or one == other:
        return one
    items = [*one, *(item for item in other if item not in one)]
    return items if len(items) <= MOST else [UNKNOWN]


def narrowed(items: Items) -> Items:
    """What a condition leaves of them: some of the files of a directory."""
    return [item[: -len(ANY)] + SOME if isinstance(item, str) and item.endswith(ANY) else item for item in items]


def combined(operator: str, left: Items, right: Items) -> Items:
    """The operators that build texts; every other result is known only in a run."""
    if operator == "+":
        return [*left, *right] if len(left) > 1 or not all(isinstance(item, str) for item in left) else [
            joined(left) + joined(right)
        ]  # fmt: skip
    if operator == "-join":
        return [joined(left, joined(right))]
    if operator == "-f":
        return [_formatted(joined(left), texts(right))]
    if operator == "*":
        count = whole_number(joined(right))
        return [joined(left) * count] if count is not None and 0 <= count <= MOST else [UNKNOWN]
    if operator == "..":
        return _range(joined(left), joined(right))
    if operator in ("-replace", "-creplace", "-ireplace"):
        return [_replaced(item, texts(right)) for item in texts(left)]
    if operator == "-split" and right:
        mark = text_of(right[0])
        return list(joined(left).split(mark)) if mark and mark.isalnum() else [UNKNOWN]
    if operator in ("-as", "??"):
        return either(left, right) if operator == "??" else left
    return [UNKNOWN]


def _formatted(pattern: str, values: list[str]) -> str:
    for place, value in enumerate(values[:MOST]):
        pattern = pattern.replace(f"{{{place}}}", value)
    return pattern


def _range(first: str, last: str) -> Items:
    start, end = whole_number(first), whole_number(last)
    if start is None or end is None or abs(end - start) > MOST:
        return [UNKNOWN]
    step = 1 if end >= start else -1
    return [str(number) for number in range(start, end + step, step)]


def _replaced(text: str, values: list[str]) -> str:
    """A plain text for another; anything that may be a regular expression is not followed."""
    if not values or not values[0] or not values[0].replace("-", "").replace("_", "").isalnum():
        return UNKNOWN
    return text.replace(values[0], values[1] if len(values) > 1 else "")


def indexed(items: Items, places: Items) -> Items:
    """`$x[0]`, `'abc'[2,0]`: known places of known items, else all of them."""
    pool: Items = list(items[0]) if len(items) == 1 and isinstance(items[0], str) else items
    if len(items) == 1 and isinstance(items[0], dict):
        return [value for place in texts(places) for value in items[0].get(place.lower(), [UNKNOWN])]
    numbers = [whole_number(text) for text in texts(places)]
    if any(number is None or not -len(pool) <= number < len(pool) for number in numbers):
        return items if len(items) > 1 else [UNKNOWN]
    return [pool[number] for number in numbers if number is not None]


def known_variables(home: str, directory: str) -> dict[str, str]:
    """Variables with the same meaning in every session."""
    return {
        "home": home,
        "env:home": home,
        "env:userprofile": home,
        "env:homedrive": "",
        "env:homepath": home,
        "env:appdata": f"{home}/AppData/Roaming",
        "env:localappdata": f"{home}/AppData/Local",
        "env:onedrive": f"{home}/OneDrive",
        "env:temp": "/tmp",  # noqa: S108 - compared with rules, never opened
        "env:tmp": "/tmp",  # noqa: S108
        "env:tmpdir": "/tmp",  # noqa: S108
        "env:systemroot": "C:/Windows",
        "env:windir": "C:/Windows",
        "env:systemdrive": "C:",
        "env:programfiles": "C:/Program Files",
        "env:programdata": "C:/ProgramData",
        "env:comspec": "cmd",
        "profile": home + PROFILE,
        "pwd": directory,
        "true": "True",
        "false": "False",
    }


def is_unknown(text: str) -> bool:
    return UNKNOWN in text and not text.strip(UNKNOWN + "\1 \n;")


# -- expressions -----------------------------------------------------------------------------------


DEEPEST = 90  # parts inside parts, functions inside functions
COMPUTED = "__computed__"
HOLE = f"${{{COMPUTED}}}"  # stands for an unknown part of a script
# Their output holds the values inside.
SHOWS = (kinds.STRING, kinds.ARRAY, kinds.GROUP, kinds.LIST, kinds.PIPELINE, kinds.OUTPUT)
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
            return [ScriptNode(kinds.BLOCK, "", [self.functions[rest]])]
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
            return ScriptNode(kinds.BLOCK, "", [statements.scan(text.replace(UNKNOWN, HOLE))])
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
    if node.kind == kinds.VARIABLE:
        return [node.text] if node.text.startswith("env:") else []
    is_text = node.kind in SHOWS or (node.kind == kinds.BINARY and node.text in ("+", "-f", "-join"))
    return [name for part in node.parts for name in displayed(part)] if is_text else []


VALUES: "dict[str, Callable[[Evaluator, ScriptNode, Context], Items]]" = {
    kinds.TEXT: Evaluator.text,
    kinds.STRING: Evaluator.string,
    kinds.VARIABLE: Evaluator.variable,
    kinds.ARRAY: Evaluator.array,
    kinds.TABLE: Evaluator.table,
    kinds.BLOCK: Evaluator.block,
    kinds.GROUP: Evaluator.group,
    kinds.MEMBER: Evaluator.member,
    kinds.STATIC: Evaluator.member,
    kinds.INVOKE: lambda evaluator, node, context: evaluator.invoke(node, context),
    kinds.INDEX: Evaluator.index,
    kinds.TYPE: Evaluator.type,
    kinds.CAST: Evaluator.cast,
    kinds.BINARY: Evaluator.binary,
    kinds.UNARY: Evaluator.unary,
}

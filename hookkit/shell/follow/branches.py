"""Compound commands: conditions, loops, groups. Each branch starts from the same state; any of them may be taken."""

from hookkit.shell.state import UNKNOWN, Shell, Variable, merge, scalar
from hookkit.shell.syntax import NAME, Compound, Script, Simple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.shell.commands import Context
    from hookkit.shell.resolve import Resolution

TURNS = 40  # values of a loop followed separately
UNROLLED = 1_500  # remaining budget needed to follow a loop value by value
NUMERIC = ("-v", "-R", "-eq", "-ne", "-lt", "-le", "-gt", "-ge")


def follow(line: "Resolution", command: Compound, context: "Context") -> str:
    """The output of the compound command; UNKNOWN if the output depends on the branch."""
    inner = context.inside()
    kind = command.kind
    if kind in ("(", "coproc"):
        inner.shell = context.shell.copy()
        inner.stdin = UNKNOWN if kind == "coproc" else inner.stdin  # other commands may write to it
        return "".join(line.script(script, inner) for script in command.scripts)
    if kind == "{":
        return "".join(line.script(script, inner) for script in command.scripts)
    for word in command.words:
        line.nested(word, context)
    if kind == "if":
        return _if(line, command.scripts, inner)
    if kind == "case":
        return _any(line, command.scripts, inner)
    if kind in ("for", "select") and command.name:
        return _for(line, command, inner)
    if kind in ("((", "[["):
        _test(line, command, context)
        for script in command.scripts:
            line.output(script, context)
        return ""
    return _loop(line, command, inner)


def _if(line: "Resolution", scripts: list[Script], context: "Context") -> str:
    """Conditions run in order; after each condition its branch may be taken."""
    shell = context.shell
    ways: list[Shell] = []
    outputs: set[str] = set()
    for at in range(0, len(scripts) - 1, 2):
        line.script(scripts[at], context)
        way = context.shell.copy()
        outputs.add(_on(line, scripts[at + 1], context, way))
        ways.append(way)
    if len(scripts) % 2:
        way = context.shell.copy()
        outputs.add(_on(line, scripts[-1], context, way))
        ways.append(way)
    else:
        ways.append(context.shell)
        outputs.add("")
    _take(line, shell, ways)
    return outputs.pop() if len(outputs) == 1 else UNKNOWN


def _any(line: "Resolution", scripts: list[Script], context: "Context") -> str:
    """The bodies of a case: a single body runs, or none."""
    shell = context.shell
    outputs = {""}
    result = shell
    for script in scripts:
        way = shell.copy()
        outputs.add(_on(line, script, context, way))
        if way.changes != shell.changes or way.ended:
            line.budget.spend(1 + len(way.variables) // 8)
            result = merge([result, way], line.budget)
    _take(line, shell, [result])
    return outputs.pop() if len(outputs) == 1 else UNKNOWN


def _on(line: "Resolution", script: Script, context: "Context", way: Shell) -> str:
    inner = context.inside("", way)
    inner.depth = context.depth
    return line.script(script, inner)


def _take(line: "Resolution", shell: Shell, ways: list[Shell]) -> None:
    changed = [way for way in ways if way.ended or way.changes != shell.changes]
    if changed:
        end = merge([*changed, *([shell] if len(changed) < len(ways) else [])], line.budget)
        if end is not shell:
            shell.become(end)
    shell.ended = False


def _for(line: "Resolution", command: Compound, context: "Context") -> str:
    """Value by value where there are few and they are cheap; else once, with every changed variable unknown."""
    shell = context.shell
    if command.words:
        values = line.expander(context).all_fields(command.words)
    else:
        values = [UNKNOWN] if shell.positional is None else list(shell.positional)
    if not values:
        return ""
    if command.kind == "select" or len(values) > TURNS or line.budget.steps < UNROLLED:
        options = tuple({"0": value} for value in values) if len(values) <= TURNS else ({"0": UNKNOWN},)
        shell.put(command.name, Variable(options[:8] if len(options) <= 8 else ({"0": UNKNOWN},)))  # noqa: PLR2004
        return _loop(line, command, context)
    leaves = any(_leaves(script) for script in command.scripts)
    outputs, ways = [], []
    for value in values:
        shell.put(command.name, scalar(value))
        outputs += [line.script(script, context) for script in command.scripts]
        if leaves:
            ways.append(shell.copy())
        shell.ended = False
    if leaves:
        for way in ways:
            way.ended = False
        shell.become(merge(ways, line.budget))
    return "".join(outputs)


def _leaves(script: Script) -> bool:
    """Whether the body may end the loop early."""
    for pipeline, _ in script.items:
        for command in pipeline.commands:
            if isinstance(command, Simple):
                if command.words and command.words[0].text in ("break", "continue", "return", "exit"):
                    return True
            elif any(_leaves(inner) for inner in command.scripts):
                return True
    return False


def _loop(line: "Resolution", command: Compound, context: "Context") -> str:
    """`while`, and too long loops: the body may run any number of times, so variables set in the body are unknown."""
    shell = context.shell
    before = shell.copy()
    if command.text:
        assigned_in(command.text, shell)
    changed = {name for script in command.scripts for name in _assigned(script)} - {command.name}
    for name in changed:
        shell.forget(name)
    if any(_moves(script) for script in command.scripts):
        shell.directories = tuple(dict.fromkeys((*shell.directories, None)))
    outputs = [line.script(script, context) for script in command.scripts]
    shell.ended = False
    if shell.changes != before.changes:
        shell.become(merge([before, shell.copy()], line.budget))
    return UNKNOWN if any(outputs) else ""


def _moves(script: Script) -> bool:
    for pipeline, _ in script.items:
        for command in pipeline.commands:
            if isinstance(command, Simple):
                if command.words and command.words[0].text in ("cd", "pushd", "popd"):
                    return True
            elif command.kind not in ("(", "function") and any(_moves(inner) for inner in command.scripts):
                return True
    return False


def _assigned(script: Script) -> "Iterator[str]":
    """The variables assigned in the text of a command line."""
    for pipeline, _ in script.items:
        for command in pipeline.commands:
            if isinstance(command, Simple):
                for word in (*command.assignments, *command.words):
                    if word.assigns:
                        text = word.parts[0].text
                        yield text[: next((at for at, char in enumerate(text) if char not in NAME), len(text))]
            else:
                if command.name and command.kind in ("for", "select"):
                    yield command.name
                for inner in command.scripts:
                    yield from _assigned(inner)


def _test(line: "Resolution", command: Compound, context: "Context") -> None:
    """`[[ a -eq b ]]` and `((…))` read values as arithmetic, and so run the commands inside of subscripts."""
    if command.kind == "((":
        assigned_in(command.text, context.shell)
        evaluated(line, command.text, context)
        return
    if any(word.plain and word.text == "=~" for word in command.words):
        context.shell.forget("BASH_REMATCH")
    if any(word.plain and word.text in NUMERIC for word in command.words):
        expander = line.expander(context)
        for word in command.words:
            evaluated(line, expander.text(word), context)


def evaluated(line: "Resolution", text: str, context: "Context") -> None:
    """Text evaluated as arithmetic: names stand for their values, and bash evaluates the values too."""
    line.again(text, context)
    expander = line.expander(context)
    for name in _words(text)[:20]:
        if name in context.shell.variables:
            line.again(expander.known(name), context)


def assigned_in(text: str, shell: Shell) -> None:
    """`i++`, `x = 5`: variables set by arithmetic are unknown afterwards."""
    for name in _words(text):
        rest = text.partition(name)[2].lstrip()
        front = text.partition(name)[0].rstrip()
        if (
            rest[:2] in ("++", "--")
            or front[-2:] in ("++", "--")
            or (rest[:1] == "=" and rest[:2] != "==")
            or (rest[1:2] == "=" and rest[0] in "+-*/%&|^")
        ):
            shell.forget(name)


def _words(text: str) -> list[str]:
    cleaned = "".join(char if char in NAME else " " for char in text[:4096])
    return [word for word in dict.fromkeys(cleaned.split()) if not word[0].isdigit()]

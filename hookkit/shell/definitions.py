"""Names defined in the line itself: functions and aliases."""

from hookkit.shell.nested import here
from hookkit.shell.resolve import DECLARERS
from hookkit.shell.state import UNKNOWN
from hookkit.shell.syntax import Script, Simple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution


def follow(line: "Resolution", command: "Command", context: "Context") -> str:
    if command.words[0] in context.shell.aliases:
        _alias(line, command, context)
    return _function(line, command, context) if command.words[0] in context.shell.functions else UNKNOWN


def _alias(line: "Resolution", command: "Command", context: "Context") -> None:
    """An alias may be in force: follow the text of the alias, with the rest of the words behind the text."""
    name = command.words[0]
    command.defined = True
    rest = " ".join("'" + word.replace("'", "'\\''") + "'" for word in command.words[1:])
    inner = context.inside(f"alias {name}")
    inner.shell = context.shell.copy()
    inner.shell.aliases.pop(name)
    here(line, f"{context.shell.aliases[name]} {rest}", command, inner, name)


def _function(line: "Resolution", command: "Command", context: "Context") -> str:
    """Run the bodies of a function with its arguments; `local` names get their old values back."""
    shell, name = context.shell, command.words[0]
    command.defined = True
    bodies = shell.functions[name]
    if id(bodies) in context.bodies:
        command.doubt = "this function starts itself again, perhaps without end" if context.forks else ""
        return UNKNOWN
    command.followed = True
    inner = context.inside(f"{name}()")
    inner.bodies = (*context.bodies, id(bodies))
    before, shell.positional = shell.positional, command.words[1:]
    kept = {local: shell.variables.get(local) for body in bodies for local in _locals(body)}
    said = "".join(line.script(body, inner) for body in bodies)
    shell.positional, shell.ended = before, False
    for local, variable in kept.items():
        if variable is None:
            shell.variables.pop(local, None)
        else:
            shell.variables[local] = variable
    return said


def _locals(script_: object) -> list[str]:
    """Names behind `local` and `declare` in a function's body."""
    found: list[str] = []
    pending: list[object] = [script_]
    while pending:
        node = pending.pop()
        if not isinstance(node, Script):
            continue
        for pipeline, _ in node.items:
            for each in pipeline.commands:
                if not isinstance(each, Simple):
                    pending += each.scripts if each.kind != "function" else []
                elif each.words and each.words[0].text in DECLARERS[1:4]:
                    found += [word.parts[0].text.partition("=")[0].rstrip("+") for word in each.words[1:] if word.parts]
    return found

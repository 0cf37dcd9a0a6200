"""Programs that run other programs: functions, shells, wrappers, interpreters, and files that the line made."""

import os

from hookkit.shell import batches, carriers, languages, outputs, writers
from hookkit.shell.assignments import DECLARERS
from hookkit.shell.builtins import BUILTINS
from hookkit.shell.made import FILE_TEXT
from hookkit.shell.nested import code, fed, here
from hookkit.shell.state import UNKNOWN
from hookkit.shell.syntax import Script, Simple
from hookkit.shell.wrapping import wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution

SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "fish", "csh", "tcsh", "posh", "yash", "pwsh")


def follow(line: "Resolution", command: "Command", context: "Context") -> str:
    """Add the commands that a command runs in turn; the text that it prints."""
    words, shell = command.words, context.shell
    if UNKNOWN in words[0]:
        command.doubt = "the name of the program is computed"
        return UNKNOWN
    if line.folds and words[0].isupper() and words[0] not in shell.functions:
        words = command.words = [words[0].lower(), *words[1:]]  # `RM` is rm on a volume that knows no case
    name = words[0].rpartition("/")[2]
    if _made_here(line, command, context, name):
        return UNKNOWN
    if words[0] in shell.aliases:
        _alias(line, command, context)
    if words[0] in shell.functions:
        return _function(line, command, context)
    writers.keep(line, command, name, context)
    if name in BUILTINS:
        command.followed = True
        return BUILTINS[name](line, command, context)
    if name in SHELLS:
        command.followed = True
        return _shell(line, command, context, name)
    if name in batches.RUNNERS:
        command.followed = True
        return batches.RUNNERS[name](line, command, context)
    if name in languages.INTERPRETERS:
        languages.interpret(line, command, context, name)
        return outputs.printed_by(line, words, context)
    carriers.beside(line, command, context, name)
    said = wrapped(line, command, context)
    return outputs.printed_by(line, words, context) if said is None else said


def _made_here(line: "Resolution", command: "Command", context: "Context", name: str) -> bool:
    """A program that this very line wrote: followed where its text is known, else a doubt."""
    word = command.words[0]
    paths = [word] if "/" in word else _on_path(line, word, context)
    for path in paths:
        text = line.made.find(path, context)
        place = line.made.place(path, context)
        if text is None and place in line.made.fetched:
            text = UNKNOWN
        if text is None and os.path.normpath(os.path.join(context.shell.directory or "", path)) in line.made.links:
            line.run([place, *command.words[1:]], context.inside(name))  # a link to a program is that program
            return True
        if text is not None:
            script(line, text, command, context, name)
            return True
    return False


def _on_path(line: "Resolution", name: str, context: "Context") -> list[str]:
    """Where the shell would look for a program, if the line made any file of that name."""
    ends = f"/{name}"
    if not any(path.endswith(ends) for path in (*line.made.files, *line.made.links)):
        return []
    path = context.shell.variables.get("PATH")
    text = path.options[0].get("0", "") if path else ""
    return [f"{entry or '.'}/{name}" for entry in text.split(":") if entry and UNKNOWN not in entry]


def script(line: "Resolution", text: str, command: "Command", context: "Context", name: str) -> None:
    """The text of a script file; its first line says whose language it is in."""
    command.followed = True
    first = text.partition("\n")[0]
    if UNKNOWN in text.replace(FILE_TEXT, ""):
        command.doubt = "this program was made by the same line"
    elif first.startswith("#!") and not any(first.rstrip().endswith(shell) for shell in SHELLS):
        words = [word.rpartition("/")[2] for word in first[2:].split()]
        words = words[1:] if words[:1] == ["env"] else words
        if words and words[0] in languages.INTERPRETERS:
            languages.judge(line, text, command, context, words[0])
        else:
            command.doubt = "this program was made by the same line"
    else:
        code(line, text, command, context, name, command.words)


def _alias(line: "Resolution", command: "Command", context: "Context") -> None:
    """An alias may be in force: follow the text, with the rest of the words behind it."""
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


def _shell(line: "Resolution", command: "Command", context: "Context", name: str) -> str:
    """`sh -c code`, `bash -lc code`, `sh < code`, `echo code | sh`, `bash <(echo code)`."""
    words = command.words
    at = 1
    while at < len(words) and words[at][:1] in ("-", "+") and len(words[at]) > 1 and words[at] != "--":
        option = words[at]
        at += 1
        if option in ("--rcfile", "--init-file") and at < len(words):
            _sourced(line, words[at], command, context, name)
        at += option in ("--rcfile", "--init-file") or (option[1] != "-" and option[-1] in "oO")
        if not option.startswith("--") and "c" in option[1:]:
            while at < len(words) and words[at][:1] in ("-", "+") and len(words[at]) > 1:
                at += 2 if words[at][-1] in "oO" else 1
            text = words[at] if at < len(words) else ""
            return code(line, text, command, context, name, words[at + 1 :])
        if not option.startswith("--") and "s" in option[1:]:
            return fed(line, command, context, name, [name, *words[at:]])
    at += words[at : at + 1] == ["--"]
    if at >= len(words) or words[at] == "-":
        return fed(line, command, context, name)
    command.files.append(("<", words[at]))
    _sourced(line, words[at], command, context, name, words[at:])
    return UNKNOWN


def _sourced(
    line: "Resolution",
    path: str,
    command: "Command",
    context: "Context",
    name: str,
    arguments: list[str] | None = None,
) -> None:
    """A script file as an operand: only a file that the line made has anything to follow."""
    text = line.made.find(path, context)
    if text is None and any(char in path for char in "*?["):
        text = next((line.made.files[found] for found in line.made.matching(path, context)), None)
    if text is None and line.made.place(path, context) in line.made.fetched:
        text = UNKNOWN
    if text is not None and UNKNOWN in text.replace(FILE_TEXT, ""):
        command.doubt = "this program was made by the same line"
    if text is not None:
        doubt = command.doubt
        code(line, text, command, context, f"{name} <", arguments)
        command.doubt = doubt or command.doubt

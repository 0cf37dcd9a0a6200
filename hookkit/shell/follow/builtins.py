"""Builtins that change the state of the shell or run text. Each takes the line, the command and its context."""

import os

from hookkit.programs.words import behind, quoted
from hookkit.shell.commands import FILE_TEXT
from hookkit.shell.expand.assignments import spread
from hookkit.shell.follow import shells
from hookkit.shell.follow.branches import assigned_in, evaluated
from hookkit.shell.follow.outputs import printed
from hookkit.shell.follow.shells import here
from hookkit.shell.follow.wrappers import wrapped
from hookkit.shell.resolve import DECLARERS
from hookkit.shell.state import BLANKS, UNKNOWN, Shell, Variable
from hookkit.shell.syntax import Script, Simple, is_name

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
    inner = context.inside(f"alias {name}")
    inner.shell = context.shell.copy()
    inner.shell.aliases.pop(name)
    here(line, f"{context.shell.aliases[name]} {quoted(command.words[1:])}", command, inner, name)


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
    saved = {local: shell.variables.get(local) for body in bodies for local in _locals(body)}
    output = "".join(line.script(body, inner) for body in bodies)
    shell.positional, shell.ended = before, False
    for local, variable in saved.items():
        if variable is None:
            shell.variables.pop(local, None)
        else:
            shell.variables[local] = variable
    return output


def _locals(script_: object) -> list[str]:
    """Names behind `local` and `declare` in a function's body."""
    names: list[str] = []
    pending: list[object] = [script_]
    while pending:
        node = pending.pop()
        if not isinstance(node, Script):
            continue
        for pipeline, _ in node.items:
            for command in pipeline.commands:
                if not isinstance(command, Simple):
                    pending += command.scripts if command.kind != "function" else []
                elif command.words and command.words[0].text in DECLARERS[1:4]:
                    names += [
                        word.parts[0].text.partition("=")[0].rstrip("+") for word in command.words[1:] if word.parts
                    ]
    return names


READ_VALUED = "dinNptu"  # options of `read` with a value
MAP_VALUED = "dnOsucC"
# Commonly sourced scripts; sourcing them leaves the variables of a line alone.
USUAL = ("/etc/", "/usr/", "/opt/", "/nix/", "/home/linuxbrew/")
USUAL_NAMES = tuple(
    "activate .env env .bash .zsh .profile nvm.sh sdkman conda mamba cargo setup install virtualenv".split()
)
TESTS = ("-v", "-R", "-eq", "-ne", "-lt", "-le", "-gt", "-ge")


def alias(_: "Resolution", command: "Command", context: "Context") -> str:
    for word in command.words[1:]:
        name, equals, text = word.partition("=")
        if equals:
            context.shell.aliases[name] = text
    return ""


def hash_(_: "Resolution", command: "Command", context: "Context") -> str:
    """`hash -p path name` gives a program another name."""
    words = command.words
    if "-p" in words[:-2]:
        at = words.index("-p")
        for name in words[at + 2 :]:
            context.shell.aliases[name] = words[at + 1]
    return ""


def set_(_: "Resolution", command: "Command", context: "Context") -> str:
    """`set -- a b` and `set a b` replace the positional parameters."""
    words = command.words[1:]
    if "--" in words:
        context.shell.positional = words[words.index("--") + 1 :]
    elif words and words[0][:1] not in ("-", "+"):
        context.shell.positional = words
    context.shell.changes += 1
    return ""


def shift(_: "Resolution", command: "Command", context: "Context") -> str:
    count = command.words[1] if len(command.words) > 1 else "1"
    given = context.shell.positional
    known = given is not None and count.isascii() and count.isdigit() and len(count) < 6  # noqa: PLR2004
    context.shell.positional = (given or [])[int(count) :] if known else None
    context.shell.changes += 1
    return ""


def unset(line: "Resolution", command: "Command", context: "Context") -> str:
    for name in command.words[1:]:
        if "[" in name:
            line.again(name, context)
            context.shell.forget(name.partition("[")[0])
        elif "-f" in command.words:
            context.shell.functions.pop(name, None)
        elif is_name(name) and "r" not in getattr(context.shell.variables.get(name), "traits", ""):
            context.shell.set(name, "")
    return ""


def read(line: "Resolution", command: "Command", context: "Context") -> str:
    """`read a b` splits the first line of stdin; the last name takes the rest."""
    names, array = _names(command.words[1:], READ_VALUED, "a")
    for name in names:
        if "[" in name:
            line.again(name, context)
    first = (context.stdin or UNKNOWN).partition("\n")[0] if context.stdin is not None else UNKNOWN
    if context.stdin == FILE_TEXT:
        first = UNKNOWN
    shell = context.shell
    if array:
        spread(shell, array, first.split())
        return ""
    pieces = _split(first, shell, len(names) or 1)
    for name, text in zip(names or ["REPLY"], [*pieces, *[""] * len(names)], strict=False):
        if is_name(name):
            shell.set(name, UNKNOWN if UNKNOWN in first and len(names) > 1 else text)
    return ""


def _split(text: str, shell: Shell, count: int) -> list[str]:
    ifs = shell.variables.get("IFS")
    separators = ifs.options[0].get("0", BLANKS) if ifs else BLANKS
    for char in separators[:8]:
        text = text.replace(char, " ")
    return text.strip().split(" ", count - 1) if separators else [text]


def _names(words: list[str], valued: str, array: str) -> tuple[list[str], str]:
    """Names behind the options, and the value of the option `array`: the name of an array."""
    at, letters = 0, ""
    while at < len(words) and words[at][:1] == "-" and len(words[at]) > 1:
        letter = words[at][-1]
        if array and letter == array and at + 1 < len(words):
            letters = words[at + 1]
        at += 2 if letter in valued or (array and letter == array) else 1
    return words[at:], letters


def mapfile(line: "Resolution", command: "Command", context: "Context") -> str:
    """Lines of stdin become an array; `-C` runs a command for them."""
    words = command.words
    for at, word in enumerate(words[:-1]):
        if word == "-C":
            shells.code(line, f"{words[at + 1]} x", command, context, "mapfile")
    names, _ = _names(words[1:], MAP_VALUED, "")
    text = context.stdin
    known = text is not None and UNKNOWN not in text
    spread(context.shell, names[0] if names else "MAPFILE", (text or "").split("\n")[:-1] if known else [UNKNOWN])
    return ""


def printf(line: "Resolution", command: "Command", context: "Context") -> str:
    words = command.words
    if words[1:2] == ["-v"] and len(words) > 3:  # noqa: PLR2004
        if "[" in words[2]:
            line.again(words[2], context)
        context.shell.set(words[2].partition("[")[0], printed(["printf", *words[3:]]) or "")
        return ""
    return printed(words) or ""


def getopts(_: "Resolution", command: "Command", context: "Context") -> str:
    for name in ("OPTARG", "OPTIND", *command.words[2:3]):
        context.shell.forget(name)
    return ""


def let(line: "Resolution", command: "Command", context: "Context") -> str:
    for text in command.words[1:]:
        assigned_in(text, context.shell)
        evaluated(line, text, context)
    return ""


def test(line: "Resolution", command: "Command", context: "Context") -> str:
    """Comparisons of numbers and `-v` work out the commands inside of subscripts."""
    if any(word in TESTS for word in command.words):
        for word in command.words[1:]:
            if "[" in word:
                line.again(word, context)
    return ""


def eval_(line: "Resolution", command: "Command", context: "Context") -> str:
    words = command.words
    text = " ".join(words[2:] if words[1:2] == ["--"] else words[1:])
    inner = context.inside("eval")
    if UNKNOWN in text:
        command.doubt = "the command line that eval runs is computed"
        return UNKNOWN
    return shells.here(line, text, command, inner, "eval") if text else ""


def trap(line: "Resolution", command: "Command", context: "Context") -> str:
    words = [word for word in command.words[1:] if word != "--"]
    if len(words) > 1 and words[0] not in ("-", "", "-p", "-l"):
        shells.code(line, words[0], command, context, "trap")
    return ""


def source(line: "Resolution", command: "Command", context: "Context") -> str:
    """A file made by the line, or stdin, runs in this shell; a file on disk is a script like any other."""
    if len(command.words) < 2:  # noqa: PLR2004
        return ""
    path = command.words[1]
    text = line.made.find(path, context)
    if text is None and line.made.place(path, context) in line.made.fetched:
        text = UNKNOWN
    if text is None or text == FILE_TEXT:
        _may_change(path, context)
        return UNKNOWN
    if UNKNOWN in text.replace(FILE_TEXT, ""):
        command.doubt = "the commands that source reads are computed"
        return UNKNOWN
    return shells.here(line, text, command, context.inside("source"), "source")


def _may_change(path: str, context: "Context") -> None:
    """A script outside the project and outside the usual places may change every variable of the line."""
    shell = context.shell
    place = os.path.normpath(os.path.join(shell.directory or "", path))
    name = place.rpartition("/")[2]
    mine = shell.project and f"{place}/".startswith(f"{shell.project}/")
    if mine or UNKNOWN in path or "/" not in path or place.startswith(USUAL) or name.startswith(USUAL_NAMES):
        return
    for variable in [name for name in shell.variables if name not in ("HOME", "PWD", "IFS")]:
        known = shell.variables[variable]
        if len(known.options) == 1:
            shell.put(variable, Variable((*known.options, {"0": UNKNOWN}), known.traits))


def complete(line: "Resolution", command: "Command", context: "Context") -> str:
    words = command.words
    for at, word in enumerate(words[:-1]):
        if word in ("-C", "-F"):
            shells.code(line, words[at + 1], command, context, words[0])
        elif word == "-W":
            line.again(words[at + 1], context)
    globbed = behind(words, "-G")
    return "\n".join([*globbed, ""]) if globbed else UNKNOWN


def enable(_: "Resolution", command: "Command", _context: "Context") -> str:
    """`enable -f file name` loads a builtin from a library."""
    if "-f" in command.words:
        command.doubt = "enable loads code from a library"
    return ""


def exec_(line: "Resolution", command: "Command", context: "Context") -> str:
    """`exec command` replaces the shell."""
    output = wrapped(line, command, context)
    if output is not None:
        context.shell.ended = True
    return output or ""


BUILTINS = {
    "alias": alias,
    "hash": hash_,
    "set": set_,
    "shift": shift,
    "unset": unset,
    "read": read,
    "mapfile": mapfile,
    "readarray": mapfile,
    "printf": printf,
    "getopts": getopts,
    "let": let,
    "test": test,
    "[": test,
    "eval": eval_,
    "trap": trap,
    "source": source,
    ".": source,
    "complete": complete,
    "compgen": complete,
    "exec": exec_,
    "enable": enable,
}

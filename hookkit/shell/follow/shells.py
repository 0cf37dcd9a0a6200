"""Shells: text that a shell reads as a command line, from options, stdin or a file made by the line."""

from hookkit.errors import ShellError
from hookkit.shell.commands import FILE_TEXT
from hookkit.shell.follow.kinds import SHELLS
from hookkit.shell.state import UNKNOWN, scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution


HOLE = "${__computed__}"  # stands for an unknown part of a nested command line


def code(
    line: "Resolution",
    text: str,
    command: "Command",
    context: "Context",
    name: str,
    arguments: list[str] | None = None,
) -> str:
    """Follow text read as a command line by a new shell."""
    if UNKNOWN in text and not text.replace(FILE_TEXT, "").strip(UNKNOWN).strip():
        command.doubt = command.doubt if text == FILE_TEXT else f"the command line that {name} runs is computed"
        return UNKNOWN
    inner = context.inside(name, context.shell.copy())
    if arguments is not None:
        inner.shell.positional = arguments[1:]
        inner.shell.variables["0"] = scalar(arguments[0] if arguments else name)
    return here(line, text, command, inner, name)


def here(line: "Resolution", text: str, command: "Command", context: "Context", name: str) -> str:
    """Follow text read as a command line by the current shell: `eval`, `source`."""
    try:
        script = line.read(text.replace(FILE_TEXT, "").replace(UNKNOWN, HOLE))
    except ShellError as error:
        command.doubt = f"the command line that {name} runs cannot be read: {error}"
        return UNKNOWN
    return line.script(script, context)


def fed(
    line: "Resolution",
    command: "Command",
    context: "Context",
    name: str,
    arguments: list[str] | None = None,
) -> str:
    """The text on stdin is the program."""
    if context.stdin is None or context.stdin == FILE_TEXT:
        return UNKNOWN
    text, context.stdin = context.stdin, None
    if UNKNOWN in text.replace(FILE_TEXT, ""):
        command.doubt = f"the program that {name} reads on stdin is computed"
        return UNKNOWN
    return code(line, text, command, context, f"{name} <", arguments)


def follow(line: "Resolution", command: "Command", context: "Context", name: str) -> str:
    """`sh -c code`, `bash -lc code`, `sh < code`, `echo code | sh`, `bash <(echo code)`."""
    if name in ("pwsh", "powershell"):
        from hookkit.shell.powershell import program  # late: few lines run PowerShell

        return program.follow(line, command, context, name)
    if name == "cmd":
        return _cmd(line, command, context)
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


def _cmd(line: "Resolution", command: "Command", context: "Context") -> str:
    """`cmd /c text`: the words behind the switch, joined; a switch may stand in one word with the text."""
    from hookkit.shell.powershell import cmd  # late: few lines run cmd

    text = " ".join(command.words[1:])
    heads = [at for at in range(len(text)) if text[at : at + 2].lower() in ("/c", "/k", "/r")][:1]
    return cmd.follow(line, text[heads[0] + 2 :], command, context) if heads else UNKNOWN


def _sourced(
    line: "Resolution",
    path: str,
    command: "Command",
    context: "Context",
    name: str,
    arguments: list[str] | None = None,
) -> None:
    """A script file as an operand: only a file made by the line can be followed."""
    text = line.made.find(path, context)
    if text is None and any(char in path for char in "*?["):
        text = next((line.made.files[file] for file in line.made.matching(path, context)), None)
    if text is None and path.startswith(("/proc/", "/dev/fd/")) and "/fd/" in path:
        text = UNKNOWN  # a file descriptor opened in the line
    if text is None and line.made.place(path, context) in line.made.fetched:
        text = UNKNOWN
    if text is not None and UNKNOWN in text.replace(FILE_TEXT, ""):
        command.doubt = "this program was made by the same line"
    if text is not None:
        doubt = command.doubt
        code(line, text, command, context, f"{name} <", arguments)
        command.doubt = doubt or command.doubt


def script(line: "Resolution", text: str, command: "Command", context: "Context", name: str) -> None:
    """The text of a script file; its first line names the interpreter."""
    command.followed = True
    first = text.partition("\n")[0]
    if UNKNOWN in text.replace(FILE_TEXT, ""):
        command.doubt = "this program was made by the same line"
    elif first.startswith("#!") and not any(first.rstrip().endswith(shell) for shell in SHELLS):
        words = [word.rpartition("/")[2] for word in first[2:].split()]
        words = words[1:] if words[:1] == ["env"] else words
        if words and line.catalogue.get(words[0]).has("language"):
            from hookkit.shell.languages import code as foreign_code  # late: few lines run a script made before

            foreign_code.judge(line, text, command, context, words[0])
        else:
            command.doubt = "this program was made by the same line"
    else:
        code(line, text, command, context, name, command.words)

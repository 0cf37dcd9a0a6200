"""Command lines inside of options and scripts: `tar -I …`, `ssh -o ProxyCommand=…`, `e` of sed."""

from hookkit.programs.options import parse
from hookkit.shell import git, makefiles, nested
from hookkit.shell.handed import follow, patched
from hookkit.shell.likely import is_command_line
from hookkit.shell.made import FILE_TEXT
from hookkit.shell.sed import commands_of, files_of
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution

EDITORS = ("vim", "nvim", "vi", "ex", "view")
_SSH = ("proxycommand", "localcommand", "knownhostscommand")


def beside(line: "Resolution", command: "Command", context: "Context", name: str) -> None:
    """Follow the command lines in a program's options, in its stdin, or in a file made by the line."""
    if name == "git":
        git.follow(line, command, context)
    elif name in ("make", "gmake"):
        makefiles.follow(line, command, context)
    elif name in ("sed", "gsed"):
        _sed(line, command, context)
    elif name in EDITORS:
        _editor(line, command, context, name)
    elif name == "patch":
        patched(context.stdin, command)
    elif name == "curl":
        _curl(line, command, context)
    else:
        for text in _carried(line, command.words, context, name):
            follow(line, text, command, context, name)


def _carried(line: "Resolution", words: list[str], context: "Context", name: str) -> list[str]:
    values = parse(words, line.catalogue).values_of("carries")
    values += [words[at + 1] for at, word in enumerate(words[:-1]) if word == "-TT"]
    if name == "gdb":
        return [
            text.lstrip("!").removeprefix("shell ") for text in values if text[:1] == "!" or text.startswith("shell ")
        ]
    if name not in ("ssh", "scp", "sftp"):
        return values
    files = [value for flag, value in parse(words).values if flag == "-F"]
    programs = [value for flag, value in parse(words).values if flag == "-S" and name == "scp"]
    rows = [row.strip() for path in files for row in (line.made.find(path, context) or "").split("\n")]
    settings = [value for value in values if value not in files and value not in programs] + rows
    found = [row[len(key) + 1 :] for row in settings for key in _SSH if row.lower().startswith((f"{key}=", f"{key} "))]
    return found + programs


def _curl(line: "Resolution", command: "Command", context: "Context") -> None:
    """A curl config file made by the line: its `file://` addresses."""
    for flag, path in parse(command.words).values:
        if flag in ("-K", "--config"):
            for row in (line.made.find(path, context) or "").split("\n"):
                _, found, rest = row.partition("file://")
                command.files += [("<", rest.strip("\"' "))] if found else []


def _sed(line: "Resolution", command: "Command", context: "Context") -> None:
    """`e` runs a command, `w` writes a file, `r` reads a file; scripts may come from files."""
    parsed = parse(command.words)
    scripts = [value for flag, value in parsed.values if flag in ("-e", "--expression")]
    files = [value for flag, value in parsed.values if flag in ("-f", "--file")]
    scripts += [text for path in files if (text := line.made.find(path, context)) is not None]
    if not scripts and not files:
        scripts = [word for word in parsed.operands[1:3] if word][:1]
    for script in scripts:
        line.budget.spend(len(script) // 16, len(script))
        for text in commands_of(script):
            if text == UNKNOWN:
                command.doubt = "sed runs the text that its script makes"
            else:
                nested.code(line, text, command, context, "sed")
                command.doubt = command.doubt or "sed is told to run another command"
        command.files += files_of(script)
        for operator, path in files_of(script):
            if operator == ">":
                line.made.write(path, FILE_TEXT if context.stdin is None else context.stdin, context)
        added = script.lstrip("0123456789$, ")
        if "-i" in parsed.flags and added[:1] in ("i", "a", "c") and is_command_line(added[1:].lstrip("\\ \n")):
            for path in parsed.operands[2:]:  # `sed -i '1i command' script`
                line.made.write(path, f"{FILE_TEXT}\n{added[1:].lstrip(chr(92) + ' ' + chr(10))}\n", context)


def _editor(line: "Resolution", command: "Command", context: "Context", name: str) -> None:
    """`vim -c '!command'`, and the same on the stdin of a silent `ex`."""
    words = command.words
    texts = [word.lstrip("+") for at, word in enumerate(words[1:]) if word[:1] == "+" or words[at] in ("-c", "--cmd")]
    texts += [word[2:] for word in words[1:] if word[:2] == "-c" and len(word) > 2]  # noqa: PLR2004
    texts += [
        words[at + 1] for at, word in enumerate(words[:-1]) if word[:1] == "-" and word[1:2] != "-" and word[-1] == "c"
    ]
    sourced = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-S", "-s", "-u")]
    texts += (context.stdin or "").split("\n") if any("s" in word for word in words[1:] if word[:1] == "-") else []
    texts += [row for path in sourced for row in (line.made.find(path, context) or "").split("\n")]
    for text in texts[:50]:
        row = text.strip().lstrip(":%0123456789,$ ")
        for start in ("!", "silent !", "sil !", "r !", "read !", "w !", "execute '!", 'execute "!'):
            if row.startswith(start):
                follow(line, row[len(start) :], command, context, name)
        if "system(" in row or "delete(" in row or "py3" in row or row.startswith(("lua ", "py ", "perl ", "ruby ")):
            command.doubt = f"{name} is told to run code"
        first, _, rest = row.partition(" ")
        if first.rstrip("!") in ("w", "write", "sav", "saveas", "wq", "x", "up", "update") and rest and rest[0] != "!":
            command.files.append((">", rest.strip()))

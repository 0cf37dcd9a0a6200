"""Shells: text that a shell reads as a command line, from options, settings, stdin or a file made by the line."""

from hookkit.errors import ShellError
from hookkit.shell.commands import FILE_TEXT
from hookkit.shell.follow import KIND, SHELLS
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
        from hookkit.shell import powershell  # late: few lines run PowerShell

        return powershell.follow(line, command, context, name)
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
    from hookkit.shell import powershell  # late: few lines run cmd

    text = " ".join(command.words[1:])
    heads = [at for at in range(len(text)) if text[at : at + 2].lower() in ("/c", "/k", "/r")][:1]
    return powershell.follow_cmd(line, text[heads[0] + 2 :], command, context) if heads else UNKNOWN


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
            from hookkit.shell.languages.code import judge  # late: few lines run a script made before

            judge(line, text, command, context, words[0])
        else:
            command.doubt = "this program was made by the same line"
    else:
        code(line, text, command, context, name, command.words)


# -- command lines and patches passed to a program -------------------------------------------------


# Usual pagers, editors and remote shells; the programs of PLAIN cannot run another program.
PLAIN = frozenset(
    "ssh less more most cat true false : echo delta bat diff-so-fancy head tail git-lfs gpg gpg2 gzip pigz zstd xz lz4 "
    "bzip2 pbzip2 lbzip2 pixz rsync open xdg-open".split()
)
USUAL = PLAIN.union("vim vi nvim nano emacs code subl sed meld vimdiff git".split())


def passed(line: "Resolution", text: str, command: "Command", context: "Context", name: str) -> None:
    """Follow the passed command line too; passing a command line is rare, so an unusual program is a doubt."""
    if is_plain(text):
        return
    code(line, text, command, context, name)
    if not command.doubt and not _is_usual(text) and not (name == "tar" and _is_bare(text)):
        command.doubt = f"{name} is told to run another command"


def is_plain(text: str) -> bool:
    """A usual program with words that cannot make the program run another program."""
    words = text.split()
    usual = not words or words[0].rpartition("/")[2] in (PLAIN if len(words) > 1 else USUAL)
    return usual and not any(char in text for char in ";|&`$<>(!\n") and "command" not in text.lower()


def _is_usual(text: str) -> bool:
    words = text.split()
    return not words or words[0].rpartition("/")[2] in USUAL


def _is_bare(text: str) -> bool:
    """A single program name, neither a shell nor a program that runs other programs: `tar -I mycompressor`."""
    return text.replace("-", "").replace(".", "").replace("_", "").isalnum() and text not in KIND


def patched(text: str | None, command: "Command") -> None:
    """Note the files changed by a patch on stdin."""
    for row in (text or "").split("\n")[:500]:
        if row.startswith("+++ "):
            path = row[4:].partition("\t")[0].strip()
            command.files.append((">", path.partition("/")[2] if path[:2] in ("a/", "b/") else path))


# -- zsh, where the agent's shell is zsh -----------------------------------------------------------


ZSH_MODULES = ("zsh/mapfile", "zsh/files", "zsh/system", "zsh/net", "zsh/zftp", "zsh/zpty", "zsh/sched")
ZSH_LONGEST = 40  # characters of flags, and of a name between brackets


def zsh_doubt(text: str) -> str:
    """The first reason why hookkit cannot tell what zsh makes of the text."""
    if any("e" in text[place : place + ZSH_LONGEST].partition(")")[0] for place in _places_behind(text, "${(")):
        return "with the flag e, zsh runs commands in the value of a variable"
    for place in _places_behind(text, "alias -"):
        options = text[place : place + ZSH_LONGEST].split(None, 1)
        if options and not {*"gs"}.isdisjoint(options[0]):
            return "a global alias or a suffix alias changes what later words mean"
    if any(
        _is_path(text[place : place + 4 * ZSH_LONGEST].partition("]")[0]) for place in _places_behind(text, "mapfile[")
    ):
        return "zsh reads a file through the variable mapfile"
    for place in _places_behind(text, "zmodload"):
        if any(module in text[place : place + 4 * ZSH_LONGEST].partition("\n")[0] for module in ZSH_MODULES):
            return "a module of zsh brings commands of its own"
    for name in ("aliases[", "functions["):
        if any("]=" in text[place : place + ZSH_LONGEST] for place in _places_behind(text, name)):
            return "the line defines a command through a variable of zsh"
    return ""


def _places_behind(text: str, mark: str) -> list[int]:
    """The places behind each mark."""
    places: list[int] = []
    place = text.find(mark)
    while place >= 0:
        places.append(place + len(mark))
        place = text.find(mark, place + len(mark))
    return places


def _is_path(subscript: str) -> bool:
    return "/" in subscript or "." in subscript

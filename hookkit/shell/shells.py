"""Shells: their code on the command line, on stdin, in a file made by the line."""

from hookkit.shell import foreign_code
from hookkit.shell.kinds import SHELLS
from hookkit.shell.made import FILE_TEXT
from hookkit.shell.nested import code, fed
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution


def follow(line: "Resolution", command: "Command", context: "Context", name: str) -> str:
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
    """A script file as an operand: only a file made by the line can be followed."""
    text = line.made.find(path, context)
    if text is None and any(char in path for char in "*?["):
        text = next((line.made.files[found] for found in line.made.matching(path, context)), None)
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
            foreign_code.judge(line, text, command, context, words[0])
        else:
            command.doubt = "this program was made by the same line"
    else:
        code(line, text, command, context, name, command.words)

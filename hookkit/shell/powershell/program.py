"""`pwsh` and `powershell` as programs: the script on their command line, in their options, on stdin."""

from hookkit.errors import ShellError
from hookkit.programs.words import UNKNOWN
from hookkit.shell.commands import FILE_TEXT
from hookkit.shell.powershell.methods import decoded
from hookkit.shell.powershell.session import ScriptSession
from hookkit.shell.powershell.values import joined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution

VALUED = (
    "-executionpolicy", "-windowstyle", "-workingdirectory", "-inputformat", "-outputformat", "-configurationname",
    "-configurationfile", "-settingsfile", "-psconsolefile", "-version", "-custompipename", "-encodedarguments",
)  # fmt: skip
NAMES = (
    *VALUED, "-command", "-commandwithargs", "-file", "-encodedcommand", "-noprofile", "-nologo", "-noninteractive",
    "-noexit", "-login", "-mta", "-sta", "-interactive", "-help", "-noprofileloadtime",
)  # fmt: skip
SHORT = {"-c": "-command", "-f": "-file", "-e": "-encodedcommand", "-ec": "-encodedcommand", "-ep": "-executionpolicy",
         "-ex": "-executionpolicy", "-w": "-windowstyle", "-wd": "-workingdirectory", "-o": "-outputformat",
         "-of": "-outputformat", "-if": "-inputformat", "-i": "-interactive", "-l": "-login", "-v": "-version",
         "-cwa": "-commandwithargs", "-enc": "-encodedcommand", "-nop": "-noprofile"}  # fmt: skip


def whole(line: "Resolution", text: str, context: "Context") -> None:
    """Follow the line of a tool that runs PowerShell; ShellError if it cannot be read."""
    ScriptSession(line, context).script(text, context)


def follow(line: "Resolution", command: "Command", context: "Context", name: str) -> str:
    """`pwsh -c text`, `powershell -EncodedCommand …`, `pwsh -File x.ps1`, `echo text | pwsh -`."""
    words = command.words[1:]
    command.words = [command.words[0]]
    place = 0
    while place < len(words):
        word = words[place]
        option = _option(word)
        if not option:
            break
        command.words.append(option)
        place += 1
        if option in VALUED:
            command.words += words[place : place + 1]
            place += 1
        elif option == "-encodedcommand":
            text = decoded("".join(words[place : place + 1])).decode("utf-16-le", "replace")
            command.words.append(text)
            return _text(line, text, command, context, name)
        elif option in ("-command", "-commandwithargs"):
            command.words += words[place:]
            return _text(line, " ".join(words[place:]), command, context, name)
        elif option == "-file":
            break
    rest = words[place:]
    command.words += rest
    if rest and rest != ["-"] and (name == "powershell" and command.words[-len(rest) - 1] != "-file"):
        return _text(line, " ".join(rest), command, context, name)
    return _file(line, rest, command, context, name)


def _option(word: str) -> str:
    """The full name of an option: dashes, slashes and beginnings are all taken."""
    lowered = f"-{word[1:].lower()}" if word[:1] in ("-", "/", "\u2013") and len(word) > 1 else ""
    if lowered[:2] == "--":
        lowered = lowered[1:]
    if not lowered or lowered in SHORT:
        return SHORT.get(lowered, "")
    return next((name for name in NAMES if name.startswith(lowered)), "")


def _text(line: "Resolution", text: str, command: "Command", context: "Context", name: str) -> str:
    if text.strip() == "-":
        return _fed(line, command, context, name)
    inner = context.inside(name, context.shell.copy())
    return joined(ScriptSession(line, inner).inner(text, command, inner, name), "\n")


def _fed(line: "Resolution", command: "Command", context: "Context", name: str) -> str:
    text = context.stdin
    if text is None or text == FILE_TEXT:
        return UNKNOWN
    return _text(line, text, command, context, f"{name} <")


def _file(line: "Resolution", words: list[str], command: "Command", context: "Context", name: str) -> str:
    """A script file, or stdin."""
    if not words or words[0] == "-":
        return _fed(line, command, context, name)
    path = words[0].replace("\\", "/")
    command.files.append(("<", path))
    text = line.made.find(path, context)
    if line.made.place(path, context) in line.made.fetched:
        command.doubt = "this program was made by the same line"
    elif text is not None:
        try:
            return _text(line, text, command, context, f"{name} <")
        except ShellError as error:
            command.doubt = str(error)
    return UNKNOWN

"""PowerShell and cmd: a script → the commands that would run, for the same line as the commands of bash.

Here: `pwsh`, `powershell` and `cmd` as programs, with a script on their command line, in an option or on stdin.
`statements` reads a script as a tree, `session` follows the tree with known values, `names` gives cmdlets their full
names and parameters, `cmdlets` and `methods` say what a few of them do to the session. Effects are records in
`programs/powershell.toml`. Loads only for a line of PowerShell. Imports `errors`, `programs`, and `shell` itself.
"""

from hookkit.errors import ShellError
from hookkit.programs.words import UNKNOWN
from hookkit.shell.commands import FILE_TEXT
from hookkit.shell.powershell.calls import CmdletCall
from hookkit.shell.powershell.methods import decoded
from hookkit.shell.powershell.names import BoundWord
from hookkit.shell.powershell.session import ScriptSession
from hookkit.shell.powershell.values import joined
from hookkit.shell.state import UNSET

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
            return _followed(line, text, command, context, name)
        elif option in ("-command", "-commandwithargs"):
            command.words += words[place:]
            return _followed(line, " ".join(words[place:]), command, context, name)
        elif option == "-file":
            break
    rest = words[place:]
    command.words += rest
    if rest and rest != ["-"] and (name == "powershell" and command.words[-len(rest) - 1] != "-file"):
        return _followed(line, " ".join(rest), command, context, name)
    return _file(line, rest, command, context, name)


def _option(word: str) -> str:
    """The full name of an option: dashes, slashes and beginnings are all taken."""
    lowered = f"-{word[1:].lower()}" if word[:1] in ("-", "/", "\u2013") and len(word) > 1 else ""
    if lowered[:2] == "--":
        lowered = lowered[1:]
    if not lowered or lowered in SHORT:
        return SHORT.get(lowered, "")
    return next((name for name in NAMES if name.startswith(lowered)), "")


def _followed(line: "Resolution", text: str, command: "Command", context: "Context", name: str) -> str:
    if text.strip() == "-":
        return _read_stdin(line, command, context, name)
    inner = context.inside(name, context.shell.copy())
    return joined(ScriptSession(line, inner).inner(text, command, inner, name), "\n")


def _read_stdin(line: "Resolution", command: "Command", context: "Context", name: str) -> str:
    text = context.stdin
    if text is None or text == FILE_TEXT:
        return UNKNOWN
    return _followed(line, text, command, context, f"{name} <")


def _file(line: "Resolution", words: list[str], command: "Command", context: "Context", name: str) -> str:
    """A script file, or stdin."""
    if not words or words[0] == "-":
        return _read_stdin(line, command, context, name)
    path = words[0].replace("\\", "/")
    command.files.append(("<", path))
    text = line.made.find(path, context)
    if line.made.place(path, context) in line.made.fetched:
        command.doubt = "this program was made by the same line"
    elif text is not None:
        try:
            return _followed(line, text, command, context, f"{name} <")
        except ShellError as error:
            command.doubt = str(error)
    return UNKNOWN


# -- cmd.exe: commands between `&`, `&&`, `||` and `|`, with quotes, carets and %VARIABLES% --------


MOST = 500  # commands of a line
# Builtins of cmd, and the cmdlets that do the same.
BUILTINS = {
    **dict.fromkeys(("del", "erase", "rd", "rmdir"), "Remove-Item"),
    "type": "Get-Content",
    "copy": "Copy-Item",
    "move": "Move-Item",
    **dict.fromkeys(("ren", "rename"), "Rename-Item"),
    **dict.fromkeys(("md", "mkdir"), "New-Item"),
    **dict.fromkeys(("cd", "chdir", "pushd"), "Set-Location"),
    "popd": "Pop-Location",
    "dir": "Get-ChildItem",
    "echo": "Write-Output",
}
PLAIN = frozenset(
    "rem cls ver vol pause title color prompt exit goto endlocal setlocal break verify path date time".split()
)
SEPARATORS = "&|()\n"
BLANKS = " \t\r"


def follow_cmd(line: "Resolution", text: str, command: "Command", context: "Context") -> str:
    """Follow a line of cmd; what hookkit cannot analyse is a doubt about the command that runs it."""
    if not text.replace(UNKNOWN, "").strip():
        command.doubt = "the command line that cmd runs is computed" if text.strip() else command.doubt
        return UNKNOWN
    line.charge(text)
    session = ScriptSession(line, context)
    try:
        for words, redirects in cmd_commands(text, session):
            run_cmd(session, words, redirects, context.inside("cmd", context.shell))
    except ShellError as error:
        command.doubt = f"the command line that cmd runs cannot be read: {error}"
    return UNKNOWN


def cmd_commands(text: str, session: ScriptSession) -> list[tuple[list[str], list[tuple[str, str]]]]:
    """The commands of a line, each with its words and redirections."""
    rows: list[tuple[list[str], list[tuple[str, str]]]] = []
    words: list[str] = []
    redirects: list[tuple[str, str]] = []
    target = ""
    for word in cmd_words(text, apart=True):
        if word in SEPARATORS:
            rows.append((words, redirects))
            words, redirects = [], []
        elif word in (">", ">>", "<"):
            target = word
        elif target:
            redirects.append((target, _expanded(word, session)))
            target = ""
        else:
            words.append(_expanded(word, session))
    rows = [entry for entry in [*rows, (words, redirects)] if entry[0] or entry[1]]
    if len(rows) > MOST:
        raise ShellError(f"more than {MOST} commands", 0)
    return rows


def cmd_words(text: str, *, apart: bool = False) -> list[str]:
    """Words at blanks; a quote holds a word together. With `apart`, separators and redirections are words, too."""
    words: list[str] = []
    place = 0
    while place < len(text):
        char = text[place]
        if char in BLANKS:
            place += 1
        elif apart and char in "<>":
            double = text[place : place + 2] == ">>"
            place += 2 if double else 1
            if words[-1:] in (["1"], ["2"]) and text[place - 2 - double] in "12":  # `2>`: the number of a stream
                words.pop()
            if text[place : place + 1] == "&":
                place += 2
            else:
                words.append(char * 2 if double else char)
        elif apart and char in SEPARATORS:
            words.append(char)
            place += 1
        else:
            word, place = _word(text, place, BLANKS + SEPARATORS + "<>,;=" if apart else BLANKS)
            words += [word] if word is not None else []
    return words


def _word(text: str, place: int, ends: str) -> tuple[str | None, int]:
    """The word at a place, and the place behind it; None for a comma and the like, which only stand between words."""
    start = place
    letters: list[str] = []
    quoted = False
    while place < len(text) and (quoted or text[place] not in ends):
        char = text[place]
        if char == '"':
            quoted = not quoted
        elif char == "^" and not quoted:
            place += 1
            letters.append(text[place : place + 1])
        else:
            letters.append(char)
        place += 1
    return ("".join(letters), place) if place > start else (None, place + 1)


def _expanded(word: str, session: ScriptSession) -> str:
    """`%NAME%` and `!NAME!`; a variable that nobody set is empty, the variable of a loop is unknown."""
    for mark in "%!":
        parts = word.split(mark)
        if len(parts) < 3:  # noqa: PLR2004 - a name stands between two marks
            continue
        texts = parts[:1]
        for place, part in enumerate(parts[1:], 1):
            is_name = place % 2 == 1 and place < len(parts) - 1
            texts.append(_value(part, session) if is_name else part)
        word = "".join(texts)
    return UNKNOWN if word[:1] == "%" and word[1:2].isalpha() and len(word) <= 3 else word  # noqa: PLR2004


def _value(name: str, session: ScriptSession) -> str:
    plain = name.partition(":")[0].lower()
    if plain == "cd":
        return joined(session.variables["pwd"])
    if plain.startswith("~"):
        return UNKNOWN
    return joined(session.variables.get(f"env:{plain}", [UNSET]))


def run_cmd(session: ScriptSession, words: list[str], redirects: list[tuple[str, str]], context: "Context") -> None:
    words = _behind_keywords(words)
    if not words:
        return
    name = words[0].lstrip("@").lower()
    if "/" in name[1:]:  # `rd/s/q x`, `del/f x`
        head, _, rest = name.partition("/")
        if head in BUILTINS:
            name, words = head, [head, *(f"/{part}" for part in rest.split("/")), *words[1:]]
    if name in PLAIN:
        return
    if name == "set":
        variable, _, value = " ".join(words[1:]).partition("=" if "=" in " ".join(words[1:]) else " ")
        session.put(f"env:{variable.strip().lower()}", [value])
        return
    switches = [word.lower() for word in words[1:] if word[:1] == "/" and len(word) <= 4]  # noqa: PLR2004
    operands = [word for word in words[1:] if word.lower() not in switches]
    cmdlet = BUILTINS.get(name)
    call = CmdletCall(session, [BoundWord("", [word]) for word in words[1:]], None, context)
    if cmdlet is not None:
        call.arguments = [BoundWord("", [word]) for word in operands]
        if cmdlet == "Remove-Item":
            flags = [BoundWord("-Recurse", None)] if "/s" in switches else []
            call.arguments = [*flags, BoundWord("-Path", list(operands))]
        call.redirects = redirects
        call.cmdlet(cmdlet)
        return
    call.redirects = redirects
    call.program(words[0].lstrip("@").replace("\\", "/"))


def _behind_keywords(words: list[str]) -> list[str]:
    """The command behind `if exist x`, `for %i in (…) do`, `call`, `start`, `else`."""
    while words:
        name = words[0].lstrip("@").lower()
        if name in ("call", "else", "do"):
            words = words[1:]
        elif name == "start":
            words = [word for word in words[1:] if word[:1] != "/" or len(word) > 6]  # noqa: PLR2004
            words = words[1:] if len(words) > 1 and " " in words[0] else words
        elif name == "if":
            words = [word for word in words[1:] if word.lower() not in ("not", "/i")]
            words = words[2:]  # `exist x`, `defined x`, or both sides of ==
        elif name == "for":
            rest = [place for place, word in enumerate(words) if word.lower() == "do"]
            words = words[rest[0] + 1 :] if rest else []
        else:
            return words
    return words

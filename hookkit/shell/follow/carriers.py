"""Command lines inside of options, scripts and files of a project: `tar -I …`, `e` of sed, `make`, `npm test`."""

from hookkit.programs.options import parse
from hookkit.programs.words import behind
from hookkit.shell.commands import FILE_TEXT
from hookkit.shell.follow import environment, git, is_command_line, shells
from hookkit.shell.follow.shells import passed, patched
from hookkit.shell.languages.code import judge
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution


NAMES = ("GNUmakefile", "makefile", "Makefile")


def follow_recipes(line: "Resolution", command: "Command", context: "Context") -> None:
    """`make -f <(command)`, `command | make -f -`, `make --eval text`, and a Makefile written by the line."""
    words = command.words
    for at, word in enumerate(words):
        if word.startswith("--eval") or word == "-E":
            text = word.partition("=")[2] or (words[at + 1] if at + 1 < len(words) else "")
            recipes(line, text, command, context)
            command.doubt = command.doubt or "make is told to run text from its command line"
    for word in words[1:]:
        variable, equals, value = word.partition("=")
        if equals and variable in environment.TOOLS:
            environment.tool(line, variable, value, command, context)
    named = [path for flag, path in parse(words).values if flag == "-f"]
    for path in named or [name for name in NAMES if line.made.find(name, context) is not None]:
        made = line.made.find(path, context)
        if made is None or made == FILE_TEXT:
            continue
        if UNKNOWN in made.replace(FILE_TEXT, ""):
            command.doubt = "the recipes that make reads are computed"
        recipes(line, made, command, context)


def recipes(line: "Resolution", text: str, command: "Command", context: "Context") -> None:
    """Lines with a tab in front, commands behind `target: …;`, and `$(shell …)`."""
    for row in text.split("\n"):
        recipe = row if row[:1] == "\t" else row.partition(";")[2] if ":" in row.partition(";")[0] else ""
        if recipe.strip():
            shells.code(line, recipe.lstrip("\t@-+ ").replace("$$", "$"), command, context, "make")
        if "$(shell " in row:
            shells.code(line, row.partition("$(shell ")[2].rpartition(")")[0], command, context, "make")


# Commands of sed with a text argument, and the characters that end the text.
_TO_THE_END = {**dict.fromkeys("eaicrwRW#", "\n"), **dict.fromkeys("btT:", ";\n")}


def commands_of(script: str) -> list[str]:
    """Command lines run by `e`; UNKNOWN for the computed command of `s///e`."""
    return [text or UNKNOWN for letter, text in _sed_commands(script) if letter == "e"]


def _sed_commands(script: str) -> "Iterator[tuple[str, str]]":
    """The letter and the text of each command with a text; a flag of `s///` is a command of its own."""
    at = 0
    while at < len(script):
        at = _behind_address(script, at)
        letter = script[at : at + 1]
        start = at = at + 1
        if letter in ("s", "y"):
            at, flags = _behind_substitution(script, at)
            if letter == "s" and "e" in flags:
                yield "e", ""
            if script[at : at + 1] == "w":
                letter, start = "w", at + 1
        if letter in _TO_THE_END:
            at = _text_end(script, at, letter)
            yield letter, script[start:at].strip()


def _text_end(script: str, at: int, letter: str) -> int:
    """The end of a command's text; the lines of `a`, `i` and `c` go on behind a backslash."""
    while at < len(script) and script[at] not in _TO_THE_END[letter]:
        at += 2 if script[at] == "\\" and letter in "aic" else 1
    return min(at, len(script))


def _behind_address(script: str, at: int) -> int:
    """The place behind an address: numbers, patterns, and the punctuation around them."""
    while at < len(script):
        char = script[at]
        if char == "/" or (char == "\\" and at + 1 < len(script)):
            start = at + 1 if char == "/" else at + 2
            at = _behind(script, start, script[start - 1])
            while script[at : at + 1] in ("I", "M"):
                at += 1
        elif char in " \t\n;{}!,$~+" or char.isdigit():
            at += 1
        else:
            break
    return at


def _behind_substitution(script: str, at: int) -> tuple[int, str]:
    """The place behind `/a/b/flags`, and the flags."""
    mark = script[at : at + 1]
    start = end = _behind(script, _behind(script, at + 1, mark), mark, sets=False)
    while end < len(script) and script[end] in "gpiImMe0123456789":
        end += 1
    return end, script[start:end]


def _behind(script: str, at: int, mark: str, *, sets: bool = True) -> int:
    """The place behind the next delimiter, unless escaped or in a set."""
    inside = False
    while at < len(script):
        char = script[at]
        if char == "\\":
            at += 1
        elif inside:
            inside = char != "]" or script[at - 1] in "[^"
        elif char == mark:
            return at + 1
        elif char == "[" and sets:
            inside = True
        at += 1
    return at


def files_of(script: str) -> list[tuple[str, str]]:
    """Files behind `w` and `r`, as a command of their own or as a flag of `s///`."""
    touched = [(letter, path) for letter, path in _sed_commands(script) if letter in "wWrR" and path]
    return [(">" if letter in "wW" else "<", path.rstrip("}").strip()) for letter, path in touched]


EDITORS = ("vim", "nvim", "vi", "ex", "view")
MANAGERS = ("npm", "pnpm", "yarn")
PAGERS = ("less", "more", "most")
_SSH = ("proxycommand", "localcommand", "knownhostscommand")


def beside(line: "Resolution", command: "Command", context: "Context", name: str) -> None:
    """Follow the command lines in a program's options, in its stdin, or in a file made by the line."""
    if name == "git":
        git.follow(line, command, context)
    elif name in ("make", "gmake"):
        follow_recipes(line, command, context)
    elif name in ("sed", "gsed"):
        _sed(line, command, context)
    elif name in EDITORS:
        _editor(line, command, context, name)
    elif name == "patch":
        patched(context.stdin, command)
    elif name == "curl":
        _curl(line, command, context)
    elif name in MANAGERS:
        _scripts(line, command, context)
    else:
        if name == "sftp":
            command.files += [("<", path) for path in _put(context.stdin)]
        for text in _carried(line, command.words, context, name):
            passed(line, text, command, context, name)


def _scripts(line: "Resolution", command: "Command", context: "Context") -> None:
    """`npm pkg set scripts.test='command'` writes a command line for a later `npm test`."""
    if command.words[1:3] == ["pkg", "set"]:
        pairs = [word.removeprefix("scripts.").partition("=") for word in command.words[3:] if word[:8] == "scripts."]
        if pairs:
            import json  # late: few lines change the scripts of a project

            line.made.write("package.json", json.dumps({"scripts": {name: text for name, _, text in pairs}}), context)


def _put(text: str | None) -> list[str]:
    """The files that a batch of sftp sends."""
    rows = [row.split() for row in (text or "").split("\n")[:50]]
    return [row[1] for row in rows if len(row) > 1 and row[0] in ("put", "mput", "reput")]


def _carried(line: "Resolution", words: list[str], context: "Context", name: str) -> list[str]:
    values = parse(words, line.catalogue).values_of("carries")
    values += behind(words, "-TT")
    if name == "gdb":
        return [
            text.lstrip("!").removeprefix("shell ") for text in values if text[:1] == "!" or text.startswith("shell ")
        ]
    if name in PAGERS:
        return [word[2:] for word in words[1:] if word[:2] == "+!"]
    if name not in ("ssh", "scp", "sftp"):
        return values
    files = [value for flag, value in parse(words).values if flag == "-F"]
    programs = [value for flag, value in parse(words).values if flag == "-S" and name == "scp"]
    rows = [row.strip() for path in files for row in (line.made.find(path, context) or "").split("\n")]
    settings = [value for value in values if value not in files and value not in programs] + rows
    lines = [row[len(key) + 1 :] for row in settings for key in _SSH if row.lower().startswith((f"{key}=", f"{key} "))]
    return lines + programs


def _curl(line: "Resolution", command: "Command", context: "Context") -> None:
    """A curl config file made by the line: its `file://` addresses."""
    for flag, path in parse(command.words).values:
        if flag in ("-K", "--config"):
            for row in (line.made.find(path, context) or "").split("\n"):
                _, scheme, rest = row.partition("file://")
                command.files += [("<", rest.strip("\"' "))] if scheme else []


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
                shells.code(line, text, command, context, "sed")
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
    sourced = behind(words, "-S", "-s", "-u")
    texts += (context.stdin or "").split("\n") if any("s" in word for word in words[1:] if word[:1] == "-") else []
    texts += [row for path in sourced for row in (line.made.find(path, context) or "").split("\n")]
    for text in texts[:50]:
        row = text.strip().lstrip(":%0123456789,$ ")
        for start in ("!", "silent !", "sil !", "r !", "read !", "w !", "execute '!", 'execute "!'):
            if row.startswith(start):
                passed(line, row[len(start) :], command, context, name)
        if "system(" in row or "delete(" in row or "py3" in row or row.startswith(("lua ", "py ", "perl ", "ruby ")):
            command.doubt = f"{name} is told to run code"
        first, _, rest = row.partition(" ")
        if first.rstrip("!") in ("w", "write", "sav", "saveas", "wq", "x", "up", "update") and rest and rest[0] != "!":
            command.files.append((">", rest.strip()))


# -- programs that run the files of a project, where the line itself wrote these files -------------


CONSTANTS = "scripts"  # constants that look like command lines
# Each program with its files (`test_*` is any name that begins so), and the language of the files.
PROJECT_FILES: dict[str, tuple[tuple[str, ...], str]] = {
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun"), (("package.json",), CONSTANTS)),
    **dict.fromkeys(("just", "task"), (("justfile", "Justfile", "Taskfile.yml", "Taskfile.yaml"), "shell")),
    **dict.fromkeys(("pytest", "py.test", "tox", "nox"), (("conftest.py", "noxfile.py", "test_*"), "python")),
    **dict.fromkeys(("pip", "pip3", "uv"), (("setup.py",), "python")),
    "cargo": (("build.rs", "main.rs", "lib.rs"), CONSTANTS),
    "rake": (("Rakefile",), "ruby"),
}
PYTHONS = ("python", "python3")
MOST_FILES = 20  # files, and texts of a file


def run_project(line: "Resolution", command: "Command", context: "Context", name: str) -> None:
    """Look into the files that this program will run, if the line wrote them."""
    if command.words[1:2] == ["pkg"]:
        return  # `npm pkg set` only writes
    names, language = PROJECT_FILES.get(name, ((), "python"))
    if name in PYTHONS:
        names = tuple(f"{module}.py" for module in behind(command.words, "-m"))
    for path, text in list(line.made.files.items())[:MOST_FILES]:
        base = path.rpartition("/")[2]
        if not any(base == pattern or (pattern[-1] == "*" and base.startswith(pattern[:-1])) for pattern in names):
            continue
        known = text.replace(FILE_TEXT, "")
        line.budget.spend(len(known) // 16, len(known))
        if language == CONSTANTS:
            for piece in known.split('"')[1::2][:MOST_FILES]:
                if is_command_line(piece):
                    shells.code(line, piece, command, context, name)
        elif language == "shell":
            for row in known.split("\n"):
                piece = row.strip().lstrip("@-").removeprefix("cmd:").strip()
                if row[:1] in (" ", "\t") and is_command_line(piece):
                    shells.code(line, piece, command, context, name)
        else:
            judge(line, known, command, context, language)

"""make: recipes on the command line or stdin, or in a file made by the line."""

from hookkit.programs.options import parse
from hookkit.shell import environment, nested
from hookkit.shell.made import FILE_TEXT
from hookkit.shell.state import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.shell.commands import Command, Context
    from hookkit.shell.resolve import Resolution

NAMES = ("GNUmakefile", "makefile", "Makefile")


def follow(line: "Resolution", command: "Command", context: "Context") -> None:
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
            nested.code(line, recipe.lstrip("\t@-+ ").replace("$$", "$"), command, context, "make")
        if "$(shell " in row:
            nested.code(line, row.partition("$(shell ")[2].rpartition(")")[0], command, context, "make")

"""Text read by a shell as a command line of its own: `sh -c text`, `eval text`, text on stdin."""

from hookkit.errors import ShellError
from hookkit.shell.made import FILE_TEXT
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

"""What each tool runs, reads, writes, deletes and sends, so that a rule about an effect binds every tool that has it.

One row a tool. Tools without a row are read by the names of their fields: a field called `command` is a command line,
a field called `path` a file. The person's own rows (`[[tools]]`) add to both.
"""

from hookkit.policy.pattern import glob
from hookkit.shell.effects import DELETE, READ, SEND, WRITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

RUNS = "Run"  # a command line for the shell
TEXT = "Text"  # a command line of another shell: rules about its text hold, the rest cannot be told
EITHER = "Either"  # a file that may be read or written
ADDRESS = "Address"  # a URL that the tool asks; only the address itself leaves the machine

# Fields of the tools that Claude Code brings, each with its effect. A dot leads into a list of objects.
TOOLS: dict[str, tuple[tuple[str, str], ...]] = {
    "Bash": (("command", RUNS),),
    "Monitor": (("command", RUNS),),
    "PowerShell": (("command", TEXT),),
    "CronCreate": (("command", RUNS), ("prompt", "")),
    "Read": (("file_path", READ),),
    "Write": (("file_path", WRITE),),
    "Edit": (("file_path", WRITE),),
    "MultiEdit": (("file_path", WRITE),),
    "NotebookEdit": (("notebook_path", WRITE),),
    "NotebookRead": (("notebook_path", READ),),
    "Grep": (("path", READ),),
    "Glob": (("path", READ),),
    "LS": (("path", ""),),
    "LSP": (("filePath", READ),),
    "SendUserFile": (("file_path", SEND), ("path", SEND), ("files", SEND)),
    "Artifact": (("file_path", SEND), ("path", SEND)),
    "WebFetch": (("url", ADDRESS),),
    "apply_patch": (("files", WRITE), ("deleted", DELETE)),
    **dict.fromkeys(
        ("WebSearch", "Agent", "Skill", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskStop", "ToolSearch"),
        (),
    ),
}
COMMANDS = ("command", "cmd", "commands", "command_line", "commandline", "shell_command", "bash_command", "script")
PATHS = tuple(
    "path file_path filepath filename file paths files file_paths notebook_path relative_path absolute_path "
    "target_file source destination old_path new_path uri".split()
)
READERS = tuple("read get view cat open search grep find list fetch show load info tree".split())
WRITERS = tuple("write edit create update append insert replace patch save move rename copy apply put modify".split())
SENDERS = ("send", "upload", "post", "publish", "share", "attach")
DELETERS = ("delete", "remove", "rm", "unlink", "trash")
# Columns of a person's own row, each with its effect.
COLUMNS = {"runs": RUNS, "reads": READ, "writes": WRITE, "deletes": DELETE, "sends": SEND}
LONGEST = 1_000  # items of a list that are looked at


def effects(
    tool: str, tool_input: "dict[str, object]", rows: "Sequence[dict[str, Any]]" = ()
) -> "list[tuple[str, str]]":
    """Effect and text: RUNS with a command line, READ, WRITE, DELETE or SEND with a path.

    `rows` are the person's own: they add effects, and `ignores` names fields that mean nothing.
    """
    mine = [row for row in rows if glob(row["name"], tool)]
    ignored = [field for row in mine for field in row.get("ignores", ())]
    given = {name: value for name, value in tool_input.items() if name not in ignored} if ignored else tool_input
    shipped = TOOLS.get(tool)
    if shipped is not None:
        found = [(kind, text) for field, kind in shipped if kind for text in _texts(given.get(field))]
    else:
        found = _by_names(tool, given)
    return found + [each for row in mine for each in _declared(row, tool_input)] if mine else found


def _declared(row: "dict[str, Any]", tool_input: "dict[str, object]") -> "list[tuple[str, str]]":
    """The effects that a person's row names; a dot leads into an object, or into the objects of a list."""
    found: list[tuple[str, str]] = []
    for column, kind in COLUMNS.items():
        for field in row.get(column, ()):
            for value in _values(tool_input, field.split(".")):
                found += [(kind, text) for text in (_lines(value) if kind == RUNS else _texts(value))]
    return found


def _values(value: object, path: list[str]) -> "list[object]":
    if not path:
        return [value]
    if isinstance(value, list):
        return [each for item in value[:LONGEST] for each in _values(item, path)]
    return _values(value.get(path[0]), path[1:]) if isinstance(value, dict) else []


def _by_names(tool: str, tool_input: "dict[str, object]") -> "list[tuple[str, str]]":
    found: list[tuple[str, str]] = []
    file_kind = _verb(tool)
    for field, value in tool_input.items():
        name = field.lower()
        if name in COMMANDS:
            found += [(RUNS, text) for text in _lines(value)]
        elif name in PATHS:
            found += [(file_kind, text.removeprefix("file://")) for text in _texts(value)]
    return found


def _verb(tool: str) -> str:
    """The effect that a tool's own name promises for its files."""
    words = tool.rpartition("__")[2].lower().replace("-", "_").split("_")
    for kind, verbs in ((DELETE, DELETERS), (WRITE, WRITERS), (SEND, SENDERS), (READ, READERS)):
        if any(word in verbs for word in words) or tool.rpartition("__")[2].lower() in verbs:
            return kind
    return EITHER


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value] if value else []
    return [item for item in value[:LONGEST] if isinstance(item, str)] if isinstance(value, list) else []


def _lines(value: object) -> list[str]:
    """A command line as text; a list is the words of one command."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return [" ".join("'" + item.replace("'", "'\\''") + "'" for item in value[:LONGEST])]
    return _texts(value)

"""What each tool runs, reads, writes, deletes and sends, so that a rule about an effect binds every tool that has it.

One row a tool. Tools without a row are read by the names of their fields: a field called `command` is a command line,
a field called `path` a file. The person's own rows (`[[tools]]`) add to both.
"""

from hookkit.programs.effects import DELETE, READ, SEND, WRITE
from hookkit.programs.words import glob

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

RUNS = "Run"  # a command line for the shell
TEXT = "Text"  # a command line of another shell: rules about its text hold, the rest cannot be told
EITHER = "Either"  # a file that may be read or written
ADDRESS = "Address"  # a URL that the tool asks; only the address itself leaves the machine
FILTER = "Filter"  # a pattern of file names below the tool's `path`
PATCH = "Patch"  # a patch: the files that it names are written

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
    "Grep": (("path", READ), ("glob", FILTER)),
    "Glob": (("path", READ), ("pattern", FILTER)),
    "LS": (("path", ""),),
    "LSP": (("filePath", READ),),
    "SendUserFile": (("file_path", SEND), ("path", SEND), ("files", SEND)),
    "Artifact": (("file_path", SEND), ("path", SEND)),
    "WebFetch": (("url", ADDRESS),),
    "apply_patch": (("files", WRITE), ("deleted", DELETE), ("input", PATCH), ("patch", PATCH)),
    **dict.fromkeys(
        ("WebSearch", "Agent", "Skill", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskStop", "ToolSearch"),
        (),
    ),
}
COMMANDS = (
    "command", "cmd", "commands", "command_line", "commandline", "cmdline", "shell_command", "bash_command", "script",
    "shell", "bash", "cmds", "cli_command",
)  # fmt: skip
PATCHES = ("patch", "diff", "input")  # read as a patch only if they begin as one
STATEMENTS = ("sql", "query", "statement", "statements")
RUNNERS = ("exec", "execute", "run", "shell", "terminal", "process", "spawn", "bash")
MARKS = ("*** Update File: ", "*** Add File: ", "*** Move to: ", "*** Delete File: ", "+++ ", "--- ")
DEPTH = 4  # objects inside objects
PATHS = tuple(
    "path file_path filepath filename file paths files file_paths notebook_path relative_path absolute_path "
    "target_file source destination old_path new_path uri include filenames file_name".split()
)
READERS = tuple("read get view cat open search grep find list fetch show load info tree".split())
WRITERS = tuple("write edit create update append insert replace patch save move rename copy apply put modify".split())
SENDERS = ("send", "upload", "post", "publish", "share", "attach")
DELETERS = ("delete", "remove", "rm", "unlink", "trash")
# Verbs in the names of MCP tools, and objects that make a verb grave: `mcp__supabase__reset_branch`.
DESTROYERS = frozenset("delete drop destroy purge terminate wipe truncate".split())
REMOVERS = frozenset("remove reset revoke uninstall clear clean prune".split())
CHANGERS = frozenset("merge refund payout transfer pay deploy publish".split())
GRAVE = frozenset(
    """
    account access bucket branch certificate cluster collection collaborator container database db deployment disk
    domain environment function git image index instance key member namespace permission pod policy project queue record
    records repo repository role row rows schema secret server service snapshot stack stream table token topic user
    volume vm webhook workspace zone
    """.split()
)
SLIGHT = frozenset("cell comment draft label message node reaction entities relations observations note tag".split())
AT_HOME = ("filesystem", "memory", "serena", "ide", "notebook")  # servers with files and notes of this machine
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
        found = [each for field, kind in shipped if kind for each in _known(kind, given.get(field), given)]
    else:
        found = _by_names(tool, given)
    return found + [each for row in mine for each in _declared(row, tool_input)] if mine else found


def verbs(tool: str) -> "list[tuple[str, str]]":
    """Effects of an MCP tool on another system, by the verb and the object in its name."""
    if not tool.startswith("mcp__") or tool.split("__")[1].lower() in AT_HOME:
        return []
    words = _words_of(tool)
    if not words.isdisjoint(SLIGHT):
        return []
    if not words.isdisjoint(DESTROYERS) or not (words.isdisjoint(REMOVERS) or words.isdisjoint(GRAVE)):
        return [("Destroy", "remote")]
    return [("Change", "remote")] if not words.isdisjoint(CHANGERS) else []


def _words_of(tool: str) -> set[str]:
    """`d1_database_delete`, `drop-database`, `DeleteProject`: the words of a tool's own name."""
    name = "".join(f"_{char}" if char.isupper() else char for char in tool.rpartition("__")[2])
    return {word.lower() for word in name.replace("-", "_").split("_") if word}


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


def _known(kind: str, value: object, given: "dict[str, object]") -> "list[tuple[str, str]]":
    """The effects of a field of a tool with a row."""
    texts = _texts(value)
    if kind == PATCH:
        return [(WRITE, path) for text in texts for path in patched(text)]
    if kind == FILTER:
        below = "".join(f"{path.rstrip('/')}/" for path in _texts(given.get("path")))
        return [
            (READ, text if text[:1] in ("/", "~") else below + text.rpartition("/")[2])
            for text in texts
            if text[:1] in ("/", "~") or "pattern" in given
        ]
    if kind == ADDRESS:
        return [(READ, text[7:]) if text.lower().startswith("file://") else (kind, text) for text in texts]
    return [(kind, text) for text in texts]


def patched(text: str) -> list[str]:
    """The files that a patch changes, in either form of patches."""
    rows = text.split("\n")
    found = [row[len(mark) :].strip() for row in rows for mark in MARKS[:4] if row.startswith(mark)]
    if not found:
        named = [row[4:].partition("\t")[0].strip() for row in rows if row.startswith(MARKS[4:])]
        found = [name.removeprefix("a/").removeprefix("b/") for name in named if name != "/dev/null"]
    return found[:LONGEST]


def _by_names(tool: str, tool_input: "dict[str, object]", depth: int = 0) -> "list[tuple[str, str]]":
    """Effects by the names of the fields, also in objects inside the input."""
    found: list[tuple[str, str]] = []
    file_kind = _verb(tool)
    if isinstance(tool_input.get("command"), str) and isinstance(tool_input.get("args"), list):
        words = [tool_input["command"], *_texts(tool_input["args"])]  # a program and its words, not a command line
        tool_input = {**tool_input, "command": [str(word) for word in words], "args": None}
    for field, value in tool_input.items():
        name = field.lower()
        inner = value if isinstance(value, list) else [value]
        for item in inner[:LONGEST] if depth < DEPTH else ():
            found += _by_names(tool, item, depth + 1) if isinstance(item, dict) else []
        if name == "code" and _runs(tool):  # a notebook: `!command`
            rows = [row.strip()[1:] for text in _texts(value) for row in text.split("\n") if row.strip()[:1] == "!"]
            found += [(RUNS, row) for row in rows]
        if name in COMMANDS or (name in ("args", "argv") and _runs(tool)):
            found += [(RUNS, text) for text in _lines(value)]
        elif name in PATHS:
            found += [(file_kind, text.removeprefix("file://")) for text in _texts(value)]
        elif name in STATEMENTS:
            found += [(RUNS, line) for text in _texts(value) for line in _statements(text)]
        if name in PATCHES:
            found += [
                (WRITE, path)
                for text in _texts(value)
                if text.startswith(("*** ", "--- ", "diff "))
                for path in patched(text)
            ]
    return found


def _statements(text: str) -> list[str]:
    """SQL that destroys data, as the command lines that the rules about SQL know."""
    from hookkit.shell import queries  # late: only for tools with a query

    if not text.lstrip()[:8].lower().startswith(queries.VERBS):
        return []
    return [_quoted(["sql", *statement]) for statement in queries.destroying(text)]


def _runs(tool: str) -> bool:
    """Whether the tool's own name promises to run a program."""
    return any(word in RUNNERS for word in tool.rpartition("__")[2].lower().replace("-", "_").split("_"))


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
    """A command line as text; a list is the words of one command, or several command lines."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        several = value and " " in value[0].strip()
        return value[:LONGEST] if several else [_quoted(value[:LONGEST])]
    return _texts(value)


def _quoted(words: list[str]) -> str:
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)

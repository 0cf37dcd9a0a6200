"""What each tool runs, reads, writes, deletes and sends, so that a rule about an effect binds every tool that has it.

One row a tool. Tools without a row are read by the names of their fields: a field called `command` is a command line,
a field called `path` a file. The person's own rows (`[[tools]]`) add to both.
"""

from hookkit.programs.effects import DELETE, MOVE, READ, SEND, WRITE
from hookkit.programs.words import glob, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

RUNS = "Run"  # a command line for the shell
POWERSHELL = "PowerShell"  # a script for PowerShell
EITHER = "Either"  # a file that may be read or written
ADDRESS = "Address"  # a URL that the tool asks; only the address itself leaves the machine
FILTER = "Filter"  # a pattern of file names below the tool's `path`
NAMES = "Names"  # the same, of a tool that only lists the names
PATCH = "Patch"  # a patch: the files that it names are written

# Fields of the tools that Claude Code brings, each with its effect. A dot leads into a list of objects.
TOOLS: dict[str, tuple[tuple[str, str], ...]] = {
    "Bash": (("command", RUNS),),
    "Monitor": (("command", RUNS),),
    "PowerShell": (("command", POWERSHELL),),
    "CronCreate": (("command", RUNS), ("prompt", "")),
    "Read": (("file_path", READ),),
    "Write": (("file_path", WRITE),),
    "Edit": (("file_path", WRITE),),
    "MultiEdit": (("file_path", WRITE),),
    "NotebookEdit": (("notebook_path", WRITE),),
    "NotebookRead": (("notebook_path", READ),),
    "Grep": (("path", READ), ("glob", FILTER)),
    "Glob": (("path", READ), ("pattern", NAMES)),
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
SEARCHES = frozenset("search find".split())  # a query of such a tool is prose
TERMINALS = frozenset("terminal term iterm iterm2 tmux console pty ssh".split())
TYPED = ("text", "keys", "input", "data", "content")  # what a tool types into a terminal
ENTER = ("Enter", "C-m", "C-j", "\\n", "\\r")
# Programs that the name of a server or of a tool stands for: their `command` may be a sub-command alone.
STANDS_FOR = {
    "kubernetes": "kubectl", "k8s": "kubectl", "azure": "az", "redis": "redis-cli",
    **{name: name for name in "kubectl terraform tofu helm docker git aws gcloud pulumi ansible npm gh heroku vercel "
       "supabase firebase wrangler fly cdk".split()},
}  # fmt: skip
RUNNERS = ("exec", "execute", "run", "shell", "terminal", "process", "spawn", "bash")
MARKS = ("*** Update File: ", "*** Add File: ", "*** Move to: ", "*** Delete File: ", "+++ ", "--- ")
DEPTH = 4  # objects inside objects
PATHS = tuple(
    "path file_path filepath filename file paths files file_paths notebook_path relative_path absolute_path "
    "target_file source destination old_path new_path uri include filenames file_name".split()
)
READERS = tuple("read get view cat open search grep find list fetch show load info tree status stat diff log".split())
WRITERS = tuple("write edit create update append insert replace patch save move rename copy apply put modify".split())
MOVERS = ("move", "rename")
GOALS = ("to", "dst", "dest", "target", "new", "out")  # beginnings of the fields for the file's new name
# Fields that name no file, even if the value begins with a slash: prose, patterns, addresses, the place of the call.
PROSE = frozenset(
    """
    content text message body prompt query description title comment pattern regex selector xpath url endpoint route
    ref code value data old new cwd workdir working_dir working_directory workspace root project project_path
    """.split()
)
LONGEST_PATH = 4_096
# Interpreters of tools that take code, by a word in the name of the tool or of its server.
LANGUAGES = {
    **dict.fromkeys(("python", "py", "ipython", "jupyter", "notebook", "ide", "repl"), "python3 -c"),
    **dict.fromkeys(("node", "js", "javascript", "deno", "bun", "typescript"), "node -e"),
    "ruby": "ruby -e",
}
PLACES = ("cwd", "workdir", "working_dir", "working_directory", "workingDirectory", "workDir")  # of a command
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
        touches = [touch for field, kind in shipped if kind for touch in _known(kind, given.get(field), given)]
    else:
        touches = _by_names(tool, given)
    return touches + [touch for row in mine for touch in _declared(row, tool_input)] if mine else touches


def words_of(tool: str) -> set[str]:
    """`d1_database_delete`, `drop-database`, `DeleteProject`: the words of a tool's own name."""
    name = "".join(f"_{char}" if char.isupper() else char for char in tool.rpartition("__")[2])
    return {word.lower() for word in name.replace("-", "_").split("_") if word}


def _declared(row: "dict[str, Any]", tool_input: "dict[str, object]") -> "list[tuple[str, str]]":
    """The effects that a person's row names; a dot leads into an object, or into the objects of a list."""
    touches: list[tuple[str, str]] = []
    for column, kind in COLUMNS.items():
        for field in row.get(column, ()):
            for value in _values(tool_input, field.split(".")):
                touches += [(kind, text) for text in (_lines(value) if kind == RUNS else _texts(value))]
    return touches


def _values(value: object, path: list[str]) -> "list[object]":
    if not path:
        return [value]
    if isinstance(value, list):
        return [inner for item in value[:LONGEST] for inner in _values(item, path)]
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
    if kind == NAMES:
        return [(READ, text) for text in texts if text[:1] in ("/", "~")]
    if kind == ADDRESS:
        return [(READ, text[7:]) if text.lower().startswith("file://") else (kind, text) for text in texts]
    return [(kind, text) for text in texts]


def patched(text: str) -> list[str]:
    """The files that a patch changes, in either form of patches."""
    rows = text.split("\n")
    paths = [row[len(mark) :].strip() for row in rows for mark in MARKS[:4] if row.startswith(mark)]
    if not paths:
        named = [row[4:].partition("\t")[0].strip() for row in rows if row.startswith(MARKS[4:])]
        paths = [name.removeprefix("a/").removeprefix("b/") for name in named if name != "/dev/null"]
    return paths[:LONGEST]


def _by_names(tool: str, tool_input: "dict[str, object]", depth: int = 0) -> "list[tuple[str, str]]":
    """Effects by the names of the fields, also in objects inside the input."""
    touches: list[tuple[str, str]] = []
    file_kind, has_command = _verb(tool), any(field.lower() in COMMANDS for field in tool_input)
    if isinstance(tool_input.get("command"), str) and isinstance(tool_input.get("args"), list):
        words = [tool_input["command"], *_texts(tool_input["args"])]  # a program and its words, not a command line
        tool_input = {**tool_input, "command": [str(word) for word in words], "args": None}
    there = next((text for field in PLACES for text in _texts(tool_input.get(field))), "")
    for field, value in tool_input.items():
        name = field.lower()
        inner = value if isinstance(value, list) else [value]
        for item in inner[:LONGEST] if depth < DEPTH else ():
            touches += _by_names(tool, item, depth + 1) if isinstance(item, dict) else []
        if name == "code" and _runs(tool):
            touches += [(RUNS, line) for text in _texts(value) for line in _code(tool, text)]
        if name in COMMANDS or (name in ("args", "argv") and _runs(tool)):
            lines = _lines(value)
            touches += [(RUNS, _moved(there, text)) for text in (*lines, *_for_program(tool, lines, tool_input))]
        elif name in TYPED and not _names_of(tool).isdisjoint(TERMINALS):
            touches += [(RUNS, _typed(text)) for text in _texts(value)]
        elif name in PATHS or (not has_command and name not in PROSE and any(map(_is_path, _texts(value)))):
            paths = [text.removeprefix("file://") for text in _texts(value)]
            touches += [(file_kind, path) for path in paths]
            is_moved = not words_of(tool).isdisjoint(MOVERS) and not name.startswith(GOALS)
            touches += [(MOVE, path) for path in paths if is_moved]
        elif name in STATEMENTS and words_of(tool).isdisjoint(SEARCHES):
            touches += [(RUNS, line) for text in _texts(value) for line in _statements(text)]
        if name in PATCHES:
            touches += [
                (WRITE, path)
                for text in _texts(value)
                if text.startswith(("*** ", "--- ", "diff "))
                for path in patched(text)
            ]
    return touches


def _moved(there: str, line: str) -> str:
    """The command line as it runs in the directory that another field names."""
    home = "~/" * there.startswith("~/")
    return f"cd {home}{quoted([there.removeprefix(home)])} && {line}" if there else line


def _names_of(tool: str) -> set[str]:
    """The words of a tool's server and of its own name."""
    parts = tool.split("__")
    return words_of(parts[1]) | words_of(parts[-1]) if tool.startswith("mcp__") and len(parts) > 1 else words_of(tool)


def _for_program(tool: str, lines: list[str], tool_input: "dict[str, object]") -> list[str]:
    """`{"command": "delete", "name": "prod"}` of a tool named after kubectl is `kubectl delete prod`."""
    programs = {STANDS_FOR[word] for word in _names_of(tool) if word in STANDS_FOR}
    rest = [text for field, value in tool_input.items() if field.lower() not in COMMANDS for text in _texts(value)]
    return [
        f"{program} {line} {quoted(rest)}"
        for program in sorted(programs)
        for line in lines
        if line.split()[:1] not in ([], [program])
    ]


def _is_path(text: str) -> bool:
    """Whether a value in a field of any name can only be a file: `/etc/x`, `~/x`, `./x`, `file:///x`."""
    plain = text.removeprefix("file://")
    is_rooted = plain[:1] == "/" and plain[1:2] not in ("", "/", " ")
    return (is_rooted or plain.startswith(("~/", "./", "../"))) and "\n" not in plain and len(plain) <= LONGEST_PATH


def _code(tool: str, text: str) -> list[str]:
    """Code as a command line of its interpreter, and the `!command` rows of a notebook."""
    names = _names_of(tool)
    interpreter = next((LANGUAGES[name] for name in LANGUAGES if name in names), "")
    rows = [row.strip()[1:] for row in text.split("\n") if row.strip()[:1] == "!"]
    if not interpreter:
        return rows
    plain = "\n".join(row for row in text.split("\n") if row.strip()[:1] not in ("!", "%"))
    return [*rows, f"{interpreter} {quoted([plain])}"]


def _typed(text: str) -> str:
    """Keys without the name of the key that sends them."""
    words = text.split(" ")
    return " ".join(words[:-1] if words[-1] in ENTER else words)


def _statements(text: str) -> list[str]:
    """SQL that destroys data, as the command lines that the rules about SQL know."""
    from hookkit.shell.languages import code  # late: only for tools with a query

    if not text.lstrip()[:8].lower().startswith(code.VERBS):
        return []
    return [quoted(["sql", *statement]) for statement in code.destroying(text)]


def _runs(tool: str) -> bool:
    """Whether the tool's own name promises to run a program."""
    return not words_of(tool).isdisjoint(RUNNERS)


def _verb(tool: str) -> str:
    """The effect that a tool's own name promises for its files."""
    words = words_of(tool)
    for kind, verbs in ((DELETE, DELETERS), (WRITE, WRITERS), (SEND, SENDERS), (READ, READERS)):
        if not words.isdisjoint(verbs):
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
        return value[:LONGEST] if several else [quoted(value[:LONGEST])]
    return _texts(value)

"""Files that a call writes and a tool would run later: their command lines are judged like a line of the shell.

Only what the policy denies outright counts, and downloads that a project's own scripts would run: a script may well
ask for more than an agent may.
"""

from hookkit.programs.words import UNKNOWN, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookkit.policy.call import Call

LONGEST = 64 * 1024  # characters of a file
MOST = 16  # files of a call
# A text without one of these words runs nothing that the policy denies.
NEEDLES = ("rm ", "dd ", *"rmtree unlink rmdir remove rmSync rm_rf curl wget mkfs /dev/ shutdown".split())
INTERPRETERS = {
    ".py": "python3", ".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "node", ".rb": "ruby", ".pl": "perl",
    ".php": "php",
}  # fmt: skip
SHELLS = (".sh", ".bash", ".zsh", ".envrc", ".bashrc", ".zshrc", ".profile")
MAKEFILES = ("makefile", "gnumakefile", "justfile")
# Files whose commands run without a person who names them, and directories of such files.
STARTED = tuple(
    """
    package.json devcontainer.json .mcp.json mcp.json .envrc .gitlab-ci.yml jenkinsfile azure-pipelines.yml
    bitbucket-pipelines.yml
    """.split()
)
FOLDERS = tuple("/.github/workflows/ /.circleci/ /.git/hooks/ /.husky/ /.gitea/workflows/ /.forgejo/workflows/".split())
SETTINGS = ("devcontainer.json", ".mcp.json", "mcp.json", "tasks.json")  # JSON with command lines among its values
RUNS = ("run:", "script:", "- run:", "- script:", "before_script:", "command:")
DOWNLOADS = ("network.download-to-shell", "network.download-to-interpreter", "network.decoded-to-shell")
TEXTS = ("content", "new_string", "new_source", "file_text", "text", "newText")


def files(call: "Call") -> list[tuple[str, str]]:
    """Each written file with its new text, as far as the call itself holds it."""
    if call.shell is not None:
        return [
            (path, text) for path, text in list(call.shell.made.files.items())[:MOST] if not path.startswith("/dev/")
        ]
    paths = [path for kind, path, _ in call.touched() if kind == "Write"][:1]
    edits = call.tool_input.get("edits")
    given = [call.tool_input, *(edits[:MOST] if isinstance(edits, list) else ())]
    texts = [
        edit[field] for edit in given if isinstance(edit, dict) for field in TEXTS if isinstance(edit.get(field), str)
    ]
    return [(path, str(text)) for path in paths for text in texts]


def command_line(path: str, text: str) -> str:
    """The command line that running the file amounts to; empty for a file that no tool runs."""
    text = text[:LONGEST].replace(UNKNOWN, " ").replace("\1", "")
    if not any(needle in text for needle in NEEDLES):
        return ""
    return _reader(path, text)(text)


def runs_by_itself(path: str) -> bool:
    """Whether a tool runs the file's commands without a person who names them: an install, a check on a server."""
    name = path.rpartition("/")[2].lower()
    return name in STARTED or any(folder in f"/{path}" for folder in FOLDERS)


def _reader(path: str, text: str) -> "Callable[[str], str]":
    name = path.rpartition("/")[2].lower()
    ending = name[name.rfind(".") :] if "." in name else ""
    first = text.partition("\n")[0] if text[:2] == "#!" else ""
    if name == "package.json":
        return _scripts
    if name in SETTINGS:
        return _commands
    if name in MAKEFILES or ending == ".mk":
        return _recipes
    if ending in (".yml", ".yaml") and runs_by_itself(path):
        return _steps
    if (
        ending in SHELLS
        or name in SHELLS
        or first.rstrip().endswith("sh")
        or "/.git/hooks/" in path
        or "/.husky/" in path
    ):
        return str
    language = INTERPRETERS.get(ending, "")
    option = "-c" if language == "python3" else "-e"
    return lambda code: f"{language} {option} {quoted([code])}" if language else ""


def _scripts(text: str) -> str:
    """The scripts of a package.json; an edit holds only a part of it, so its strings are read alone."""
    import json

    try:
        value = json.loads(text)
    except ValueError:
        pieces = text.replace('\\"', "'").split('"')[3::4]
        return "\n".join(pieces)
    scripts = value.get("scripts") if isinstance(value, dict) else None
    return "\n".join(line for line in scripts.values() if isinstance(line, str)) if isinstance(scripts, dict) else ""


def _commands(text: str) -> str:
    """The command lines in the settings of an editor, a container or an MCP server, wherever they stand."""
    import json

    lines: list[str] = []

    def add(value: object, name: str = "") -> None:
        if isinstance(value, dict):
            words = [value.get("command"), *(args if isinstance(args := value.get("args"), list) else ())]
            lines.append(quoted([word for word in words if isinstance(word, str)]))
            for key, item in value.items():
                add(item, key)
        elif isinstance(value, str) and name.lower().endswith("command"):
            lines.append(value)

    try:
        add(json.loads(text))
    except (ValueError, RecursionError):
        return ""
    return "\n".join(lines)


def _recipes(text: str) -> str:
    rows = [row.strip().lstrip("@-+ ") for row in text.split("\n") if row[:1] in ("\t", " ")]
    return "\n".join(row.replace("$$", "$") for row in rows)


def _steps(text: str) -> str:
    """Commands of a workflow: behind `run:`, and the indented lines below `run: |`."""
    rows = [row.strip() for row in text.split("\n")]
    inline = [row.partition(":")[2].strip(" |>-") for row in rows if row.startswith(RUNS)]
    return "\n".join([*inline, *(row.removeprefix("- ") for row in rows if ":" not in row.partition(" ")[0])])

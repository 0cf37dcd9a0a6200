"""ADVICE: the next step for each known cause. For the model: short, and never a reckless way out."""

from hookkit.prompts.hint_causes import INPUT, ToolResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.model import Event
    from hookkit.settings.layers import Settings

ADVICE = {
    "edit-not-found": (
        "Read the file again around the place and copy old_string from there exactly: blanks, tabs and quotes "
        "count; the line numbers that Read shows are not part of the text."
    ),
    "edit-not-unique": (
        "Add the lines before and after to old_string until it is unique; use replace_all only to change every place."
    ),
    "edit-same": "old_string and new_string do not differ: Read the file, the change may be there already.",
    "not-read": "Read the file first, then change it in the next call.",
    "changed-since": (
        "A person, a formatter or another command changed the file: Read it again, and edit the current text."
    ),
    "notebook": "NotebookEdit is for .ipynb files, Edit and Write are for all others.",
    "too-long": "Read a part of it with offset and limit, or find the place with Grep first.",
    "directory": "The path is a directory: list it with ls or Glob.",
    "no-tool": "Call only tools that you were given; ToolSearch, if you have it, finds tools that are not loaded yet.",
    "bad-regex": "Escape literal characters (\\{ \\( \\[), or search with -F; ripgrep has no look-around.",
    "no-runner": (
        "The test runner is not in this environment. Run it in the project's own (`uv run`, `poetry run`, "
        ".venv/bin/python -m, npx): a Makefile that calls it from here fails in the same way."
    ),
    "no-module": (
        "The module is missing in this environment. Run the command in the project's own environment "
        "(.venv/bin/python, `uv run`, `poetry run`, the directory with node_modules); install only the "
        "dependencies that the project lists, and ask before you add another."
    ),
    "no-command": (
        "The program is not on the PATH. Look in .venv/bin, node_modules/.bin or the project's scripts, or use an "
        "installed program; ask before you install anything."
    ),
    "managed-python": (
        "Do not force the install into the system's Python: make an environment (`python3 -m venv .venv`, `uv "
        "venv`) and use it."
    ),
    "no-target": (
        "There is no target of that name. List them: the Makefile, `npm run`, `just --list`, `task --list`, "
        "`hookkit toolchain`."
    ),
    "git-access": (
        "This machine has no access to the remote. Leave keys and tokens alone, and ask the person to push, pull "
        "or log in."
    ),
    "push-rejected": (
        "The remote has commits that you do not have: `git fetch`, look at the difference, rebase or merge, push "
        "again. Do not force the push."
    ),
    "conflict": (
        "`git status` names the files in conflict: read both sides, keep the purpose of each, `git add` the files,"
        " go on with --continue; --abort gives up safely."
    ),
    "git-lock": "Another git may be at work: wait and try again. Remove the lock only when no git process is left.",
    "no-repository": "You are outside the repository: look where you are (`pwd`), and go to its root or use `git -C`.",
    "port-in-use": (
        "Find the process on the port (`lsof -i :PORT`, `ss -ltnp`). Stop it only if you started it, else take "
        "another port."
    ),
    "disk-full": (
        "`df -h .` and `df -i .` show the full disk. Remove only files that you made, and ask about all others."
    ),
    "read-only": (
        "The place is read-only, perhaps on purpose (a sandbox): write inside the project or the temporary directory."
    ),
    "no-network": (
        "The host cannot be reached from here, and another attempt will not help. Use installed or cached "
        "packages, or ask the person."
    ),
    "refused": (
        "No service listens on this address: start the service, wait until it is ready, and check host and port."
    ),
    "certificate": (
        "Do not switch the check off: ask the person to fix the certificates of this machine or of its proxy."
    ),
    "too-many-requests": "Wait before the next request, request less, and do not send several requests at once.",
    "no-docker": (
        "Docker is not running, or not for this user. Ask the person to start it, or find a way without Docker."
    ),
    "no-terminal": (
        "No person can type here: give all answers on the command line (-m, -y, --no-edit, --non-interactive, "
        "GIT_EDITOR=true)."
    ),
    "timed-out": "Raise the timeout (in ms), run the command in the background (run_in_background), or split the work.",
    "memory": "The command ran out of memory: split the work, or use fewer workers (-j1, -n 1).",
    "arguments": "Too many names for one command: use find … -exec … +, or xargs.",
    "shell-syntax": (
        "The shell could not read the line. Put long or quoted text into a file with Write, and run or pass the file."
    ),
    "denied": (
        "Check owner and mode (`ls -l`, `id`). A script may need its interpreter (`bash x.sh`); ask before you use"
        " sudo or change modes and owners."
    ),
    "no-file": (
        "Look before you try another name: Glob for the file's name, `ls` its directory, `pwd` for the current "
        "directory."
    ),
}


COULD_NOT_RUN = ("no-runner", "no-module", "no-command", "no-target")


def original(event: "Event", settings: "Settings", cause: str) -> str:
    """The way back after a command of the project that hookkit had put in, and that could not run."""
    if cause not in COULD_NOT_RUN or event.name != "PostToolUseFailure" or not event.text("tool_use_id"):
        return ""
    from hookkit.redirect import decision

    command = decision.find(event, settings.environ)
    if not command:
        return ""
    return f"hookkit had changed your command, and the new one could not run. To run the original: command {command}"


def is_new(event: "Event", settings: "Settings", cause: str) -> bool:
    """Whether this agent has not had the hint yet; a sub-agent does not see the hints of its caller."""
    if not event.session_id:
        return True
    from hookkit.system import files, marks

    agent = event.session_id + event.text("agent_id")
    return marks.first_time(settings.environ, agent, f"hint-{files.safe_name(cause)}")


def text(cause: str, result: ToolResult, settings: "Settings") -> str:
    """The next step: from ADVICE, or for a refused input from the tool's schema."""
    if not cause.startswith(INPUT):
        return ADVICE[cause]
    from hookkit.settings import inputs
    from hookkit.settings.inputs import explain

    rows = settings.values.get("schemas", {}).get(result.tool, ())
    schemas = [row["schema"] for row in rows if "untrusted" not in row]
    built_in = inputs.schema(result.tool)
    return explain.correction(result.tool, [*schemas, built_in] if built_in else schemas, result.tool_input)

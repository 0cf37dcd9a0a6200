"""STEPS: what to do after a failure, by its cause. For a model that is at work: short, and never the reckless way."""

STEPS = {
    "edit-not-found": (
        "Read the file again around that place and copy old_string from there as it is: blanks, tabs and quotes "
        "count, the line numbers that Read shows do not belong to it."
    ),
    "edit-not-unique": (
        "Put the lines before and after into old_string until it is unique; replace_all only if every place is meant."
    ),
    "edit-same": "old_string and new_string do not differ: Read the file, the change may be there already.",
    "not-read": "Read the file first, then change it in the next call.",
    "changed-since": (
        "A person, a formatter or another command changed the file: Read it again, and make the change on what is "
        "there."
    ),
    "notebook": "NotebookEdit is for .ipynb files, Edit and Write are for all others.",
    "too-long": "Read a part of it with offset and limit, or find the place with Grep first.",
    "directory": "That is a directory: list it with ls or Glob.",
    "no-tool": (
        "Call only tools that you were given; where there is ToolSearch, it finds those that are not loaded yet."
    ),
    "bad-regex": "Escape what is meant literally (\\{ \\( \\[), or search with -F; ripgrep has no look-around.",
    "no-runner": (
        "The tests' runner is not in this environment. Use the project's own way: its Makefile or scripts, `uv "
        "run`, `poetry run`, .venv/bin/python -m, npx; `hookkit toolchain` shows what was found."
    ),
    "no-module": (
        "The module is missing in the environment that ran this. Run it in the project's own (.venv/bin/python, "
        "`uv run`, `poetry run`, the directory with node_modules); install what the project lists, and ask before "
        "you add to it."
    ),
    "no-command": (
        "That program is not on the PATH. Look for it in .venv/bin, node_modules/.bin or the project's scripts, or"
        " use one that is there; ask before you install anything."
    ),
    "managed-python": (
        "Do not force it into the system's Python: make an environment (`python3 -m venv .venv`, `uv venv`) and "
        "use that."
    ),
    "no-target": (
        "There is no target of that name. List them: the Makefile, `npm run`, `just --list`, `task --list`, "
        "`hookkit toolchain`."
    ),
    "git-access": (
        "This machine may not speak to that remote. Leave keys and tokens alone, and ask the person to push, pull "
        "or log in."
    ),
    "push-rejected": (
        "The remote has what you do not: `git fetch`, look at the difference, rebase or merge, push again. Do not "
        "force it."
    ),
    "conflict": (
        "`git status` names the files in conflict: read both sides, keep what each was for, `git add` them, go on "
        "with --continue; --abort gives up safely."
    ),
    "git-lock": "Another git may be at work: wait and try again. Remove the lock only when no git process is left.",
    "no-repository": "You are outside the repository: look where you are (`pwd`), and go to its root or use `git -C`.",
    "port-in-use": (
        "See who holds the port (`lsof -i :PORT`, `ss -ltnp`). Stop it only if you started it, else take another port."
    ),
    "disk-full": (
        "`df -h .` and `df -i .` show what is full. Remove only what you made yourself, and ask about everything else."
    ),
    "read-only": (
        "Nothing can be written there, perhaps on purpose (a sandbox): write inside the project or the temporary "
        "directory."
    ),
    "no-network": (
        "There is no way out to that host from here, and trying again will not make one. Use what is installed or "
        "cached, or ask the person."
    ),
    "refused": (
        "Nothing listens there: start the service, wait until it says that it is ready, and check host and port."
    ),
    "certificate": "Do not switch the check off: the certificates of this machine or a proxy are the person's to mend.",
    "too-many-requests": "Wait before you ask again, ask for less, and do not start several at once.",
    "no-docker": "Docker is not running, or not for this user. Ask the person to start it, or find a way without.",
    "no-terminal": (
        "Nobody can type here: give it all on the command line (-m, -y, --no-edit, --non-interactive, GIT_EDITOR=true)."
    ),
    "timed-out": (
        "Give it more time (timeout, in ms), let it run in the background (run_in_background), or do less at once."
    ),
    "memory": "It ran out of memory: do it in smaller parts, with fewer workers (-j1, -n 1).",
    "arguments": "Too many names for one command: use find … -exec … +, or xargs.",
    "shell-syntax": (
        "The shell could not read the line. Put long or quoted text into a file with Write, and run or pass that file."
    ),
    "denied": (
        "Look at who may do that (`ls -l`, `id`). A script may want its interpreter (`bash x.sh`); ask before you "
        "use sudo or change modes and owners."
    ),
    "no-file": (
        "Look before you try another name: Glob for the file's name, `ls` its directory, `pwd` for where you are."
    ),
}

"""Whether git, in a repository, would start programs named by the repository's own files.

`git clone` never brings such settings along; an unpacked archive with a `.git` directory does.
"""

import os

from hookkit.system import files, git

LIMIT = 256 * 1024  # bytes of a settings file
# Keys whose value is a program, for commands that only read or stage: no pager and no editor without a terminal.
PROGRAMS = ("external", "textconv", "command", "clean", "smudge", "process")
PLAIN = ("true", "false", "yes", "no", "on", "off", "1", "0", "")
HOOK = "post-index-change"  # the hook of git status and git add


def starts(root: str) -> str:
    """The setting or the hook that starts a program, or an empty text."""
    for path in git.configs(os.path.join(root, ".git")):
        found = _setting(path, root)
        if found:
            return found
        if os.path.lexists(os.path.join(os.path.dirname(path), "hooks", HOOK)):
            return f"the hook {HOOK}"
    return ""


def _setting(path: str, root: str) -> str:
    text = _text(path) if os.path.lexists(path) else ""
    for line in text.lower().replace("\\\n", " ").replace("]", "]\n").split("\n"):
        name, equals, value = (part.strip() for part in line.partition("="))
        if line.strip().startswith("[include"):
            return "include"
        if name in PROGRAMS or (name == "fsmonitor" and equals and value not in PLAIN):
            return name
        if name == "hookspath" and os.path.lexists(os.path.join(root, os.path.expanduser(value.strip('"')), HOOK)):
            return f"the hook {HOOK}"
    return ""


def _text(path: str) -> str:
    data = files.read(path, LIMIT)
    if len(data) == LIMIT:
        raise OSError(f"{path} is too long")
    return data.decode("utf-8", "replace")

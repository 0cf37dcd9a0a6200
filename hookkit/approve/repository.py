"""Whether git, in a repository, would start programs named by the repository's own files.

`git clone` never brings such settings along; an unpacked archive with a `.git` directory does.
"""

import os

from hookkit.system import files, git

LIMIT = 256 * 1024  # bytes of a settings file
# Keys whose value is a program, for commands that only read or stage: no pager and no editor without a terminal.
PROGRAMS = frozenset(
    "external textconv command clean smudge process program pager uploadpack sshcommand gitproxy askpass vcs".split()
)
# Keys with which reading a repository fetches from another machine, or reads another directory.
ELSEWHERE = frozenset("promisor partialclone partialclonefilter worktree".split())
PLAIN = ("true", "false", "yes", "no", "on", "off", "1", "0", "")
INDEX_LIMIT = 64 * 1024 * 1024
# An entry of the index: mode, user, group, size, digest, flags, path.
SUBMODULE, BETWEEN, DIGESTS = b"\0\0\xe0\0", 12, (20, 32)
SHARED = b"link\0\0\0"  # the rest of a split index is in another file
DEEPEST = 5
HOOK = "post-index-change"  # the hook of git status and git add


def starts(root: str, depth: int = 0) -> str:
    """The setting or the hook that starts a program, or an empty text. `git status` works in submodules too."""
    for path in git.configs(os.path.join(root, ".git")):
        found = _setting(path, root)
        if found:
            return found
        if os.path.lexists(os.path.join(os.path.dirname(path), "hooks", HOOK)):
            return f"the hook {HOOK}"
    inner = _submodules(root)
    if inner and depth >= DEEPEST:
        return "a submodule"
    return next((found for place in inner if (found := starts(place, depth + 1))), "")


def _submodules(root: str) -> list[str]:
    """The directories of the submodules that are present, by the index of the repository."""
    path = git.index(os.path.join(root, ".git"))
    data = files.read(path, INDEX_LIMIT) if os.path.lexists(path) else b""
    if data.startswith(b"DIRC\0\0\0\4") or len(data) == INDEX_LIMIT or SHARED in data:
        raise OSError(f"{path} has a form that hookkit does not read")
    found, at = [], data.find(SUBMODULE)
    while at >= 0:
        for digest in DIGESTS:
            start = at + len(SUBMODULE) + BETWEEN + digest + 2
            place = os.path.join(root, os.fsdecode(data[start : data.find(b"\0", start)]))
            found += [place] if os.path.lexists(os.path.join(place, ".git")) else []
        at = data.find(SUBMODULE, at + 1)
    return found


def _setting(path: str, root: str) -> str:
    text = _text(path) if os.path.lexists(path) else ""
    for line in text.lower().replace("\\\n", " ").replace("]", "]\n").split("\n"):
        name, equals, value = (part.strip() for part in line.partition("="))
        if line.strip().startswith("[include"):
            return "include"
        if name in PROGRAMS or name in ELSEWHERE or (name == "fsmonitor" and equals and value not in PLAIN):
            return name
        if name == "hookspath" and os.path.lexists(os.path.join(root, os.path.expanduser(value.strip('"')), HOOK)):
            return f"the hook {HOOK}"
    return ""


def _text(path: str) -> str:
    data = files.read(path, LIMIT)
    if len(data) == LIMIT:
        raise OSError(f"{path} is too long")
    return data.decode("utf-8", "replace")

"""Whether git, in a repository, would start programs named by the repository's own files.

`git clone` never brings such settings along; an unpacked archive with a `.git` directory does.
"""

import os

from hookkit.system import files, git
from hookkit.system.git_settings import settings

LIMIT = 256 * 1024  # bytes of a settings file
# Keys whose value is a program, for commands that only read or stage: no pager and no editor without a terminal.
PROGRAMS = frozenset(
    "external textconv command clean smudge process program pager uploadpack sshcommand gitproxy askpass vcs".split()
)
# Keys with which reading a repository fetches from another machine, or reads another directory.
ELSEWHERE = frozenset("promisor partialclone partialclonefilter worktree".split())
PLAIN = ("true", "false", "yes", "no", "on", "off", "1", "0", "")
INDEX_LIMIT = 64 * 1024 * 1024  # bytes of all indexes together
MOST = 2_000  # entries of all indexes that may be submodules
LONGEST = 4_096  # bytes of a path
# An entry of the index: mode, user, group, size, digest, flags, path.
SUBMODULE, BETWEEN, DIGESTS = b"\0\0\xe0\0", 12, (20, 32)
SHARED = b"link\0\0\0"  # the rest of a split index is in another file
DEEPEST = 5
HOOK = "post-index-change"  # the hook of git status and git add


class _Budget:
    """The look into a repository and its submodules: an index can claim any number of them."""

    def __init__(self) -> None:
        self.bytes = INDEX_LIMIT
        self.entries = MOST


def starts(root: str, depth: int = 0, budget: _Budget | None = None) -> str:
    """The setting or the hook that starts a program, or an empty text. `git status` works in submodules too."""
    budget = budget or _Budget()
    for path in git.configs(os.path.join(root, ".git")):
        setting = _setting(path, root)
        if setting:
            return setting
        if os.path.lexists(os.path.join(os.path.dirname(path), "hooks", HOOK)):
            return f"the hook {HOOK}"
    inner = _submodules(root, budget)
    if inner and depth >= DEEPEST:
        return "a submodule"
    return next((started for place in inner if (started := starts(place, depth + 1, budget))), "")


def _submodules(root: str, budget: _Budget) -> list[str]:
    """The directories of the submodules that are present, by the index of the repository."""
    path = git.index(os.path.join(root, ".git"))
    data = files.read(path, budget.bytes) if os.path.lexists(path) else b""
    budget.bytes -= len(data)
    if data.startswith(b"DIRC\0\0\0\4") or budget.bytes <= 0 or SHARED in data:
        raise OSError(f"{path} has a form that hookkit does not read")
    places, at = [], data.find(SUBMODULE)
    while at >= 0:
        budget.entries -= 1
        if budget.entries < 0:
            raise OSError(f"{path} names too many submodules")
        for digest in DIGESTS:
            start = at + len(SUBMODULE) + BETWEEN + digest + 2
            name = data[start : max(data.find(b"\0", start, start + LONGEST), start)]
            place = os.path.join(root, os.fsdecode(name))
            places += [place] if name and os.path.lexists(os.path.join(place, ".git")) else []
        at = data.find(SUBMODULE, at + 1)
    return places


def _setting(path: str, root: str) -> str:
    text = _text(path) if os.path.lexists(path) else ""
    for section, name, value in settings(text):
        if section in ("include", "includeif"):
            return "include"
        if name in PROGRAMS or name in ELSEWHERE or (name == "fsmonitor" and value.lower() not in PLAIN):
            return name
        if name == "hookspath" and _has_hook(root, value):
            return f"the hook {HOOK}"
    return ""


def _has_hook(root: str, directory: str) -> bool:
    """Whether the hooks of this directory start with a read; blanks in its name mean another name to older git."""
    if not directory.isprintable() or "%" in directory or " " in directory:
        return True
    return os.path.lexists(os.path.join(root, os.path.expanduser(directory), HOOK))


def addresses(root: str) -> list[str]:
    """The addresses of the repository's remotes."""
    texts = [_text(path) for path in git.configs(os.path.join(root, ".git")) if os.path.lexists(path)]
    return [value for text in texts for _, name, value in settings(text) if name in ("url", "pushurl")]


def _text(path: str) -> str:
    data = files.read(path, LIMIT)
    if len(data) == LIMIT:
        raise OSError(f"{path} is too long")
    return data.decode("utf-8", "replace")

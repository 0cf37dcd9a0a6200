"""Whether git, in a repository, would start programs named by the repository's own files.

`git clone` never brings such settings along; an unpacked archive with a `.git` directory does. A settings file is read
as git reads it: names in any case, comments, quotes, escapes, lines that continue.
"""

import os

from hookkit.system import files, git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


# -- a settings file -------------------------------------------------------------------------------


BLANKS = " \t\r\f\v"
IGNORED = f"{BLANKS}\n\ufeff"  # between settings
ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}


def settings_in(text: str) -> "Iterator[tuple[str, str, str]]":
    """Section, name and value of each setting; section and name in lower case. A name without a value is `true`."""
    section, at, size = "", 0, len(text)
    while at < size:
        char = text[at]
        if char == "[":
            section, at = _section(text, at + 1)
        elif char in "#;":
            at = _line_end(text, at)
        elif char in IGNORED:
            at += 1
        else:
            name, value, at = _read_setting(text, at)
            yield section, name, value


def _section(text: str, at: int) -> tuple[str, int]:
    """The name in `[name "more"]` without the rest, and the place behind the bracket."""
    start, quoted = at, False
    while at < len(text) and text[at] != "\n" and (quoted or text[at] != "]"):
        if text[at] == "\\" and quoted:
            at += 1
        elif text[at] == '"':
            quoted = not quoted
        at += 1
    inside = text[start:at].strip(BLANKS)
    return inside.partition('"')[0].strip(BLANKS).partition(".")[0].lower(), at + 1


def _read_setting(text: str, at: int) -> tuple[str, str, int]:
    start = at
    while at < len(text) and text[at] not in "=\n#;":
        at += 1
    name = text[start:at].strip(BLANKS).lower()
    if text[at : at + 1] != "=":
        return name, "true", _line_end(text, at)
    value, at = _value(text, at + 1)
    return name, value, at


def _value(text: str, at: int) -> tuple[str, int]:
    """The text up to the end of the line, without comments and quotes; blanks inside stay, blanks around go."""
    pieces: list[str] = []
    quoted = False
    length = 0  # pieces up to the last one that counts
    while at < len(text) and (text[at] != "\n"):
        char = text[at]
        if char == "\\":
            following = text[at + 1 : at + 2]
            at += 3 if text.startswith("\r\n", at + 1) else 2
            if following in ("\n", "\r"):
                length = len(pieces)
                continue  # the value continues on the next line
            char = ESCAPES.get(following, following)
        elif char == '"':
            quoted, at, length = not quoted, at + 1, len(pieces)
            continue
        elif char in "#;" and not quoted:
            at = _line_end(text, at)
            break
        else:
            at += 1
            if char in BLANKS and not quoted:
                pieces += [char] if pieces else []
                continue
        pieces.append(char)
        length = len(pieces)
    return "".join(pieces[:length]), at


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


# -- a repository ----------------------------------------------------------------------------------


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


def started_by(root: str, depth: int = 0, budget: _Budget | None = None) -> str:
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
    return next((started for place in inner if (started := started_by(place, depth + 1, budget))), "")


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
    for section, name, value in settings_in(text):
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


def addresses_of(root: str) -> list[str]:
    """The addresses of the repository's remotes."""
    texts = [_text(path) for path in git.configs(os.path.join(root, ".git")) if os.path.lexists(path)]
    return [value for text in texts for _, name, value in settings_in(text) if name in ("url", "pushurl")]


def _text(path: str) -> str:
    data = files.read(path, LIMIT)
    if len(data) == LIMIT:
        raise OSError(f"{path} is too long")
    return data.decode("utf-8", "replace")

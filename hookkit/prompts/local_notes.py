"""LOCAL.md and the rules: reads them with their imports, without leaving the project, and sends each text once."""

import os
import stat

from hookkit.system import clipping, files, git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.model import Event
    from hookkit.settings.layers import Settings

DEPTH = 3
NO_FILE = "it is not a regular file"
INDEX = 64 << 20  # bytes of git's index
PACKED = b"\0\0\0\4"  # the version of an index with shortened names
TRACKED = ", a file of this repository, not of the person"
# Files with these names usually hold secrets, not notes.
SECRET = (
    ".env", ".git-credentials", ".pgpass", ".htpasswd", ".vault-token", ".netrc", ".npmrc", ".pypirc", "secret",
    "id_rsa", "id_ed25519", "id_ecdsa", "credentials",
)  # fmt: skip
SECRET_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".kdbx", ".env", ".tfstate", ".tfvars", ".keystore")
IMPORTS = 50  # files imported in all, at any depth
LONG = 5_000  # characters: beside other hooks' texts a longer LOCAL.md may be cut, so its heading gives the path
JUST_NOW = 3  # seconds: two calls within this time belong to the same compaction

RULES = (
    "{file} says what holds on this machine; where it and the repository's own documents differ, follow {file}.",
    "After a compaction, read a file again before you edit it.",
    "When one of these rules keeps you from what was asked, say so instead of working around it.",
)


def text(event: "Event", settings: "Settings") -> str:
    """LOCAL.md and the rules within the budget; the rules are never cut to make room for LOCAL.md."""
    root = files.repository(event.cwd)
    name = settings["local.file"]
    path = find(name, event.cwd, root) if "/" not in name or not os.path.isabs(name) else ""
    is_tracked = bool(path) and tracked(path, root)
    rules = settings["local.rules"] or ((RULES[1:] if is_tracked else RULES) if path else ())
    below = "\n".join(f"- {rule}" for rule in rules).replace("{file}", name)
    below = clipping.clip(f"# Rules\n\n{below}", clipping.LIMIT // 2) if rules else ""
    if not path:
        return below
    whose = TRACKED if is_tracked else ""
    room = clipping.LIMIT - clipping.length(f"# {name} ({path}){whose}\n\n") - clipping.length(below) - 2
    notes = read(path, root, room)
    where = f" ({path})" if clipping.length(notes) > LONG else ""
    return f"# {name}{where}{whose}\n\n{notes}" + (f"\n\n{below}" if below else "")


def tracked(path: str, root: str) -> bool:
    """Whether the file came with the repository: then it is not the person's, and does not come before other documents.

    Git itself is not asked: in a repository of somebody else it may run a program.
    """
    try:
        data = files.read(git.index(os.path.join(root, ".git")), INDEX)
    except (OSError, ValueError):
        return False
    name = os.path.relpath(os.path.realpath(path), os.path.realpath(root)).encode("utf-8", "surrogateescape")
    is_packed = data[4:8] == PACKED  # names share their beginnings
    return (os.path.basename(name) if is_packed else name) + b"\0" in data


def claim(state: str, content: str, event: "Event", *, first: bool) -> bool:
    """Whether this call sends the text: of several calls about the same event, only one does.

    The file `state` holds the checksums of the last text and of the prompt that brought it; a `+` marks that a
    compaction brought it.
    """
    if event.name == "PreCompact":
        if os.path.lexists(state):
            os.unlink(state)
        return True
    handle = _opened(state, first=first)
    if handle < 0:
        return False
    with open(handle, "r+b") as file:
        if not _is_locked(handle) or os.fstat(handle).st_nlink != 1:
            return False  # another call is sending the text right now, or the file is a hard link to another
        after = event.name == "SessionStart"
        mark = [_sum(content) + b"+" * after, _sum(event.prompt)]
        if _is_repeated(file.read().split(), mark, os.fstat(handle).st_mtime, first=first):
            return False
        file.seek(0)
        file.truncate()
        file.write(b" ".join(mark))
    return True


def _opened(state: str, *, first: bool) -> int:
    """The state file, opened; -1 where it exists and the text goes out only at the first prompt."""
    import time

    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        handle = os.open(state, flags | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return -1 if first else os.open(state, flags)
    files.prune(os.path.dirname(state), time.time(), prefix="local-")
    return handle


def _is_locked(handle: int) -> bool:
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_repeated(last: list[bytes], mark: list[bytes], written: float, *, first: bool) -> bool:
    """Whether the same text went out for the same event: a client may report an event twice."""
    import time

    is_same = bool(last) and last[0].rstrip(b"+") == mark[0].rstrip(b"+")
    return is_same and (first or (last == mark and abs(time.time() - written) < JUST_NOW))


def _sum(content: str) -> bytes:
    return files.checksum(content.encode("utf-8", "surrogatepass")).encode()


def find(name: str, directory: str, root: str) -> str:
    """The nearest file of this name, from the directory up to the repository's root, or ""."""
    here = directory
    while True:
        path = os.path.join(here, name)
        if os.path.lexists(path):
            return path
        if here == root or here == os.path.dirname(here):
            return ""
        here = os.path.dirname(here)


def read(path: str, root: str, room: int) -> str:
    """The text with each line `@other/file.md` replaced by the file, or by the reason why it is not read.

    Reading stops when the room is full; the last line then says where the rest is.
    """
    notes = _Notes(root, room)
    notes.add(path, DEPTH)
    whole = "\n".join(notes.lines)
    if not notes.cut and clipping.length(whole) <= room:
        return whole
    places = dict.fromkeys((*notes.cut, path))
    mark = f"\n[… cut by hookkit: read the rest in {', '.join(places)}]"
    return clipping.head(whole, room - clipping.length(mark)) + mark


class _Notes:
    """The lines of LOCAL.md and its imports, read until `room` characters are there; `cut` names the files cut off."""

    def __init__(self, root: str, room: int) -> None:
        self.root = root
        self.left = room
        self.lines: list[str] = []
        self.cut: list[str] = []
        self.seen: set[str] = set()

    def add(self, path: str, depth: int) -> None:
        self.seen.add(os.path.realpath(path))
        most = 4 * self.left + 4  # bytes: a character has at most four
        data, refusal = opened(path, self.root, most + 1)
        if refusal:
            self._line(f"[{os.path.basename(path)} not read: {refusal}]")
            return
        for line in data[:most].decode("utf-8", "replace").replace("\r\n", "\n").rstrip().split("\n"):
            if self.left < 0:
                break
            target = _import(line, path)
            if not target or depth == 0 or len(self.seen) > IMPORTS or os.path.realpath(target) in self.seen:
                self._line(line)
            else:
                self.add(target, depth - 1)
        self.cut += [path] if self.left < 0 or len(data) > most else []

    def _line(self, line: str) -> None:
        self.lines.append(line)
        self.left -= len(line) + 1


def _import(line: str, path: str) -> str:
    """The existing file of a line `@path`; `@readme` without a dot or slash names an agent or a person."""
    name = line.strip()
    if not name.startswith("@") or " " in name or not any(char in name for char in "./"):
        return ""
    target = os.path.join(os.path.dirname(path), os.path.expanduser(name[1:]))
    return target if os.path.lexists(target) else ""


def opened(path: str, root: str, limit: int) -> tuple[bytes, str]:
    """The first bytes of a file, or the reason why it may not be read.

    The file is opened once, and the open file is checked: a link may be exchanged between two looks at its name.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b"", refused(os.path.realpath(path), root) or NO_FILE
    try:
        is_file = stat.S_ISREG(os.fstat(handle).st_mode)
        refusal = refused(files.real_path(handle, path), root) or ("" if is_file else NO_FILE)
        if refusal:
            return b"", refusal
        with open(handle, "rb", closefd=False) as file:
            return file.read(limit), ""
    finally:
        os.close(handle)


def refused(real: str, root: str) -> str:
    """The reason why a file at this real path may not be read, or ""."""
    name = os.path.basename(real).lower()
    if not real.startswith(os.path.realpath(root).rstrip("/") + "/"):
        return "it leads out of the project"
    if "/.git/" in real:
        return "it is git's own"
    if name.startswith(SECRET) or name.endswith(SECRET_ENDINGS):
        return "it looks like a secret"
    return ""

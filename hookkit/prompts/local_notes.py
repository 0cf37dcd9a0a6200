"""LOCAL.md and the rules: reads them with their imports, without leaving the project, and sends each text once."""

import os
import stat

from hookkit.system import clipping, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.model import Event
    from hookkit.settings.layers import Settings

DEPTH = 3
READ = 256 * 1024
# Files with these names usually hold secrets, not notes.
SECRET = (
    ".env", ".git-credentials", ".pgpass", ".htpasswd", ".vault-token", ".netrc", ".npmrc", ".pypirc", "secret",
    "id_rsa", "id_ed25519", "id_ecdsa", "credentials",
)  # fmt: skip
SECRET_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".kdbx", ".env", ".tfstate", ".tfvars", ".keystore")
IMPORTS = 50  # files imported in all, at any depth
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
    rules = settings["local.rules"] or (RULES if path else ())
    below = "\n".join(f"- {rule}" for rule in rules).replace("{file}", name)
    below = clipping.clip(f"# Rules\n\n{below}", clipping.LIMIT // 2) if rules else ""
    if not path:
        return below
    head = f"# {name}\n\n"
    room = clipping.LIMIT - clipping.length(head) - clipping.length(below) - 2
    return head + clipping.clip(read(path, root), room, name) + (f"\n\n{below}" if below else "")


def claim(state: str, content: str, event: "Event", *, first: bool) -> bool:
    """Whether this call sends the text: of several calls at the same time, only one does.

    The file `state` holds the checksum of the last text; a `+` marks that a compaction has brought it back.
    """
    import fcntl
    import time

    if event.name == "PreCompact":
        if os.path.lexists(state):
            os.unlink(state)
        return True
    try:
        handle = os.open(state, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        files.prune(os.path.dirname(state), time.time(), prefix="local-")
    except FileExistsError:
        if first:
            return False
        handle = os.open(state, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(handle, "r+b") as file:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False  # another call is sending the text right now
        sum_ = files.checksum(content.encode("utf-8", "surrogatepass")).encode()
        after = event.name == "SessionStart"  # a compaction removed the text, however often it was sent before
        info = os.fstat(handle)
        if info.st_nlink != 1:
            return False  # a hard link to another file
        fresh = abs(time.time() - info.st_mtime) < JUST_NOW
        said = file.read()
        if said.rstrip(b"+") == sum_ and (not after or (fresh and said != sum_)):
            return False
        file.seek(0)
        file.truncate()
        file.write(sum_ + b"+" * after)
    return True


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


def read(path: str, root: str) -> str:
    """The text with each line `@other/file.md` replaced by the file, or by the reason why it is not read."""
    return "\n".join(_lines(path, root, DEPTH, {os.path.realpath(path)}))


def _lines(path: str, root: str, depth: int, seen: set[str]) -> list[str]:
    refusal = refused(path, root)
    if refusal:
        return [f"[{os.path.basename(path)} not read: {refusal}]"]
    lines: list[str] = []
    for line in files.read(path, READ).decode("utf-8", "replace").replace("\r\n", "\n").rstrip().split("\n"):
        target = _import(line, path)
        if not target or depth == 0 or len(seen) > IMPORTS or os.path.realpath(target) in seen:
            lines.append(line)
            continue
        seen.add(os.path.realpath(target))
        lines += _lines(target, root, depth - 1, seen)
    return lines


def _import(line: str, path: str) -> str:
    """The existing file of a line `@path`; `@readme` without a dot or slash names an agent or a person."""
    name = line.strip()
    if not name.startswith("@") or " " in name or not any(char in name for char in "./"):
        return ""
    target = os.path.join(os.path.dirname(path), os.path.expanduser(name[1:]))
    return target if os.path.lexists(target) else ""


def refused(path: str, root: str) -> str:
    """The reason why a file may not be read, or ""."""
    real = os.path.realpath(path)
    name = os.path.basename(real).lower()
    if not files.inside(path, root):
        return "it leads out of the project"
    if "/.git/" in real:
        return "it is git's own"
    if name.startswith(SECRET) or name.endswith(SECRET_ENDINGS):
        return "it looks like a secret"
    if not os.path.exists(real) or not stat.S_ISREG(os.stat(real).st_mode):
        return "it is not a regular file"
    return ""

"""Changes to a settings file: atomic, with a backup, and with the original, so `uninit` can restore every byte.

So is the person's own hookkit.toml changed, as far as `init` writes it: `policy.approve` and the schema line.
"""

import json
import os
import re
import stat
import time

from hookkit.errors import ConfigError, HookkitError
from hookkit.policy import protected
from hookkit.settings import layers
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LIMIT = 4 << 20  # bytes of a settings file
BACKUPS = 10  # backups kept for each file
NEW = 0o644
SETTINGS = "hookkit.toml"
SCHEMA = "hookkit.schema.json"
HEAD = f"#:schema ./{SCHEMA}\n"
POLICY = re.compile(r"^\[policy\][ \t]*(?:#.*)?$", re.MULTILINE)
KINDS = {stat.S_IFDIR: "is a directory, not a file", stat.S_IFIFO: "is a FIFO, not a file"}


def read(path: str) -> bytes | None:
    """The content of the file; None where there is none."""
    try:
        data = files.read(path, LIMIT + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise HookkitError(f"{path}: {error.strerror or KINDS.get(_kind(path), 'not a regular file')}") from None
    if len(data) > LIMIT:
        raise HookkitError(f"{path}: larger than {LIMIT >> 20} MB")
    return data


def _kind(path: str) -> int:
    return stat.S_IFMT(os.stat(path).st_mode)


def text_of(path: str, data: bytes | None) -> str:
    try:
        return (data or b"").decode()
    except UnicodeDecodeError:
        raise HookkitError(f"{path}: not UTF-8") from None


def target(path: str, root: str) -> str:
    """The target of a symlink. Raises if a link inside `root`, the project, leads out of the project."""
    real = os.path.realpath(path)
    if root and not files.inside(real, root):
        raise HookkitError(f"{path} leads out of the project, to {real}: hookkit does not write there")
    return real


class Record:
    """The record of a changed file, in hookkit's own state: original, backups, checksum of our own version."""

    def __init__(self, environ: dict[str, str], path: str) -> None:
        self.path = path
        state = files.state_dir(environ)
        if not state:
            raise HookkitError("there is no home directory to keep a backup in")
        self.directory = os.path.join(protected.records(environ), files.safe_name(path))

    def load(self) -> "dict[str, Any]":
        try:
            value = jsons.loads(files.read_own(os.path.join(self.directory, "record.json"), LIMIT))
        except (OSError, HookkitError):
            return {}
        return value if isinstance(value, dict) and value.get("path") == self.path else {}

    def original(self, now: bytes | None) -> tuple[bool, bytes | None]:
        """Whether the file is unchanged since `init`, and if so its original content (None: there was no file)."""
        record = self.load()
        if now is None or record.get("after") != digest(now):
            return False, None
        if not record.get("existed"):
            return True, None
        try:
            before = files.read_own(os.path.join(self.directory, "original"), LIMIT)
        except OSError:
            return False, None
        return digest(before) == record.get("before"), before

    def keep(self, before: bytes | None, after: bytes, made: list[str]) -> str:
        """Record a change before the write; return the path of the backup, or an empty text."""
        is_same, first = self.original(before)
        old = self.load()
        if not is_same:
            first, old = before, {"made": made}
        note = {"path": self.path, "existed": first is not None, "after": digest(after), "made": old.get("made", made)}
        backup = self.back_up(before)
        if first is not None:
            files.keep(os.path.join(self.directory, "original"), first)
            note["before"] = digest(first)
        files.keep(os.path.join(self.directory, "record.json"), jsons.dumps(note).encode())
        self._touch()
        return backup

    def back_up(self, data: bytes | None) -> str:
        """Keep a content under hookkit's state; the return value is its path."""
        state = os.path.dirname(os.path.dirname(self.directory))
        for directory in (state, os.path.dirname(self.directory), self.directory):
            files.private_dir(directory)
        if data is None:
            return ""
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        path = os.path.join(self.directory, f"backup-{stamp}-{digest(data)[:8]}")
        files.keep(path, data)
        names = sorted(name for name in os.listdir(self.directory) if name.startswith("backup-"))
        for name in names[:-BACKUPS]:
            os.unlink(os.path.join(self.directory, name))
        return path

    def follow(self, before: bytes, after: bytes) -> None:
        """Record a later change of ours: the original stays valid if the file was unchanged since `init`."""
        record = self.load()
        if record.get("after") == digest(before):
            record["after"] = digest(after)
            files.keep(os.path.join(self.directory, "record.json"), jsons.dumps(record).encode())

    def forget(self) -> None:
        """The file is without hookkit again; backups stay."""
        for name in ("record.json", "original"):
            path = os.path.join(self.directory, name)
            if os.path.lexists(path):
                os.unlink(path)
        self._touch()

    def _touch(self) -> None:
        """The protected set follows the records: a new time of their directory makes compiled settings stale."""
        records = os.path.dirname(self.directory)
        if os.path.isdir(records):
            os.utime(records)


def digest(data: bytes) -> str:
    from hashlib import sha256

    return sha256(data).hexdigest()


def write(path: str, before: bytes | None, after: bytes, new: int = NEW) -> None:
    """Replace the whole file, as `files.keep` does. Raises if an agent has changed the file in the meantime."""
    if read(path) != before:
        raise HookkitError(f"{path} has changed in the meantime; nothing was written. Run the command again")
    if before is not None and os.lstat(path).st_nlink > 1:
        raise HookkitError(
            f"{path} has a second name (a hard link), and replacing the file would separate the two; nothing was"
            " written. Remove the second name or make it a symbolic link, then run the command again"
        )
    files.keep(path, after, new if before is None else None)


def make_parents(path: str) -> list[str]:
    """Create the missing directories above a file; the return value lists them, the deepest last."""
    missing = []
    above = os.path.dirname(path)
    while above and not os.path.isdir(above):
        missing.append(above)
        above = os.path.dirname(above)
    for directory in reversed(missing):
        os.mkdir(directory, 0o755)
    return missing[::-1]


def delete(path: str, made: "list[str]") -> None:
    """Remove a file made by `init`, then the empty directories in `made`."""
    os.unlink(path)
    for directory in reversed(made):
        if os.listdir(directory):
            return
        os.rmdir(directory)


def person_settings(environ: dict[str, str]) -> str:
    paths = (path for layer, path in layers.layers("", environ) if layer == "user")
    return next((path for path in paths if os.path.basename(path) == SETTINGS), "")


def with_approval(file: str, text: str, value: str) -> str:
    """The text with `policy.approve`. Raises if the person has set another value."""
    settings = _settings(file, text)
    table = settings.get("policy")
    if isinstance(table, dict) and "approve" in table:
        if table["approve"] == value:
            return text
        raise ConfigError(f"{file}: policy.approve is {table['approve']!r} already; change it there")
    setting = f"approve = {json.dumps(value)}"
    header = POLICY.search(text)
    if header:
        new = f"{text[: header.end()]}\n{setting}{text[header.end() :]}"
    else:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        new = f"{text or HEAD}{gap}[policy]\n{setting}\n"
    _settings(file, new)
    return new


def _settings(file: str, text: str) -> dict[str, object]:
    from hookkit.settings.documents.toml_text import TomlDocument  # late: a hook only reads the files of agents

    document = TomlDocument(file, text)
    if document.problem is not None:
        raise ConfigError(str(document.problem))
    return document.data


def approve(environ: dict[str, str], value: str) -> str:
    """Write `policy.approve` and the schema beside it; return the file's path, empty without a change."""
    from hookkit.settings.formats.hookkit_toml import schema  # late, too

    file = target(person_settings(environ), "")
    before = read(file)
    after = with_approval(file, text_of(file, before), value).encode()
    if after == before:
        return ""
    make_parents(file)
    Record(environ, file).back_up(before)
    write(file, before, after, 0o600)
    files.write(os.path.join(os.path.dirname(file), SCHEMA), json.dumps(schema(), indent=2).encode() + b"\n")
    return file

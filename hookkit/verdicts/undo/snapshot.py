"""Snapshots: files with their content and mode, links, and absent files, kept and restored.

A snapshot is one private file in a directory of hookkit's own: a manifest with the contents behind it. No repository
is touched, so nothing is ever pushed, and a call that deletes `.git` does not take them along. Old snapshots are
deleted: by number, by age, and by the size of all of them.
"""

import os
import stat
import time
from contextlib import suppress

from hookkit.errors import HookkitError
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Entry = dict[str, Any]


# -- kept ------------------------------------------------------------------------------------------


PLACE = "undo"
HEAD = b"hookkit undo 1\n"
KEPT = 100  # snapshots of a project
DAYS = 14
TOTAL = 1 << 30  # bytes of all snapshots of all projects
SPARE = 256 << 20  # bytes that stay free on the disk
LARGEST = 2 << 30  # bytes of a snapshot that is read


class UndoError(HookkitError):
    """A snapshot cannot be kept or read."""


def keep_snapshot(root: str, environ: dict[str, str], id_: str, manifest: "dict[str, Any]", blobs: list[bytes]) -> None:
    """Write a snapshot; `blobs` are the file contents, numbered in the manifest."""
    folder = _directory(root, environ, make=True)
    if not folder:
        raise UndoError("there is no directory for snapshots: HOME is not set")
    size = sum(map(len, blobs))
    state = os.statvfs(folder)
    if state.f_bavail * state.f_frsize < size + SPARE:
        raise UndoError("the disk is nearly full")
    text = jsons.dumps({**manifest, "sizes": [len(data) for data in blobs]}).encode("utf-8", "surrogateescape")
    files.keep(os.path.join(folder, id_), b"".join([HEAD, b"%d\n" % len(text), text, *blobs]), 0o600)
    _prune(folder)


def snapshots(root: str, environ: dict[str, str]) -> list[str]:
    """The ids of all snapshots of a project, newest first."""
    return [os.path.basename(path) for path, _, _ in _newest(_directory(root, environ))]


def manifest_of(root: str, environ: dict[str, str], id_: str) -> "dict[str, Any]":
    value, _ = _read(root, environ, id_)
    return value


def contents_of(root: str, environ: dict[str, str], id_: str) -> list[bytes]:
    """The file contents of a snapshot, by their numbers in the manifest."""
    value, data = _read(root, environ, id_)
    blobs, start = [], 0
    for size in value["sizes"]:
        blobs.append(data[start : start + size])
        start += size
    if start != len(data):
        raise UndoError(f"the snapshot {id_} is damaged")
    return blobs


def _read(root: str, environ: dict[str, str], id_: str) -> "tuple[dict[str, Any], bytes]":
    folder = _directory(root, environ)
    try:
        data = files.read_own(os.path.join(folder, id_), LARGEST) if folder and id_.isalnum() else b""
    except FileNotFoundError:
        data = b""
    length, _, rest = data.removeprefix(HEAD).partition(b"\n")
    if not data.startswith(HEAD) or not length.isdigit():
        raise UndoError(f"there is no snapshot {id_}")
    value = jsons.loads(rest[: int(length)])
    if not isinstance(value, dict) or not isinstance(value.get("entries"), list) or "sizes" not in value:
        raise UndoError(f"the snapshot {id_} is damaged")
    return value, rest[int(length) :]


def _directory(root: str, environ: dict[str, str], *, make: bool = False) -> str:
    state = files.state_dir(environ)
    if not state:
        return ""
    if make:
        files.private_dir(state)
        files.private_dir(os.path.join(state, PLACE))
    folder = os.path.join(state, PLACE, files.safe_name(os.path.realpath(root)))
    return files.private_dir(folder) if make else folder


def _newest(folder: str) -> list[tuple[str, int, int]]:
    """Path, time and size of each snapshot in a directory."""
    try:
        with os.scandir(folder) as entries:
            rows = [(entry.path, entry.stat(follow_symlinks=False)) for entry in entries if entry.name.isalnum()]
    except OSError:
        return []
    return sorted(((path, state.st_mtime_ns, state.st_size) for path, state in rows), key=lambda row: (-row[1], row[0]))


def _prune(folder: str) -> None:
    """Delete what is too much here, then the oldest of all projects beyond the total."""
    oldest = time.time_ns() - DAYS * 86_400_000_000_000
    above = os.path.dirname(folder)
    everything = [row for name in os.listdir(above) for row in _newest(os.path.join(above, name))]
    surplus = {path for path, *_ in _newest(folder)[KEPT:]} | {path for path, when, _ in everything if when < oldest}
    total = 0
    for path, _, size in sorted(everything, key=lambda row: -row[1]):
        total += size
        if path in surplus or total > TOTAL:
            os.unlink(path)


# -- taken and restored ----------------------------------------------------------------------------


MOST = 20_000  # files of a snapshot
FILE, LINK, FOLDER, ABSENT = "file", "link", "folder", "absent"
# Directories above a file: `parent` was there and is only made again, `gone` was not there and is removed if empty.
PARENT, GONE = "parent", "gone"
ABOVE = (PARENT, GONE)
# Directories that a tool makes again: their content is nobody's work.
REMADE = frozenset(
    "node_modules .venv venv __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox .next .nuxt .turbo .gradle"
    " .parcel-cache .svelte-kit .cache .eggs site-packages bower_components".split()
)
NAMED = 20  # files left out, by name


class Snapshot:
    """Files as they are now. `left_out` names those beyond the limits."""

    def __init__(self, root: str, limit: int) -> None:
        self.root = os.path.realpath(root)
        self.left = limit
        self.most = MOST
        self.entries: dict[str, Entry] = {}
        self.blobs: list[bytes] = []
        self.left_out: list[str] = []
        self.everything = False

    @property
    def is_full(self) -> bool:
        """Whether no more files are looked at: a call waits for this."""
        return len(self.entries) + len(self.left_out) >= self.most

    @property
    def has_something(self) -> bool:
        return any(entry["kind"] not in (ABSENT, *ABOVE) for entry in self.entries.values())

    def add(self, path: str) -> None:
        """Add a file, a link, or a directory with its whole content; a missing path is recorded as absent."""
        if self.is_full:
            self.left_out += [] if self.left_out else [self._name(path)]
            return
        self._above(os.path.dirname(path))
        try:
            info = os.lstat(path)
        except FileNotFoundError:
            self._note(path, {"kind": ABSENT})
            return
        except OSError:
            return
        self._one(path, info)
        if stat.S_ISDIR(info.st_mode):
            for here, folders, names in os.walk(path):
                folders[:] = sorted(name for name in folders if not self._is_skipped(here, name))
                if self.is_full:
                    self.left_out.append(self._name(path))
                    return
                for name in (*folders, *sorted(names)):
                    inner = os.path.join(here, name)
                    try:
                        self._one(inner, os.lstat(inner))
                    except OSError:
                        continue

    def _is_skipped(self, here: str, name: str) -> bool:
        """A call that hookkit cannot follow keeps the files of the project, and not its repository."""
        return name in REMADE or (self.everything and name == ".git" and here == self.root)

    def _above(self, path: str) -> None:
        """The directories between the project and a file, with their modes."""
        while path.startswith(f"{self.root}/") and self._name(path) not in self.entries:
            try:
                mode = os.lstat(path).st_mode
            except OSError:
                self._note(path, {"kind": GONE})
            else:
                if not stat.S_ISDIR(mode):
                    return
                self._note(path, {"kind": PARENT, "mode": stat.S_IMODE(mode)})
            path = os.path.dirname(path)

    def _one(self, path: str, info: os.stat_result) -> None:
        if self.entries.get(self._name(path), {"kind": PARENT})["kind"] not in ABOVE:
            return
        mode = stat.S_IMODE(info.st_mode)
        if stat.S_ISDIR(info.st_mode):
            self._note(path, {"kind": FOLDER, "mode": mode})
        elif stat.S_ISLNK(info.st_mode):
            self._note(path, {"kind": LINK, "mode": mode, "blob": self._blob(os.fsencode(os.readlink(path)))})
        elif stat.S_ISREG(info.st_mode):
            if info.st_size > self.left or len(self.entries) >= self.most:
                self.left_out.append(self._name(path))
                return
            self._note(path, {"kind": FILE, "mode": mode, "blob": self._blob(files.read(path, self.left))})

    def _blob(self, data: bytes) -> int:
        self.left -= len(data)
        self.blobs.append(data)
        return len(self.blobs) - 1

    def _note(self, path: str, entry: "Entry") -> None:
        name = self._name(path)
        self.entries[name] = {"path": name, **entry}

    def _name(self, path: str) -> str:
        """Relative to the project; a file outside of it by its whole path."""
        if path == self.root:
            return "."
        return path[len(self.root) + 1 :] if path.startswith(f"{self.root}/") else path

    @property
    def count(self) -> int:
        """The files whose content is kept."""
        return sum(entry["kind"] in (FILE, LINK) for entry in self.entries.values())

    def keep(self, environ: dict[str, str], about: str) -> str:
        """The id of the snapshot."""
        id_ = f"{time.time_ns() // 1_000_000 % (1 << 20):05x}{os.urandom(2).hex()[:3]}"
        manifest = {"at": int(time.time()), "about": about[:300], "root": self.root,
                    "entries": [*self.entries.values()], "left_out": self.left_out[:MOST]}  # fmt: skip
        keep_snapshot(self.root, environ, id_, manifest, self.blobs)
        return id_


def missing_files(manifest: "dict[str, Any]") -> str:
    """The files that a snapshot does not have, in a sentence; empty if it has them all."""
    listed = manifest.get("left_out")
    return f"Not kept, too large for undo.megabytes: {named(listed)}." if isinstance(listed, list) and listed else ""


def named(paths: list[str]) -> str:
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return ", ".join(str(path) for path in paths[:NAMED]) + more


def restore(root: str, environ: dict[str, str], id_: str, limit: int) -> "tuple[str, int, str]":
    """Bring the files back: the id of a snapshot of their present state, how many changed, what is missing."""
    root = os.path.realpath(root)
    manifest = manifest_of(root, environ, id_)
    entries = manifest["entries"]
    now = Snapshot(root, limit)
    now.most += len(entries)
    for entry in entries:
        path = _inside(root, entry)
        if entry["kind"] not in ABOVE:
            now.add(path)
    if now.left_out:
        raise UndoError(f"too large to keep, raise undo.megabytes, then try again: {named(now.left_out)}")
    new_id = now.keep(environ, f"before undo {id_}")
    data = dict(enumerate(contents_of(root, environ, id_)))
    changed = 0
    for entry in _by_kind(entries, ABSENT):
        changed += _restored(_inside(root, entry), entry, data)
    made = [entry for entry in _by_kind(entries, FOLDER, PARENT) if _folder(_inside(root, entry), entry)]
    for entry in _by_kind(entries, FILE, LINK):
        changed += _restored(_inside(root, entry), entry, data)
    for entry in reversed(made):
        os.chmod(_inside(root, entry), entry["mode"])
    for entry in reversed([*_by_kind(entries, GONE)]):
        with suppress(OSError):  # files of another call are in it
            os.rmdir(_inside(root, entry))
    os.sync()  # once for all files
    return new_id, changed + sum(entry["kind"] == FOLDER for entry in made), missing_files(manifest)


def _by_kind(entries: "list[Entry]", *kinds: str) -> "Iterator[Entry]":
    return (entry for entry in sorted(entries, key=lambda entry: str(entry["path"])) if entry["kind"] in kinds)


def _inside(root: str, entry: "Entry") -> str:
    """The entry's absolute path. Nothing is written through a directory that has become a link since then."""
    path = os.path.normpath(os.path.join(root, str(entry.get("path"))))
    parent = os.path.dirname(path)
    while not os.path.lexists(parent):
        parent = os.path.dirname(parent)
    if os.path.realpath(parent) != parent:
        raise UndoError(f"{parent} has become a link: move it away, then try again")
    return path


def _restored(path: str, entry: "Entry", data: dict[int, bytes]) -> bool:
    kind = entry["kind"]
    if kind == ABSENT:
        if not os.path.lexists(path):
            return False
        _remove(path)
        return True
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if kind == LINK:
        return _link(path, data[entry["blob"]])
    return _file(path, data[entry["blob"]], entry["mode"])


def _folder(path: str, entry: "Entry") -> bool:
    """Whether the directory's mode is to be set once its files are back; a parent that is there stays as it is."""
    if os.path.isdir(path) and not os.path.islink(path):
        is_open = stat.S_IMODE(os.lstat(path).st_mode) == entry["mode"] == entry["mode"] | stat.S_IRWXU
        if entry["kind"] == PARENT or is_open:
            return False
        os.chmod(path, entry["mode"] | stat.S_IRWXU)
        return True
    _remove(path)
    os.makedirs(path)
    return True


def _file(path: str, data: bytes, mode: int) -> bool:
    info = os.lstat(path) if os.path.lexists(path) else None
    if info is not None and stat.S_ISREG(info.st_mode) and stat.S_IMODE(info.st_mode) == mode:
        with open(path, "rb") as file:
            if file.read(len(data) + 1) == data:
                return False
    if info is not None and stat.S_ISDIR(info.st_mode):
        _remove(path)
    files.write(path, data)
    os.chmod(path, mode)
    return True


def _link(path: str, target: bytes) -> bool:
    if os.path.islink(path) and os.fsencode(os.readlink(path)) == target:
        return False
    _remove(path)
    os.symlink(target, os.fsencode(path))
    return True


def _remove(path: str) -> None:
    """Remove a file or directory in the way; the snapshot of the present state has a copy."""
    import shutil

    if os.path.islink(path) or not os.path.isdir(path):
        if os.path.lexists(path):
            os.unlink(path)
    else:
        shutil.rmtree(path)

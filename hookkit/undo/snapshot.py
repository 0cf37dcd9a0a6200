"""Keeping and restoring files: content, mode, links, and absent files."""

import os
import stat
import time
from contextlib import suppress

from hookkit.system import files
from hookkit.undo import store
from hookkit.undo.store import UndoError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Entry = dict[str, Any]

MOST = 20_000  # files of a snapshot
KEPT = 100  # snapshots of a project
FILE, LINK, FOLDER, ABSENT = "file", "link", "folder", "absent"
# Directories above a file: `parent` was there and is only made again, `gone` was not there and is removed if empty.
PARENT, GONE = "parent", "gone"
ABOVE = (PARENT, GONE)
SKIPPED = (".git",)  # a directory, or the file that a submodule has in its place
NAMED = 20  # files left out, by name


class Snapshot:
    """Files of the project as they are now. `left_out` names those beyond the limits."""

    def __init__(self, root: str, limit: int) -> None:
        self.root = os.path.realpath(root)
        self.left = limit
        self.entries: dict[str, Entry] = {}
        self.blobs: list[bytes] = []
        self.left_out: list[str] = []

    @property
    def has_something(self) -> bool:
        return any(entry["kind"] not in (ABSENT, *ABOVE) for entry in self.entries.values())

    def add(self, path: str) -> None:
        """Add a file, a link, or a directory with its whole content; a missing path is recorded as absent."""
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
                folders[:] = sorted(name for name in folders if name not in SKIPPED)
                for name in (*folders, *sorted(name for name in names if name not in SKIPPED)):
                    inner = os.path.join(here, name)
                    try:
                        self._one(inner, os.lstat(inner))
                    except OSError:
                        continue

    def _above(self, path: str) -> None:
        """The directories between the project and a file, with their modes."""
        while path.startswith(f"{self.root}/") and os.path.relpath(path, self.root) not in self.entries:
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
        if self.entries.get(os.path.relpath(path, self.root), {"kind": PARENT})["kind"] not in ABOVE:
            return
        mode = stat.S_IMODE(info.st_mode)
        if stat.S_ISDIR(info.st_mode):
            self._note(path, {"kind": FOLDER, "mode": mode})
        elif stat.S_ISLNK(info.st_mode):
            self._note(path, {"kind": LINK, "mode": mode, "blob": self._blob(os.fsencode(os.readlink(path)))})
        elif stat.S_ISREG(info.st_mode):
            if info.st_size > self.left or len(self.entries) >= MOST:
                self.left_out.append(os.path.relpath(path, self.root))
                return
            self._note(path, {"kind": FILE, "mode": mode, "blob": self._blob(files.read(path, self.left))})

    def _blob(self, data: bytes) -> int:
        self.left -= len(data)
        self.blobs.append(data)
        return len(self.blobs) - 1

    def _note(self, path: str, entry: "Entry") -> None:
        name = os.path.relpath(path, self.root)
        self.entries[name] = {"path": name, **entry}

    def keep(self, environ: dict[str, str], about: str) -> str:
        """The id of the snapshot in git."""
        # Git's dates are whole seconds: the start of the id tells the order of two snapshots in the same second.
        id_ = f"{time.time_ns() // 1_000_000 % (1 << 20):05x}{os.urandom(2).hex()[:3]}"
        manifest = {"at": int(time.time()), "about": about[:300], "entries": [*self.entries.values()],
                    "left_out": self.left_out[:MOST]}  # fmt: skip
        known = store.keep(self.root, environ, id_, manifest, self.blobs)
        if len(known) > KEPT:
            store.drop(self.root, environ, known[KEPT:])
        return id_


def missing(manifest: "dict[str, Any]") -> str:
    """The files that a snapshot does not have, in a sentence; empty if it has them all."""
    listed = manifest.get("left_out")
    if not listed:
        return ""
    if not isinstance(listed, list):
        return f"{listed} files were too large to be kept."  # a snapshot of an earlier version
    return f"Not kept, too large for undo.megabytes: {named(listed)}."


def named(paths: list[str]) -> str:
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return ", ".join(str(path) for path in paths[:NAMED]) + more


def restore(root: str, environ: dict[str, str], id_: str, limit: int) -> "tuple[str, int, str]":
    """Bring the files of a snapshot back; the id of a snapshot of their present state, how many changed, what misses.

    Earlier versions put the .git file of a submodule into snapshots: it stays as it is.
    """
    root = os.path.realpath(root)
    manifest = store.manifest(root, environ, id_)
    entries = [entry for entry in manifest["entries"] if os.path.basename(str(entry.get("path"))) not in SKIPPED]
    now = Snapshot(root, limit)
    for entry in entries:
        path = _inside(root, entry)
        if entry["kind"] not in ABOVE:
            now.add(path)
    if now.left_out:
        raise UndoError(f"too large to keep, raise undo.megabytes, then try again: {named(now.left_out)}")
    kept = now.keep(environ, f"before undo {id_}")
    blobs = [entry for entry in entries if "blob" in entry]
    data = dict(zip((entry["blob"] for entry in blobs),
                    store.contents(root, environ, id_, [str(entry["blob"]) for entry in blobs]), strict=True)) \
        if blobs else {}  # fmt: skip
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
    return kept, changed + sum(entry["kind"] == FOLDER for entry in made), missing(manifest)


def _by_kind(entries: "list[Entry]", *kinds: str) -> "Iterator[Entry]":
    return (entry for entry in sorted(entries, key=lambda entry: str(entry["path"])) if entry["kind"] in kinds)


def _inside(root: str, entry: "Entry") -> str:
    """The entry's absolute path. Refuse a path out of the project: the manifest is untrusted data."""
    path = os.path.normpath(os.path.join(root, str(entry.get("path"))))
    parent = os.path.realpath(os.path.dirname(path))
    names = path[len(root) :].split("/")
    if path != root and (not f"{parent}/".startswith(f"{root}/") or not path.startswith(f"{root}/") or ".git" in names):
        raise UndoError(f"the snapshot names a file outside the project: {entry.get('path')}")
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

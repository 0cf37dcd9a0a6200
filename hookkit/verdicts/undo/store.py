"""Snapshots in a directory of hookkit's own: one private file a snapshot, a manifest with the contents behind it.

No repository is touched, so nothing is ever pushed, and a call that deletes `.git` does not take them along. Old
snapshots are deleted: by number, by age, and by the size of all of them.
"""

import os
import time

from hookkit.errors import HookkitError
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = "undo"
HEAD = b"hookkit undo 1\n"
KEPT = 100  # snapshots of a project
DAYS = 14
TOTAL = 1 << 30  # bytes of all snapshots of all projects
SPARE = 256 << 20  # bytes that stay free on the disk
LIMIT = 2 << 30  # bytes of a snapshot that is read


class UndoError(HookkitError):
    """A snapshot cannot be kept or read."""


def keep(root: str, environ: dict[str, str], id_: str, manifest: "dict[str, Any]", blobs: list[bytes]) -> None:
    """Write a snapshot; `blobs` are the file contents, numbered in the manifest."""
    folder = _folder(root, environ, make=True)
    if not folder:
        raise UndoError("there is no directory for snapshots: HOME is not set")
    size = sum(map(len, blobs))
    state = os.statvfs(folder)
    if state.f_bavail * state.f_frsize < size + SPARE:
        raise UndoError("the disk is nearly full")
    text = jsons.dumps({**manifest, "sizes": [len(data) for data in blobs]}).encode("utf-8", "surrogateescape")
    files.keep(os.path.join(folder, id_), b"".join([HEAD, b"%d\n" % len(text), text, *blobs]), 0o600)
    _prune(folder)


def names(root: str, environ: dict[str, str]) -> list[str]:
    """The ids of all snapshots of a project, newest first."""
    return [os.path.basename(path) for path, _, _ in _newest(_folder(root, environ))]


def manifest(root: str, environ: dict[str, str], id_: str) -> "dict[str, Any]":
    value, _ = _read(root, environ, id_)
    return value


def contents(root: str, environ: dict[str, str], id_: str) -> list[bytes]:
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
    folder = _folder(root, environ)
    try:
        data = files.read_own(os.path.join(folder, id_), LIMIT) if folder and id_.isalnum() else b""
    except FileNotFoundError:
        data = b""
    length, _, rest = data.removeprefix(HEAD).partition(b"\n")
    if not data.startswith(HEAD) or not length.isdigit():
        raise UndoError(f"there is no snapshot {id_}")
    value = jsons.loads(rest[: int(length)])
    if not isinstance(value, dict) or not isinstance(value.get("entries"), list) or "sizes" not in value:
        raise UndoError(f"the snapshot {id_} is damaged")
    return value, rest[int(length) :]


def _folder(root: str, environ: dict[str, str], *, make: bool = False) -> str:
    state = files.state_dir(environ)
    if not state:
        return ""
    if make:
        files.private_dir(state)
        files.private_dir(os.path.join(state, FOLDER))
    folder = os.path.join(state, FOLDER, files.safe_name(os.path.realpath(root)))
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

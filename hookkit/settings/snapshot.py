"""Compiled settings kept as JSON, so a hook reads them in a fraction of a millisecond.

A snapshot is valid while the stamps of its source files stay the same.
"""

import os

from hookkit import __version__
from hookkit.errors import HookkitError
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORMAT = 4  # of the snapshot: a new number makes every old snapshot stale
LIMIT = 64 << 20  # bytes


def shipped() -> "list[Any]":
    """The stamp of hookkit itself: an update makes every snapshot stale."""
    package = os.path.dirname(os.path.dirname(__file__))
    return [FORMAT, __version__, stamp(os.path.join(package, "policy", "base.py"))]


def stamp(path: str) -> list[int]:
    """Changes with the file; empty for a missing file. The writer of a file cannot set its change time back."""
    try:
        info = os.stat(path)
    except (OSError, ValueError):  # ValueError: no file can have this name
        return []
    return [info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns]


def kept(snapshot: str, stamps: "list[Any]") -> "dict[str, Any] | None":
    """The settings in a snapshot with this stamp. The second line has the rules: only the guard may need them."""
    try:
        head, _, rules = files.read_own(snapshot, LIMIT).partition(b"\n")
        found = jsons.loads(head)
    except (OSError, HookkitError):
        return None
    return {**found, "rules": rules} if isinstance(found, dict) and found.get("stamp") == stamps else None


def keep(snapshot: str, content: "dict[str, Any]") -> None:
    """Write a snapshot. On a read-only disk only the next call is slower."""
    head = {name: value for name, value in content.items() if name != "policy"}
    try:
        files.private_dir(os.path.dirname(os.path.dirname(snapshot)))
        files.private_dir(os.path.dirname(snapshot))
        files.write(snapshot, f"{jsons.dumps(head)}\n{jsons.dumps(content['policy'])}".encode())
    except (OSError, TypeError, ValueError):  # TypeError and ValueError: a value that JSON does not have
        return

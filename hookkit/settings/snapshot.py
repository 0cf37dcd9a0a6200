"""Compiled settings kept as JSON, so a hook reads them in a fraction of a millisecond.

A snapshot is valid while the stamps of its source files stay the same. A damaged snapshot counts as missing.
"""

import os
import sys

from hookkit import __version__
from hookkit.errors import HookkitError
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORMAT = 10  # of the snapshot: a new number makes every old snapshot stale
LIMIT = 64 << 20  # bytes
PACKAGE = os.path.dirname(os.path.dirname(__file__))
MOST_HELD = 64  # snapshots in memory
held: "dict[str, dict[str, Any]] | None" = None  # a process that answers many calls keeps snapshots here, ready parsed
_shipped: "dict[str, list[Any]]" = {}  # the same for the stamp of hookkit itself
SHAPE = {"values": dict, "untrusted": list, "broken": list, "reads": list, "due": list}  # of the head


def shipped(environ: dict[str, str]) -> "list[Any]":
    """The stamp of hookkit itself and of the places that it protects: a change makes every snapshot stale."""
    if held is not None and environ.get("XDG_CONFIG_HOME", "") in _shipped:
        return _shipped[environ.get("XDG_CONFIG_HOME", "")]  # the server watches its own files itself
    tables = [os.path.join(PACKAGE, "policy", "base"), os.path.join(PACKAGE, "programs")]
    paths = [
        os.path.join(table, name) for table in tables for name in sorted(os.listdir(table)) if name[-5:] == ".toml"
    ]
    places = [os.path.realpath(sys.argv[0]), environ.get("XDG_CONFIG_HOME", "")]
    found = [FORMAT, __version__, places, [stamp(path) for path in paths]]
    if held is not None and len(_shipped) < MOST_HELD:
        _shipped[environ.get("XDG_CONFIG_HOME", "")] = found
    return found


def stamp(path: str) -> list[int]:
    """Changes with the file; empty for a missing file. The writer of a file cannot set its change time back."""
    try:
        info = os.stat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: no file can have this name
        return []
    except OSError as error:  # the file may be there: reading it tells the person
        return [error.errno or 0]
    return [info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns]


def kept(snapshot: str, stamps: "list[Any]") -> "dict[str, Any] | None":
    """The settings in a snapshot with these stamps. The last line has the rules: only the guard may need them."""
    if held is None:
        return _read(snapshot, stamps)
    found = held.get(snapshot)
    if found is None or found["stamp"] != stamps:
        found = _read(snapshot, stamps)
        if found is not None:
            from hookkit.policy.rules import Rules

            policy = jsons.loads(found["rules"])
            _hold(snapshot, {**found, "policy": {**policy, "rules": Rules(policy["rules"])}})
    return held.get(snapshot) if found is not None else None


def _hold(snapshot: str, content: "dict[str, Any]") -> None:
    if held is not None:
        while len(held) >= MOST_HELD:
            held.pop(next(iter(held)), None)
        held[snapshot] = content


def _read(snapshot: str, stamps: "list[Any]") -> "dict[str, Any] | None":
    try:
        seal, _, body = files.read_own(snapshot, LIMIT).partition(b"\n")
        head, _, rules = body.partition(b"\n")
        found = jsons.loads(head) if _is_sealed(seal, body) else None
    except (OSError, HookkitError):
        return None
    if not isinstance(found, dict) or found.get("stamp") != stamps or "watch" not in found:
        return None
    is_whole = all(isinstance(found.get(name), kind) for name, kind in SHAPE.items())
    return {**found, "rules": rules} if is_whole else None


def keep(snapshot: str, content: "dict[str, Any]") -> None:
    """Write a snapshot. On a read-only disk only the next call is slower."""
    from hookkit.policy.rules import pack

    _hold(snapshot, content)
    head = {name: value for name, value in content.items() if name != "policy"}
    try:
        policy = {**content["policy"], "rules": pack(content["policy"].get("rules", []))}
        body = f"{jsons.dumps(head)}\n{jsons.dumps(policy)}".encode()
        files.private_dir(os.path.dirname(os.path.dirname(snapshot)))
        files.private_dir(os.path.dirname(snapshot))
        files.write(snapshot, b"%s\n%s" % (_seal(body), body))
    except (OSError, TypeError, ValueError):  # TypeError and ValueError: a value that JSON does not have
        return


def _seal(body: bytes) -> bytes:
    """Two checksums: the interpreter's own needs no import, but another version of Python may count differently."""
    return f"{sys.implementation.cache_tag} {_quick(body)} {files.checksum(body)}".encode()


def _is_sealed(seal: bytes, body: bytes) -> bool:
    tag, _, sums = seal.decode("ascii", "replace").partition(" ")
    quick, _, slow = sums.partition(" ")
    return quick == _quick(body) if tag == sys.implementation.cache_tag else slow == files.checksum(body)


def _quick(body: bytes) -> str:
    """The hash behind importlib.util.source_hash, from a module that every interpreter has loaded."""
    from _imp import source_hash

    return source_hash(FORMAT, body).hex()

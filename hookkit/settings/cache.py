"""Compiled settings kept as JSON, so a hook reads them in a fraction of a millisecond.

A file of the cache is valid while the stamps of its sources stay the same. A damaged one counts as missing.
"""

import os
import sys
from _thread import allocate_lock

from hookkit import __version__
from hookkit.errors import HookkitError
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.policy.types import Policy

FORMAT = 20  # a new number makes every older file stale
LIMIT = 64 << 20  # bytes
PACKAGE = os.path.dirname(os.path.dirname(__file__))
MOST_IN_MEMORY = 16 << 20  # bytes in memory, as text; parsed, they take four times as much
MOST_SHARED = 50_000  # groups of rules in memory
MOST_STAMPS = 8  # of hookkit itself: one for each place of the settings
memory: "Memory | None" = None  # a process that answers many calls keeps the settings here, ready parsed
_shipped: "dict[str, list[Any]]" = {}  # the same for the stamp of hookkit itself
UNKNOWN = 1 << 20  # the size of settings that cannot be written
SHAPE = {"values": dict, "untrusted": dict, "broken": list, "reads": list, "due": list}  # of the head


def shipped(environ: dict[str, str]) -> "list[Any]":
    """The stamp of hookkit itself and of the places that it protects: a change makes every cached file stale."""
    wired = stamp(os.path.join(files.state_dir(environ), "wiring"))
    base = environ.get("XDG_CONFIG_HOME") or f"{files.home(environ)}/.config"  # the launcher names the usual one, too
    if memory is not None and base in _shipped:
        return [*_shipped[base], wired]  # the server watches its own files itself
    tables = [os.path.join(PACKAGE, "policy", "base"), os.path.join(PACKAGE, "programs")]
    paths = [
        os.path.join(table, name) for table in tables for name in sorted(os.listdir(table)) if name[-5:] == ".toml"
    ]
    places = [sys.executable or "", base]  # a program that calls `judge` shares them with its interpreter's hooks
    parts = [FORMAT, __version__, places, [stamp(path) for path in paths]]
    if memory is not None and len(_shipped) < MOST_STAMPS:
        _shipped[base] = parts
    return [*parts, wired]


def stamp(path: str) -> list[int]:
    """Changes with the file; empty for a missing file. The writer of a file cannot set its change time back."""
    try:
        info = os.stat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: no file can have this name
        return []
    except OSError as error:  # the file may be there: reading it tells the person
        return [error.errno or 0]
    return [info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns]


class Memory:
    """Settings of many projects, ready parsed; those that were not used for longest go first.

    Not `writes` is for a program that only asks: else hooks of another interpreter would compile anew after it.
    """

    __slots__ = ("_content", "_lock", "_shared", "_size", "writes")

    def __init__(self, *, writes: bool = True) -> None:
        self.writes = writes
        self._content: dict[str, tuple[int, dict[str, Any]]] = {}
        self._shared: dict[bytes, bytes] = {}
        self._lock = allocate_lock()
        self._size = 0

    def get(self, path: str) -> "dict[str, Any] | None":
        with self._lock:
            row = self._content.pop(path, None)
            if row is None:
                return None
            self._content[path] = row
            return row[1]

    def put(self, path: str, size: int, content: "dict[str, Any]") -> None:
        with self._lock:
            self._size += size - self._content.pop(path, (0,))[0]
            self._content[path] = size, content
            while self._size > MOST_IN_MEMORY and len(self._content) > 1:
                self._size -= self._content.pop(next(iter(self._content)))[0]

    def shared(self, lines: list[bytes]) -> list[bytes]:
        """The same lines, each once in memory: nearly all projects have the same shipped rules."""
        with self._lock:
            if len(self._shared) + len(lines) > MOST_SHARED:
                self._shared.clear()
            return [self._shared.setdefault(line, line) for line in lines]


def read(path: str, stamps: "list[Any]") -> "dict[str, Any] | None":
    """The settings with these stamps. The last lines of the file have the rules: only the guard may need them."""
    content = memory.get(path) if memory is not None else None
    if content is None or content["stamp"] != stamps:
        content = _parsed(path, stamps)
        if content is not None and memory is not None:
            content["policy"] = policy_of(content.pop("rules"))
            memory.put(path, content.pop("size"), content)
    return content


def policy_of(text: bytes) -> "Policy":
    from hookkit.policy import rules  # late: most calls need no rules

    return rules.loads(text, memory.shared if memory is not None else None)


def _parsed(path: str, stamps: "list[Any]") -> "dict[str, Any] | None":
    try:
        seal, _, body = files.read_own(path, LIMIT).partition(b"\n")
        head, _, rules = body.partition(b"\n")
        head_fields = jsons.loads(head) if _is_sealed(seal, body) else None
    except (OSError, HookkitError):
        return None
    if not isinstance(head_fields, dict) or head_fields.get("stamp") != stamps or "watch" not in head_fields:
        return None
    is_whole = all(isinstance(head_fields.get(name), kind) for name, kind in SHAPE.items())
    return {**head_fields, "rules": rules, "size": len(body)} if is_whole else None


def write(path: str, content: "dict[str, Any]") -> None:
    """On a read-only disk only the next call is slower."""
    try:
        body = _text(content)
    except (TypeError, ValueError):  # a value that JSON does not have
        if memory is not None:
            memory.put(path, UNKNOWN, content)
        return
    if memory is not None:
        rules = body.partition(b"\n")[2]
        memory.put(path, len(body), {**content, "policy": policy_of(rules)})
    state = os.path.dirname(os.path.dirname(path))
    if memory is not None and not (memory.writes and os.path.isdir(state)):
        return  # the state of a server is there: this home was deleted, and is not made anew
    try:
        files.private_dir(state)
        files.private_dir(os.path.dirname(path))
        files.write(path, b"%s\n%s" % (_seal(body), body))
    except OSError:
        return


def _text(content: "dict[str, Any]") -> bytes:
    """A line for the head, then the policy."""
    from hookkit.policy import rules

    head = {name: value for name, value in content.items() if name != "policy"}
    return f"{jsons.dumps(head)}\n{rules.dumps(content['policy'])}".encode()


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

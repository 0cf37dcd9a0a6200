"""How often the gates held a session back: small files, each changed by one call at a time.

The client resets its own count as soon as a tool is used, and loses it at a restart: so hookkit counts here.
"""

import errno
import os
import re
import time

from hookkit.errors import HookkitError
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


NUMBER = r"(?<![\d,.])\d[\d,]*(?:\.\d+)?"  # from its first digit on, so the time is linear in the text
DURATION = rf"{NUMBER} ?(?:ns|[uµμ]s|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)"
SIZE = rf"{NUMBER} ?(?:[kKMGT]i?B|[kKMGT]|B|bytes?|octets)(?:/s(?:ec)?)?"
TEMPORARY = r"/(?:tmp|var/tmp|private/tmp|private/var/folders|var/folders|run/user|dev/shm)/[^\s'\":,)\]>]*"
# One row for each kind of value that changes from run to run; the first row that fits a place wins.
VALUES = (
    TEMPORARY,
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?",  # 2026-11-17T22:18:29Z
    r"\d{1,2}:\d\d:\d\d(?:[.,]\d+)?",  # 22:18:29
    rf"(?:{DURATION})(?: ?{DURATION})*(?![\w%])",  # 1m 23.4s
    rf"{SIZE}(?![\w%])",
    r"\b0x[0-9a-fA-F]+",
)
CHANGING = re.compile("|".join(f"(?:{value})" for value in VALUES))


def key(text: str, environ: dict[str, str]) -> str:
    """The text with a mark in place of every changing value."""
    scratch = environ.get("TMPDIR", "").rstrip("/")
    if len(scratch) > 1:
        text = re.sub(re.escape(scratch) + r"/[^\s'\":,)\]>]*", "#", text)
    return CHANGING.sub("#", text)


LIMIT = 64 * 1024
SECONDS = 2.0  # to wait for the lock
PREFIX = "gate-"
REMEMBERED = 64  # reasons, as checksums


class CountsFile:
    """`with CountsFile(environ, name) as kept:` gives the counts as a dict; changes are saved at the end."""

    __slots__ = ("directory", "kept", "lock", "path")

    def __init__(self, environ: dict[str, str], *name: str) -> None:
        state = files.state_dir(environ)
        if not state:
            raise FileNotFoundError("there is no home")
        self.directory = files.private_dir(os.path.join(files.private_dir(state), "gates"))
        self.path = os.path.join(self.directory, PREFIX + files.safe_name("-".join(name)))
        self.kept: dict[str, Any] = {}
        self.lock = -1

    def __enter__(self) -> "dict[str, Any]":
        self.lock = _locked(os.path.join(self.directory, ".lock"))
        self.kept = _read(self.path)
        return self.kept

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                is_new = not os.path.lexists(self.path)
                files.write(self.path, jsons.dumps(self.kept).encode())
                if is_new:
                    files.prune(self.directory, time.time(), prefix=PREFIX)
        finally:
            os.close(self.lock)


def _locked(path: str) -> int:
    """The lock as an open file; closing the file releases the lock. A process that hangs must not hang the hook."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    if not files.lock(handle, SECONDS):
        os.close(handle)
        raise BlockingIOError(errno.EAGAIN, "in use by another process")
    return handle


def _read(path: str) -> "dict[str, Any]":
    """A foreign or damaged file counts as empty."""
    try:
        value = jsons.loads(files.read_own(path, LIMIT))
    except (OSError, HookkitError):
        return {}
    return value if isinstance(value, dict) else {}


def number(counts: "dict[str, Any]", name: str) -> int:
    value = counts.get(name)
    return value if isinstance(value, int) else 0


def may_hold(counts: "dict[str, Any]", gate: str, most: int, words: str) -> bool:
    """Whether this gate may hold the agent back again, with a reason that is new; True is counted."""
    held, held_sums = number(counts, f"{gate}.held"), counts.get(f"{gate}.said")
    held_sums = held_sums if isinstance(held_sums, list) else []
    sum_ = files.checksum(words.encode("utf-8", "surrogatepass"))
    if held >= most or sum_ in held_sums:
        return False
    counts[f"{gate}.held"] = held + 1
    counts[f"{gate}.said"] = [*held_sums, sum_][-REMEMBERED:]
    return True


def forget(counts: "dict[str, Any]", gate: str) -> None:
    for name in (f"{gate}.held", f"{gate}.said"):
        counts.pop(name, None)

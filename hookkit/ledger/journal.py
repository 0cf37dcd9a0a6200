"""Where a row of the ledger is written first: one file a session, only ever added to, each line chained to the last.

An agent waits for this on every call, so there is no database here: a lock, a read of the last line, one write. What
is written has survived the process. `ledger` folds the lines into the database later, when nobody waits.

    <sha256 of the hash before and the body> {"n":1,"w":"<writer>", …}
"""

import os
import stat
import sys
import time

from hookkit.errors import EventError, HookkitError
from hookkit.system import files, jsons

try:
    if sys.version_info >= (3, 12):
        from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore]
    else:
        from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    from hashlib import sha256  # ten times the import, for interpreters without their own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

FIRST = "0" * 64  # what the first line of a chain is chained to
LONGEST = 64 * 1024  # bytes of a line
TAIL = 4 * 1024
REACH = 1 << 20  # how far back a call's beginning is looked for
WAIT = 0.2  # seconds for the lock: then the row goes to a file of its own
ENDING = ".log"
REQUEST = "HOOKKIT_REQUEST"  # the id of a request to the warm server, which may have died after it wrote the row
AGAIN = 64 * 1024  # bytes from the end in which a row of the same request is looked for
NOBODY = "none"  # whose events have no session
SPOILT = ".spoilt"
TEMPORARY = "/tmp"  # noqa: S108 - what we make below it is private


class TooLongError(HookkitError):
    """A row that does not fit is the recorder's mistake: it cuts before it writes."""


class SpoiltError(HookkitError):
    """A last line that we did not write: nobody's to build on."""


def places(environ: dict[str, str]) -> list[str]:
    """The directories of journals, best first: our state, and one for when its disk is full or read-only."""
    state = files.state_dir(environ)
    own = f"hookkit-{os.geteuid()}", chained(state, b"")[:16]  # another state's rows are not ours to take in
    aside = [os.path.join(top, *own) for top in dict.fromkeys((environ.get("TMPDIR") or TEMPORARY, TEMPORARY))]
    return [*([os.path.join(state, "ledger", "journal")] if state else []), *aside]


def paths(environ: dict[str, str], session: str = "") -> list[str]:
    """Every journal, or a session's, with those that began when another was not to be had."""
    name = files.safe_name(session) if session else ""
    found = []
    for place in places(environ):
        try:
            names = sorted(os.listdir(place)) if is_ours(place) else []
        except OSError:
            continue
        own = (f"{name}{ENDING}", f"{name}-")
        found += [os.path.join(place, file) for file in names if file.endswith((ENDING, SPOILT)) and _is_of(file, own)]
    return found


def is_ours(place: str) -> bool:
    """Anybody can make a directory in /tmp, with rows in it that nobody of us wrote."""
    info = os.lstat(place)
    return stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid() and not info.st_mode & files.WRITABLE


def open_(path: str) -> int:
    """A journal to read from: a file of ours, and neither a link nor a pipe that keeps us waiting."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    info = os.fstat(handle)
    if not stat.S_ISREG(info.st_mode) or info.st_uid != os.geteuid():
        os.close(handle)
        raise OSError(f"not a file of ours: {path}")
    return handle


def _is_of(file: str, own: tuple[str, str]) -> bool:
    return own[0] == ENDING or file == own[0] or file.startswith(own[1])


def append(environ: dict[str, str], session: str, fields: "dict[str, Any]") -> str:
    """Write one row down and give its file's path; whatever fails in the first place is tried in the second."""
    failure: OSError | None = None
    for place in places(environ)[:2]:
        try:
            files.private_dir(os.path.dirname(place))
            return _append(files.private_dir(place), files.safe_name(session or NOBODY), fields)
        except OSError as error:  # noqa: PERF203 - two places at most
            failure = error
    raise failure or OSError("nowhere to keep the ledger")


def _append(place: str, name: str, fields: "dict[str, Any]") -> str:
    """Where somebody sits on the file, or spoilt it, the row goes to another: never wait, never lose."""
    path = os.path.join(place, name + ENDING)
    other = os.path.join(place, f"{name}-{os.urandom(4).hex()}{ENDING}")
    for candidate in (path, other):
        handle = _locked(candidate)
        if handle is None:
            continue
        try:
            _write(handle, name, fields)
        except SpoiltError:
            if os.lstat(candidate).st_ino == os.fstat(handle).st_ino:  # and not somebody's fresh one
                os.rename(candidate, f"{other}{SPOILT}")
        else:
            return candidate
        finally:
            os.close(handle)
    raise OSError(f"no place in {place}")


def _locked(path: str) -> int | None:
    """The file, ours alone until it is closed. One that was taken away while we waited is made anew."""
    end = time.monotonic() + WAIT
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        if files.lock(handle, end - time.monotonic()):
            info = os.fstat(handle)
            if info.st_nlink == 1 and stat.S_ISREG(info.st_mode) and info.st_uid == os.geteuid():
                return handle
            if info.st_nlink:
                os.close(handle)
                raise OSError(f"not a file of ours: {path}")
        os.close(handle)
        if time.monotonic() > end:
            return None


def _write(handle: int, name: str, fields: "dict[str, Any]") -> None:
    """One write; where the disk took only a part of it, nothing is left behind."""
    size = os.fstat(handle).st_size
    if "request" in fields and _is_written(handle, size, fields["request"]):
        return
    whole, last = _last(handle, size)
    if whole < size:
        os.ftruncate(handle, whole)  # half a line, that nobody was told was kept
    before, number, writer = _link(last) if whole else (FIRST, 0, f"{name}-{os.urandom(4).hex()}")
    body = jsons.dumps({"n": number + 1, "w": writer, **fields}).encode()
    if len(body) > LONGEST:
        raise TooLongError(f"a row of {len(body)} bytes")
    line = f"{chained(before, body)} ".encode() + body + b"\n"
    try:
        done = os.write(handle, line)
    except OSError:
        os.ftruncate(handle, whole)
        raise
    if done < len(line):
        os.ftruncate(handle, whole)
        raise OSError(28, "No space left on device")


def _is_written(handle: int, size: int, request: str) -> bool:
    """Whether the server wrote the row before it died: then the cold command, asked again, writes none."""
    start = max(0, size - AGAIN)
    return b'"request":%s' % jsons.dumps(request).encode() in os.pread(handle, size - start, start)


def chained(before: str, body: bytes) -> str:
    """The hash of a row: it holds the one before, so that no row can be changed, moved or taken out unseen."""
    return str(sha256(before.encode() + body).hexdigest())


def last(handle: int) -> tuple[str, int, str] | None:
    """Hash, number and writer of a journal's last whole line."""
    _, line = _last(handle, os.fstat(handle).st_size)
    return split(line)


def end(handle: int) -> int:
    """Where a journal's last whole line ends."""
    return _last(handle, os.fstat(handle).st_size)[0]


def _last(handle: int, size: int) -> tuple[int, bytes]:
    """Where the last whole line ends, and that line."""
    for span in (TAIL, LONGEST * 2 + 256):
        start = max(0, size - span)
        tail = os.pread(handle, size - start, start)
        end = tail.rfind(b"\n") + 1
        begin = tail.rfind(b"\n", 0, end - 1) + 1 if end else 0
        if begin or not start:
            return start + end, tail[begin : end - 1] if end else b""
    raise SpoiltError("a journal has a line without an end")


def _link(line: bytes) -> tuple[str, int, str]:
    """What the next line is chained to."""
    row = split(line)
    if row is None:
        raise SpoiltError("a journal ends in a line that is not ours")
    return row


def split(line: bytes) -> tuple[str, int, str] | None:
    """A line's hash, number and writer, without reading the rest; None where it is no line of ours."""
    digest, number, writer = line[:64], line[70:90].partition(b",")[0], line[70:].partition(b',"w":"')[2]
    if line[64:70] != b' {"n":' or not number.isdigit():
        return None
    return digest.decode("ascii", "replace"), int(number), writer.partition(b'"')[0].decode("ascii", "replace")


def back(path: str, needle: bytes) -> "Iterator[dict[str, Any]]":
    """The latest rows that hold a text, newest first, as far back as we care to look; what is no row is passed over."""
    try:
        with open(open_(path), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - REACH))
            tail = file.read(REACH)
    except OSError:
        return  # let go in this very moment, or no journal of ours
    end = len(tail)
    while (at := tail.rfind(needle, 0, end)) >= 0:
        begin = tail.rfind(b"\n", 0, at) + 1
        close = tail.find(b"\n", at)
        if close >= 0 and (begin or size <= REACH) and (row := _row(tail[begin:close])) is not None:
            yield row
        end = begin


def _row(line: bytes) -> "dict[str, Any] | None":
    try:
        return jsons.loads(line[65:]) if split(line) is not None else None
    except EventError:
        return None

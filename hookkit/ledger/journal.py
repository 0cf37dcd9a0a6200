"""Where a row of the ledger is written first: one file a session, only ever added to, each line chained to the last.

An agent waits for this on every call, so there is no database here: a lock, a read of the last line, one write. A
written row survives the end of the process; a synced row also survives a power cut. Rows are synced in groups, one
group a second at most, by the first row of the next second or at the end of a turn. `row_index` reads the lines later,
when no agent waits.

The format of a line is in `lines`. A journal is known by its content, its writer and the hash of its first line; its
path says nothing.
"""

import os
import stat
import time

from hookkit.errors import HookkitError
from hookkit.ledger import lines
from hookkit.ledger.lines import FIRST, chained
from hookkit.ledger.places import ENDING, SPOILT, each, open_, tip_of
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# Set by a process that answers many calls: syncs the group soon, so that no call waits for the disk. Never raises.
sync_later: "Callable[[str, str], object] | None" = None
LONGEST = 64 * 1024  # bytes of a line
TAIL = 4 * 1024
NEAR, REACH = 32 << 10, 1 << 20  # bytes from the end, in which a call's beginning is looked for
NEW, DUE = "new", "due"  # a sync of the file and its name, of the file alone
WAIT = 0.2  # seconds for the lock: then the row goes to a file of its own
REQUEST = "HOOKKIT_REQUEST"  # the id of a request to the warm server; the server may have died after writing the row
AGAIN = 64 * 1024  # bytes from the end to search for a row of the same request
NOBODY = "none"  # whose events have no session
SECOND = 1_000  # ms: rows of the same second are synced together
# After these events no row may come for long, so their rows, and all before, are synced at once.
TURNS = frozenset("SessionStart SessionEnd Stop StopFailure UserPromptSubmit SubagentStop PreCompact".split())
LONGEST_TIP = 512  # bytes
DIGITS = 15
HEX = frozenset("0123456789abcdef")

Tip = tuple[str, int, str]  # hash, number, writer


class TooLongError(HookkitError):
    """A row too long is a bug of the recorder, whose duty is to cut before writing."""


class SpoiltError(HookkitError):
    """The last line is not hookkit's, so no row may be chained to the line."""


def append(
    environ: dict[str, str],
    session: str,
    fields: "dict[str, Any]",
    *,
    sync: bool = True,
    is_first: bool = False,
    notes: "list[str] | None" = None,
) -> str:
    """Write a row and give the path of its journal; if a place fails before the row is written, try the next place.

    `is_first`: no other process has seen the row's request. `notes` gets a sentence if the row is written but may not
    survive a power cut.
    """
    failure: OSError | None = None
    for place in each(environ):
        try:
            files.private_dir(os.path.dirname(place))
            path, problem = _append(
                files.private_dir(place), files.safe_name(session or NOBODY), fields, sync=sync, is_first=is_first
            )
        except OSError as error:
            error.filename = error.filename or place  # a failed write names no file
            failure = failure or error
            continue
        if problem is not None and notes is not None:
            notes.append(f"{path}: the row is written, but not synced ({problem.strerror or problem})")
        return path
    raise failure or OSError("nowhere to keep the ledger")


def _append(
    place: str, name: str, fields: "dict[str, Any]", *, sync: bool, is_first: bool
) -> tuple[str, OSError | None]:
    """If another process holds the file, or spoilt it, the row goes to another file: never wait, never lose."""
    path = os.path.join(place, name + ENDING)
    other = os.path.join(place, f"{name}-{os.urandom(4).hex()}{ENDING}")
    busy = False
    for candidate in (path, path, other):
        handle = _locked(candidate) if candidate == other or not busy else None
        if handle is None:
            busy = True
            continue
        try:
            if not is_first and _is_written(handle, fields):
                return candidate, None
            return candidate, _write_down(candidate, handle, name, fields, sync=sync)
        except SpoiltError:
            if os.lstat(candidate).st_ino == os.fstat(handle).st_ino:  # and no fresh file of another process
                os.rename(candidate, f"{other}{SPOILT}")
        finally:
            _close(handle)
    raise OSError(f"no place in {place}")


def _write_down(path: str, handle: int, name: str, fields: "dict[str, Any]", *, sync: bool) -> OSError | None:
    """The row, its copy as the journal's tip, and the sync of its group.

    After the row is written no error is raised: whoever tries another place then would write the row a second time.
    """
    tip = open_tip(tip_of(path))
    try:
        written, is_due = _write(handle, name, fields, read_tip(tip, name))
        try:
            write_tip(tip, written)
            if sync and is_due and sync_later is not None and fields.get("event") not in TURNS:
                sync_later(path, is_due)
            elif sync and is_due:
                sync_group(path, handle, is_due)
        except OSError as error:
            return error
        return None
    finally:
        if tip is not None:
            _close(tip)


def sync_group(path: str, handle: int, due: str) -> None:
    """The rows of the journal, and the name of a new one."""
    files.sync(handle)
    if due == NEW:
        files.sync_directory(os.path.dirname(path))


def _close(handle: int) -> None:
    """A file system may report a failed write at the close; the row is written by then."""
    try:
        os.close(handle)
    except OSError:
        return


def _locked(path: str) -> int | None:
    """The journal, locked until closed. A journal removed during the wait is created again."""
    end = time.monotonic() + WAIT
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        if files.lock(handle, end - time.monotonic()):
            info = os.fstat(handle)
            is_ours = info.st_nlink == 1 and stat.S_ISREG(info.st_mode) and info.st_uid == os.geteuid()
            if is_ours and _is_at(path, info.st_ino):
                return handle
            if info.st_nlink and not is_ours:
                os.close(handle)
                raise OSError(f"not a file of ours: {path}")
        os.close(handle)
        if time.monotonic() > end:
            return None


def _is_at(path: str, inode: int) -> bool:
    """Whether the journal was neither removed nor put aside during the wait for the lock."""
    try:
        return os.lstat(path).st_ino == inode
    except FileNotFoundError:
        return False


def _write(handle: int, name: str, fields: "dict[str, Any]", tip: "Tip | None" = None) -> "tuple[Tip, str]":
    """Append a line in a single write; undo a partial write. Gives the new tip and whether to sync."""
    size = os.fstat(handle).st_size
    whole, last = _last(handle, size)
    if whole < size:
        os.ftruncate(handle, whole)  # half a line, never confirmed to an agent
    before, number, writer = _ended(last if whole else None, tip, name)
    text, parts = lines.seal(fields)
    body = jsons.dumps({"n": number + 1, "w": writer, **text}).encode()
    if len(body) + len(parts) > LONGEST:
        raise TooLongError(f"a row of {len(body) + len(parts)} bytes")
    digest = chained(before, body)
    line = f"{digest} ".encode() + body + parts + b"\n"
    try:
        done = os.write(handle, line)
    except OSError:
        os.ftruncate(handle, whole)
        raise
    if done < len(line):
        os.ftruncate(handle, whole)
        raise OSError(28, "No space left on device")
    return (digest, number + 1, writer), _due(last, fields) if whole else NEW


def _is_written(handle: int, fields: "dict[str, Any]") -> bool:
    """Whether the server wrote the row before dying: then the cold command, asked again, writes no second row."""
    if "request" not in fields:
        return False
    size = os.fstat(handle).st_size
    start = max(0, size - AGAIN)
    return b'"request":%s' % jsons.dumps(fields["request"]).encode() in os.pread(handle, size - start, start)


def _ended(last: bytes | None, tip: "Tip | None", name: str) -> "Tip":
    """The row to go on from: the journal's last row, or its tip if the tip is further."""
    row = _link(last) if last is not None else None
    if row is not None and tip is not None and row[2] != tip[2]:
        raise SpoiltError("a journal of another writer")
    if row is not None and (tip is None or tip[1] <= row[1]):
        return row
    return tip or (FIRST, 0, f"{name}-{os.urandom(4).hex()}")


def _due(last: bytes, fields: "dict[str, Any]") -> str:
    """Whether this row ends a group: the first row of a new second, or the last row of a turn."""
    at = last[70:].partition(b',"at":')[2][:20].partition(b",")[0]
    now = fields.get("at")
    is_same = at.isdigit() and isinstance(now, int) and int(at) // SECOND == now // SECOND
    return "" if is_same and fields.get("event") not in TURNS else DUE


def last(handle: int) -> tuple[str, int, str] | None:
    """Hash, number and writer of a journal's last whole line."""
    _, line = _last(handle, os.fstat(handle).st_size)
    return lines.split(line)


def end(handle: int) -> int:
    """Where a journal's last whole line ends."""
    return _last(handle, os.fstat(handle).st_size)[0]


def _last(handle: int, size: int) -> tuple[int, bytes]:
    """The end of the last whole line, and the line."""
    for span in (TAIL, LONGEST * 2 + 256):
        start = max(0, size - span)
        tail = os.pread(handle, size - start, start)
        end = tail.rfind(b"\n") + 1
        begin = tail.rfind(b"\n", 0, end - 1) + 1 if end else 0
        if begin or not start:
            return start + end, tail[begin : end - 1] if end else b""
    raise SpoiltError("a journal has a line without an end")


def _link(line: bytes) -> tuple[str, int, str]:
    """The hash, number and writer to chain the next line to."""
    row = lines.split(line)
    if row is None:
        raise SpoiltError("a journal ends in a line that is not ours")
    return row


def back(path: str, needle: bytes, after: int = 0) -> "Iterator[tuple[int, dict[str, Any]]]":
    """The place and the row of each line with a text, newest first, in the last REACH bytes of a journal.

    No line before `after`, the place of a line, is looked at. Nearly always the row is near the end: that part is read
    first.
    """
    try:
        with open(open_(path), "rb") as file:
            end = os.fstat(file.fileno()).st_size
            least = max(end - REACH, after)
            for start in (max(end - NEAR, least), least):
                file.seek(start)
                tail = file.read(end - start)
                whole = 0 if start == after else tail.find(b"\n") + 1
                yield from _with(needle, tail, whole, start)
                end = start + whole
    except OSError:
        return  # sealed in this very moment, or no journal of ours


def _with(needle: bytes, tail: bytes, whole: int, start: int) -> "Iterator[tuple[int, dict[str, Any]]]":
    """The rows of the lines with a text; lines of another program are skipped."""
    end = len(tail)
    while (at := tail.rfind(needle, whole, end)) >= 0:
        begin = max(tail.rfind(b"\n", 0, at) + 1, whole)
        close = tail.find(b"\n", at)
        if close >= 0 and (row := lines.row(tail[begin:close])) is not None:
            yield start + begin, row
        end = begin


# -- tips --------------------------------------------------------------------------------------------------------------


def open_tip(path: str) -> int | None:
    """The file of a tip, or None if unavailable: a tip is a second witness, no row depends on a tip."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        try:
            handle = os.open(path, flags, 0o600)
        except FileNotFoundError:
            files.private_dir(os.path.dirname(path))
            handle = os.open(path, flags, 0o600)
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    return None


def read_tip(handle: int | None, name: str) -> Tip | None:
    """The tip of a session's journal; None for any other text."""
    words = os.pread(handle, LONGEST_TIP, 0).decode("ascii", "replace").split() if handle is not None else []
    if len(words) != 4 or words[3] != "." or len(words[0]) != 64 or not HEX.issuperset(words[0]):  # noqa: PLR2004
        return None
    is_number = words[1].isdigit() and len(words[1]) <= DIGITS
    return (words[0], int(words[1]), words[2]) if is_number and words[2].startswith(f"{name}-") else None


def write_tip(handle: int | None, tip: Tip) -> None:
    """The width is constant, so a single write replaces the whole tip. A full disk costs the tip, not the row."""
    if handle is None:
        return
    try:
        os.pwrite(handle, f"{tip[0]} {tip[1]:0{DIGITS}d} {tip[2]} .\n".encode(), 0)
    except OSError:
        return


def remove_tip(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return

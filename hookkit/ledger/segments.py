"""Sealed segments: the rows of journals without a new row for a day, compressed, in files that never change again.

    ledger/sealed/00000042-HASH.gz      gzip; the lines of whole journals, one after the other

HASH is taken of the hashes of the rows: it tells the segment by its content, and erasing parts of rows does not change
it. A row may be in a segment and in its journal, after a process was killed in between: the same row, counted once.
"""

import os
import zlib
from hashlib import sha256

from hookkit.errors import HookkitError
from hookkit.ledger import journal, lines, places, register
from hookkit.system import database, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DAY = 86_400
ENDING = ".gz"
SENT = "sent"  # the names of segments that a fleet's hub has
SIZE = 4 << 20  # bytes of rows in a segment
LARGE = 8 << 20  # bytes of a journal that is sealed while its session goes on
LARGEST = 256 << 20  # bytes of rows in a segment that is read
MOST = 200  # journals in a segment: each is locked meanwhile
GZIP = 31  # for zlib: the format of gzip
LEVEL = 6


class SegmentError(HookkitError):
    """A segment cannot be read: its bytes were changed."""


def directory(environ: dict[str, str]) -> str:
    return os.path.join(places.root(environ), "sealed")


def names(environ: dict[str, str]) -> list[str]:
    """The segments, oldest first."""
    try:
        entries = os.listdir(directory(environ))
    except OSError:
        return []
    return sorted(name for name in entries if name.endswith(ENDING) and name[:8].isdigit())


def unsent(environ: dict[str, str]) -> set[str]:
    """Segments that a fleet's hub lacks, by the list that the sender keeps; none without a fleet."""
    try:
        sent = files.read_own(os.path.join(directory(environ), SENT), LARGEST).decode("ascii", "replace")
    except OSError:
        return set()
    return set(names(environ)) - set(sent.split("\n"))


def read(environ: dict[str, str], name: str) -> bytes:
    """The lines of a segment."""
    with open(places.open_(os.path.join(directory(environ), name)), "rb") as file:
        data = file.read()
    try:
        inflate = zlib.decompressobj(GZIP)
        text = inflate.decompress(data, LARGEST)
    except zlib.error:
        raise SegmentError(f"{name} is damaged: its bytes were changed") from None
    if not inflate.eof or inflate.unused_data:
        raise SegmentError(f"{name} is damaged: it was cut, or bytes were added")
    return text


def write(environ: dict[str, str], data: bytes, name: str = "") -> str:
    """Keep lines as a segment, or put them in the place of a segment; gives its name. Nothing is noted."""
    files.private_dir(directory(environ))
    if not name:
        last = names(environ)[-1:]
        number = int(last[0][:8]) + 1 if last else 1
        name = f"{number:08d}-{identity(data)}{ENDING}"
    squeeze = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP)
    files.keep(os.path.join(directory(environ), name), squeeze.compress(data) + squeeze.flush(), 0o600)
    return name


def identity(data: bytes) -> str:
    hashes = b"".join(line[:64] for line in data.split(b"\n") if lines.split(line) is not None)
    return sha256(hashes).hexdigest()[:16]


def spans(data: bytes) -> dict[str, int]:
    """The last number of each writer in a segment."""
    ends: dict[str, int] = {}
    for line in data.split(b"\n"):
        row = lines.split(line)
        if row is not None:
            ends[row[2]] = max(row[1], ends.get(row[2], 0))
    return ends


class Lock:
    """Held by whoever seals, prunes, erases or verifies. Hooks do not wait: they leave the work to the next hook."""

    def __init__(self, environ: dict[str, str], wait: float = 0) -> None:
        self.environ = environ
        self.wait = wait
        self.handle = -1

    def __enter__(self) -> None:
        path = os.path.join(files.private_dir(places.root(self.environ)), "sealed.lock")
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        self.handle = os.open(path, flags, 0o600)
        if not files.lock(self.handle, self.wait):
            os.close(self.handle)
            raise database.BusyError(f"{path}: in use by another process, which seals, verifies or erases rows")

    def __exit__(self, *_: object) -> None:
        os.close(self.handle)


# -- sealing -----------------------------------------------------------------------------------------------------------


def seal(environ: dict[str, str], now: float, *, is_quick: bool = False) -> int:
    """Seal journals without a row for a day, and very large ones; gives the number of segments. Needs the lock.

    A hook makes one segment at most, and a small one at most once a day.
    """
    made = 0
    _note_all(environ)
    while chosen := _chosen(environ, now):
        if is_quick and (made or _is_early(environ, chosen, now)):
            break
        sealed = _seal(environ, [path for path, _ in chosen])
        if not sealed:
            break
        made += 1
    return made


def is_due(environ: dict[str, str], now: float) -> bool:
    return bool(_chosen(environ, now))


def _chosen(environ: dict[str, str], now: float) -> list[tuple[str, int]]:
    """Journals for the next segment, with their sizes, oldest first."""
    candidates = []
    for path in places.paths(environ):
        try:
            info = os.lstat(path)
        except OSError:
            continue
        if abs(now - info.st_mtime) > DAY or LARGE < info.st_size < LARGEST // 2:
            candidates.append((info.st_mtime, path, info.st_size))
    chosen: list[tuple[str, int]] = []
    size = 0
    for _, path, length in sorted(candidates)[:MOST]:
        if chosen and size + length > SIZE:
            break
        chosen.append((path, length))
        size += length
    return chosen


def _is_early(environ: dict[str, str], chosen: list[tuple[str, int]], now: float) -> bool:
    existing = names(environ)
    if not existing or sum(size for _, size in chosen) > SIZE // 2:
        return False
    return abs(now - os.lstat(os.path.join(directory(environ), existing[-1])).st_mtime) < DAY


def _seal(environ: dict[str, str], paths: list[str]) -> bool:
    """The journals stay locked until their rows are on the disk a second time, and noted. Then they are deleted."""
    held: list[tuple[str, int]] = []
    try:
        data = b""
        for path in paths:
            handle = locked(path)
            if handle is not None:
                held.append((path, handle))
                data += whole_lines(handle)
        if data:
            name = write(environ, data)
            register.note(environ, register.SEALED, name, str(data.count(b"\n")))
        for path, _ in held:
            _delete(path)
    finally:
        for _, handle in held:
            os.close(handle)
    return bool(held)


def journals(environ: dict[str, str]) -> "Iterator[bytes]":
    """The whole lines of each open journal."""
    for path in places.paths(environ):
        try:
            with open(places.open_(path), "rb") as file:
                yield whole_lines(file.fileno())
        except OSError:  # noqa: PERF203 - sealed or removed meanwhile
            continue


def locked(path: str) -> int | None:
    """A journal, locked until closed; None if a hook writes, or it is gone."""
    try:
        handle = places.open_(path)
    except OSError:
        return None
    if files.lock(handle) and os.path.lexists(path) and os.lstat(path).st_ino == os.fstat(handle).st_ino:
        return handle
    os.close(handle)
    return None


def whole_lines(handle: int) -> bytes:
    """The content up to the last newline: what follows was never confirmed to an agent."""
    data = b""
    size = os.fstat(handle).st_size
    while len(data) < size and (some := os.pread(handle, size - len(data), len(data))):
        data += some
    return data[: data.rfind(b"\n") + 1]


def _delete(path: str) -> None:
    """The tip goes first: a tip without a journal would begin a chain in the middle."""
    journal.remove_tip(places.tip_of(path))
    os.unlink(path)


def _note_all(environ: dict[str, str]) -> None:
    """Note segments whose maker was stopped before the note."""
    acts, _ = register.read(environ)
    noted = {act.words[0] for act in acts if act.what in (register.SEALED, register.PRUNED) and act.words}
    for name in names(environ):
        if name not in noted:
            register.note(environ, register.SEALED, name, str(read(environ, name).count(b"\n")))


# -- deleting ----------------------------------------------------------------------------------------------------------


def delete(environ: dict[str, str], name: str) -> None:
    """Delete a segment; the register says so first. Needs the lock."""
    try:
        data = read(environ, name)
    except SegmentError:
        return  # evidence of a change: a person has to look
    ends = [f"{writer}:{last}" for writer, last in spans(data).items()]
    register.note(environ, register.PRUNED, name, str(data.count(b"\n")), *ends)
    os.unlink(os.path.join(directory(environ), name))


def finish(environ: dict[str, str]) -> None:
    """Delete segments whose pruning was noted and then interrupted."""
    acts, _ = register.read(environ)
    gone = {act.words[0] for act in acts if act.what == register.PRUNED and act.words}
    for name in names(environ):
        if name in gone:
            os.unlink(os.path.join(directory(environ), name))

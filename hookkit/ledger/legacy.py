"""Ledgers of earlier versions: their rows are moved over, as sealed segments, and their files deleted.

Earlier rows hold a plain hash of a call's input, by which a short masked secret can be guessed; so the field is left
out, and the rows are chained anew, each writer with its numbers. A row whose old hash was wrong says so (`doubt`), and
missing numbers stay missing: nothing that was done to the rows before is hidden. All of it can be interrupted and
repeated: a row that is here already is not moved again.
"""

import os
import sqlite3
import time
from itertools import groupby, islice

from hookkit.errors import HookkitError
from hookkit.ledger import lines, places, register, segments
from hookkit.ledger.lines import FIRST, chained
from hookkit.system import database, files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

FOREVER = float("inf")
SMALL = 4 << 20  # bytes that a hook moves
BATCH = 4_000  # rows in a segment
AFTER = "SELECT id, hash, body FROM entries NOT INDEXED WHERE id > ? ORDER BY id"
FURTHEST = 1 << 60  # larger than any row number
OLD = "old"  # the directory of files that could not be read whole
Row = tuple[str, int, str, bytes]  # writer, number, hash, text
CHANGED = "changed"


def move(environ: dict[str, str], end: float) -> int:
    """Move rows over until a moment; gives their number. Costs two looks at the disk where nothing is to do."""
    root = places.root(environ)
    base, journals = waiting(environ)
    if not journals and not os.path.lexists(base):
        return 0
    if end != FOREVER and _size(base, *journals) > SMALL:
        return 0  # too much for a hook: the next command of a person moves it
    files.private_dir(root)
    with open(os.open(f"{base}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600), "rb") as lock:
        if not files.lock(lock.fileno(), 0 if end != FOREVER else database.WAIT):
            return 0  # an earlier version has the database open
        try:
            with segments.Lock(environ, 0 if end != FOREVER else database.WAIT):
                return Move(environ, end).run(base, journals)
        except database.BusyError:
            return 0  # another process moves them


def waiting(environ: dict[str, str]) -> tuple[str, list[str]]:
    """The database of an earlier version, whether it is there or not, and its journals."""
    journals = [path for place in places.legacy(environ) for path in places.journals(place)]
    return os.path.join(places.root(environ), "ledger.db"), journals


def _size(*paths: str) -> int:
    return sum(os.lstat(path).st_size for path in paths if os.path.lexists(path))


class Move:
    def __init__(self, environ: dict[str, str], end: float) -> None:
        self.environ = environ
        self.end = end
        self.moved = 0
        self.old: dict[tuple[str, int], str] = {}  # the old hashes of this run
        self.here: dict[str, dict[int, str]] = {}  # the rows already moved: number and new hash, by writer
        for name in segments.names(environ):
            self._remember(segments.read(environ, name))
        self.pruned = register.pruned_rows(register.read(environ)[0])

    def run(self, base: str, journals: list[str]) -> int:
        """The database first: a journal may go on where the rows of the database end."""
        if os.path.lexists(base) and not self._database(base):
            return self.moved
        for start in range(0, len(journals), segments.MOST):
            if time.monotonic() >= self.end or not self._journals(journals[start : start + segments.MOST]):
                return self.moved
        self._clear()
        register.note(self.environ, register.MOVED, str(self.moved))
        return self.moved

    def _remember(self, data: bytes) -> None:
        for line in data.split(b"\n"):
            row = lines.split(line)
            if row is not None:
                self.here.setdefault(row[2], {})[row[1]] = row[0]

    # -- the database --------------------------------------------------------------------------------------------------

    def _database(self, path: str) -> bool:
        """Whether all of it is moved; then the file is gone, or kept in `old` if some of it cannot be read."""
        old = Old(path)
        try:
            for writer, n in old.table("pruned", "w, n"):
                if self.pruned.get(writer, 0) < n:
                    register.note(self.environ, register.PRUNED, "ledger.db", "0", f"{writer}:{n}")
                    self.pruned[writer] = n
            rows = sorted(filter(None, map(_row, old.lines())), key=lambda row: row[:2])
        finally:
            old.close()
        if not self._take(iter(rows)):
            return False
        for ending in ("-wal", "-shm", ".lock", ""):
            if os.path.lexists(path + ending):
                self._put_away(path + ending) if old.lost else os.unlink(path + ending)
        return True

    def _put_away(self, path: str) -> None:
        directory = files.private_dir(os.path.join(places.root(self.environ), OLD))
        os.rename(path, os.path.join(directory, f"{int(time.time())}-{os.path.basename(path)}"))

    # -- journals ------------------------------------------------------------------------------------------------------

    def _journals(self, paths: list[str]) -> bool:
        """Locked until their rows are on the disk a second time: an earlier version may still write."""
        locked: list[tuple[str, int, list[bytes]]] = []
        try:
            for path in paths:
                handle = segments.locked(path)
                if handle is not None:
                    locked.append((path, handle, segments.whole_lines(handle).split(b"\n")[:-1]))
            if not self._take(row for _, _, lines in locked for line in lines if (row := _row(line)) is not None):
                return False
            for path, _, lines in locked:
                self._keep_foreign(path, [line for line in lines if _row(line) is None])
                os.unlink(path)
        finally:
            for _, handle, _ in locked:
                os.close(handle)
        return True

    def _keep_foreign(self, path: str, foreign: list[bytes]) -> None:
        """Lines that another program wrote into a journal."""
        if foreign:
            directory = files.private_dir(os.path.join(places.root(self.environ), OLD))
            files.keep(os.path.join(directory, os.path.basename(path)), b"\n".join(foreign) + b"\n", 0o600)

    def _clear(self) -> None:
        """Directories and tips that nobody needs any more."""
        root = places.root(self.environ)
        for place in reversed(places.legacy(self.environ)):
            for directory in (os.path.join(place, places.TIPS), place):
                if os.path.isdir(directory) and places.is_ours(directory) and not places.journals(directory):
                    for name in os.listdir(directory) if directory.endswith(places.TIPS) else ():
                        os.unlink(os.path.join(directory, name))
                    _remove(directory)
        if os.path.lexists(os.path.join(root, "heads")):
            os.unlink(os.path.join(root, "heads"))  # it knows only the old hashes

    # -- rows ----------------------------------------------------------------------------------------------------------

    def _take(self, rows: "Iterator[Row]") -> bool:
        """Write rows as segments; false if the time is over before all of them are written."""
        new = self._new(rows)
        while batch := b"".join(islice(new, BATCH)):
            name = segments.write(self.environ, batch)
            count = batch.count(b"\n")
            register.note(self.environ, register.SEALED, name, str(count))
            self.moved += count
            if time.monotonic() >= self.end:
                return False
        return True

    def _new(self, rows: "Iterator[Row]") -> "Iterator[bytes]":
        for writer, group in groupby(rows, key=lambda row: row[0]):
            last, before = 0, FIRST
            for _, n, digest, text in group:
                if n != last + 1:
                    before = self.old.get((writer, n - 1), "")  # the rows before may be in another file
                is_right = not before or chained(before, text) == digest  # after a missing row nobody can tell
                last, before = n, digest
                other = self.old.setdefault((writer, n), digest) != digest  # of a journal restored from an old copy
                name = f"{writer}-again" if other else writer
                here = self.here.setdefault(name, {})
                if n not in here and n > self.pruned.get(name, 0):
                    line = _converted(here.get(n - 1, FIRST), name, text, "" if is_right else CHANGED)
                    here[n] = line[:64].decode()
                    yield line


def _converted(before: str, writer: str, text: bytes, doubt: str) -> bytes:
    """A row of the present format: without `same`, its content in parts."""
    fields = jsons.loads(text)
    n = fields["n"]
    fields = {name: value for name, value in fields.items() if name not in ("n", "w", "same", "parts")}
    if doubt:
        fields = {"doubt": doubt, **fields}
    rest, parts = lines.seal(fields)
    body = jsons.dumps({"n": n, "w": writer, **rest}).encode()
    return f"{chained(before, body)} ".encode() + body + parts + b"\n"


def _row(line: bytes) -> Row | None:
    """A row of an earlier version, if it is one."""
    row = lines.split(line)
    try:
        fields: Any = jsons.loads(line[65:]) if row is not None else None
    except HookkitError:
        return None
    if row is None or not isinstance(fields, dict) or fields.get("w") != row[2] or fields.get("n") != row[1]:
        return None
    return row[2], row[1], row[0], line[65:]


def _remove(directory: str) -> None:
    try:
        os.rmdir(directory)
    except OSError:
        return  # files that are not ours are in it


class Old:
    """The database of an earlier version, read as far as it can be: a bad page costs only its own rows."""

    def __init__(self, path: str) -> None:
        self.lost = 0
        self.connection = sqlite3.connect(f"file:{database.quoted(path)}?mode=ro", uri=True, isolation_level=None)
        self.connection.text_factory = bytes

    def close(self) -> None:
        self.connection.close()

    def lines(self) -> "Iterator[bytes]":
        """Row after row; after a failure, go on behind the failed place."""
        last: int | None = 0
        while last is not None:
            try:
                for number, digest, body in self.connection.execute(AFTER, (last,)):
                    if number <= last:
                        break  # a cycle of pages
                    last = number
                    if isinstance(digest, bytes) and isinstance(body, bytes):
                        yield digest + b" " + body
                else:
                    return
            except database.FAILURES:
                pass
            self.lost += 1
            last = self._past(last)

    def _past(self, last: int) -> int | None:
        """The first number behind `last` with readable rows after: a bad page holds a single row or many."""
        step = 1
        while not self._reads(last + step):
            step *= 2
            if step > FURTHEST:
                return None
        low, high = last + step // 2, last + step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._reads(middle) else (middle, high)
        return high

    def _reads(self, last: int) -> bool:
        try:
            self.connection.execute(f"{AFTER} LIMIT 1", (last,)).fetchone()
        except database.FAILURES:
            return False
        return True

    def table(self, name: str, columns: str) -> "list[tuple[Any, ...]]":
        try:
            rows = self.connection.execute(f"SELECT {columns} FROM {name}").fetchall()  # noqa: S608 - names of ours
        except database.FAILURES:
            return []
        return [tuple(value.decode() if isinstance(value, bytes) else value for value in row) for row in rows]

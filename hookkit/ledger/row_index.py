"""The index: every row of the journals and the sealed segments in one database, found there by its content.

The files are the truth. A row not read now is read later, a file read twice adds no row, and the index can be deleted
at any time. A journal is synced before it is read: so after a power cut the index never has a row that no file has.
"""

import os
import time
from bisect import bisect_right

from hookkit.ledger import journal, legacy, lines, places, register, segments
from hookkit.ledger.tables import ENDED, MARK, MIGRATIONS, OPEN, REQUEST, TEXT
from hookkit.system import database, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from sqlite3 import Connection

BATCH = 1_000  # rows in a transaction: others write in between
READ = 1 << 22
DAY = 86_400
MANY = 50_000  # rows; after more, SQLite analyses its indexes again
PAGES = 2_000  # of the write-ahead log before a checkpoint
CACHE = 16_000  # KB
# A row that is here already only gets its new source: its journal was sealed.
TAKE = """INSERT INTO entries (hash, body, source) SELECT ?, ?, ? WHERE json_valid(?)
  ON CONFLICT (w, n, substr(hash, 1, 16)) DO UPDATE SET source = excluded.source"""
FOREVER = float("inf")
ASIDE = ".old-"  # in the name of an index that `repair` has replaced, before the time
REGISTER = "register"  # the fact with the end of the register


class Source:
    """A file of rows, and how far it was read."""

    __slots__ = ("bad", "inode", "is_sealed", "last", "length", "name", "number", "path", "start")

    def __init__(self, path: str, name: str, *, is_sealed: bool) -> None:
        self.path = path
        self.name = name
        self.is_sealed = is_sealed
        self.number = self.length = self.bad = self.start = self.inode = 0
        self.last = ""


class Ledger:
    def __init__(self, environ: dict[str, str], *, wait: float = database.WAIT, path: str = "") -> None:
        self.environ = environ
        self.path = path or path_of(environ)
        files.private_dir(os.path.dirname(os.path.dirname(self.path)))
        self.lock = -1 if path else shared_lock(self.path, wait)
        try:
            self.connection: Connection = database.open_(self.path, MIGRATIONS, wait=wait)
        except (database.StateError, OSError):
            self._unlock()
            raise

    def __enter__(self) -> "Ledger":  # noqa: PYI034 - `Self` is of Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.connection.close()
        self._unlock()

    def _unlock(self) -> None:
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1

    # -- reading the files ---------------------------------------------------------------------------------------------

    def fold(self, *, seconds: float = 0, most: int = 0, tell: "Callable[[int], None] | None" = None) -> int:
        """Read new rows, as far as time allows; gives the number of lines. `most` limits the journals."""
        end = time.monotonic() + seconds if seconds else FOREVER
        with database.said(self.path):
            legacy.move(self.environ, end)
            return self.read_files(end, most, tell)

    def read_files(self, end: float = FOREVER, most: int = 0, tell: "Callable[[int], None] | None" = None) -> int:
        count = 0
        self.connection.execute(f"PRAGMA wal_autocheckpoint = {PAGES}")
        self.connection.execute(f"PRAGMA cache_size = -{CACHE}")
        self._forget_deleted()
        self._forget_erased()
        for name in self._unread_segments():
            while time.monotonic() < end and (done := self._take_segment(name)):
                count += done
                if tell is not None:
                    tell(count)
        for path in self._turn(most):
            while time.monotonic() < end and (done := self._take_journal(path)):
                count += done
                if tell is not None:
                    tell(count)
        self._note_register()
        if count > MANY:
            self.connection.execute("PRAGMA analysis_limit = 1000")
            self.connection.execute("ANALYZE")
        return count

    def _turn(self, most: int) -> list[str]:
        """The next journals in their order, going round: ten thousand journals cost a hook no more than a few."""
        paths = places.paths(self.environ)
        if not most or len(paths) <= most:
            return paths
        start = bisect_right(paths, self.fact("turn"))
        chosen = (paths[start:] + paths[:start])[:most]
        self.note("turn", chosen[-1])
        return chosen

    def _unread_segments(self) -> list[str]:
        read = {row[0] for row in self.connection.execute("SELECT name FROM sources WHERE is_sealed AND length < 0")}
        return [name for name in segments.names(self.environ) if name not in read]

    def _take_segment(self, name: str) -> int:
        """A batch of a segment's rows; a segment read to its end has a negative length."""
        path = os.path.join(segments.directory(self.environ), name)
        source = self._source(path, name, is_sealed=True)
        if source.length < 0:
            return 0
        try:
            source.inode = os.lstat(path).st_ino
            data = segments.read(self.environ, name)
        except (segments.SegmentError, OSError):
            return 0  # `verify` tells
        *lines, rest = data[source.length :].split(b"\n", BATCH)
        return self._insert(source, lines, is_last=not rest)

    def _take_journal(self, path: str) -> int:
        """A batch of a journal's lines. Whole lines never change, so hooks may go on writing meanwhile."""
        try:
            handle = places.open_(path)
        except OSError:
            return 0
        with open(handle, "rb") as file:
            source = self._source(path, file.read(64).decode("ascii", "replace"), is_sealed=False)
            source.inode = os.fstat(handle).st_ino
            if not _is_same(handle, source):
                source.length = source.bad = 0  # cut or exchanged: `verify` tells; here rows are only read again
            file.seek(source.length)
            data = file.read(READ)
            if data:
                files.sync(handle)
        lines = data[: data.rfind(b"\n") + 1].split(b"\n")[:-1][:BATCH]
        if not lines and len(data) == READ:
            lines = [data[:-1]]  # longer than any row
        return self._insert(source, lines) if lines else 0

    def _source(self, path: str, name: str, *, is_sealed: bool) -> Source:
        source = Source(path, name, is_sealed=is_sealed)
        sql = "SELECT id, length, bad, last, start FROM sources WHERE name = ?"
        row = self.connection.execute(sql, (name,)).fetchone()
        if row is not None:
            source.number, source.length, source.bad, source.last, source.start = row
        return source

    def _insert(self, source: Source, written: list[bytes], *, is_last: bool = False) -> int:
        """Rows and the place in their file share a transaction. Rows of a file that was deleted meanwhile are left."""
        rows = [(line[:64].decode(), lines.flat(line).decode()) for line in written if _is_row(line)]
        with database.write(self.connection) as connection:
            if not _is_there(source):
                return 0
            if not source.number:
                new = "INSERT OR IGNORE INTO sources VALUES (NULL, ?, ?, 0, 0, '', 0)"
                connection.execute(new, (source.name, source.is_sealed))
                source.number = self._source(source.path, source.name, is_sealed=source.is_sealed).number
            last = connection.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()[0]
            before = connection.total_changes
            connection.executemany(TAKE, ((digest, body, source.number, body) for digest, body in rows))
            source.bad += len(written) - (connection.total_changes - before)
            index(connection, last)
            _advance(source, written)
            length = -source.length if is_last else source.length
            values = (length, source.bad, source.last, source.start, source.number)
            connection.execute("UPDATE sources SET length = ?, bad = ?, last = ?, start = ? WHERE id = ?", values)
        return len(written)

    def _forget_deleted(self) -> None:
        """The index follows the files: rows of a deleted segment go."""
        there = set(segments.names(self.environ))
        for number, name in self.connection.execute("SELECT id, name FROM sources WHERE is_sealed").fetchall():
            if name not in there:
                while self.forget(number):
                    pass

    def _forget_erased(self) -> None:
        """Rows erased since the index last looked: a restored copy of the index must not bring their content back."""
        noted = self.fact(REGISTER)
        if register.end_of(self.environ) == noted:
            return
        erased = [
            row for act in register.since(self.environ, noted) if act.what == register.ERASED for row in act.rows()
        ]
        sources = set()
        for row in erased:
            sources |= set(self.connection.execute("SELECT source FROM entries WHERE w = ? AND n = ?", row).fetchall())
        for (number,) in sources:
            while self.forget(number):
                pass  # the files are read again, without the content

    def forget(self, number: int) -> int:
        """Delete a batch of a source's rows; gives how many."""
        with database.write(self.connection) as connection:
            chosen = f"FROM entries WHERE id IN (SELECT id FROM entries WHERE source = ? LIMIT {BATCH})"  # noqa: S608 - a number
            key = (number,)
            connection.execute(f"INSERT INTO texts(texts, rowid, text) SELECT 'delete', {MARK}, {TEXT} {chosen}", key)
            connection.execute(f"DELETE FROM unfinished WHERE id IN (SELECT id {chosen})", key)  # noqa: S608
            done = connection.execute(f"DELETE {chosen}", key).rowcount
            if not done:
                connection.execute("DELETE FROM sources WHERE id = ?", key)
        return done

    def _note_register(self) -> None:
        """Remember where the register ends, unless it is shorter than before: then `verify` tells."""
        noted = self.fact(REGISTER)
        end = register.end_of(self.environ)
        if end and end != noted and not register.shortened(self.environ, noted):
            self.note(REGISTER, end)

    def waiting(self) -> list[tuple[str, int]]:
        """Journals with whole lines not read yet, and the number of bytes waiting."""
        waiting = []
        for path in places.paths(self.environ):
            try:
                with open(places.open_(path), "rb") as file:
                    source = self._source(path, file.read(64).decode("ascii", "replace"), is_sealed=False)
                    left = journal.end(file.fileno()) - source.length
            except (OSError, journal.SpoiltError):
                continue
            if left > 0:
                waiting.append((path, left))
        return waiting

    # -- deleting ------------------------------------------------------------------------------------------------------

    def prune(
        self, *, days: int, megabytes: int, now: float, seconds: float = 0, tell: "Callable[[int], None] | None" = None
    ) -> int:
        """Seal old journals, then delete the oldest segments, by age and by size; gives the number of rows."""
        from hookkit.ledger.upkeep import Pruning

        with database.said(self.path), segments.Lock(self.environ, 0 if seconds else database.WAIT):
            segments.finish(self.environ)
            self._forget_deleted()
            if segments.seal(self.environ, now, is_quick=bool(seconds)) and not seconds:
                self.read_files()
            return Pruning(self, seconds, tell).run(days=days, megabytes=megabytes, now=now)

    def preview(self, *, days: int, megabytes: int, now: float) -> tuple[int, bool]:
        """How many rows `prune` would delete, and whether the number is exact."""
        from hookkit.ledger.upkeep import Pruning

        with database.said(self.path):
            return Pruning(self).preview(days=days, megabytes=megabytes, now=now)

    def size(self) -> int:
        """Bytes of the index, without free pages, and of the sealed segments."""
        pages, free, size = (
            self.connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size) + sum(self.sealed().values())

    def sealed(self) -> dict[str, int]:
        """The segments, oldest first, with their sizes."""
        directory = segments.directory(self.environ)
        return {name: os.lstat(os.path.join(directory, name)).st_size for name in segments.names(self.environ)}

    def fact(self, name: str) -> str:
        row = self.connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row is not None else ""

    def note(self, name: str, value: str) -> None:
        self.connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def is_due(self, now: float, name: str = "pruned", seconds: int = DAY) -> bool:
        """Whether a day has gone since this was last done; a time in the future is of a wrong clock."""
        last = self.fact(name)
        return not last.isdigit() or abs(now - int(last)) > seconds


def index(connection: "Connection", last: int) -> None:
    """Update the tables beside the rows, for rows after `last`."""
    new = "FROM entries WHERE id > ?"
    connection.execute(f"INSERT INTO texts(rowid, text) SELECT {MARK}, {TEXT} {new}", (last,))
    connection.execute(f"INSERT INTO unfinished SELECT id, at {new} AND {OPEN}", (last,))
    connection.execute(
        f"DELETE FROM unfinished WHERE id IN (SELECT r.id FROM entries e CROSS JOIN entries r INDEXED BY entries_call"  # noqa: S608
        f" ON r.call = e.call AND r.event = '{REQUEST}' AND r.session IS e.session"
        f" WHERE e.id > ? AND +e.event IN ({ENDED}))",
        (last,),
    )


def _advance(source: Source, written: list[bytes]) -> None:
    """Past these lines; the last line tells later whether this is still the same file."""
    source.length += sum(len(line) + 1 for line in written)
    if written:
        line = written[-1]
        source.last = line[:64].decode("ascii", "replace") if line[:64].isascii() else ""
        source.start = source.length - len(line) - 1


def _is_same(handle: int, source: Source) -> bool:
    """Whether the file still has the last line that was read."""
    if os.fstat(handle).st_size < source.length:
        return False
    return os.pread(handle, len(source.last), source.start) == source.last.encode()


def _is_there(source: Source) -> bool:
    """Whether the file is still in its place: it may have been sealed or pruned since it was read."""
    try:
        return os.lstat(source.path).st_ino == source.inode
    except FileNotFoundError:
        return False


def _is_row(line: bytes) -> bool:
    return lines.split(line) is not None and line.isascii()


def shared_lock(path: str, wait: float, *, shared: bool = True) -> int:
    """Held while the index is open; `rebuild` takes the lock exclusively. -1 if the state cannot be written."""
    try:
        files.private_dir(os.path.dirname(path))
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        handle = os.open(f"{path}.lock", flags, 0o600)
    except OSError:
        return -1
    if files.lock(handle, wait, shared=shared):
        return handle
    os.close(handle)
    raise database.BusyError(f"{path}: in use by another process, which makes it anew")


def path_of(environ: dict[str, str]) -> str:
    return os.path.join(places.root(environ), "index.db")

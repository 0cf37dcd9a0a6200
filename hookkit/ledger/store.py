"""The ledger: every row that the journals hold, folded into one database and found there by what it is about.

What cannot be folded now stays in its journal, and is folded later.
"""

import os
import time

from hookkit.ledger import heads, journal
from hookkit.ledger.tables import ENDED, MARK, MIGRATIONS, OPEN, REQUEST, TEXT
from hookkit.system import database, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from sqlite3 import Connection

BATCH = 1_000  # rows in a transaction: others write in between
READ = 1 << 22
DAY = 86_400
QUICK = 0.4  # seconds that a hook may spend on folding
MANY = 50_000  # rows after which SQLite looks at its indexes again
PAGES = 2_000  # of the write-ahead log before it goes into the database
CACHE = 64_000  # KB
MILLION = 1_000_000
TAKE = "INSERT OR IGNORE INTO entries (hash, body) SELECT ?, ? WHERE json_valid(?)"
FOREVER = float("inf")


class Ledger:
    def __init__(self, environ: dict[str, str], *, wait: float = database.WAIT) -> None:
        self.environ = environ
        self.path = path_of(environ)
        self.heads = heads_of(environ)
        files.private_dir(os.path.dirname(os.path.dirname(self.path)))
        self.connection: Connection = database.open_(self.path, MIGRATIONS, wait=wait)

    def close(self) -> None:
        self.connection.close()

    # -- taking in -----------------------------------------------------------------------------------------------------

    def fold(self, *, seconds: float = 0, tell: "Callable[[int], None] | None" = None) -> int:
        """Take in what the journals hold, as far as time allows; how many lines that was."""
        end = time.monotonic() + seconds if seconds else FOREVER
        count = 0
        with database.said(self.path):
            self.connection.execute(f"PRAGMA wal_autocheckpoint = {PAGES}")
            self.connection.execute(f"PRAGMA cache_size = -{CACHE}")
            for path in journal.paths(self.environ):
                while time.monotonic() < end and (done := self._take(path)):
                    count += done
                    if tell is not None:
                        tell(count)
            if count > MANY:
                self.connection.execute("PRAGMA analysis_limit = 1000")
                self.connection.execute("ANALYZE")
        return count

    def _take(self, path: str) -> int:
        """A batch of a journal's lines. Whole lines never change, so nobody is kept from writing meanwhile."""
        try:
            handle = journal.open_(path)
        except OSError:
            return 0
        with open(handle, "rb") as file:
            first = file.read(64).decode("ascii", "replace")
            offset, bad = self._offset(path, first)
            file.seek(offset)
            data = file.read(READ)
        lines = data[: data.rfind(b"\n") + 1].split(b"\n")[:-1][:BATCH]
        if not lines and len(data) == READ:
            lines = [data[:-1]]  # no row is as long as that
        if lines:
            rows = [(line[:64].decode(), line[65:].decode()) for line in lines if _is_row(line)]
            end = offset + sum(len(line) + 1 for line in lines)
            self._insert(rows, offset, (path, first, end, bad + len(lines) - len(rows)))
        return len(lines)

    def _offset(self, path: str, first: str) -> tuple[int, int]:
        """How far this journal was read before; another file under the same name is read from its start."""
        found = self.connection.execute("SELECT first, offset, bad FROM journals WHERE path = ?", (path,)).fetchone()
        return (found[1], found[2]) if found is not None and found[0] == first else (0, 0)

    def _insert(self, rows: list[tuple[str, str]], start: int, place: tuple[str, str, int, int]) -> None:
        """Rows and how far we have come stand or fall together; what another took in meanwhile is left alone."""
        with database.write(self.connection) as connection:
            if self._offset(*place[:2])[0] != start:
                return
            last = connection.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()[0]
            before = connection.total_changes
            connection.executemany(TAKE, ((digest, body, body) for digest, body in rows))
            path, first, end, bad = place
            if connection.total_changes - before < len(rows):
                bad += sum(not connection.execute("SELECT json_valid(?)", row[1:]).fetchone()[0] for row in rows)
            index(connection, last)
            connection.execute("INSERT OR REPLACE INTO journals VALUES (?, ?, ?, ?)", (path, first, end, bad))

    def waiting(self) -> list[tuple[str, int]]:
        """Journals with whole lines that are not in here yet, and how many bytes those are."""
        found = []
        for path in journal.paths(self.environ):
            try:
                with open(journal.open_(path), "rb") as file:
                    offset, _ = self._offset(path, file.read(64).decode("ascii", "replace"))
                    left = journal.end(file.fileno()) - offset
            except (OSError, journal.SpoiltError):
                continue
            if left > 0:
                found.append((path, left))
        return found

    # -- letting go ----------------------------------------------------------------------------------------------------

    def retire(self, now: float, *, seconds: float = 0) -> None:
        """Let journals go that are whole in here and that nobody has written to for a day.

        Where each ended is noted outside, so that a chain that is cut short later is missed.
        """
        end = time.monotonic() + seconds if seconds else FOREVER
        for path in journal.paths(self.environ):
            if time.monotonic() > end:
                break
            try:
                handle = journal.open_(path)
            except OSError:
                continue
            try:
                if now - os.fstat(handle).st_mtime > DAY and not path.endswith(journal.SPOILT):
                    self._retire(path, handle)
            finally:
                os.close(handle)

    def _retire(self, path: str, handle: int) -> None:
        try:
            if not files.lock(handle):
                return
            last = journal.last(handle)
            first = os.pread(handle, 64, 0).decode("ascii", "replace")
            if last is None or self._offset(path, first)[0] != journal.end(handle):
                return
        except journal.SpoiltError:
            return
        heads.note(self.heads, heads.HEAD, *last)
        os.unlink(path)
        with database.write(self.connection) as connection:
            connection.execute("DELETE FROM journals WHERE path = ?", (path,))

    def prune(
        self, *, days: int, megabytes: int, now: float, seconds: float = 0, tell: "Callable[[int], None] | None" = None
    ) -> int:
        """Let go of the oldest rows of each chain, by age and by size; where a chain now begins is kept."""
        from hookkit.ledger.pruning import Pruning  # once a day

        with database.said(self.path):
            pruning = Pruning(self, seconds, tell)
            gone = pruning.by_age(before(now, days)) if days else 0
            gone += pruning.by_size(megabytes * MILLION) if megabytes else 0
            if pruning.finish():
                self.note("pruned", str(int(now)))
        return gone

    def preview(self, *, days: int, megabytes: int, now: float) -> tuple[int, bool]:
        """How many rows `prune` would let go, and whether that is certain or about right."""
        from hookkit.ledger.pruning import Pruning

        with database.said(self.path):
            return Pruning(self).preview(before(now, days) if days else 0, megabytes * MILLION)

    def size(self) -> int:
        """Bytes in use, without pages that are free."""
        pages, free, size = (
            self.connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)

    def fact(self, name: str) -> str:
        found = self.connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return str(found[0]) if found is not None else ""

    def note(self, name: str, value: str) -> None:
        self.connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def is_due(self, now: float) -> bool:
        """Whether a day has gone since rows were last let go."""
        return now - int(self.fact("pruned") or 0) > DAY


def index(connection: "Connection", last: int) -> None:
    """What is kept beside the rows, for those after this one: their words, and the calls that have no outcome yet."""
    new = "FROM entries WHERE id > ?"
    connection.execute(f"INSERT INTO texts(rowid, text) SELECT {MARK}, {TEXT} {new}", (last,))
    connection.execute(f"INSERT INTO unfinished SELECT id, at {new} AND {OPEN}", (last,))
    connection.execute(
        f"DELETE FROM unfinished WHERE id IN (SELECT r.id FROM entries e CROSS JOIN entries r INDEXED BY entries_call"  # noqa: S608
        f" ON r.call = e.call AND r.event = '{REQUEST}' AND r.session IS e.session"
        f" WHERE e.id > ? AND +e.event IN ({ENDED}))",
        (last,),
    )


def _is_row(line: bytes) -> bool:
    return journal.split(line) is not None and line.isascii() and line.endswith(b"}")


def path_of(environ: dict[str, str]) -> str:
    """Where nothing is kept for lack of a home, the journals' own place has to do."""
    state = files.state_dir(environ) or os.path.dirname(journal.places(environ)[-1])
    return os.path.join(state, "ledger", "ledger.db")


def before(now: float, days: int) -> int:
    """Rows from before then are too old, in their own measure of time."""
    return int((now - days * DAY) * 1000)


def heads_of(environ: dict[str, str]) -> str:
    return os.path.join(os.path.dirname(path_of(environ)), "heads")


def fold_quickly(environ: dict[str, str], *, days: int, megabytes: int) -> None:
    """What a hook may do between two events: a bounded wait, a bounded time. What is busy is left for the next one."""
    end = time.monotonic() + QUICK
    try:
        ledger = Ledger(environ, wait=QUICK / 4)
    except database.BusyError:
        return
    try:
        ledger.fold(seconds=QUICK / 2)
        now = time.time()
        with database.said(ledger.path):
            if time.monotonic() < end and ledger.is_due(now) and not ledger.waiting():
                ledger.prune(days=days, megabytes=megabytes, now=now, seconds=QUICK / 4)
                ledger.retire(now, seconds=QUICK / 4)
    except database.BusyError:
        return
    finally:
        ledger.close()

"""The ledger: every row of the journals, folded into one database and found there by its content.

A row not folded now stays in its journal and is folded later. A journal is synced before its rows are folded: so after
a power cut the database never has a row missing from its journal.
"""

import os
import time
from bisect import bisect_right

from hookkit.ledger import census, journal, places
from hookkit.ledger.tables import ENDED, MARK, MIGRATIONS, OPEN, REQUEST, TEXT
from hookkit.system import database, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from sqlite3 import Connection
    from typing import Any

BATCH = 1_000  # rows in a transaction: others write in between
READ = 1 << 22
DAY = 86_400
QUICK = 0.4  # seconds for a hook to spend on folding
SOME = 32  # journals for a hook to look at: a start adds only a single journal, so all have their turn
MANY = 50_000  # folded rows; after more, SQLite analyses its indexes again
PAGES = 2_000  # of the write-ahead log before a checkpoint
CACHE = 16_000  # KB
MILLION = 1_000_000
TAKE = "INSERT OR IGNORE INTO entries (hash, body) SELECT ?, ? WHERE json_valid(?)"
FOREVER = float("inf")
KNOWN = "SELECT first, offset, bad, w, last, start FROM journals WHERE path = ?"


class Ledger:
    def __init__(self, environ: dict[str, str], *, wait: float = database.WAIT, path: str = "") -> None:
        self.environ = environ
        self.path = path or path_of(environ)
        self.heads = heads_of(environ)
        files.private_dir(os.path.dirname(os.path.dirname(self.path)))
        self.lock = -1 if path else shared_lock(self.path, wait)
        try:
            self.connection: Connection = database.open_(self.path, MIGRATIONS, wait=wait)
        except (database.StateError, OSError):
            self._unlock()
            raise

    def close(self) -> None:
        self.connection.close()
        self._unlock()

    def _unlock(self) -> None:
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1

    # -- taking in -----------------------------------------------------------------------------------------------------

    def fold(self, *, seconds: float = 0, most: int = 0, tell: "Callable[[int], None] | None" = None) -> int:
        """Take in rows of journals, as far as time allows; gives the number of lines. `most` limits the journals."""
        end = time.monotonic() + seconds if seconds else FOREVER
        count = 0
        with database.said(self.path):
            self.connection.execute(f"PRAGMA wal_autocheckpoint = {PAGES}")
            self.connection.execute(f"PRAGMA cache_size = -{CACHE}")
            chosen = self.turn(most) if most else places.paths(self.environ)
            for path in chosen:
                if time.monotonic() >= end:
                    break  # the next hook goes on here
                if len(chosen) == most:
                    self.note("turn", path)
                while time.monotonic() < end and (done := self._take(path)):
                    count += done
                    if tell is not None:
                        tell(count)
            if count > MANY:
                self.connection.execute("PRAGMA analysis_limit = 1000")
                self.connection.execute("ANALYZE")
        return count

    def turn(self, most: int, name: str = "turn") -> list[str]:
        """The next journals in their order, going round: ten thousand journals cost a hook no more than a few.

        `name` tells works apart: each has its own round.
        """
        paths = places.paths(self.environ, kept=False)
        if len(paths) <= most:
            return paths
        start = bisect_right(paths, self.fact(name))
        return (paths[start:] + paths[:start])[:most]

    def _take(self, path: str) -> int:
        """A batch of a journal's lines. Whole lines never change, so hooks may go on writing meanwhile."""
        try:
            handle = places.open_(path)
        except OSError:
            return 0
        with open(handle, "rb") as file:
            first = file.read(64).decode("ascii", "replace")
            known = self.known(path)
            offset, bad = self._resumed(path, handle, known)
            file.seek(offset)
            data = file.read(READ)
            if data:
                files.sync(handle)
        lines = data[: data.rfind(b"\n") + 1].split(b"\n")[:-1][:BATCH]
        if not lines and len(data) == READ:
            lines = [data[:-1]]  # longer than any row
        if lines:
            rows = [(line[:64].decode(), line[65:].decode()) for line in lines if _is_row(line)]
            end = offset + sum(len(line) + 1 for line in lines)
            last = next((found for line in reversed(lines) if (found := journal.split(line))), ("", 0, ""))
            place = (path, first, end, bad + len(lines) - len(rows), last[2], *_last_of(lines, end))
            self._insert(rows, known, place)
        return len(lines)

    def known(self, path: str) -> "Any":
        """How far this journal was taken in, or None."""
        return self.connection.execute(KNOWN, (path,)).fetchone()

    def _resumed(self, path: str, handle: int, known: "Any") -> tuple[int, int]:
        """Where to go on. A journal without its last folded line is folded from its start, and noted as an incident."""
        if known is None:
            return 0, 0
        _, offset, bad, writer, *_ = known
        if _holds(handle, known):
            return offset, bad
        if any(self._holds(other, known) for other in places.paths(self.environ) if other.endswith(places.SPOILT)):
            return 0, 0  # a hook renamed the journal, because of a line not written by hookkit
        text = f"its journal {os.path.basename(path)} was cut, emptied or exchanged after rows were taken in"
        row = (text, writer, int(time.time() * 1000))
        self.connection.execute("INSERT OR IGNORE INTO incidents VALUES (?, ?, ?)", row)
        return 0, 0

    def _holds(self, path: str, known: "Any") -> bool:
        try:
            handle = places.open_(path)
        except OSError:
            return False
        try:
            return _holds(handle, known)
        finally:
            os.close(handle)

    def _insert(self, rows: list[tuple[str, str]], known: "Any", place: "tuple[Any, ...]") -> None:
        """Rows and the place in their journal share a transaction; rows folded by another process are left."""
        with database.write(self.connection) as connection:
            if self.known(place[0]) != known:
                return
            last = connection.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()[0]
            before = connection.total_changes
            connection.executemany(TAKE, ((digest, body, body) for digest, body in rows))
            path, first, end, bad, *rest = place
            if connection.total_changes - before < len(rows):
                bad += sum(not connection.execute("SELECT json_valid(?)", row[1:]).fetchone()[0] for row in rows)
            index(connection, last)
            values = (path, first, end, bad, *rest)
            connection.execute("INSERT OR REPLACE INTO journals VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def waiting(self) -> list[tuple[str, int]]:
        """Journals with whole lines not folded yet, and the number of bytes waiting."""
        found = []
        for path in places.paths(self.environ):
            try:
                with open(places.open_(path), "rb") as file:
                    known = self.known(path)
                    left = journal.end(file.fileno()) - (known[1] if known is not None else 0)
            except (OSError, journal.SpoiltError):
                continue
            if left > 0:
                found.append((path, left))
        return found

    # -- letting go ----------------------------------------------------------------------------------------------------

    def retire(self, now: float, *, seconds: float = 0) -> None:
        """Delete journals with all rows in the database, synced, and no new row for a day."""
        from hookkit.ledger.retiring import Retirement

        with database.said(self.path):
            Retirement(self, now, seconds).run()

    def prune(
        self, *, days: int, megabytes: int, now: float, seconds: float = 0, tell: "Callable[[int], None] | None" = None
    ) -> int:
        """Let go of the oldest rows of each chain, by age and by size; where a chain now begins is kept."""
        from hookkit.ledger.pruning import Pruning, by_rows

        with database.said(self.path):
            pruning = Pruning(self, seconds, tell)
            clock = by_rows(self.connection, now) if seconds else now  # a person who asks has looked at the date
            gone = pruning.by_age(before(clock, days)) if days else 0
            gone += pruning.by_size(megabytes * MILLION) if megabytes else 0
            if pruning.finish():
                self.note("pruned", str(int(now)))
        return gone

    def preview(self, *, days: int, megabytes: int, now: float) -> tuple[int, bool]:
        """How many rows `prune` would delete, and whether the number is exact."""
        from hookkit.ledger.pruning import Pruning

        with database.said(self.path):
            return Pruning(self).preview(before(now, days) if days else 0, megabytes * MILLION)

    def size(self) -> int:
        """Bytes in use, without free pages."""
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

    def is_due(self, now: float, name: str = "pruned") -> bool:
        """Whether a day has gone since this was last done; a time in the future is of a wrong clock."""
        found = self.fact(name)
        return not found.isdigit() or abs(now - int(found)) > DAY


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
    connection.execute(
        f"INSERT INTO chains SELECT w, max(n), hash {new} AND w IS NOT NULL GROUP BY w"
        " ON CONFLICT (w) DO UPDATE SET n = excluded.n, hash = excluded.hash WHERE excluded.n > n",
        (last,),
    )
    census.change(connection, [row[0] for row in connection.execute(f"SELECT hash {new}", (last,))])


def _holds(handle: int, known: "Any") -> bool:
    """Whether the file still has the last folded line."""
    _, offset, _, _, last, start = known
    return os.fstat(handle).st_size >= int(offset) and os.pread(handle, len(last), start) == str(last).encode()


def _is_row(line: bytes) -> bool:
    return journal.split(line) is not None and line.isascii() and line.endswith(b"}")


def _last_of(lines: list[bytes], end: int) -> tuple[str, int]:
    """The beginning of the last line, and its place: they say later whether this is still the same file."""
    line = lines[-1]
    return line[:64].decode("ascii", "replace") if line[:64].isascii() else "", end - len(line) - 1


def shared_lock(path: str, wait: float, *, shared: bool = True) -> int:
    """Held while the database is open; `repair` takes the lock exclusively. -1 if the state cannot be written."""
    try:
        files.private_dir(os.path.dirname(path))
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        handle = os.open(f"{path}.lock", flags, 0o600)
    except OSError:
        return -1
    if files.lock(handle, wait, shared=shared):
        return handle
    os.close(handle)
    raise database.BusyError(f"{path}: in use by another process, which repairs it")


def path_of(environ: dict[str, str]) -> str:
    """Without a home, the database is in the place of the journals."""
    state = files.state_dir(environ) or os.path.dirname(places.places(environ)[-1])
    return os.path.join(state, "ledger", "ledger.db")


def before(now: float, days: int) -> int:
    """Rows from before then are too old, in their own measure of time."""
    return int((now - days * DAY) * 1000)


def heads_of(environ: dict[str, str]) -> str:
    return os.path.join(os.path.dirname(path_of(environ)), "heads")


def fold_quickly(environ: dict[str, str], *, days: int, megabytes: int) -> None:
    """Work for a hook between two events: a bounded wait, a bounded time. The rest is left for the next hook."""
    try:
        ledger = Ledger(environ, wait=QUICK / 4)
    except database.BusyError:
        return
    try:
        ledger.fold(seconds=QUICK / 2, most=SOME)
        now = time.time()
        with database.said(ledger.path):
            is_large = megabytes and ledger.size() > megabytes * MILLION
            if is_large or ledger.is_due(now):
                ledger.prune(days=days, megabytes=megabytes, now=now, seconds=QUICK / 4)
        ledger.retire(now, seconds=QUICK / 8)
    except database.BusyError:
        return
    finally:
        ledger.close()

"""Pruning: delete the oldest rows, by age and by size, and no more rows than needed.

The space freed by a row is known only afterwards: its words stay in the text index, marked as deleted, until the index
is merged. So pruning by size goes in rounds, and each round looks at the true size.
"""

import time

from hookkit.ledger import census, heads
from hookkit.ledger.tables import MARK, TEXT
from hookkit.system import database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from sqlite3 import Connection

    from hookkit.ledger.store import Ledger

FOREVER = float("inf")
DAY = 86_400_000  # ms
DAYS = 3  # different days with rows, before the clock's word for a date is taken
YOUNG = "SELECT id FROM entries WHERE at >= ? AND at < ? ORDER BY id LIMIT 1"
PIECE = 2_000  # rows to delete in a transaction
SOME = 20_000  # oldest rows to look at in a step
MERGED = 500  # pages of the text index to merge in a transaction
PAGES = 2_000  # free pages to give back at a time
ROOM = 0.99  # of the size to keep: a page here or there must not make another round
GUESS = 4.0  # bytes freed by a byte of a row's text: a high guess, so the first round deletes too few rows
CACHE = 64_000  # KB of the database to keep in memory while a person waits: rows are spread over nine indexes
LOG = 16_000  # pages of the write-ahead log before a checkpoint, while a person waits
WORK = 2  # changes; fewer mean the text index is fully merged


class Pruning:
    """A run of pruning, with or without a time limit; the next run goes on with unfinished work."""

    def __init__(self, ledger: "Ledger", seconds: float = 0, tell: "Callable[[int], None] | None" = None) -> None:
        self.ledger = ledger
        self.tell = tell
        self.connection = ledger.connection
        self.end = time.monotonic() + seconds if seconds else FOREVER
        self.gone = 0
        if self.end == FOREVER:
            self.connection.execute(f"PRAGMA cache_size = -{CACHE}")
            self.connection.execute(f"PRAGMA wal_autocheckpoint = {LOG}")

    def has_time(self) -> bool:
        return self.end == FOREVER or time.monotonic() < self.end

    # -- by age --------------------------------------------------------------------------------------------------------

    def by_age(self, at: int) -> int:
        """Delete rows in order of arrival, up to the first row young enough.

        The time in a row is from the clock of its day. A row of today with a time of years ago stays, as younger
        rows came in before it; a row with a time in the future holds no other row back.
        """
        end = self._first_young(at)
        some = f"SELECT w, n FROM entries WHERE id < ? AND w IS NOT NULL ORDER BY id LIMIT {SOME}"  # noqa: S608
        gone, before = 0, -1
        while gone > before and self.has_time():
            before = gone
            found = self.connection.execute(f"SELECT w, max(n) FROM ({some}) GROUP BY w", (end,)).fetchall()  # noqa: S608
            gone += self._let_go(dict(found))
        return gone

    def _first_young(self, at: int) -> int:
        """The id of the first row young enough, or the id after the last row."""
        found = self.connection.execute(YOUNG, (at, int(time.time() * 1000) + DAY)).fetchone()
        last = "SELECT coalesce(max(id), 0) + 1 FROM entries"
        return int((found or self.connection.execute(last).fetchone())[0])

    # -- by size -------------------------------------------------------------------------------------------------------

    def by_size(self, limit: int) -> int:
        """Delete in rounds until the size fits; each round measures the bytes freed by a row for the next."""
        gone, each = 0, GUESS
        while self.is_over(limit):
            size = self.ledger.size()
            weight, done = self._lighten((size - limit * ROOM) / each)
            gone += done
            if not done or not self._merge() or (freed := size - self.ledger.size()) <= 0:
                break
            each = freed / weight
        return gone

    def is_over(self, limit: int) -> bool:
        """By the true size: leftovers of deleted rows in the text index are merged away first."""
        return self.ledger.size() > limit and self._merge() and self.ledger.size() > limit

    def _lighten(self, wanted: float) -> tuple[int, int]:
        """Delete the oldest rows with texts of the wanted total length; gives the deleted length and rows."""
        weight = gone = 0
        while weight < wanted and self.has_time():
            ends: dict[str, int] = {}
            before = weight
            for writer, n, size in self._oldest():
                ends[writer] = max(n, ends.get(writer, 0))
                weight += size
                if weight >= wanted:
                    break
            done = self._let_go(ends)
            gone += done
            if weight == before or not done:
                break
        return weight, gone

    def _oldest(self) -> "Iterator[tuple[str, int, int]]":
        sql = f"SELECT w, n, length(body) FROM entries WHERE w IS NOT NULL ORDER BY id LIMIT {SOME}"  # noqa: S608
        return iter(self.connection.execute(sql).fetchall())

    # -- beforehand ----------------------------------------------------------------------------------------------------

    def preview(self, at: int, limit: int) -> tuple[int, bool]:
        """How many rows would go, and whether the number is exact: the space freed by size is an estimate."""
        end = self._first_young(at) if at else 0
        (old,) = self.connection.execute("SELECT count(*) FROM entries WHERE id < ?", (end,)).fetchone()
        heavy = self._excess(limit) if limit and self.is_over(limit) else 0
        return max(old, heavy), old >= heavy

    def _excess(self, limit: int) -> int:
        """Rows, if each frees its text's share of the whole."""
        (total,) = self.connection.execute("SELECT sum(length(body)) FROM entries").fetchone()
        wanted = total * (1 - limit * ROOM / self.ledger.size())
        weight = count = 0
        for (size,) in self.connection.execute("SELECT length(body) FROM entries ORDER BY id"):
            if weight >= wanted:
                break
            weight += size
            count += 1
        return count

    # -- piece after piece ---------------------------------------------------------------------------------------------

    def _let_go(self, ends: dict[str, int]) -> int:
        """Each of these chains up to a row, as far as time allows."""
        gone = 0
        for writer, number in ends.items():
            while self.has_time() and (done := self._piece(writer, number)):
                gone += done
                if self.tell is not None:
                    self.tell(self.gone + gone)
        self.gone += gone
        return gone

    def _piece(self, writer: str, number: int) -> int:
        """From the chain's beginning, never from its middle."""
        with database.write(self.connection) as connection:
            (first,) = connection.execute("SELECT min(n) FROM entries WHERE w = ?", (writer,)).fetchone()
            if first is None or first > number:
                return 0
            sql = "SELECT max(n) FROM entries WHERE w = ? AND n <= ?"
            key = (writer, connection.execute(sql, (writer, min(number, first + PIECE - 1))).fetchone()[0])
            (digest,) = connection.execute("SELECT hash FROM entries WHERE w = ? AND n = ?", key).fetchone()
            heads.note(self.ledger, [(heads.PRUNED, digest, key[1], writer)])
            connection.execute("INSERT OR REPLACE INTO pruned VALUES (?, ?, ?)", (*key, digest))
            chosen = "FROM entries WHERE w = ? AND n <= ?"
            connection.execute(f"INSERT INTO texts(texts, rowid, text) SELECT 'delete', {MARK}, {TEXT} {chosen}", key)
            gone = connection.execute(f"SELECT hash {chosen}", key).fetchall()
            census.change(connection, [row[0] for row in gone], -1)
            connection.execute(f"DELETE FROM unfinished WHERE id IN (SELECT id {chosen})", key)  # noqa: S608
            return connection.execute(f"DELETE {chosen}", key).rowcount

    # -- afterwards ----------------------------------------------------------------------------------------------------

    def finish(self) -> bool:
        """Make the file smaller; gives whether pruning had enough time."""
        is_done = self.has_time()
        if self.gone and self.end == FOREVER:
            self._merge()
        while self.has_time() and self.connection.execute("PRAGMA freelist_count").fetchone()[0]:
            self.connection.executescript(f"PRAGMA incremental_vacuum({PAGES})")  # `execute` stops after a page
        if self.gone and self.end == FOREVER:
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return is_done

    def _merge(self) -> bool:
        """Merge the text index step by step; gives whether the merge is complete. Finishes a begun merge first."""
        for pages in (MERGED, -MERGED) if self.ledger.fact("merging") else (-MERGED,):
            while self._merge_some(pages):
                pages = MERGED  # noqa: PLW2901 - a negative number begins, a positive one goes on
                if not self.has_time():
                    return False
        return True

    def _merge_some(self, pages: int) -> bool:
        with database.write(self.connection) as connection:
            before = connection.total_changes
            connection.execute("INSERT INTO texts(texts, rank) VALUES ('merge', ?)", (pages,))
            is_more = connection.total_changes - before >= WORK
            self.ledger.note("merging", "yes" if is_more else "")
        return is_more


def by_rows(connection: "Connection", now: float) -> float:
    """The time, as far as rows confirm the clock: two days after the third last day with rows.

    Otherwise a clock wrong for a day or two would make nearly every row look too old.
    """
    at = int(now * 1000) + 1
    for _ in range(DAYS):
        (newest,) = connection.execute("SELECT max(at) FROM entries WHERE at < ?", (at,)).fetchone()
        if newest is None:
            break
        at = newest - newest % DAY
    return min(now, (at + DAYS * DAY) / 1000)

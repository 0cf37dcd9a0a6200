"""Upkeep of the ledger: prune the oldest sealed segments, by age and by size; make the index anew, and read on in it.

Rows of open journals stay. The space freed by a row is known only afterwards: its words stay in the text index, marked
as deleted, until the index is merged. So pruning by size goes segment by segment, by an estimate, and is corrected the
next time.
"""

import os
import time

from hookkit.errors import HookkitError
from hookkit.ledger import segments
from hookkit.ledger.row_index import Ledger, path_of, shared_lock
from hookkit.system import database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from sqlite3 import Connection


FOREVER = float("inf")
DAY = 86_400_000  # ms
DAYS = 3  # different days with rows, before the clock's word for a date is taken
MILLION = 1_000_000
MERGED = 500  # pages of the text index to merge in a transaction
PAGES = 2_000  # free pages to give back at a time
CACHE = 64_000  # KB of the index to keep in memory while a person waits: rows are spread over nine indexes
LOG = 16_000  # pages of the write-ahead log before a checkpoint, while a person waits
WORK = 2  # changes; fewer mean the text index is fully merged
# The newest row of a source; a time in the future, of a wrong clock, does not count.
NEWEST = "SELECT count(*), max(CASE WHEN at < ? THEN at END) FROM entries WHERE source = ?"
READ = "SELECT id FROM sources WHERE name = ? AND is_sealed AND length < 0"


class Segment:
    __slots__ = ("name", "newest", "number", "rows", "size")

    def __init__(self, name: str, number: int, size: int, rows: int, newest: int | None) -> None:
        self.name = name
        self.number = number
        self.size = size
        self.rows = rows
        self.newest = newest or 0


class Pruning:
    """A run of pruning, with or without a time limit; the next run goes on with unfinished work."""

    def __init__(self, ledger: Ledger, seconds: float = 0, tell: "Callable[[int], None] | None" = None) -> None:
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

    def run(self, *, days: int, megabytes: int, now: float) -> int:
        for segment in self._chosen(days, megabytes, now):
            if not self.has_time():
                break
            segments.delete(self.ledger.environ, segment.name)
            while done := self.ledger.forget(segment.number):
                self.gone += done
                if self.tell is not None:
                    self.tell(self.gone)
        if self.finish():
            self.ledger.note("pruned", str(int(now)))
        return self.gone

    def preview(self, *, days: int, megabytes: int, now: float) -> tuple[int, bool]:
        """How many rows would go, and whether the number is exact: the space freed by size is an estimate."""
        by_age = sum(segment.rows for segment in self._chosen(days, 0, now))
        by_both = sum(segment.rows for segment in self._chosen(days, megabytes, now))
        return by_both, by_age == by_both

    def _chosen(self, days: int, megabytes: int, now: float) -> list[Segment]:
        """The segments to delete, the oldest: those before the first young one, and those beyond the size.

        Rows that a fleet's hub lacks go last, and only by size.
        """
        clock = by_rows(self.connection, now) if self.end != FOREVER else now  # a person has looked at the date
        oldest = int(clock * 1000) - days * DAY if days else 0
        size = self.ledger.size() if megabytes else 0
        (rows,) = self.connection.execute("SELECT count(*) FROM entries").fetchone()
        share = max(0, size - sum(self.ledger.sealed().values())) / max(1, rows)  # bytes of the index for a row
        unsent, chosen, last = segments.unsent(self.ledger.environ), [], []
        for segment in self._segments(now):
            is_heavy = megabytes and size > megabytes * MILLION
            if segment.newest >= oldest and not is_heavy:
                break
            if segment.name in unsent:
                last.append(segment)
                continue
            size -= segment.size + int(share * segment.rows)
            chosen.append(segment)
        for segment in last:
            if not megabytes or size <= megabytes * MILLION:
                break
            size -= segment.size + int(share * segment.rows)
            chosen.append(segment)
        return chosen

    def _segments(self, now: float) -> "Iterator[Segment]":
        """The segments that the index has read, oldest first; the first unread one ends the list."""
        for name, size in self.ledger.sealed().items():
            source = self.connection.execute(READ, (name,)).fetchone()
            if source is None:
                return
            row = self.connection.execute(NEWEST, (int(now * 1000) + DAY, source[0])).fetchone()
            yield Segment(name, source[0], size, *row)

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

    def _merge(self) -> None:
        """Merge the text index step by step. Finishes a begun merge first."""
        for pages in (MERGED, -MERGED) if self.ledger.fact("merging") else (-MERGED,):
            while self._merge_some(pages):
                pages = MERGED  # noqa: PLW2901 - a negative number begins, a positive one goes on

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


# -- the index: made anew by a person, read on and pruned by hooks between two events ----------------------------------


QUICK = 0.4  # seconds for a hook to spend on reading rows
SOME = 32  # journals for a hook to look at: a start adds only a single journal, so all have their turn
PATIENCE = 10.0  # seconds for pruning in the background
MINUTE = 60  # seconds between two beginnings of it: what is left may be too young to go
NICE = 10


def rebuild(
    environ: dict[str, str],
    tell: "Callable[[int], None] | None" = None,
    *,
    aside: str = "",
    change: "Callable[[], object] | None" = None,
) -> int:
    """Delete the index and read all files again; gives the number of lines. No hook has the index open meanwhile.

    `aside` is an ending for the old index, which is deleted without one; `change` is done while there is no index.
    """
    path = path_of(environ)
    lock = shared_lock(path, database.WAIT, shared=False)
    try:
        for ending in ("-wal", "-shm", ""):
            if os.path.lexists(path + ending):
                os.rename(path + ending, path + aside + ending) if aside else os.unlink(path + ending)
        if change is not None:
            change()
        with Ledger(environ, path=path) as ledger:
            count = ledger.fold(tell=tell)
            ledger.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        if lock >= 0:
            os.close(lock)
    return count


def fold_quickly(environ: dict[str, str], *, days: int, megabytes: int) -> None:
    """Work for a hook between two events: a bounded wait, a bounded time. The rest is left for the next hook.

    Pruning may take longer, so another process does it, which nobody waits for.
    """
    try:
        with Ledger(environ, wait=QUICK / 4) as ledger:
            ledger.fold(seconds=QUICK / 2, most=SOME)
            with database.said(ledger.path):
                _begin_pruning(ledger, days, megabytes)
    except database.BusyError:
        return


def _begin_pruning(ledger: Ledger, days: int, megabytes: int) -> None:
    environ, now = ledger.environ, time.time()
    is_large = megabytes and ledger.size() > megabytes * MILLION
    is_due = (is_large or ledger.is_due(now)) and ledger.is_due(now, "begun", MINUTE)
    if is_due and (segments.names(environ) or segments.is_due(environ, now)):
        from hookkit.system import running

        ledger.note("begun", str(int(now)))
        running.start_background("hookkit.ledger.upkeep", "prune", [str(days), str(megabytes)], environ)


def prune(days: str, megabytes: str) -> None:
    """In the background: the clock counts as far as rows bear it out, and an error is logged."""
    environ = dict(os.environ)
    os.nice(NICE)
    try:
        with Ledger(environ) as ledger:
            ledger.prune(days=int(days), megabytes=int(megabytes), now=time.time(), seconds=PATIENCE)
    except database.BusyError:
        return  # another process seals or reads: the next start of a session tries again
    except (HookkitError, OSError) as error:
        from hookkit.system import error_log

        error_log.try_to_record(environ, "ledger", error)

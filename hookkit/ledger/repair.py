"""Rebuild a damaged database from the journals and from its readable rows. No file is deleted."""

import os
import sqlite3

from hookkit.ledger import census, heads, health
from hookkit.ledger.chain import Chains
from hookkit.ledger.numbering import Numbers
from hookkit.ledger.store import Ledger, index, path_of, shared_lock
from hookkit.system import database, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

AFTER = "SELECT id, hash, body FROM entries NOT INDEXED WHERE id > ? ORDER BY id"
CHAIN = """INSERT INTO chains VALUES (?, ?, ?)
  ON CONFLICT (w) DO UPDATE SET n = excluded.n, hash = excluded.hash WHERE excluded.n > n"""
MOST = 1 << 60  # larger than any row number
# A row without a journal: changed or not, the database has the only copy.
TAKE = """INSERT OR IGNORE INTO entries (hash, body) SELECT hash, body FROM old
  WHERE json_valid(body) OR hash NOT IN (SELECT hash FROM entries) ORDER BY id"""
WAIT = 5.0  # seconds for hooks with the database open


class Repaired:
    __slots__ = ("aside", "findings", "folded", "has_new_ids", "lost", "salvaged")

    def __init__(self) -> None:
        self.aside = ""
        self.folded = 0
        self.salvaged = 0
        self.lost = 0  # unreadable places in the damaged file; not every place held a row
        self.findings = 0  # faults in the chains after the repair
        self.has_new_ids = False


def repair(environ: dict[str, str], tell: "Callable[[int], None] | None" = None) -> Repaired:
    """Build the new database beside the old database, and swap them at the end: an interrupted repair loses no row.

    Only a single process repairs, and no hook has the database open meanwhile; hooks go on writing to their journals.
    """
    path = path_of(environ)
    lock = shared_lock(path, WAIT, shared=False)
    try:
        done = _rebuilt(environ, path, f"{path}.new", tell)
    finally:
        if lock >= 0:
            os.close(lock)
    ledger = Ledger(environ)
    try:
        done.findings = len(Chains(ledger).verify())
    finally:
        ledger.close()
    return done


def _rebuilt(environ: dict[str, str], path: str, new: str, tell: "Callable[[int], None] | None") -> Repaired:
    """Journals first: a chain still in its journal is whole there, and is folded in its own order."""
    done = Repaired()
    for ending in ("", "-wal", "-shm"):
        if os.path.lexists(new + ending):
            os.unlink(new + ending)  # of an interrupted repair
    ledger = Ledger(environ, path=new)
    try:
        done.folded = ledger.fold(tell=tell)
        _salvage(done, ledger, path)
        ledger.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        ledger.close()
    done.aside = health.aside(path)
    for ending in ("", "-wal", "-shm"):
        if os.path.lexists(new + ending):
            os.rename(new + ending, path + ending)
    files.sync_directory(os.path.dirname(path))
    return done


def _salvage(done: Repaired, ledger: Ledger, path: str) -> None:
    try:
        old = sqlite3.connect(f"file:{database.quoted(path)}?mode=ro", uri=True, isolation_level=None)
    except database.FAILURES:
        return
    old.text_factory = bytes
    try:
        with database.said(ledger.path):
            _take(done, ledger, SalvagedRows(old))
    finally:
        old.close()


def _take(done: Repaired, ledger: Ledger, rows: "SalvagedRows") -> None:
    """Salvaged rows go to a table of their own first; a row known from a journal gives only its number."""
    ledger.connection.execute("CREATE TEMP TABLE old (id INTEGER PRIMARY KEY, hash TEXT, body TEXT)")
    with database.write(ledger.connection) as connection:
        connection.executemany("INSERT INTO old VALUES (?, ?, ?)", rows.texts())
        before = connection.total_changes
        last = connection.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()[0]
        connection.execute(TAKE)
        done.salvaged = connection.total_changes - before
        numbers = Numbers(connection)
        done.has_new_ids = not numbers.keep()
        if numbers.moved:
            connection.execute("INSERT INTO texts(texts) VALUES ('delete-all')")
            connection.execute("DELETE FROM unfinished")
        index(connection, 0 if numbers.moved else last)
        connection.executemany("INSERT OR IGNORE INTO pruned VALUES (?, ?, ?)", rows.table("pruned", "w, n, hash"))
        connection.executemany("INSERT OR IGNORE INTO anchors VALUES (?, ?, ?)", rows.table("anchors", "id, at, heads"))
        facts = [row for row in rows.table("facts", "name, value") if row[0] == heads.FACT]
        connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts)
        connection.executemany(CHAIN, rows.table("chains", "w, n, hash"))
        census.count_again(connection)
    done.lost = rows.lost


class SalvagedRows:
    """Readable rows of a damaged file: a bad page costs only its own rows."""

    def __init__(self, old: sqlite3.Connection) -> None:
        self.old = old
        self.lost = 0

    def texts(self) -> "Iterator[tuple[int, str, str]]":
        """Row after row; after a failure, go on behind the failed place."""
        last: int | None = 0
        while last is not None:
            try:
                for number, digest, body in self.old.execute(AFTER, (last,)):
                    if number <= last:
                        break  # a cycle of pages
                    last = number
                    if isinstance(digest, bytes) and isinstance(body, bytes):
                        yield number, digest.decode("utf-8", "replace"), body.decode("utf-8", "replace")
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
            if step > MOST:
                return None
        low, high = last + step // 2, last + step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._reads(middle) else (middle, high)
        return high

    def _reads(self, last: int) -> bool:
        try:
            self.old.execute(f"{AFTER} LIMIT 1", (last,)).fetchone()
        except database.FAILURES:
            return False
        return True

    def table(self, name: str, columns: str) -> "list[tuple[Any, ...]]":
        """A small table beside the rows; a binary value is the last of its row."""
        try:
            found = self.old.execute(f"SELECT {columns} FROM {name}").fetchall()  # noqa: S608 - names of ours
        except database.FAILURES:
            return []
        return [_plain(row, binary=name == "anchors") for row in found]


def _plain(row: "tuple[Any, ...]", *, binary: bool) -> "tuple[Any, ...]":
    *words, last = (value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in row)
    return (*words, row[-1] if binary else last)

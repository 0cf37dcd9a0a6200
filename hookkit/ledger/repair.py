"""A damaged database, made anew from the journals and from what of it can still be read. Nothing is deleted."""

import sqlite3

from hookkit.ledger import health
from hookkit.ledger.chain import Chains
from hookkit.ledger.numbering import Numbers
from hookkit.ledger.store import Ledger, index, path_of
from hookkit.system import database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AFTER = "SELECT id, hash, body FROM entries NOT INDEXED WHERE id > ? ORDER BY id"
MOST = 1 << 60  # no row has a number like that
# A row that no journal has any more: changed or not, it is all that is left of it.
TAKE = "INSERT OR IGNORE INTO entries (hash, body) SELECT hash, body FROM old WHERE json_valid(body) ORDER BY id"


class Repaired:
    __slots__ = ("aside", "findings", "folded", "has_new_ids", "lost", "salvaged")

    def __init__(self) -> None:
        self.aside = ""
        self.folded = 0
        self.salvaged = 0
        self.lost = 0  # places in the damaged file that could not be read; not each has to be a row's
        self.findings = 0  # what is wrong with the chains now
        self.has_new_ids = False


def repair(environ: dict[str, str], tell: "Callable[[int], None] | None" = None) -> Repaired:
    """Journals first: a chain that is still in its journal is whole there, and comes in in its own order."""
    done = Repaired()
    done.aside = health.aside(path_of(environ))
    ledger = Ledger(environ)
    try:
        done.folded = ledger.fold(tell=tell)
        _salvage(done, ledger)
        done.findings = len(Chains(ledger).verify())
    finally:
        ledger.close()
    return done


def _salvage(done: Repaired, ledger: Ledger) -> None:
    try:
        old = sqlite3.connect(f"file:{database.quoted(done.aside)}?mode=ro", uri=True, isolation_level=None)
    except sqlite3.Error:
        return
    old.text_factory = bytes
    try:
        with database.said(ledger.path):
            _take(done, ledger, SalvagedRows(old))
    finally:
        old.close()


def _take(done: Repaired, ledger: Ledger, rows: "SalvagedRows") -> None:
    """What was read stands in a table of its own first; a row that is known from a journal gives only its number."""
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
        connection.executemany("INSERT OR IGNORE INTO pruned VALUES (?, ?, ?)", rows.pruned())
    done.lost = rows.lost


class SalvagedRows:
    """What a damaged file still gives: a bad page costs the rows that are on it, and no others."""

    def __init__(self, old: sqlite3.Connection) -> None:
        self.old = old
        self.lost = 0

    def texts(self) -> "Iterator[tuple[int, str, str]]":
        """Row after row; where that fails, on behind the place where it failed."""
        last: int | None = 0
        while last is not None:
            try:
                for number, digest, body in self.old.execute(AFTER, (last,)):
                    if number <= last:
                        break  # pages that lead back to themselves
                    last = number
                    if isinstance(digest, bytes) and isinstance(body, bytes) and (digest + body).isascii():
                        yield number, digest.decode(), body.decode()
                else:
                    return
            except sqlite3.Error:
                pass
            self.lost += 1
            last = self._past(last)

    def _past(self, last: int) -> int | None:
        """The first number behind this one from which on something can be read: a bad page holds one row or many."""
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
        except sqlite3.Error:
            return False
        return True

    def pruned(self) -> "list[tuple[str, int, str]]":
        try:
            found = self.old.execute("SELECT w, n, hash FROM pruned").fetchall()
        except sqlite3.Error:
            return []
        return [(writer.decode(), n, digest.decode()) for writer, n, digest in found]

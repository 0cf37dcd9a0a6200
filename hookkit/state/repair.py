"""A damaged database, made anew from the journals and from what of it can still be read. Nothing is deleted."""

import sqlite3

from hookkit.state import db, health
from hookkit.state.ledger import TAKE, Ledger, index, path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STEP = 512  # rows that are asked for at once; where that fails, half of them
SMALLEST = 200  # bytes of a row: what a file of a size can hold at most


class Repaired:
    __slots__ = ("aside", "folded", "lost", "salvaged")

    def __init__(self) -> None:
        self.aside = ""
        self.folded = 0
        self.salvaged = 0
        self.lost = 0  # places in the damaged file that could not be read


def repair(environ: dict[str, str], tell: "Callable[[int], None] | None" = None) -> Repaired:
    """Journals first: a chain that is still in its journal is whole there, and comes in in its own order."""
    done = Repaired()
    done.aside = health.aside(path_of(environ))
    ledger = Ledger(environ)
    try:
        done.folded = ledger.fold(tell=tell)
        _salvage(done, ledger)
    finally:
        ledger.close()
    return done


def _salvage(done: Repaired, ledger: Ledger) -> None:
    try:
        old = sqlite3.connect(f"file:{db.quoted(done.aside)}?mode=ro", uri=True, isolation_level=None)
    except sqlite3.Error:
        return
    old.text_factory = bytes
    try:
        _take(done, ledger, Rows(old))
    finally:
        old.close()


def _take(done: Repaired, ledger: Ledger, rows: "Rows") -> None:
    with db.said(ledger.path), db.write(ledger.connection) as connection:
        last = connection.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()[0]
        before = connection.total_changes
        connection.executemany(TAKE, ((digest, body, body) for digest, body in rows.texts()))
        done.salvaged = connection.total_changes - before
        index(connection, last)
        connection.executemany("INSERT OR IGNORE INTO pruned VALUES (?, ?, ?)", rows.pruned())
    done.lost = rows.lost


class Rows:
    """What a damaged file still gives: asked for in ranges, so that a bad page costs the rows that are on it."""

    def __init__(self, old: sqlite3.Connection) -> None:
        self.old = old
        self.lost = 0

    def texts(self) -> "Iterator[tuple[str, str]]":
        for start in range(1, self._most() + 1, STEP):
            for digest, body in self._range(start, start + STEP - 1):
                if isinstance(digest, bytes) and isinstance(body, bytes) and (digest + body).isascii():
                    yield digest.decode(), body.decode()

    def _most(self) -> int:
        try:
            return int(self.old.execute("SELECT coalesce(max(id), 0) FROM entries NOT INDEXED").fetchone()[0])
        except sqlite3.Error:
            pass
        try:
            pages, size = (self.old.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        except sqlite3.Error:
            return 0
        return int(pages * size // SMALLEST)

    def _range(self, first: int, last: int) -> "list[tuple[object, object]]":
        sql = "SELECT hash, body FROM entries NOT INDEXED WHERE id BETWEEN ? AND ? ORDER BY id"
        try:
            return self.old.execute(sql, (first, last)).fetchall()
        except sqlite3.Error:
            if first == last:
                self.lost += 1
                return []
        middle = (first + last) // 2
        return self._range(first, middle) + self._range(middle + 1, last)

    def pruned(self) -> "list[tuple[str, int, str]]":
        try:
            found = self.old.execute("SELECT w, n, hash FROM pruned").fetchall()
        except sqlite3.Error:
            return []
        return [(writer.decode(), n, digest.decode()) for writer, n, digest in found]

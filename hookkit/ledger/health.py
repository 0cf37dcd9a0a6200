"""The ledger's health: its content, waiting journals, faults, and the fix of each fault."""

import os
import sqlite3
import time
from typing import NamedTuple

from hookkit.ledger import legacy, places, segments
from hookkit.ledger.row_index import Ledger, path_of
from hookkit.system import database, files

TRY = 0.3  # seconds to find out whether another process holds the database
LOOK = 1.0  # seconds for SQLite to look for damage: a database of a gigabyte takes ten
STEPS = 10_000  # of SQLite's machine between two looks at the clock
ROOM = 10_000_000  # free bytes of disk; below this, report a full disk
FIXES: dict[type[database.StateError], str] = {
    database.DamagedError: "hookkit ledger repair",
    database.NewerError: "update hookkit",
    database.BusyError: "wait for the other process to end; rows are kept in their journals meanwhile",
    database.StateError: "see who owns it and whether the disk is full; rows are kept in their journals meanwhile",
}


def counted(count: int, noun: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{count:,} {noun}" + "s" * (count != 1)


class Trouble(NamedTuple):
    """Something to know; `is_wrong` is something to act on."""

    what: str
    text: str
    fix: str
    is_wrong: bool = True


class Health:
    def __init__(self, environ: dict[str, str]) -> None:
        self.environ = environ
        self.path = path_of(environ)
        self.numbers: dict[str, int] = {}
        self.troubles: list[Trouble] = []
        for look in (self._database, self._places, self._journals, self._disk):
            look()

    def _database(self) -> None:
        damage = damage_of(self.path, LOOK)
        if damage:
            self.troubles.append(Trouble("damaged", f"{self.path}: {damage}", FIXES[database.DamagedError]))
            return
        try:
            with Ledger(self.environ, wait=TRY) as ledger, database.said(self.path):
                self._count(ledger)
                ledger.connection.execute("BEGIN IMMEDIATE")
                ledger.connection.execute("ROLLBACK")
        except (database.StateError, OSError) as error:
            self._broken(error)

    def _broken(self, error: Exception) -> None:
        kind = next((kind for kind in FIXES if type(error) is kind), database.StateError)
        names = {database.NewerError: "newer", database.BusyError: "locked", database.DamagedError: "damaged"}
        self.troubles.append(Trouble(names.get(kind, "closed"), str(error), FIXES[kind]))

    def _count(self, ledger: Ledger) -> None:
        ask = ledger.connection.execute
        (rows,) = ask("SELECT count(*) FROM entries INDEXED BY entries_at").fetchone()
        (first,), (last,) = (ask(f"SELECT {which}(at) FROM entries").fetchone() for which in ("min", "max"))  # noqa: S608
        (unfinished,) = ask("SELECT count(*) FROM unfinished").fetchone()
        (bad,) = ask("SELECT coalesce(sum(bad), 0) FROM sources").fetchone()
        waiting = ledger.waiting()
        self.numbers = {
            "rows": rows, "bytes": ledger.size(), "oldest": first or 0, "newest": last or 0, "unfinished": unfinished,
            "waiting_journals": len(waiting), "waiting_bytes": sum(size for _, size in waiting),
            "unreadable_lines": bad,
        }  # fmt: skip
        if bad:
            text = f"{counted(bad, 'line')} in journals, not written by us, left out"
            self.troubles.append(
                Trouble("spoilt", text, "hookkit ledger verify says whether rows are missing", is_wrong=False)
            )

    def _places(self) -> None:
        """The usual place of journals, and the fallback places in use."""
        home, *aside = places.places(self.environ)
        if places.is_lost(self.environ):
            fix = f"make {home} writable, or make room: until then every row is lost"
            self.troubles = [Trouble("nowhere", f"no row can be written: {home}: {places.refusal(home)}", fix)]
            return
        try:
            if os.path.lexists(home) and not places.is_ours(home):
                self.troubles.append(Trouble("foreign", f"{home}: not a directory of ours alone", f"remove {home}"))
            elif os.path.lexists(home) and not os.access(home, os.W_OK):
                self.troubles.append(Trouble("read-only", f"{home}: cannot be written to", f"chmod u+rwx {home}"))
        except OSError as error:
            self.troubles.append(Trouble("closed", f"{home}: {error.strerror}", "make its directory readable"))
        left = [path for path in places.paths(self.environ) if os.path.dirname(path) in aside]
        if left:
            aside_in = f"{counted(len(left), 'journal')} kept aside in {os.path.dirname(left[0])}"
            text = f"{aside_in}: the usual place was not to be had"
            self.troubles.append(Trouble("aside", text, "nothing: they are taken in with the others", is_wrong=False))

    def _journals(self) -> None:
        paths = places.paths(self.environ)
        self.numbers["journals"] = len(paths)
        self.numbers["segments"] = len(segments.names(self.environ))
        base, waiting = legacy.waiting(self.environ)
        if waiting or os.path.lexists(base):
            text = "rows of an earlier version of hookkit are not moved over yet"
            self.troubles.append(Trouble("earlier", text, "hookkit ledger list moves them", is_wrong=False))
        old = os.path.join(places.root(self.environ), legacy.OLD)
        if os.path.isdir(old) and os.listdir(old):
            text = f"{old}: files of an earlier version that could not be moved over whole"
            self.troubles.append(Trouble("old", text, "look at them, then remove them", is_wrong=False))
        for path in paths:
            if path.endswith(places.SPOILT):
                text = f"{path}: has lines that we did not write; its rows are taken in as far as they are ours"
                self.troubles.append(Trouble("spoilt", text, "look at it, then remove it", is_wrong=False))

    def _disk(self) -> None:
        try:
            disk = os.statvfs(files.state_dir(self.environ) or "/")
        except OSError:
            return
        if disk.f_bavail * disk.f_frsize < ROOM:
            self.troubles.append(Trouble("full", f"the disk of {self.path} is full", "make room"))


def damage_of(path: str, seconds: float = 0) -> str:
    """Damage found by SQLite's own check, within some seconds; empty for a whole or missing file."""
    if not os.path.isfile(path):
        return ""
    try:
        connection = sqlite3.connect(f"file:{database.quoted(path)}?mode=ro", uri=True)
        end = time.monotonic() + seconds
        if seconds:
            connection.set_progress_handler(lambda: int(time.monotonic() > end), STEPS)
        try:
            lines = [row[0] for row in connection.execute("PRAGMA quick_check(5)")]
        finally:
            connection.close()
    except database.FAILURES as error:
        if str(error) == "interrupted":
            return ""  # whole as far as the time allowed to look
        kind, words = database.describe(error)
        return words if kind is database.DamagedError else ""
    return "" if lines == ["ok"] else "; ".join(line.splitlines()[-1] for line in lines)

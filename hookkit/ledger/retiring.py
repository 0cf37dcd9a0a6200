"""Letting go of journals: first put aside, when their session has ended; deleted a day later.

A journal is deleted only after its rows are in the database file itself, synced, and its head is noted outside.
"""

import os
import time

from hookkit.ledger import heads, journal, places, tips
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.ledger.store import Ledger

DAY = 86_400
FOREVER = float("inf")
SOME = 32  # journals for a hook to look at
MANY = 200  # journals for a hook to delete
ENDED = b'"event":"SessionEnd"'
DONE = "retired"  # the fact with the time of the last full round over all journals


class Retirement:
    def __init__(self, ledger: "Ledger", now: float, seconds: float) -> None:
        self.ledger = ledger
        self.now = now
        self.end = time.monotonic() + seconds if seconds else FOREVER
        self.is_quick = bool(seconds)

    def run(self) -> None:
        chosen = self.ledger.turn(SOME, "aside") if self.is_quick else places.paths(self.ledger.environ, kept=False)
        for path in chosen:
            if self._has_time():
                self._put_aside(path)
        if self.is_quick and len(chosen) == SOME:
            self.ledger.note("aside", chosen[-1])
        if self.is_quick and not self.ledger.is_due(self.now, DONE):
            return
        kept = [path for path in places.paths(self.ledger.environ) if self._is_kept(path)]
        old = [path for path in kept if self._has_time() and self._age(path) > DAY]
        chosen = old[:MANY] if self.is_quick else old
        if self._delete(chosen) and self._has_time() and chosen == old:
            self.ledger.note(DONE, str(int(self.now)))

    def _has_time(self) -> bool:
        return time.monotonic() < self.end

    def _is_kept(self, path: str) -> bool:
        return os.path.basename(os.path.dirname(path)) == places.KEPT and path.endswith(places.ENDING)

    def _age(self, path: str) -> float:
        try:
            return self.now - os.lstat(path).st_mtime
        except OSError:
            return 0

    def _put_aside(self, path: str) -> None:
        """The tip stays: a resumed session goes on with the next number, in a new file."""
        try:
            handle = places.open_(path)
        except OSError:
            return
        try:
            if not path.endswith(places.ENDING) or not files.lock(handle) or not self._is_whole(path, handle):
                return
            is_idle = self.now - os.fstat(handle).st_mtime > DAY
            if is_idle or ENDED in os.pread(handle, journal.TAIL, max(0, os.fstat(handle).st_size - journal.TAIL)):
                shelf = places.shelf_of(path)
                files.private_dir(os.path.dirname(shelf))
                os.rename(path, shelf)
                self.ledger.connection.execute("UPDATE journals SET path = ? WHERE path = ?", (shelf, path))
        except (OSError, journal.SpoiltError):
            return
        finally:
            os.close(handle)

    def _is_whole(self, path: str, handle: int) -> bool:
        """Every line is in the database, and none was left out as unreadable."""
        known = self.ledger.known(path)
        return known is not None and not known[2] and known[1] == journal.end(handle)

    def _delete(self, paths: list[str]) -> bool:
        """Whether all of them are gone."""
        ready = [(path, last) for path in paths if (last := self._last(path)) is not None]
        if not ready:
            return True
        busy, *_ = self.ledger.connection.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
        if busy:
            return False  # rows may be in the write-ahead log alone: the journals stay
        heads.note(self.ledger, [(heads.HEAD, *last) for _, last in ready])
        for path, (_, _, writer) in ready:
            os.unlink(path)
            self.ledger.connection.execute("DELETE FROM journals WHERE path = ?", (path,))
            self._forget(os.path.dirname(os.path.dirname(path)), writer)
        return True

    def _last(self, path: str) -> "tips.Tip | None":
        try:
            handle = places.open_(path)
        except OSError:
            return None
        try:
            return journal.last(handle) if self._is_whole(path, handle) else None
        except journal.SpoiltError:
            return None
        finally:
            os.close(handle)

    def _forget(self, place: str, writer: str) -> None:
        """The tip of a session without any journal: if resumed later, the session begins a new chain."""
        name = writer.rpartition("-")[0]
        if not os.path.lexists(os.path.join(place, name + places.ENDING)):
            tips.remove(os.path.join(place, places.TIPS, name))

"""Upkeep of the index: made anew by a person, read on and pruned by hooks between two events."""

import os
import time

from hookkit.errors import HookkitError
from hookkit.ledger import segments
from hookkit.ledger.store import Ledger, path_of, shared_lock
from hookkit.system import database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

QUICK = 0.4  # seconds for a hook to spend on reading rows
SOME = 32  # journals for a hook to look at: a start adds only a single journal, so all have their turn
PATIENCE = 10.0  # seconds for pruning in the background
MINUTE = 60  # seconds between two beginnings of it: what is left may be too young to go
NICE = 10
MILLION = 1_000_000


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
        ledger = Ledger(environ, path=path)
        try:
            count = ledger.fold(tell=tell)
            ledger.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        finally:
            ledger.close()
    finally:
        if lock >= 0:
            os.close(lock)
    return count


def fold_quickly(environ: dict[str, str], *, days: int, megabytes: int) -> None:
    """Work for a hook between two events: a bounded wait, a bounded time. The rest is left for the next hook.

    Pruning may take longer, so another process does it, which nobody waits for.
    """
    try:
        ledger = Ledger(environ, wait=QUICK / 4)
    except database.BusyError:
        return
    try:
        ledger.fold(seconds=QUICK / 2, most=SOME)
        now = time.time()
        with database.said(ledger.path):
            is_large = megabytes and ledger.size() > megabytes * MILLION
            is_due = (is_large or ledger.is_due(now)) and ledger.is_due(now, "begun", MINUTE)
            if is_due and (segments.names(environ) or segments.is_due(environ, now)):
                from hookkit.system import running

                ledger.note("begun", str(int(now)))
                running.start_background("hookkit.ledger.upkeep", "prune", [str(days), str(megabytes)], environ)
    except database.BusyError:
        return
    finally:
        ledger.close()


def prune(days: str, megabytes: str) -> None:
    """In the background: the clock counts as far as rows bear it out, and an error is logged."""
    environ = dict(os.environ)
    os.nice(NICE)
    try:
        ledger = Ledger(environ)
        try:
            ledger.prune(days=int(days), megabytes=int(megabytes), now=time.time(), seconds=PATIENCE)
        finally:
            ledger.close()
    except database.BusyError:
        return  # another process seals or reads: the next start of a session tries again
    except (HookkitError, OSError) as error:
        from hookkit.system import error_log

        error_log.try_to_record(environ, "ledger", error)

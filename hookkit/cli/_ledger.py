"""Opening the ledger for a person."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from sqlite3 import Connection

from hookkit.cli._console import progress, stop, warn
from hookkit.errors import HookkitError
from hookkit.ledger import health
from hookkit.ledger.store import Ledger, path_of
from hookkit.system import database

WAIT = 2.0  # seconds for the lock of another process
HIGHEST = 2**62  # row numbers above this do not fit into the database


def fix(error: Exception) -> str:
    """The error with its remedy."""
    found = next(
        (words for kind, words in health.FIXES.items() if type(error) is kind), health.FIXES[database.StateError]
    )
    return f"{error}. Fix: {found}"


@contextmanager
def opened() -> Iterator[tuple[Connection, Ledger | None]]:
    """The ledger with all waiting rows taken in; where that fails, the rows it has, and a warning on stderr."""
    environ = dict(os.environ)
    try:
        ledger = Ledger(environ, wait=WAIT)
    except (database.StateError, OSError) as error:
        if isinstance(error, (database.NewerError, database.DamagedError)):
            stop(fix(error))
        with _only_read(path_of(environ), error) as connection:
            yield connection, None
        return
    try:
        with progress("taking in rows") as tell:
            ledger.fold(tell=tell)
    except database.StateError as error:
        warn(f"some rows are not taken in yet: {fix(error)}")
    try:
        with database.said(ledger.path):
            yield ledger.connection, ledger
    except database.StateError as error:
        stop(fix(error))
    finally:
        ledger.close()


@contextmanager
def _from_journals(error: Exception) -> Iterator[Connection]:
    """The rows of the journals, in a database that is gone afterwards, while the state cannot be written."""
    with tempfile.TemporaryDirectory(prefix="hookkit-") as directory:
        try:
            ledger = Ledger(dict(os.environ), path=os.path.join(directory, "ledger", "index.db"))
            if not ledger.fold():
                ledger.close()
                stop(fix(error))
        except (database.StateError, OSError):
            stop(fix(error))
        warn(f"only the rows that journals still hold: {fix(error)}")
        try:
            yield ledger.connection
        finally:
            ledger.close()


@contextmanager
def _only_read(path: str, error: Exception) -> Iterator[Connection]:
    try:
        connection = database.open_to_read(path)
    except HookkitError:
        with _from_journals(error) as rows:
            yield rows
        return
    warn(f"only the rows that the database already holds: {fix(error)}")
    try:
        with database.said(path):
            yield connection
    except database.StateError as trouble:
        stop(fix(trouble))
    finally:
        connection.close()

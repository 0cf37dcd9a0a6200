"""SQLite, always opened the same way: write-ahead log, a bounded wait, migrations.

A database is a file of hookkit's own in a directory of its own. A problem with the file is raised as a StateError with
the file's name.
"""

import os
import sqlite3
import stat

from hookkit.errors import HookkitError
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# A damaged schema is quoted in the message of SQLite, and Python fails to decode the message.
FAILURES = (sqlite3.Error, UnicodeDecodeError)
WAIT = 5.0  # seconds for the lock of another process, while a person waits


class StateError(HookkitError):
    """The database cannot be used: locked, read-only, full, damaged, or of a newer hookkit."""


class NewerError(StateError):
    """Written by a newer hookkit: this version must not touch the file."""


class BusyError(StateError):
    """Another process writes: the work can be done later."""


class DamagedError(StateError):
    """The file is no longer a database: a person has to repair it."""


def open_(path: str, migrations: "Sequence[str]", *, wait: float = WAIT) -> sqlite3.Connection:
    """The database with every migration applied; a missing file is made."""
    files.private_dir(os.path.dirname(path))
    if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
        raise StateError(f"{path}: not a regular file")  # SQLite would wait for ever at a FIFO
    if not os.path.exists(path):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    with said(path):
        connection = sqlite3.connect(path, timeout=wait, isolation_level=None, check_same_thread=False)
        connection.text_factory = _text
        try:
            _prepare(connection, path, migrations)
        except (*FAILURES, StateError):
            connection.close()
            raise
    return connection


def _text(data: bytes) -> str:
    """A damaged text is shown as far as it can be read."""
    return data.decode("utf-8", "replace")


def open_to_read(path: str) -> sqlite3.Connection:
    """The rows of a database that cannot be opened as usual. No file is written, not even beside the database."""
    if os.path.islink(path) or not os.path.isfile(path):
        raise StateError(f"{path}: no such file, or not a regular one")
    failure: Exception | None = None
    for mode in ("mode=ro", "immutable=1"):
        connection = sqlite3.connect(f"file:{quoted(path)}?{mode}", uri=True, isolation_level=None)
        connection.text_factory = _text
        try:
            connection.execute("SELECT 1 FROM sqlite_master").fetchall()
        except FAILURES as error:
            connection.close()
            failure = error
        else:
            return connection
    with said(path):
        raise failure or sqlite3.OperationalError("unable to open")


def quoted(path: str) -> str:
    """A path in a URI: characters that would end the path, or start options, are escaped."""
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _prepare(connection: sqlite3.Connection, path: str, migrations: "Sequence[str]") -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(migrations):
        raise NewerError(f"{path}: of version {version}, and this hookkit knows {len(migrations)}; update hookkit")
    if version == 0:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")  # a commit survives the process; a checkpoint survives the power
    connection.execute("PRAGMA wal_autocheckpoint = 256")
    if version < len(migrations):
        _migrate(connection, migrations)


def _migrate(connection: sqlite3.Connection, migrations: "Sequence[str]") -> None:
    """All steps in one transaction: when two processes open an old file, one of them migrates the file."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        for number, script in enumerate(migrations[version:], version + 1):
            for statement in script.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except FAILURES:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


class said:  # noqa: N801 - reads well: `with said(path):`
    """Errors of SQLite become StateErrors, with the file's name and in plain words."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, FAILURES):
            kind, words = describe(error)
            raise kind(f"{self.path}: {words}") from None


# Words in a message of SQLite, the kind of error, and our words for a person.
COMPLAINTS: "tuple[tuple[str, type[StateError], str], ...]" = (
    ("locked", BusyError, "in use by another process"),
    ("malformed", DamagedError, "damaged"),
    ("not a database", DamagedError, "damaged"),
    ("corrupt", DamagedError, "damaged"),
    ("no such table", DamagedError, "damaged"),
    ("no such column", DamagedError, "damaged"),
    ("disk I/O error", DamagedError, "cannot be read"),
    ("readonly", StateError, "read-only"),
    ("full", StateError, "the disk is full"),
    ("unable to open", StateError, "cannot be opened"),
)


def describe(error: Exception) -> "tuple[type[StateError], str]":
    if isinstance(error, UnicodeDecodeError):
        return DamagedError, "damaged (its schema is no longer text)"
    text = str(error)
    complaints = ((kind, f"{words} ({text})") for needle, kind, words in COMPLAINTS if needle in text)
    return next(complaints, (StateError, text))


def write(connection: sqlite3.Connection) -> "Transaction":
    return Transaction(connection)


class Transaction:
    """All or nothing. The lock is taken at the start, so that two writers queue instead of failing half-way."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def __enter__(self) -> sqlite3.Connection:
        self.connection.execute("BEGIN IMMEDIATE")
        return self.connection

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            self.connection.execute("COMMIT")
        elif self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

"""The database of sessions, efforts and tasks: queries, and changes as transactions."""

import os
import time

from hookkit.errors import HookkitError
from hookkit.system import database, files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from typing import Any


def now() -> int:
    """Milliseconds."""
    return time.time_ns() // 1_000_000


def listed(text: str) -> list[str]:
    """The texts of a JSON list; a damaged column counts as empty."""
    value = _value(text)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def facts(text: str) -> "dict[str, Any]":
    value = _value(text)
    return value if isinstance(value, dict) else {}


def _value(text: str) -> "Any":
    try:
        return jsons.loads(text.encode())
    except HookkitError:
        return None


def storable(text: str) -> str:
    """Lone surrogates are escaped: SQLite takes UTF-8 only, and an untrusted id may hold one."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def storable_values(values: "tuple[object, ...]") -> "list[object]":
    return [storable(value) if isinstance(value, str) else value for value in values]


MIGRATIONS = (
    """CREATE TABLE tasks (
  id INTEGER PRIMARY KEY, dir TEXT NOT NULL UNIQUE, project TEXT NOT NULL, title TEXT NOT NULL, keywords TEXT NOT NULL,
  created INTEGER NOT NULL
);
CREATE TABLE efforts (
  id INTEGER PRIMARY KEY, task INTEGER NOT NULL REFERENCES tasks, project TEXT NOT NULL, agent TEXT NOT NULL,
  skill TEXT NOT NULL, mode TEXT NOT NULL, ordinal INTEGER NOT NULL, phase TEXT NOT NULL DEFAULT '',
  lifecycle TEXT NOT NULL DEFAULT 'active' CHECK (lifecycle IN ('active', 'finished')),
  directives TEXT NOT NULL DEFAULT '[]', metadata TEXT NOT NULL DEFAULT '{}', preload TEXT NOT NULL DEFAULT '[]',
  loaded TEXT NOT NULL DEFAULT '[]', dehydrated TEXT NOT NULL DEFAULT '', created INTEGER NOT NULL, finished INTEGER
);
CREATE INDEX efforts_active ON efforts (project, agent, id) WHERE lifecycle = 'active';
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY, effort INTEGER REFERENCES efforts, client TEXT NOT NULL, part TEXT NOT NULL DEFAULT '',
  kind TEXT NOT NULL DEFAULT '', agent TEXT NOT NULL, project TEXT NOT NULL, previous INTEGER, source TEXT NOT NULL,
  heartbeat INTEGER NOT NULL DEFAULT 0, blocked INTEGER NOT NULL DEFAULT 0, usage REAL NOT NULL DEFAULT 0,
  warned INTEGER NOT NULL DEFAULT 0, loaded TEXT NOT NULL DEFAULT '[]', started INTEGER NOT NULL, ended INTEGER
);
CREATE INDEX sessions_client ON sessions (client, part, id);
CREATE INDEX sessions_effort ON sessions (effort, id);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY, effort INTEGER, session INTEGER, at INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX messages_effort ON messages (effort, id);
CREATE TABLE injections (id INTEGER PRIMARY KEY, effort INTEGER NOT NULL, at INTEGER NOT NULL, text TEXT NOT NULL)""",
    """ALTER TABLE sessions ADD COLUMN status TEXT NOT NULL DEFAULT 'done';
ALTER TABLE sessions ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN note TEXT NOT NULL DEFAULT ''""",
    """ALTER TABLE sessions ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET seen = max(since, started);
CREATE INDEX sessions_open ON sessions (project, agent) WHERE ended IS NULL""",
    """ALTER TABLE sessions ADD COLUMN preloaded TEXT NOT NULL DEFAULT '[]';
ALTER TABLE sessions ADD COLUMN window INTEGER NOT NULL DEFAULT 0""",
)


MOST = 500  # files remembered for a session or an effort
LONGEST = 200  # characters of AGENT_ID


class StoreChange:
    """A change of the database. Inside another one, the outer one is used."""

    __slots__ = ("connection", "failures", "is_inner", "transaction")

    def __init__(self, path: str, connection: "sqlite3.Connection") -> None:
        self.connection = connection
        self.failures = database.said(path)
        self.transaction = database.write(connection)
        self.is_inner = False

    def __enter__(self) -> None:
        self.is_inner = self.connection.in_transaction
        if not self.is_inner:
            with self.failures:
                self.transaction.__enter__()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not self.is_inner:
            with self.failures:
                self.transaction.__exit__(kind, error, trace)


class Work:
    def __init__(self, environ: dict[str, str], *, wait: float = database.WAIT) -> None:
        state = files.state_dir(environ)
        if not state:
            raise database.StateError("there is no home directory to keep sessions in")
        self.path = os.path.join(files.private_dir(state), "work.db")
        self.agent = storable(environ.get("AGENT_ID", "")[:LONGEST])
        self.connection = database.open_(self.path, MIGRATIONS, wait=wait)

    def close(self) -> None:
        self.connection.close()

    def rows(self, query: str, *values: object) -> "list[dict[str, Any]]":
        with database.said(self.path):
            cursor = self.connection.execute(query, storable_values(values))
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def row(self, query: str, *values: object) -> "dict[str, Any] | None":
        return next(iter(self.rows(query, *values)), None)

    def changing(self) -> StoreChange:
        return StoreChange(self.path, self.connection)

    def write(self, query: str, *values: object) -> int:
        """The new row's id for an INSERT, else the number of changed rows."""
        with self.changing(), database.said(self.path):
            cursor: sqlite3.Cursor = self.connection.execute(query, storable_values(values))
            return int(cursor.lastrowid or 0) if query.startswith("INSERT") else cursor.rowcount

    def note(self, effort: int | None, session: int | None, kind: str, body: object) -> int:
        """Adds a message to an effort."""
        return self.write(
            "INSERT INTO messages (effort, session, at, kind, body) VALUES (?, ?, ?, ?, ?)",
            effort, session, now(), kind, jsons.dumps(body),
        )  # fmt: skip

    def add(self, table: str, column: str, number: int, items: list[str]) -> list[str]:
        """Adds new items to a list column in one transaction; returns the items that were new."""
        with self.changing():
            row = self.row(f"SELECT {column} FROM {table} WHERE id = ?", number)  # noqa: S608 - names of ours
            stored = listed(row[column]) if row else []
            fresh = [item for item in dict.fromkeys(items) if item not in stored]
            if row and fresh:
                text = jsons.dumps([*stored, *fresh][-MOST:])
                self.write(f"UPDATE {table} SET {column} = ? WHERE id = ?", text, number)  # noqa: S608
        return fresh if row else []

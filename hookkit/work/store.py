"""The database of sessions, efforts and tasks: queries, and changes as transactions."""

import os

from hookkit.system import database, files, jsons
from hookkit.work.columns import listed, now, storable, storable_values
from hookkit.work.tables import MIGRATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from typing import Any

MOST = 500  # files remembered for a session or an effort
LONGEST = 200  # characters of AGENT_ID


class StoreChange:
    """A change of the database. Inside another one, the outer one is used."""

    __slots__ = ("connection", "is_inner", "said", "transaction")

    def __init__(self, path: str, connection: "sqlite3.Connection") -> None:
        self.connection = connection
        self.said = database.said(path)
        self.transaction = database.write(connection)
        self.is_inner = False

    def __enter__(self) -> None:
        self.is_inner = self.connection.in_transaction
        if not self.is_inner:
            with self.said:
                self.transaction.__enter__()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not self.is_inner:
            with self.said:
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

    def load(self, table: str, number: int, paths: list[str]) -> None:
        """Adds files to those that a session or an effort has read."""
        self.add(table, "loaded", number, paths)

    def add(self, table: str, column: str, number: int, items: list[str]) -> list[str]:
        """Adds new items to a list column in one transaction; returns the items that were new."""
        with self.changing():
            found = self.row(f"SELECT {column} FROM {table} WHERE id = ?", number)  # noqa: S608 - names of ours
            known = listed(found[column]) if found else []
            fresh = [item for item in dict.fromkeys(items) if item not in known]
            if found and fresh:
                kept = jsons.dumps([*known, *fresh][-MOST:])
                self.write(f"UPDATE {table} SET {column} = ? WHERE id = ?", kept, number)  # noqa: S608
        return fresh if found else []

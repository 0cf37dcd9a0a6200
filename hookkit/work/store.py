"""What the work is about, beyond one conversation: sessions, the efforts that they serve, the tasks those belong to.

A session is one context window and is never resumed. An effort lives on across sessions until it is finished. A task
is a directory, and never ends. Agents are told apart by AGENT_ID; without one, a project's latest effort is meant.
"""

import os
import time

from hookkit.errors import HookkitError
from hookkit.system import database, files, jsons
from hookkit.work.tables import MIGRATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from typing import Any

STATUSES = ("error", "attention", "working", "checked", "done")  # the most urgent first
MOST = 500  # files that are remembered of a session or an effort
LONGEST = 200  # characters of an id: the rest of a stranger's is not kept
MONTH = 30 * 86_400_000  # milliseconds; failures are let go after that


class Found:
    """Where an event belongs; what could not be told is None, and whoever asks leaves it alone."""

    __slots__ = ("effort", "session")

    def __init__(self, session: "dict[str, Any] | None", effort: "dict[str, Any] | None") -> None:
        self.session = session
        self.effort = effort


class Change:
    """All that is done inside is one transaction, also where it is inside of another."""

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
        self.agent = text_of(environ.get("AGENT_ID", "")[:LONGEST])
        self.connection = database.open_(self.path, MIGRATIONS, wait=wait)

    def close(self) -> None:
        self.connection.close()

    # Asking.

    def rows(self, query: str, *values: object) -> "list[dict[str, Any]]":
        with database.said(self.path):
            cursor = self.connection.execute(query, _kept(values))
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def row(self, query: str, *values: object) -> "dict[str, Any] | None":
        return next(iter(self.rows(query, *values)), None)

    def effort_of(self, project: str) -> "dict[str, Any] | None":
        """The agent's latest active effort for this project; without an AGENT_ID anybody's."""
        mine = "AND agent = ?" if self.agent else "AND ? = ''"
        return self.row(
            f"SELECT * FROM efforts WHERE project = ? AND lifecycle = 'active' {mine} ORDER BY id DESC LIMIT 1",  # noqa: S608
            project,
            self.agent,
        )

    def find(self, client: str, part: str) -> Found:
        """By the client's own ids: the open session and its effort."""
        session = self.row(
            "SELECT * FROM sessions WHERE client = ? AND part = ? AND ended IS NULL ORDER BY id DESC LIMIT 1",
            client[:LONGEST],
            part[:LONGEST],
        )
        effort = session["effort"] if session is not None else None
        return Found(session, self.row("SELECT * FROM efforts WHERE id = ?", effort) if effort is not None else None)

    # Changing.

    def changing(self) -> Change:
        return Change(self.path, self.connection)

    def write(self, query: str, *values: object) -> int:
        """By itself, or as part of the change that is being made."""
        with self.changing(), database.said(self.path):
            cursor: sqlite3.Cursor = self.connection.execute(query, _kept(values))
            return int(cursor.lastrowid or 0) if query.startswith("INSERT") else cursor.rowcount

    def start(self, client: str, project: str, *, source: str, part: str = "", kind: str = "") -> int:
        """Always a new session: of the parent's effort for a part of one, else of the agent's effort."""
        client, part, moment = client[:LONGEST], part[:LONGEST], now()
        with self.changing():
            effort = self.find(client, "").effort if part else self.effort_of(project)
            number = effort["id"] if effort is not None else None
            last = self.row("SELECT max(id) AS id FROM sessions WHERE effort = ? AND part = ?", number, part)
            self._close("client = ? AND part = ?", client, part)
            self.write("DELETE FROM messages WHERE kind = 'failure' AND at < ?", moment - MONTH)
            return self.write(
                "INSERT INTO sessions (effort, client, part, kind, agent, project, previous, source, started, since,"
                " seen, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                number, client, part, kind[:LONGEST], self.agent, project, last["id"] if last else None,
                source[:LONGEST], moment, moment, moment, "working" if part else "checked",
            )  # fmt: skip

    def end(self, session: int) -> None:
        """What a part has read, its effort knows from then on."""
        with self.changing():
            found = self.row("SELECT effort, part, loaded FROM sessions WHERE id = ?", session)
            if found is not None and found["part"] and found["effort"] is not None:
                self.load("efforts", found["effort"], listed(found["loaded"]))
            self._close("id = ?", session)

    def end_all(self, client: str) -> None:
        """The client is gone, and its parts with it."""
        client = client[:LONGEST]
        for row in self.rows("SELECT id FROM sessions WHERE client = ? AND ended IS NULL ORDER BY id", client):
            self.end(row["id"])

    def _close(self, which: str, *values: object) -> None:
        moment = now()
        self.write(
            f"UPDATE sessions SET ended = ?, status = 'done', since = ?, seen = ? WHERE {which} AND ended IS NULL",  # noqa: S608 - our own words
            moment, moment, moment, *values,
        )  # fmt: skip

    def beat(self, session: int) -> int:
        """One more tool call since the last log entry."""
        self.write("UPDATE sessions SET heartbeat = heartbeat + 1 WHERE id = ?", session)
        found = self.row("SELECT heartbeat FROM sessions WHERE id = ?", session)
        return int(found["heartbeat"]) if found else 0

    def note(self, effort: int | None, session: int | None, kind: str, body: object) -> int:
        return self.write(
            "INSERT INTO messages (effort, session, at, kind, body) VALUES (?, ?, ?, ?, ?)",
            effort, session, now(), kind, jsons.dumps(body),
        )  # fmt: skip

    def load(self, table: str, number: int, paths: list[str]) -> None:
        """Add to the files that a session, or an effort, has in its context."""
        self.add(table, "loaded", number, paths)

    def add(self, table: str, column: str, number: int, items: list[str]) -> list[str]:
        """Add to a column's list what is not there yet, and say what that was; two who do so at once both get in."""
        with self.changing():
            found = self.row(f"SELECT {column} FROM {table} WHERE id = ?", number)  # noqa: S608 - names of ours
            known = listed(found[column]) if found else []
            fresh = [item for item in dict.fromkeys(items) if item not in known]
            if found and fresh:
                kept = jsons.dumps([*known, *fresh][-MOST:])
                self.write(f"UPDATE {table} SET {column} = ? WHERE id = ?", kept, number)  # noqa: S608
        return fresh if found else []

    def take_injections(self, effort: int) -> list[str]:
        """What is to be told, for the one who asks first; what was told stays among the effort's messages."""
        if self.row("SELECT 1 FROM injections WHERE effort = ? LIMIT 1", effort) is None:
            return []  # nearly always: no lock for that
        with self.changing():
            texts = [
                str(row["text"])
                for row in self.rows("SELECT text FROM injections WHERE effort = ? ORDER BY id", effort)
            ]
            self.write("DELETE FROM injections WHERE effort = ?", effort)
            for text in texts:
                self.note(effort, None, "injected", {"text": text})
        return texts

    def take_dehydrated(self, effort: int) -> str:
        """What the last session wrote down for the next; it stays among the effort's messages."""
        with self.changing():
            found = self.row("SELECT dehydrated FROM efforts WHERE id = ?", effort)
            text = str(found["dehydrated"]) if found else ""
            if text:
                self.write("UPDATE efforts SET dehydrated = '' WHERE id = ?", effort)
                self.note(effort, None, "rehydrated", {"text": text})
        return text

    def task(self, directory: str, project: str, title: str = "", keywords: str = "") -> int:
        """The task of a directory; made when it is first spoken of."""
        found = self.row("SELECT id FROM tasks WHERE dir = ?", directory)
        if found is not None:
            return int(found["id"])
        name = title or os.path.basename(directory)
        return self.write(
            "INSERT INTO tasks (dir, project, title, keywords, created) VALUES (?, ?, ?, ?, ?)",
            directory, project, name, keywords, now(),
        )  # fmt: skip

    def begin(self, directory: str, project: str, skill: str, mode: str = "") -> int:
        """A new effort on a task, numbered among its others; open sessions of the agent go on under it."""
        with self.changing():
            task = self.task(directory, project)
            count = self.row("SELECT count(*) AS n FROM efforts WHERE task = ?", task)
            number = self.write(
                "INSERT INTO efforts (task, project, agent, skill, mode, ordinal, created)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                task, project, self.agent, skill, mode, (count["n"] if count else 0) + 1, now(),
            )  # fmt: skip
            self.write(
                "UPDATE sessions SET effort = ?, heartbeat = 0, blocked = 0"
                " WHERE project = ? AND agent = ? AND ended IS NULL",
                number, project, self.agent,
            )  # fmt: skip
        return number


def now() -> int:
    return time.time_ns() // 1_000_000


def listed(text: str) -> list[str]:
    """A column that holds a list of texts; one that somebody spoilt holds none."""
    found = _value(text)
    return [item for item in found if isinstance(item, str)] if isinstance(found, list) else []


def facts(text: str) -> "dict[str, Any]":
    found = _value(text)
    return found if isinstance(found, dict) else {}


def _value(text: str) -> "Any":
    try:
        return jsons.loads(text.encode())
    except HookkitError:
        return None


def text_of(text: str) -> str:
    """What a database can hold: half of a pair of surrogates is no character, and a stranger's id may be one."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _kept(values: "tuple[object, ...]") -> "list[object]":
    return [text_of(value) if isinstance(value, str) else value for value in values]


def effort_facts(client: str, environ: dict[str, str]) -> "dict[str, Any]":
    """What conditions may ask about the effort that a session belongs to; nothing where there is none."""
    if not os.path.exists(os.path.join(files.state_dir(environ), "work.db")):
        return {}
    work = Work(environ, wait=0.2)
    try:
        effort = work.find(client, "").effort
    finally:
        work.close()
    if effort is None:
        return {}
    shown = {name: effort[name] for name in ("id", "skill", "mode", "phase", "lifecycle", "agent", "ordinal")}
    return {**facts(effort["metadata"]), **shown}

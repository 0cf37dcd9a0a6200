"""What is in the ledger, as rows: one a tool call, with its outcome, and one for every other event.

A filter is about a row's text; of a call, its request is asked first and its outcome where the request does not match.
"""

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from heapq import merge
from sqlite3 import Connection
from typing import Any

from hookkit.state.tables import ENDED, ENDINGS, REQUEST, text_of
from hookkit.state.texts import holder, query, words

ENOUGH = 5_000  # rows after which a filter counts as a wide one: no need to know how wide
COLUMNS = (
    "verdict",
    "kind",
    "session",
    "tool",
    "actor",
    "project",
    "event",
)  # of equally wide ones, which to begin with
NAMED = 200  # values that a pattern may stand for
OUTCOMES = {"deny": "denied", "ask": "asked", "defer": "deferred"}


class Filters:
    """What to look for: each column's values, a time, a text."""

    __slots__ = ("columns", "since", "text", "unfinished", "until")

    def __init__(self, *, since: int = 0, until: int = 0, text: str = "", unfinished: bool = False) -> None:
        self.columns: dict[str, list[str]] = {}
        self.since = since
        self.until = until
        self.text = text
        self.unfinished = unfinished


class Entry:
    """A row; of a call's request, also the row that ended it."""

    __slots__ = ("anchor", "body", "hash", "id", "outcome")

    def __init__(self, number: int, digest: str, body: str) -> None:
        self.id = self.anchor = number  # the row that was found, which may be the outcome's
        self.hash = digest
        self.body = _fields(body)
        self.outcome: Entry | None = None

    def get(self, name: str) -> Any:
        """A field of the request, or where it has none, of the outcome."""
        value = self.body.get(name)
        return value if value is not None or self.outcome is None else self.outcome.body.get(name)

    @property
    def state(self) -> str:
        """What came of a call; nothing for an event that is none."""
        last = self.outcome if self.outcome is not None else self
        event = last.body.get("event")
        if event in ENDINGS:
            return "denied" if event == "PermissionDenied" else str(last.body.get("outcome", "done"))
        if event == REQUEST:
            return OUTCOMES.get(str(self.body.get("verdict")), "unfinished")
        return ""

    @property
    def subject(self) -> str:
        """What it was about, in a line."""
        given = self.body.get("input")
        more = self.body.get("more")
        for text in (
            given.get("command") if isinstance(given, dict) else None,
            self.get("path"),
            json.dumps(given, ensure_ascii=False) if given else None,
            next((value for value in more.values() if isinstance(value, str)), None)
            if isinstance(more, dict)
            else None,
        ):
            if isinstance(text, str) and text:
                return text
        return ""


def _fields(body: str) -> dict[str, Any]:
    """A row that somebody changed need not be JSON any more; it is shown all the same."""
    try:
        found = json.loads(body)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"event": "unreadable", "more": {"text": body}}


def find(connection: Connection, filters: Filters, limit: int, before: int = 0) -> list[Entry]:
    """The newest rows that match, newest first; `before` is the last row of the page before."""
    place = connection.execute("SELECT at, id FROM entries WHERE id = ?", (before,)).fetchone() if before else None
    if before and place is None:
        return []
    connection.create_function("holds", 1, holder(filters.text), deterministic=True)
    if filters.unfinished:
        streams = [_unfinished(connection, filters, place)]
    elif filters.text and _driver(connection, filters)[1] >= ENOUGH:
        streams = [_by_text(connection, filters, place)]
    else:
        streams = _by_column(connection, filters, place)
    found = merge(*streams, reverse=True)
    numbers = [number for _, (_, number) in zip(range(limit), found, strict=False)]
    return [entry for number in numbers if (entry := one(connection, number)) is not None]


Place = tuple[int, int] | None
Stream = Iterator[tuple[int, int]]


def _by_column(connection: Connection, filters: Filters, place: Place) -> list[Stream]:
    """Along the index of the narrowest filter, one stream for each of its values, so that each is in order of time."""
    column, _ = _driver(connection, filters)
    if not column:
        return [_stream(connection, "entries e INDEXED BY entries_at", filters, place, [], [])]
    table = f"entries e INDEXED BY entries_{column}"
    values = filters.columns[column]
    return [_stream(connection, table, filters, place, [f"e.{column} = ?"], [value]) for value in values]


def _by_text(connection: Connection, filters: Filters, place: Place) -> Stream:
    """The texts are in order of time themselves; the row is looked up by the time that a text's number begins with."""
    last = place[0] if place else filters.until
    start = f" AND texts.rowid >= {filters.since << 20}" + (f" AND texts.rowid < {last + 1 << 20}" if last else "")
    table = "texts CROSS JOIN entries e INDEXED BY entries_at"
    own = [f"texts MATCH ?{start}", "e.at = texts.rowid >> 20", "(e.id & 1048575) = (texts.rowid & 1048575)"]
    return _stream(connection, table, filters, place, own, [query(filters.text)], order="texts.rowid DESC")


def _unfinished(connection: Connection, filters: Filters, place: Place) -> Stream:
    table = "unfinished u CROSS JOIN entries e"
    return _stream(connection, table, filters, place, ["e.id = u.id"], [], order="u.at DESC, u.id DESC")


def _stream(
    connection: Connection, table: str, filters: Filters, place: Place, own: list[str], values: list[Any],
    order: str = "e.at DESC, e.id DESC",
) -> Stream:  # fmt: skip
    wanted, more = _conditions(filters, "e", has_text="texts" not in table)
    again, last = _conditions(filters, "r")
    where = [*own, *wanted]
    if place:
        where.append("(e.at, e.id) < (?, ?)")
        more += place
    where.append(
        f"NOT (+e.event IN ({ENDED}) AND e.call IS NOT NULL AND EXISTS"  # noqa: S608 - names of ours alone
        f" (SELECT 1 FROM entries r INDEXED BY entries_call"
        f" WHERE {' AND '.join(['r.call = e.call', f'r.event = {REQUEST!r}', 'r.session IS e.session', *again])}))"
    )
    sql = f"SELECT e.at, e.id FROM {table} WHERE {' AND '.join(where)} ORDER BY {order}"  # noqa: S608 - names of ours
    yield from connection.execute(sql, [*values, *more, *last])


def _conditions(filters: Filters, row: str, *, has_text: bool = True) -> tuple[list[str], list[Any]]:
    """Plus signs keep SQLite from another index than the one that was chosen."""
    said: list[str] = []
    values: list[Any] = []
    for column, wanted in filters.columns.items():
        said.append(f"+{row}.{column} IN ({', '.join('?' * len(wanted))})")
        values += wanted
    for sign, at in ((">=", filters.since), ("<", filters.until)):
        if at:
            said.append(f"{row}.at {sign} ?")
            values.append(at)
    if filters.text and has_text:
        for word in words(filters.text):
            said.append(f"({row}.body LIKE ? OR {row}.body LIKE '%\\u%')")  # most rows are out before they are read
            values.append(f"%{word.rstrip('*')}%")
        said.append(f"holds({text_of(row)})")
    return said, values


def _driver(connection: Connection, filters: Filters) -> tuple[str, int]:
    """The column whose values are the rarest, as far as is worth counting."""
    best, least = "", ENOUGH + 1
    for column in COLUMNS:
        if column in filters.columns:
            count = sum(_count(connection, column, value, filters) for value in filters.columns[column])
            if count < least:
                best, least = column, count
    return best, least


def _count(connection: Connection, column: str, value: str, filters: Filters) -> int:
    sql = f"SELECT 1 FROM entries INDEXED BY entries_{column} WHERE {column} = ? AND at >= ? LIMIT {ENOUGH}"  # noqa: S608
    (count,) = connection.execute(f"SELECT count(*) FROM ({sql})", (value, filters.since)).fetchone()  # noqa: S608
    return int(count)


def values(connection: Connection, column: str, wanted: str) -> list[str]:
    """What a filter's word stands for: itself, what it is the beginning of (a session), or what its stars match."""
    starred, prefix = "*" in wanted, wanted.partition("*")[0]
    if not starred and column != "session":
        return [wanted]
    found: list[str] = []
    sql = f"SELECT min({column}) FROM entries INDEXED BY entries_{column} WHERE {column} > ?"  # noqa: S608
    at = connection.execute(sql.replace(">", ">="), (prefix,)).fetchone()[0]
    while at is not None and at.startswith(prefix) and len(found) < NAMED:
        found += [at] if not starred or fnmatchcase(at, wanted) else []
        (at,) = connection.execute(sql, (at,)).fetchone()
    return found


def one(connection: Connection, number: int) -> Entry | None:
    """A row, with its outcome; the outcome's own number shows the call that it ended."""
    row = connection.execute("SELECT id, hash, body FROM entries WHERE id = ?", (number,)).fetchone()
    if row is None:
        return None
    entry = Entry(*row)
    call, session, event = (entry.body.get(name) for name in ("call", "session", "event"))
    if call and event == REQUEST:
        entry.outcome = _linked(connection, call, session, ENDED)
    elif call and event in ENDINGS:
        request = _linked(connection, call, session, f"'{REQUEST}'")
        if request is not None:
            request.outcome, request.anchor = entry, number
            return request
    return entry


def _linked(connection: Connection, call: str, session: str | None, events: str) -> Entry | None:
    sql = f"SELECT id, hash, body FROM entries INDEXED BY entries_call WHERE call = ? AND event IN ({events})"  # noqa: S608
    row = connection.execute(f"{sql} AND session IS ? ORDER BY id DESC LIMIT 1", (call, session)).fetchone()
    return Entry(*row) if row is not None else None


def after(connection: Connection, number: int, limit: int) -> Iterator[Entry]:
    """Rows that came in after this one, in the order in which they came."""
    sql = "SELECT id, hash, body FROM entries WHERE id > ? ORDER BY id LIMIT ?"
    for row in connection.execute(sql, (number, limit)):
        yield Entry(*row)


def rows(connection: Connection, filters: Filters) -> Iterator[tuple[int, str, str]]:
    """Every row that matches by itself, in the order in which it came in: number, hash and text as written."""
    connection.create_function("holds", 1, holder(filters.text), deterministic=True)
    where, given = _conditions(filters, "e")
    if filters.unfinished:
        where.append("e.id IN (SELECT id FROM unfinished)")
    chosen = f" WHERE {' AND '.join(where)}" if where else ""
    yield from connection.execute(f"SELECT e.id, e.hash, e.body FROM entries e{chosen} ORDER BY e.id", given)  # noqa: S608

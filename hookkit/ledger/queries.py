"""Queries on the ledger: a result is a tool call with its outcome, or any other event.

A filter tests a row's text. For a call, the request is tested first, and the outcome if the request does not match.
"""

import re
import time
from collections import Counter
from collections.abc import Generator, Iterator
from fnmatch import fnmatchcase
from heapq import merge
from sqlite3 import Connection
from typing import Any
from unicodedata import combining, normalize

from hookkit.ledger.tables import ENDED, ENDINGS, REQUEST, Entry, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def words(text: str) -> list[str]:
    """Split a text like the index: letters and digits, without case and accents. A star after a word stays."""
    plain = normalize("NFD", text.lower())
    return re.findall(r"[^\W_]+\*?", "".join(char for char in plain if not combining(char)))


def query(text: str) -> str:
    """Require every word, or with a star the beginning of a word; no word is read as an operator."""
    return " ".join(f'"{word.rstrip("*")}"' + "*" * word.endswith("*") for word in words(text)) or '""'


def holder(text: str) -> "Callable[[str], bool]":
    """The same test for a single row's text: cheaper than a query of the index for a known row."""
    wanted = words(text)
    whole = {word for word in wanted if not word.endswith("*")}
    begun = [word[:-1] for word in wanted if word.endswith("*")]

    def holds(text: str) -> bool:
        present = {word.rstrip("*") for word in words(text)}
        return whole <= present and all(any(word.startswith(start) for word in present) for start in begun)

    return holds


ENOUGH = 5_000  # rows; a filter with more matches counts as wide, without an exact count
# Index preference among equally wide filters; with the other columns of each index, readable without the row.
COVERS = {
    "verdict": {"tool", "actor", "event", "project"},
    "kind": set(),
    "session": set(),
    "tool": {"verdict", "actor", "event"},
    "actor": {"tool", "verdict", "event"},
    "project": {"tool", "actor", "event"},
    "event": {"tool", "verdict", "actor"},
}
# Events without information beyond the call's own rows; `--event` shows them.
FOLDED = "'PostToolBatch', 'PermissionRequest'"
LOOKED_AT = 5_000  # calls to look at for those in which hookkit did something
NAMED = 200  # values to expand a pattern into, at most


class Filters:
    """Search conditions: values for columns, a time, a text; `silent` means rows without a verdict of hookkit."""

    __slots__ = ("columns", "silent", "since", "text", "unfinished")

    def __init__(self, *, since: int = 0, text: str = "", unfinished: bool = False) -> None:
        self.columns: dict[str, list[str]] = {}
        self.since = since
        self.text = text
        self.unfinished = unfinished
        self.silent = False


def find(connection: Connection, filters: Filters, limit: int, before: int = 0) -> list[Entry]:
    """The newest matching calls and events, newest first; `before` is the last row of the page before."""
    position = connection.execute("SELECT at, id FROM entries WHERE id = ?", (before,)).fetchone() if before else None
    if before and position is None:
        return []
    numbers = RowSearch(connection, filters, position).numbers(limit)
    return [entry for number in numbers if (entry := one(connection, number)) is not None]


def latest(connection: Connection, filters: Filters, limit: int) -> list[Entry]:
    """The newest rows matching by themselves, oldest first; an outcome is a row of its own here."""
    numbers = RowSearch(connection, filters, None, by_call=False).numbers(limit)
    sql = "SELECT id, hash, body FROM entries WHERE id = ?"
    return [Entry(*connection.execute(sql, (number,)).fetchone()) for number in reversed(numbers)]


Place = tuple[int, int] | None
Stream = Iterator[tuple[int, int]]


class RowSearch:
    """Rows by time and number, newest first, along the index with the fewest rows to look at."""

    def __init__(self, connection: Connection, filters: Filters, place: Place, *, by_call: bool = True) -> None:
        self.connection = connection
        self.filters = filters
        self.place = place
        self.by_call = by_call
        connection.create_function("holds", 1, holder(filters.text), deterministic=True)

    def numbers(self, limit: int) -> list[int]:
        pairs = merge(*self._streams(), reverse=True)
        return [number for _, (_, number) in zip(range(limit), pairs, strict=False)]

    def _streams(self) -> list[Stream]:
        if self.filters.unfinished:
            table, order = "unfinished u CROSS JOIN entries e", "u.at DESC, u.id DESC"
            return [self._stream(table, ["e.id = u.id"], [], order)]
        column, count = _driver(self.connection, self.filters)
        if self.filters.text and count >= ENOUGH:
            return [self._by_text(column)]
        if not column:
            return [self._stream("entries e INDEXED BY entries_at", [], [])]
        table, values = f"entries e INDEXED BY entries_{column}", self.filters.columns[column]
        return [self._stream(table, [f"e.{column} = ?"], [value]) for value in values]  # each is in order of time

    def _by_text(self, column: str) -> Stream:
        """The texts are in order of time themselves; the number of a text begins with the time of its row.

        Rows are looked up in the index of a filtered column, if any, to skip other rows without reading them.
        """
        filters = self.filters
        start = f" AND texts.rowid >= {filters.since << 20}"
        start += f" AND texts.rowid < {self.place[0] + 1 << 20}" if self.place else ""
        table = f"texts CROSS JOIN entries e INDEXED BY entries_{column or 'at'}"
        own = [f"texts MATCH ?{start}", "e.at = texts.rowid >> 20", "(e.id & 1048575) = (texts.rowid & 1048575)"]
        given = filters.columns.get(column, [])
        if given:
            own.append(f"e.{column} IN ({', '.join('?' * len(given))})")
        return self._stream(table, own, [query(filters.text), *given], "texts.rowid DESC")

    def _stream(self, table: str, own: list[str], values: list[Any], order: str = "e.at DESC, e.id DESC") -> Stream:
        where, more = _conditions(self.filters, "e", has_text="texts" not in table)
        if self.place:
            where.append("(e.at, e.id) < (?, ?)")
            more += self.place
        if self.by_call and "event" not in self.filters.columns:
            where.append(f"+e.event NOT IN ({FOLDED})")
        if self.by_call:
            conditions, last = self._once()
            where += conditions
            more += last
        sql = f"SELECT e.at, e.id FROM {table} WHERE {' AND '.join([*own, *where] or ['1'])} ORDER BY {order}"  # noqa: S608 - names of ours
        yield from self.connection.execute(sql, [*values, *more])

    def _once(self) -> tuple[list[str], list[Any]]:
        """Skip an outcome if its request matches, too; a call is silent if neither row has a verdict."""
        again, values = _conditions(self.filters, "r")
        same = "SELECT 1 FROM entries r INDEXED BY entries_call WHERE r.call = e.call AND r.session IS e.session"
        request = " AND ".join([f"r.event = '{REQUEST}'", *again])
        conditions = [f"NOT (+e.event IN ({ENDED}) AND e.call IS NOT NULL AND EXISTS ({same} AND {request}))"]
        if self.filters.silent:
            ours = f"r.event IN ('{REQUEST}', {ENDED}) AND r.verdict IS NOT NULL"
            conditions.append(f"NOT EXISTS ({same} AND {ours})")
        return conditions, values


def _conditions(filters: Filters, row: str, *, has_text: bool = True) -> tuple[list[str], list[Any]]:
    """Plus signs keep SQLite from using another index than the chosen index."""
    conditions: list[str] = []
    values: list[Any] = []
    for column, wanted in filters.columns.items():
        conditions.append(f"+{row}.{column} IN ({', '.join('?' * len(wanted))})")
        values += wanted
    if filters.silent:
        conditions.append(f"+{row}.verdict IS NULL")
    if filters.since:
        conditions.append(f"{row}.at >= ?")
        values.append(filters.since)
    if filters.text and has_text:
        for word in words(filters.text):  # most rows are out before they are read
            conditions.append(f"({row}.body LIKE ? OR {row}.body LIKE '%\\u%')")
            values.append(f"%{word.rstrip('*')}%")
        conditions.append(f"holds({text_of(row)})")
    return conditions, values


def _driver(connection: Connection, filters: Filters) -> tuple[str, int]:
    """The column to go along: the rarest, or of wide ones, whose index tells most of the others.

    Of several wide events none: an outcome is skipped after its request, so a walk along the outcomes alone finds
    nothing to the end.
    """
    counts = {
        column: sum(_count(connection, column, value, filters) for value in filters.columns[column])
        for column in COVERS
        if column in filters.columns
    }
    if not counts:
        return "", ENOUGH
    rarest = min(counts, key=lambda column: counts[column])
    if counts[rarest] < ENOUGH:
        return rarest, counts[rarest]
    widest = max(counts, key=lambda column: len(COVERS[column] & counts.keys()))
    return "" if widest == "event" and len(filters.columns[widest]) > 1 else widest, ENOUGH


def _count(connection: Connection, column: str, value: str, filters: Filters) -> int:
    sql = f"SELECT 1 FROM entries INDEXED BY entries_{column} WHERE {column} = ? AND at >= ? LIMIT {ENOUGH}"  # noqa: S608
    (count,) = connection.execute(f"SELECT count(*) FROM ({sql})", (value, filters.since)).fetchone()  # noqa: S608
    return int(count)


def values(connection: Connection, column: str, wanted: str) -> list[str]:
    """The values of a filter's word: the word itself, sessions beginning with the word, or matches of its stars."""
    starred, prefix = "*" in wanted, wanted.partition("*")[0]
    if not starred and column != "session":
        return [wanted]
    names: list[str] = []
    sql = f"SELECT min({column}) FROM entries INDEXED BY entries_{column} WHERE {column} > ?"  # noqa: S608
    at = connection.execute(sql.replace(">", ">="), (prefix,)).fetchone()[0]
    while at is not None and at.startswith(prefix) and len(names) < NAMED:
        names += [at] if not starred or fnmatchcase(at, wanted) else []
        (at,) = connection.execute(sql, (at,)).fetchone()
    return names


def has(connection: Connection, column: str, value: str) -> bool:
    sql = f"SELECT 1 FROM entries INDEXED BY entries_{column} WHERE {column} = ? LIMIT 1"  # noqa: S608 - a name of ours
    return connection.execute(sql, (value,)).fetchone() is not None


def one(connection: Connection, number: int) -> Entry | None:
    """A row, with its outcome; the number of an outcome gives its call."""
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


def after(connection: Connection, number: int, limit: int, filters: Filters) -> list[Entry]:
    """Rows after this row, matching by themselves, in order of arrival."""
    where, given = _alone(connection, filters)
    sql = f"SELECT e.id, e.hash, e.body FROM entries e WHERE {' AND '.join(['e.id > ?', *where])} ORDER BY e.id LIMIT ?"  # noqa: S608
    return [Entry(*row) for row in connection.execute(sql, (number, *given, limit))]


def rows(connection: Connection, filters: Filters) -> "Generator[tuple[int, str, str], None, None]":
    """Every row matching by itself, in order of arrival: number, hash and text as written."""
    where, given = _alone(connection, filters)
    chosen = f" WHERE {' AND '.join(where)}" if where else ""
    yield from connection.execute(f"SELECT e.id, e.hash, e.body FROM entries e{chosen} ORDER BY e.id", given)  # noqa: S608


def _alone(connection: Connection, filters: Filters) -> tuple[list[str], list[Any]]:
    connection.create_function("holds", 1, holder(filters.text), deterministic=True)
    where, given = _conditions(filters, "e")
    if filters.unfinished:
        where.append("e.id IN (SELECT id FROM unfinished)")
    return where, given


def repeated(connection: Connection, since: int, limit: int) -> "list[tuple[Entry, int | None]]":
    """The newest calls repeating a side effect of an earlier call in their chain, and the id of the earlier call."""
    sql = """SELECT e.id,
      (SELECT f.id FROM entries f WHERE f.w = e.w AND f.n = json_extract(e.body, '$.repeats') LIMIT 1)
      FROM entries e INDEXED BY entries_event WHERE e.event = ? AND e.at >= ? AND instr(e.body, '"repeats":') > 0
      AND json_valid(e.body) ORDER BY e.at DESC LIMIT ?"""
    rows = connection.execute(sql, (REQUEST, since, limit)).fetchall()
    return [(entry, first) for number, first in rows if (entry := one(connection, number)) is not None]


# -- statistics: denied most, slowest hooks, failure rates, calls a day ------------------------------------------------


TOP = 10


def statistics(connection: Connection, since: int) -> dict[str, Any]:
    """Everything, for the rows since then."""
    return {
        "verdicts": _pairs(connection, "verdict", since),
        "denied": _denied(connection, since),
        "tools": _tools(connection, since),
        "days": _days(connection, since),
        "hooks": _hooks(connection, since),
    }


def _pairs(connection: Connection, column: str, since: int) -> dict[str, int]:
    sql = f"SELECT {column}, count(*) FROM entries WHERE {column} IS NOT NULL AND at >= ? GROUP BY 1 ORDER BY 2 DESC, 1"  # noqa: S608
    return dict(connection.execute(sql, (since,)).fetchall())


def _denied(connection: Connection, since: int) -> list[dict[str, Any]]:
    sql = """SELECT coalesce(json_extract(body, '$.rule'), '') AS rule, tool, count(*) FROM entries
      WHERE verdict = 'deny' AND at >= ? GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ?"""
    return [{"rule": a, "tool": b or "", "count": c} for a, b, c in connection.execute(sql, (since, TOP))]


def _tools(connection: Connection, since: int) -> list[dict[str, Any]]:
    """For each tool: ended calls, and how many of them failed."""
    sql = """SELECT tool, sum(event = 'PostToolUse'), sum(event = 'PostToolUseFailure') FROM entries
      INDEXED BY entries_event WHERE event IN ('PostToolUse', 'PostToolUseFailure') AND at >= ? GROUP BY tool"""
    rows = [(tool or "", done + failed, failed) for tool, done, failed in connection.execute(sql, (since,))]
    rows.sort(key=lambda row: (-row[1], row[0]))
    return [{"tool": tool, "calls": calls, "failed": failed} for tool, calls, failed in rows[:TOP]]


def _days(connection: Connection, since: int) -> dict[str, int]:
    """Calls a day, by the clock of whoever looks."""
    sql = """SELECT at / 900000, count(*) FROM entries INDEXED BY entries_event
      WHERE event = 'PreToolUse' AND at >= ? GROUP BY 1 ORDER BY 1"""  # quarters of an hour: no zone is finer
    days: Counter[str] = Counter()
    for quarter, count in connection.execute(sql, (since,)):
        days[time.strftime("%Y-%m-%d", time.localtime(quarter * 900))] += count
    return dict(days)


# A damaged text, no longer JSON, does not count.
VALID = "CASE WHEN json_valid(e.body) THEN e.body ELSE '{}' END"


def _hooks(connection: Connection, since: int) -> list[dict[str, Any]]:
    """Added up inside SQLite: to parse a million rows in Python takes ten times as long."""
    took = f"""SELECT key, count(*), sum(value), max(value) FROM entries e, json_each({VALID}, '$.took')
      WHERE e.at >= ? AND type IN ('integer', 'real') GROUP BY key"""  # noqa: S608 - names of ours
    broken = f"""SELECT value, count(*) FROM entries e, json_each({VALID}, '$.failed')
      WHERE e.at >= ? AND instr(e.body, '"failed":[') > 0 AND type = 'text' GROUP BY value"""  # noqa: S608
    failed = dict(connection.execute(broken, (since,)).fetchall())
    rows = connection.execute(took, (since,)).fetchall()
    rows.sort(key=lambda row: (-row[2] / row[1], row[0]))
    return [
        {
            "hook": hook,
            "runs": count,
            "mean_ms": round(total / count, 2),
            "most_ms": most,
            "failed": failed.get(hook, 0),
        }
        for hook, count, total, most in rows
    ]

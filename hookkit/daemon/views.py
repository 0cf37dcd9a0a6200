"""The data of the page, as JSON values. Each view opens the databases itself, in a thread, and closes them."""

import contextlib
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from sqlite3 import Connection
from typing import Any

from hookkit.engine import limits
from hookkit.gates import approvals
from hookkit.ledger.entry import Entry
from hookkit.ledger.entry import fields as parsed
from hookkit.ledger.reading import Filters, find, one
from hookkit.ledger.store import Ledger
from hookkit.system import files, jsons
from hookkit.work import agents, efforts
from hookkit.work.columns import listed
from hookkit.work.store import Work

Row = dict[str, Any]
PAGE = 200  # rows of an answer
SHOWN = 300  # characters of a row's subject in the list
QUICK = 0.4  # seconds for taking new rows into the database
WAIT = 1.0  # seconds for another process's lock
SAMPLE = 20_000  # newest rows behind the percentiles
COLUMNS = ("verdict", "tool", "session", "event", "actor", "project")
PERCENTILES = (50, 95, 99)
BARS = 48  # of the chart
HOUR = 3_600_000


@contextlib.contextmanager
def ledger(environ: dict[str, str]) -> Iterator[Ledger]:
    made = Ledger(environ, wait=WAIT)
    try:
        yield made
    finally:
        made.close()


@contextlib.contextmanager
def work(environ: dict[str, str]) -> Iterator[Work]:
    made = Work(environ, wait=WAIT)
    try:
        yield made
    finally:
        made.close()


def rows(environ: dict[str, str], given: dict[str, str]) -> Row:
    """A page of calls and events, newest first; `before` is the last row of the page before."""
    filters = Filters(text=given.get("text", "")[:200], unfinished=given.get("verdict") == "unfinished")
    wanted = {name: given[name][:200] for name in COLUMNS if given.get(name)}
    if filters.unfinished:
        del wanted["verdict"]
    filters.columns = {name: [value] for name, value in wanted.items()}
    before = int(given["before"]) if given.get("before", "").isdigit() else 0
    with ledger(environ) as kept:
        kept.fold(seconds=QUICK)
        found = find(kept.connection, filters, PAGE, before)
        last = kept.connection.execute("SELECT coalesce(max(id), 0), count(*) FROM entries").fetchone()
    return {"rows": [line(entry) for entry in found], "last": last[0], "total": last[1], "more": len(found) == PAGE}


def news(environ: dict[str, str], after: int) -> Row:
    """Rows after a number, oldest first."""
    with ledger(environ) as kept:
        kept.fold(seconds=QUICK)
        sql = "SELECT id FROM entries WHERE id > ? ORDER BY id LIMIT ?"
        numbers = [number for (number,) in kept.connection.execute(sql, (after, PAGE))]
        found = [entry for number in numbers if (entry := one(kept.connection, number)) is not None]
    return {"rows": [line(entry) for entry in found], "last": numbers[-1] if numbers else after}


def line(entry: Entry) -> Row:
    """A row of the list."""
    took = entry.body.get("took")
    times = [ms for ms in took.values() if isinstance(ms, (int, float))] if isinstance(took, dict) else []
    return {
        "id": entry.id,
        "at": entry.get("at"),
        "event": entry.get("event"),
        "tool": entry.get("tool"),
        "verdict": entry.body.get("verdict"),
        "state": entry.state,
        "session": entry.get("session"),
        "rule": entry.get("rule"),
        "ms": round(sum(times), 2) if times else None,
        "subject": entry.subject[:SHOWN],
    }


def call(environ: dict[str, str], number: int) -> Row | None:
    """A call with all its fields and events: the hooks that ran at each, and how long each took."""
    with ledger(environ) as kept:
        entry = one(kept.connection, number)
        if entry is None:
            return None
        related = _related(kept.connection, entry)
    return {**line(entry), "body": entry.body, "events": related}


def _related(connection: Connection, entry: Entry) -> list[Row]:
    """Every event of the same call, oldest first; of an event that is no call, the event alone."""
    call_id, session = entry.get("call"), entry.get("session")
    found = [(entry.id, entry.body)]
    if call_id:
        sql = "SELECT id, body FROM entries WHERE call = ? AND session IS ? ORDER BY id LIMIT 50"
        found = [(number, parsed(body)) for number, body in connection.execute(sql, (call_id, session))]
    return [
        {"id": number, "event": body.get("event"), "at": body.get("at"), "took": body.get("took") or {},
         "failed": body.get("failed") or [], "handled": body.get("handled") or [], "verdict": body.get("verdict"),
         "by": body.get("hook")}
        for number, body in found
    ]  # fmt: skip


def numbers(environ: dict[str, str], hours: int) -> Row:
    """Percentiles of each hook, and denials and prompts over time."""
    since = int(time.time() * 1000) - hours * HOUR
    with ledger(environ) as kept:
        kept.fold(seconds=QUICK)
        return {
            "hooks": _percentiles(kept.connection, since),
            "bars": _bars(kept.connection, since, hours),
            "rules": _rules(kept.connection, since),
            "hours": hours,
        }


def _percentiles(connection: Connection, since: int) -> list[Row]:
    times: defaultdict[str, list[float]] = defaultdict(list)
    sql = """SELECT json_extract(body, '$.took') FROM entries INDEXED BY entries_at WHERE at >= ?
      ORDER BY at DESC LIMIT ?"""
    for (took,) in connection.execute(sql, (since, SAMPLE)):
        for hook, ms in parsed(took).items() if took else ():
            if isinstance(ms, (int, float)):
                times[hook].append(ms)
    found = []
    for hook, values in times.items():
        values.sort()
        ranks = {f"p{p}": round(values[min(len(values) - 1, len(values) * p // 100)], 2) for p in PERCENTILES}
        found.append({"hook": hook, "runs": len(values), **ranks, "most": round(values[-1], 2)})
    return sorted(found, key=lambda row: -row["p95"])


def _bars(connection: Connection, since: int, hours: int) -> list[Row]:
    width = hours * HOUR // BARS
    bars = [{"at": since + at * width, "deny": 0, "ask": 0, "prompt": 0} for at in range(BARS)]
    counted = (
        ("verdict", "SELECT at, verdict FROM entries WHERE verdict IN ('deny', 'ask') AND at >= ?"),
        ("prompt", "SELECT at, 'prompt' FROM entries WHERE event = 'UserPromptSubmit' AND at >= ?"),
    )
    for _, sql in counted:
        for at, kind in connection.execute(sql, (since,)):
            place = (at - since) // width
            if 0 <= place < BARS:
                bars[place][kind] += 1
    return bars


def _rules(connection: Connection, since: int) -> list[Row]:
    sql = """SELECT coalesce(json_extract(body, '$.rule'), ''), verdict, count(*) FROM entries
      WHERE verdict IN ('deny', 'ask') AND at >= ? GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 12"""
    found = connection.execute(sql, (since,))
    return [{"rule": rule, "verdict": verdict, "count": count} for rule, verdict, count in found]


def fleet(environ: dict[str, str]) -> Row:
    """Agents in the order of their urgency, efforts, and the latest sessions."""
    with work(environ) as kept:
        sessions = kept.rows(
            "SELECT id, client, agent, part, kind, project, effort, status, since, seen, started, ended, heartbeat,"
            " usage, note FROM sessions ORDER BY seen DESC LIMIT 200"
        )
        found = efforts.efforts(kept)[:200]
        return {
            "agents": agents.agents(kept),
            "sessions": sessions,
            "efforts": [{**_short(row), "preload": listed(row["preload"])} for row in found],
        }


def _short(row: Row) -> Row:
    names = ("id", "skill", "mode", "phase", "agent", "project", "lifecycle", "created", "finished", "dir")
    return {name: row.get(name) for name in names}


def waiting(environ: dict[str, str]) -> Row:
    return {"approvals": [each for each in approvals.every(environ) if each["state"] == approvals.OPEN]}


def settle(environ: dict[str, str], identity: str, *, deny: bool, by: str) -> Row | None:
    """Settle a waiting approval; None without an open approval of this id, or if another person has to decide."""
    found = next((each for each in approvals.every(environ) if each["id"] == identity), None)
    if found is None or found["state"] != approvals.OPEN:
        return None
    allowed = [name if ":" in name else f"human:{name}" for name in found["approvers"]]
    if allowed and by not in allowed:
        return None
    return approvals.settle(environ, found, approvals.DENIED if deny else approvals.APPROVED, by)


def resting(environ: dict[str, str]) -> Row:
    """Handlers at rest after several failures in a row."""
    place = os.path.join(files.state_dir(environ), "handlers")
    found = []
    for name in sorted(os.listdir(place)) if os.path.isdir(place) else ():
        with contextlib.suppress(OSError, ValueError, TypeError):
            failures, since = jsons.loads(files.read_own(os.path.join(place, name), limits.LIMIT))
            left = float(since) + limits.REST - time.time()
            if int(failures) >= limits.FAILURES and left > 0:
                found.append({"handler": name.removesuffix(".json"), "failures": int(failures), "seconds": round(left)})
    return {"resting": found}

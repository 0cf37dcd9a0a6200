"""The data of the page, as JSON values. Each view opens the databases itself, in a thread, and closes them."""

import contextlib
import time
from collections import defaultdict
from sqlite3 import Connection
from typing import Any

from hookkit.handlers.handler import CANCELLED, ERROR, OUTCOMES, at_rest
from hookkit.ledger.queries import LOOKED_AT, Filters, find, one
from hookkit.ledger.row_index import Ledger
from hookkit.ledger.tables import Entry
from hookkit.ledger.tables import fields as parsed
from hookkit.system import jsons
from hookkit.work import agents, efforts
from hookkit.work.gates import approvals
from hookkit.work.store import Work, listed

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
CALLS, DID = "calls", "did"  # in place of an event: every tool call, or only those in which hookkit did something
CALL_EVENTS = ("PreToolUse", "PostToolUse", "PostToolUseFailure")
FAILED = (OUTCOMES[ERROR], OUTCOMES[CANCELLED])  # outcomes of handlers
RECENT = 2_000  # newest rows that are looked at for runs of handlers


def rows(environ: dict[str, str], given: dict[str, str]) -> Row:
    """A page of calls and events, newest first; `before` is the last row of the page before."""
    filters = Filters(text=given.get("text", "")[:200], unfinished=given.get("verdict") == "unfinished")
    wanted = {name: given[name][:200] for name in COLUMNS if given.get(name)}
    if filters.unfinished:
        del wanted["verdict"]
    filters.columns = {name: [value] for name, value in wanted.items()}
    kind = wanted.get("event")
    if kind in (CALLS, DID):
        filters.columns["event"] = [*CALL_EVENTS]
    before = int(given["before"]) if given.get("before", "").isdigit() else 0
    with Ledger(environ, wait=WAIT) as index:
        index.fold(seconds=QUICK)
        entries = find(index.connection, filters, LOOKED_AT if kind == DID else PAGE, before)
        entries = [entry for entry in entries if entry.has_acted][:PAGE] if kind == DID else entries
        (last,) = index.connection.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()
        (total,) = index.connection.execute("SELECT count(*) FROM entries").fetchone()
    return {"rows": [line(entry) for entry in entries], "last": last, "total": total, "more": len(entries) == PAGE}


def news(environ: dict[str, str], after: int) -> Row:
    """Rows after a number, oldest first."""
    with Ledger(environ, wait=WAIT) as index:
        index.fold(seconds=QUICK)
        sql = "SELECT id FROM entries WHERE id > ? ORDER BY id LIMIT ?"
        numbers = [number for (number,) in index.connection.execute(sql, (after, PAGE))]
        entries = [entry for number in numbers if (entry := one(index.connection, number)) is not None]
    return {"rows": [line(entry) for entry in entries], "last": numbers[-1] if numbers else after}


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
        "acted": entry.has_acted,
        "state": entry.state,
        "session": entry.get("session"),
        "rule": entry.get("rule"),
        "ms": round(sum(times), 2) if times else None,
        "subject": entry.subject[:SHOWN],
        "failures": [run.get("name", "") for run in _handled(entry.body) if run["outcome"] in FAILED],
    }


def call(environ: dict[str, str], number: int) -> Row | None:
    """A call with all its fields and events: the hooks that ran at each, and how long each took."""
    with Ledger(environ, wait=WAIT) as index:
        entry = one(index.connection, number)
        if entry is None:
            return None
        related = _related(index.connection, entry)
    return {**line(entry), "body": entry.body, "events": related}


def _related(connection: Connection, entry: Entry) -> list[Row]:
    """Every event of the same call, oldest first; of an event that is no call, the event alone."""
    call_id, session = entry.get("call"), entry.get("session")
    rows = [(entry.id, entry.body)]
    if call_id:
        sql = "SELECT id, body FROM entries WHERE call = ? AND session IS ? ORDER BY id LIMIT 50"
        rows = [(number, parsed(body)) for number, body in connection.execute(sql, (call_id, session))]
    return [
        {"id": number, "event": body.get("event"), "at": body.get("at"), "took": body.get("took") or {},
         "failed": body.get("failed") or [], "handled": _handled(body), "verdict": body.get("verdict"),
         "by": body.get("hook")}
        for number, body in rows
    ]  # fmt: skip


def _handled(body: Row) -> list[Row]:
    """The handlers of an event, each with its outcome in words."""
    runs = body.get("handlers")
    rows = [run for run in runs if isinstance(run, dict)] if isinstance(runs, list) else []
    return [{**run, "outcome": OUTCOMES.get(str(run.get("outcome")), run.get("outcome", ""))} for run in rows]


def numbers(environ: dict[str, str], hours: int) -> Row:
    """Percentiles of each hook, and denials and prompts over time."""
    since = int(time.time() * 1000) - hours * HOUR
    with Ledger(environ, wait=WAIT) as index:
        index.fold(seconds=QUICK)
        return {
            "hooks": _percentiles(index.connection, since),
            "bars": _bars(index.connection, since, hours),
            "rules": _rules(index.connection, since),
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
    rows = []
    for hook, values in times.items():
        values.sort()
        ranks = {f"p{p}": round(values[min(len(values) - 1, len(values) * p // 100)], 2) for p in PERCENTILES}
        rows.append({"hook": hook, "runs": len(values), **ranks, "most": round(values[-1], 2)})
    return sorted(rows, key=lambda row: -row["p95"])


def _bars(connection: Connection, since: int, hours: int) -> list[Row]:
    width = hours * HOUR // BARS
    bars = [{"at": since + number * width, "deny": 0, "ask": 0, "prompt": 0} for number in range(BARS)]
    for sql in (
        "SELECT at, verdict FROM entries WHERE verdict IN ('deny', 'ask') AND at >= ?",
        "SELECT at, 'prompt' FROM entries WHERE event = 'UserPromptSubmit' AND at >= ?",
    ):
        for at, kind in connection.execute(sql, (since,)):
            number = (at - since) // width
            if 0 <= number < BARS:
                bars[number][kind] += 1
    return bars


def _rules(connection: Connection, since: int) -> list[Row]:
    sql = """SELECT coalesce(json_extract(body, '$.rule'), ''), verdict, count(*) FROM entries
      WHERE verdict IN ('deny', 'ask') AND at >= ? GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 12"""
    rows = connection.execute(sql, (since,))
    return [{"rule": rule, "verdict": verdict, "count": count} for rule, verdict, count in rows]


def fleet(environ: dict[str, str]) -> Row:
    """Agents in the order of their urgency, efforts, and the latest sessions."""
    with contextlib.closing(Work(environ, wait=WAIT)) as work:
        sessions = work.rows(
            "SELECT id, client, agent, part, kind, project, effort, status, since, seen, started, ended, heartbeat,"
            " usage, note FROM sessions ORDER BY seen DESC LIMIT 200"
        )
        rows = efforts.efforts(work)[:200]
        return {
            "agents": agents.agents(work),
            "sessions": sessions,
            "efforts": [{**_short(row), "preload": listed(row["preload"])} for row in rows],
        }


def _short(row: Row) -> Row:
    names = ("id", "skill", "mode", "phase", "agent", "project", "lifecycle", "created", "finished", "dir")
    return {name: row.get(name) for name in names}


def waiting(environ: dict[str, str]) -> Row:
    return {"approvals": [approval for approval in approvals.every(environ) if approval["state"] == approvals.OPEN]}


def settle(environ: dict[str, str], identity: str, answer: object) -> Row | None:
    """Settle a waiting approval. The answer is {"approve": DIGEST} or {"deny": DIGEST}, with the digest on the page.

    None without an open approval like this, for any other answer, or if another person has to decide.
    """
    approval = next((candidate for candidate in approvals.every(environ) if candidate["id"] == identity), None)
    if approval is None or approval["state"] != approvals.OPEN or not approval["digest"]:
        return None
    deny = answer == {"deny": approval["digest"]}
    is_ours = not approval.get("request")  # a request is answered at the hub
    if not deny and (answer != {"approve": approval["digest"]} or not is_ours):
        return None
    allowed = [approvals.named(name) for name in approval["approvers"]]
    if allowed and approvals.login() not in allowed:
        return None
    proof = approvals.Proof(approvals.login(), approvals.LOGIN)
    return approvals.settle(environ, approval, approvals.DENIED if deny else approvals.APPROVED, proof)


def handlers(environ: dict[str, str]) -> Row:
    """The user's handlers: those at rest, and the latest runs of each by name."""
    with Ledger(environ, wait=WAIT) as index:
        index.fold(seconds=QUICK)
        return {"resting": at_rest(environ), "runs": _runs(index.connection)}


def _runs(connection: Connection) -> list[Row]:
    """Runs and failures of each handler in the newest rows, with its last outcome; the newest first."""
    sql = "SELECT at, json_extract(body, '$.handlers') FROM (SELECT at, body FROM entries ORDER BY id DESC LIMIT ?)"
    rows: dict[str, Row] = {}
    for at, text in connection.execute(sql, (RECENT,)):
        for run in _handled({"handlers": jsons.loads(text.encode())} if text else {}):
            name = str(run.get("name", ""))
            last = {"at": at, **{key: run.get(key, "") for key in ("kind", "outcome", "problem")}}
            row = rows.setdefault(name, {"handler": name, **last, "runs": 0, "failures": 0})
            row["runs"] += 1
            row["failures"] += run["outcome"] in FAILED
    return [*rows.values()]

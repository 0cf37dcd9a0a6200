"""Statistics of the rows: denied most, slowest hooks, failure rates, calls a day."""

import time
from collections import Counter
from sqlite3 import Connection
from typing import Any

DAY = 86_400_000
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

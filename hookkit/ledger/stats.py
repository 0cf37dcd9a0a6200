"""What the rows add up to: denied most, slowest hooks, failure rates, calls a day."""

import time
from collections import Counter, defaultdict
from sqlite3 import Connection
from typing import Any

from hookkit.ledger.entry import fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

DAY = 86_400_000
EACH = 20_000
TOP = 10


class Times:
    """How often and how long, without keeping every single time."""

    __slots__ = ("count", "most", "total")

    def __init__(self) -> None:
        self.count = 0
        self.total = self.most = 0.0

    def add(self, ms: float) -> None:
        self.count += 1
        self.total += ms
        self.most = max(self.most, ms)


def of(connection: Connection, since: int, tell: "Callable[[int], None] | None" = None) -> dict[str, Any]:
    """Everything, for the rows since then; what the indexes hold is asked of them, the rest is read row by row."""
    return {
        "verdicts": _pairs(connection, "verdict", since),
        "denied": _denied(connection, since),
        "tools": _tools(connection, since),
        "days": _days(connection, since),
        "hooks": _hooks(connection, since, tell),
    }


def _pairs(connection: Connection, column: str, since: int) -> dict[str, int]:
    sql = f"SELECT {column}, count(*) FROM entries WHERE {column} IS NOT NULL AND at >= ? GROUP BY 1 ORDER BY 2 DESC, 1"  # noqa: S608
    return dict(connection.execute(sql, (since,)).fetchall())


def _denied(connection: Connection, since: int) -> list[dict[str, Any]]:
    sql = """SELECT coalesce(json_extract(body, '$.rule'), '') AS rule, tool, count(*) FROM entries
      WHERE verdict = 'deny' AND at >= ? GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ?"""
    return [{"rule": a, "tool": b or "", "count": c} for a, b, c in connection.execute(sql, (since, TOP))]


def _tools(connection: Connection, since: int) -> list[dict[str, Any]]:
    """Of each tool: calls that ended, and how many of them failed."""
    sql = """SELECT tool, sum(event = 'PostToolUse'), sum(event = 'PostToolUseFailure') FROM entries
      INDEXED BY entries_event WHERE event IN ('PostToolUse', 'PostToolUseFailure') AND at >= ? GROUP BY tool"""
    found = [(tool or "", done + failed, failed) for tool, done, failed in connection.execute(sql, (since,))]
    found.sort(key=lambda row: (-row[1], row[0]))
    return [{"tool": tool, "calls": calls, "failed": failed} for tool, calls, failed in found[:TOP]]


def _days(connection: Connection, since: int) -> dict[str, int]:
    """Calls a day, by the clock of whoever looks."""
    sql = "SELECT at FROM entries INDEXED BY entries_event WHERE event = 'PreToolUse' AND at >= ? ORDER BY at"
    hours: Counter[int] = Counter(at // 900_000 for (at,) in connection.execute(sql, (since,)))  # no zone is finer
    days: Counter[str] = Counter()
    for quarter, count in hours.items():
        days[time.strftime("%Y-%m-%d", time.localtime(quarter * 900))] += count
    return dict(days)


def _hooks(connection: Connection, since: int, tell: "Callable[[int], None] | None" = None) -> list[dict[str, Any]]:
    times: defaultdict[str, Times] = defaultdict(Times)
    failed: Counter[str] = Counter()
    for count, (body,) in enumerate(connection.execute("SELECT body FROM entries WHERE at >= ?", (since,)), 1):
        row = fields(body)
        took, broken = row.get("took"), row.get("failed")
        for hook, ms in took.items() if isinstance(took, dict) else ():
            times[hook].add(ms if isinstance(ms, (int, float)) else 0)
        failed.update(hook for hook in broken if isinstance(hook, str)) if isinstance(broken, list) else None
        if tell is not None and not count % EACH:
            tell(count)
    slowest = sorted(times.items(), key=lambda item: (-item[1].total / item[1].count, item[0]))
    return [
        {"hook": hook, "runs": took.count, "mean_ms": round(took.total / took.count, 2), "most_ms": took.most,
         "failed": failed[hook]}
        for hook, took in slowest
    ]  # fmt: skip

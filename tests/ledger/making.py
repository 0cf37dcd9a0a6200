"""Rows as hooks write them, for the tests of what is done with them."""

import os
import time
from typing import Any

from hookkit.ledger import journal, places, segments
from hookkit.ledger.row_index import Ledger

START = 1_790_000_000_000  # a time in 2026


def request(number: int, session: str = "s1", **fields: Any) -> dict[str, Any]:
    return {"v": 1, "at": START + number * 1000, "event": "PreToolUse", "session": session, "call": f"call-{number}",
            "tool": "Bash", "project": "/p", "input": {"command": f"make {number}"}, **fields}  # fmt: skip


def outcome(number: int, session: str = "s1", **fields: Any) -> dict[str, Any]:
    return {"v": 1, "at": START + number * 1000 + 500, "event": "PostToolUse", "session": session, "tool": "Bash",
            "call": f"call-{number}", "project": "/p", "ms": 40, "outcome": "done", "approved": "mode default",
            **fields}  # fmt: skip


def write(environ: dict[str, str], *rows: dict[str, Any]) -> list[str]:
    return [journal.append(environ, row["session"], row) for row in rows]


def seal(environ: dict[str, str]) -> None:
    """Two days later."""
    for path in places.paths(environ):
        os.utime(path, (1, 1))
    with segments.Lock(environ):
        segments.seal(environ, time.time())
    assert places.paths(environ) == []


def folded(environ: dict[str, str], *rows: dict[str, Any]) -> Ledger:
    """A ledger with these rows in it."""
    write(environ, *rows)
    ledger = Ledger(environ)
    ledger.fold()
    return ledger

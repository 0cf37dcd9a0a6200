"""One line about the session, and the size of its context for the overflow warning. Never fails: the screen waits."""

import os
import sys
from typing import Any

from hookkit.cli._console import one_line, report
from hookkit.errors import HookkitError
from hookkit.settings import layers
from hookkit.system import database, jsons
from hookkit.work import sessions
from hookkit.work.store import Work

LIMIT = 1 << 20  # bytes of the client's status
LARGEST = 10**9  # tokens: a larger number is no size of a context


def show(*, as_json: bool) -> None:
    try:
        given = jsons.loads(sys.stdin.buffer.read(LIMIT))
    except HookkitError:
        given = {}
    status = given if isinstance(given, dict) else {}
    window = _table(status, "context_window")
    model = _table(status, "model").get("display_name")
    used = window.get("used_percentage")
    parts = [
        one_line(model) if isinstance(model, str) else "",
        f"context {used:.0f}%" if isinstance(used, (int, float)) else "",
        _effort(status, window.get("context_window_size")),
    ]
    line = " · ".join(part for part in parts if part)
    report(line, {"line": line, "context_window_size": window.get("context_window_size")}, as_json=as_json)


def _table(status: dict[str, Any], name: str) -> dict[str, Any]:
    found = status.get(name)
    return found if isinstance(found, dict) else {}


def _effort(status: dict[str, Any], size: object) -> str:
    """The effort of the session; the session keeps the size of its context."""
    environ = dict(os.environ)
    client, cwd = status.get("session_id"), status.get("cwd")
    if not isinstance(client, str) or not client:
        return ""
    directory = cwd if isinstance(cwd, str) and os.path.isdir(cwd) else os.getcwd()
    try:
        if layers.load(directory, environ).is_idle("track"):
            return ""
        work = Work(environ, wait=0.1)
    except (HookkitError, OSError):
        return ""
    try:
        return _noted(work, client, size)
    except (database.StateError, OSError):
        return ""
    finally:
        work.close()


def _noted(work: Work, client: str, size: object) -> str:
    session, effort = sessions.find(work, client, "")
    is_size = isinstance(size, int) and not isinstance(size, bool) and 0 < size < LARGEST
    if session is not None and is_size and session["window"] != size:
        work.write("UPDATE sessions SET window = ? WHERE id = ?", size, session["id"])
    if effort is None:
        return ""
    phase = f", {effort['phase']}" if effort["phase"] else ""
    return one_line(f"effort {effort['id']}: {effort['skill']}{phase}")

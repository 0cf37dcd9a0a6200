"""What OpenCode keeps on disk: its own permissions in opencode.json, its sessions in a database."""

import json
import os
import sqlite3
import time
from contextlib import closing
from urllib.parse import quote

from hookkit.agents._disk import Native
from hookkit.agents.transcripts import text_in
from hookkit.agents.transcripts.past_calls import MOST, Session, document
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS = "opencode.json"
CANNOT = "a rule of OpenCode is about a tool, or about the words of a command"
TOOLS = {"Bash": "bash", "Edit": "edit", "Write": "edit", "WebFetch": "webfetch"}
PARTS = 10_000  # rows of a session
SESSIONS = """SELECT id, directory, time_created FROM session
 WHERE time_updated >= ? ORDER BY time_updated DESC LIMIT ?"""
TOOL_CALLS = """SELECT data FROM part WHERE session_id = ? AND instr(data, '"callID"') LIMIT ?"""


def native_rules(rows: list[Native]) -> str:
    """For `permission`. The last rule that matches counts, so denials stand after questions."""
    permission: dict[str, dict[str, str]] = {}
    for row in sorted(rows, key=lambda row: row.type == "deny"):
        permission.setdefault(TOOLS[row.tool], {}).update({row.argument or "*": row.type})
    return json.dumps({"permission": permission}, indent=2) + "\n"


def is_native(row: Native) -> bool:
    return bool(row.words) or (row.argument is None and row.tool in TOOLS)


def sessions(environ: dict[str, str], since: float) -> "Iterator[Session]":
    data = environ.get("XDG_DATA_HOME") or os.path.join(files.home(environ), ".local", "share")
    path = os.path.join(data, "opencode", "opencode.db")
    if not os.path.isfile(path):
        return
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=1)) as database:
            for id_, directory, created in database.execute(SESSIONS, (int(since * 1000), MOST)).fetchall():
                start = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(created / 1000))
                session = Session(str(id_), path, str(directory), start)
                rows = database.execute(TOOL_CALLS, (id_, PARTS))
                session.calls = {call for (text,) in rows if (call := _tool_call(text))}
                yield session
    except (sqlite3.Error, TypeError, ValueError, OverflowError):
        return  # another release of OpenCode


def _tool_call(text: object) -> str:
    entry = document(text.encode("utf-8", "replace")) if isinstance(text, str) else {}
    return text_in(entry, "callID") if entry.get("type") == "tool" else ""

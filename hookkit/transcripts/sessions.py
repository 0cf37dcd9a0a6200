"""Recent sessions of an agent, from the agent's own records: the directory, the start, the ids of the tool calls."""

import os
import sqlite3
import time
from contextlib import closing

from hookkit.system import files
from hookkit.transcripts import past_calls
from hookkit.transcripts.entries import text_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 20  # sessions
SIZE = 8 << 20  # bytes of each transcript
HEAD = 256 << 10  # bytes with the start of the session
PARTS = 10_000  # rows of a session in a database
SESSIONS = """SELECT id, directory, time_created FROM session
 WHERE time_updated >= ? ORDER BY time_updated DESC LIMIT ?"""
TOOL_CALLS = """SELECT data FROM part WHERE session_id = ? AND instr(data, '"callID"') LIMIT ?"""
AGENTS = (*past_calls.FOLDERS, "opencode")


class Session:
    """`start` is an ISO time in UTC, or empty."""

    __slots__ = ("calls", "cwd", "id", "path", "start")

    def __init__(self, id_: str, path: str, cwd: str, start: str) -> None:
        self.id = id_
        self.path = path
        self.cwd = cwd
        self.start = start
        self.calls: set[str] = set()


def recent(agent: str, environ: dict[str, str], since: float) -> "list[Session]":
    """Sessions with tool calls and a change after `since`, the newest first."""
    if agent == "opencode":
        return [session for session in _opencode(environ, since) if session.calls]
    found: dict[str, Session] = {}
    place = past_calls.folder(agent, environ)
    paths = [*past_calls.transcripts(place, since)] if os.path.isdir(place) else []
    for path in sorted(paths, key=os.path.getmtime, reverse=True)[:MOST]:
        for number, call in enumerate(past_calls.read(path, SIZE)):
            session = found.get(call.session) or Session(call.session, path, call.cwd, _start(path))
            found[call.session] = session
            session.calls.add(call.id or f"{path}#{number}")
    return [*found.values()]


def _start(path: str) -> str:
    """The first time in a transcript."""
    for line in files.read(path, HEAD).splitlines():
        entry = past_calls.document(line)
        at = text_in(entry, "startTime") or text_in(entry, "timestamp")
        if at:
            return at
    return ""


def _opencode(environ: dict[str, str], since: float) -> "Iterator[Session]":
    """OpenCode keeps its sessions in a database, below XDG_DATA_HOME."""
    data = environ.get("XDG_DATA_HOME") or os.path.join(files.home(environ), ".local", "share")
    path = os.path.join(data, "opencode", "opencode.db")
    if not os.path.isfile(path):
        return
    try:
        with closing(sqlite3.connect(f"{_uri(path)}?mode=ro", uri=True, timeout=1)) as database:
            for id_, directory, created in database.execute(SESSIONS, (int(since * 1000), MOST)).fetchall():
                start = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(created / 1000))
                session = Session(str(id_), path, str(directory), start)
                rows = database.execute(TOOL_CALLS, (id_, PARTS))
                session.calls = {call for (text,) in rows if (call := _tool_call(text))}
                yield session
    except (sqlite3.Error, TypeError, ValueError, OverflowError):
        return  # another release of OpenCode


def _uri(path: str) -> str:
    from urllib.parse import quote

    return f"file:{quote(path)}"


def _tool_call(text: object) -> str:
    entry = past_calls.document(text.encode("utf-8", "replace")) if isinstance(text, str) else {}
    return text_in(entry, "callID") if entry.get("type") == "tool" else ""

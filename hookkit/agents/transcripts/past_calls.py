"""Tool calls and sessions of the past, from the transcripts of every agent that leaves some.

The file `disk.py` in the folder of an agent reads its format:

    FOLDER                   the directory with transcripts, below the agent's home
    MARKS                    bytes of every line with a call, or with the directory of the calls after it
    calls(entry, state)      the calls of a line; `state` has the path, the directory and the session
    sessions(environ, since) instead of these three: the sessions of an agent without such files

The formats belong to the agents and change without notice: every field is checked, and unknown lines are skipped.
"""

import os
from collections.abc import Iterator
from itertools import islice

from hookkit import registry
from hookkit.agents import _disk, _reading
from hookkit.agents.transcripts import text_in
from hookkit.agents.wiring.settings_files import AGENTS
from hookkit.errors import EventError
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

BUFFER = 256 << 10  # bytes read at once
LINE = 4 << 20  # bytes: a longer line holds images or dumps
WHOLE = 64 << 20  # bytes of a transcript that is one JSON document
ENTRY = ("sessionId", "payload", "projectHash", "messages", "toolCalls", "data")  # one of these is in an entry's fields
HEAD = 50  # lines
TIME = 40  # characters
START = 256 << 10  # bytes with the start of the session
MOST = 20  # recent sessions
SIZE = 8 << 20  # bytes of the transcript of a recent session


class PastCall:
    """One tool call as the agent made it; `at` is an ISO time, empty where the transcript has none."""

    __slots__ = ("agent", "at", "client", "cwd", "id", "input", "session", "tool")

    def __init__(
        self,
        agent: str,
        tool: str,
        tool_input: dict[str, object],
        *,
        cwd: str,
        session: str,
        at: str = "",
        id_: str = "",
    ) -> None:
        self.agent = agent  # where the call was found: the name of an agent, or the ledger
        self.client = agent or "claude"  # the agent that made the call
        self.tool = tool
        self.input = tool_input
        self.cwd = cwd
        self.session = session
        self.at = at[:TIME]
        self.id = id_


class Session:
    """`start` is an ISO time in UTC, or empty."""

    __slots__ = ("calls", "cwd", "id", "path", "start")

    def __init__(self, id_: str, path: str, cwd: str, start: str) -> None:
        self.id = id_
        self.path = path
        self.cwd = cwd
        self.start = start
        self.calls: set[str] = set()


def readers() -> "dict[str, ModuleType]":
    """The readers of transcripts, by agent."""
    return _disk.parts("calls", "sessions")


def places(environ: dict[str, str]) -> list[str]:
    """The directories in which the agents keep their transcripts."""
    folders = [_folder(agent, reader, environ) for agent, reader in readers().items() if hasattr(reader, "FOLDER")]
    return [place for place in folders if os.path.isdir(place)]


def _folder(agent: str, reader: "ModuleType", environ: dict[str, str]) -> str:
    return os.path.join(AGENTS[agent].home(environ), reader.FOLDER)


def transcripts(place: str, since: float = 0) -> Iterator[str]:
    """The transcripts below a directory, those of sub-agents too; a file is itself."""
    if os.path.isfile(place):
        yield place
        return
    for parent, folders, names in os.walk(place):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(parent, name)
            is_gemini = name.endswith(".json") and os.path.basename(parent) == "chats"
            if (name.endswith(".jsonl") or is_gemini) and _changed(path) >= since:
                yield path


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0


def is_transcript(path: str) -> bool:
    """Whether the start of a file looks like a session of an agent; raises OSError for an unreadable file."""
    with open(path, "rb") as file:
        head = [document(file.read(WHOLE))] if path.endswith(".json") else [*map(document, islice(file, HEAD))]
    return any(name in entry for entry in head for name in ENTRY)


def read(path: str, most: int = 0) -> Iterator[PastCall]:
    """The calls of one transcript, in their order, of at most `most` bytes; raises OSError for an unreadable file."""
    state = {"path": path, "cwd": "", "session": os.path.basename(path).rpartition(".")[0]}
    by_line = {agent: reader for agent, reader in readers().items() if hasattr(reader, "MARKS")}
    if path.endswith(".json"):
        entry = document(files.read(path, WHOLE))
        yield from (call for reader in by_line.values() for call in reader.calls(entry, state))
        return
    marks = tuple(mark for reader in by_line.values() for mark in reader.MARKS)
    likely = [*by_line.values()]
    with open(path, "rb", BUFFER) as file:
        for line in file:
            if most and file.tell() > most:
                return
            if len(line) <= LINE and _is_wanted(line, marks):
                entry = document(line)
                for call in [call for reader in likely for call in reader.calls(entry, state)]:
                    likely = [by_line[call.agent]]  # the first call tells whose transcript this is
                    marks = likely[0].MARKS
                    yield call


def _is_wanted(line: bytes, marks: tuple[bytes, ...]) -> bool:
    for mark in marks:  # noqa: SIM110 - twice as fast as any(): most lines are read for these marks alone
        if mark in line:
            return True
    return False


def document(data: bytes) -> dict[str, object]:
    try:
        value = jsons.loads(data)
    except EventError:
        return {}
    return value if isinstance(value, dict) else {}


def translated(
    agent: str, name: str, given: dict[str, object], *, cwd: str, session: str, at: str, id_: str
) -> PastCall:
    """The call in hookkit's words, by the table of the agent's tools."""
    tool, names = registry.find("agents", agent).TOOLS.get(name, (name, {}))
    tool_input, directory = _reading.translated(given, names)
    there = os.path.join(cwd, directory) if directory else cwd
    return PastCall(agent, tool, tool_input, cwd=there, session=session, at=at, id_=id_)


def recent(agent: str, environ: dict[str, str], since: float) -> "list[Session]":
    """Sessions of an agent with tool calls and a change after `since`, the newest first."""
    reader = readers()[agent]
    if hasattr(reader, "sessions"):
        return [session for session in reader.sessions(environ, since) if session.calls]
    sessions: dict[str, Session] = {}
    place = _folder(agent, reader, environ)
    paths = [*transcripts(place, since)] if os.path.isdir(place) else []
    for path in sorted(paths, key=os.path.getmtime, reverse=True)[:MOST]:
        for number, call in enumerate(read(path, SIZE)):
            session = sessions.get(call.session) or Session(call.session, path, call.cwd, _start(path))
            sessions[call.session] = session
            session.calls.add(call.id or f"{path}#{number}")
    return [*sessions.values()]


def _start(path: str) -> str:
    """The first time in a transcript."""
    for line in files.read(path, START).splitlines():
        entry = document(line)
        at = text_in(entry, "startTime") or text_in(entry, "timestamp")
        if at:
            return at
    return ""

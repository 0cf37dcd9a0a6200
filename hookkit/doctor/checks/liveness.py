"""Did hooks really fire? The tool calls in Claude Code's own transcripts, against the rows of the ledger."""

import os
import time

from hookkit.doctor.problem import SERIOUS, WARNING, Problem
from hookkit.doctor.setup import Setup
from hookkit.ledger.store import Ledger
from hookkit.system import database, files
from hookkit.transcripts.reader import Transcript
from hookkit.wiring.places import CLAUDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SESSIONS = 20  # the newest transcripts
RECENT = 7 * 86_400  # seconds
SIZE = 8 << 20  # bytes of each
FOLD = 5.0  # seconds to take in the journals
HALF = 2


class Session:
    """A transcript: the ids of its tool calls, and the directory of the session."""

    __slots__ = ("calls", "cwd", "id", "path", "start")

    def __init__(self, path: str) -> None:
        self.path = path
        self.id = os.path.basename(path).removesuffix(".jsonl")
        data = files.read(path, SIZE)
        transcript = Transcript(len(data))
        lines = data.splitlines()
        transcript.add(lines)
        self.calls = set(transcript.calls)
        self.cwd = _cwd(lines)
        self.start = transcript.start


def _cwd(lines: list[bytes]) -> str:
    from json import loads

    for line in lines[:50]:
        try:
            entry = loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and isinstance(entry.get("cwd"), str):
            return str(entry["cwd"])
    return ""


def check(setup: Setup) -> "Iterator[Problem]":
    agent = next((each for each in setup.agents if each.name == CLAUDE), None)
    if agent is None or setup.settings["ledger.enabled"] is False:
        return
    folder = os.path.join(agent.home(setup.environ), "projects")
    since = _wired_since(setup)
    if not since:
        return
    sessions = [session for path in _transcripts(folder, since) if (session := Session(path)).calls]
    sessions = [each for each in sessions if _is_covered(setup, each)]
    rows = _rows(setup, [each.id for each in sessions]) if sessions else {}
    for each in sessions:
        if each.start and each.start[:19] < time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(since)):
            continue  # the session began before hookkit was wired: agents read their hooks at the start
        yield from _compare(setup, each, rows.get(each.id, set()))


def _wired_since(setup: Setup) -> float:
    """When a file got hookkit: its last change at the latest. Zero without any."""
    times = [os.stat(file.path).st_mtime for file in setup.of_name(CLAUDE) if file.ours()]
    return max(times, default=0.0)


def _transcripts(folder: str, since: float) -> list[str]:
    oldest = max(since, time.time() - RECENT)
    found = []
    for directory, names, here in os.walk(folder):
        names[:] = [name for name in names if directory == folder]
        paths = [os.path.join(directory, name) for name in here if name.endswith(".jsonl")]
        found += [(os.stat(path).st_mtime, path) for path in paths]
    return [path for at, path in sorted(found, reverse=True)[:SESSIONS] if at >= oldest]


def _is_covered(setup: Setup, session: Session) -> bool:
    """Whether a file with hookkit holds for the directory of the session."""
    roots = [file.place.root for file in setup.of_name(CLAUDE) if file.ours()]
    return any(not root or f"{session.cwd}/".startswith(f"{root}/") for root in roots)


def _rows(setup: Setup, sessions: list[str]) -> "dict[str, set[str]]":
    found: dict[str, set[str]] = {}
    try:
        ledger = Ledger(setup.environ, wait=1.0)
        try:
            ledger.fold(seconds=FOLD)
            marks = ", ".join("?" * len(sessions))
            sql = f"SELECT session, call FROM entries WHERE session IN ({marks})"  # noqa: S608 - question marks
            for session, call in ledger.connection.execute(sql, sessions):
                found.setdefault(session, set()).add(call or "")
        finally:
            ledger.close()
    except (database.StateError, OSError):
        return {}  # the check of the state names this
    return found


def _compare(setup: Setup, session: Session, rows: set[str]) -> "Iterator[Problem]":
    missing = session.calls - rows
    name = f"session {session.id[:8]} of {session.cwd or 'an unknown directory'}"
    if not rows:
        said = f"{name}: {len(session.calls)} tool calls and no hook fired: {_cause(setup)}"
        yield Problem(
            "live.silent", SERIOUS, said, "restart the session; see: hookkit doctor --live", file=session.path
        )
    elif len(missing) * HALF > len(session.calls):
        said = f"{name}: {len(missing)} of {len(session.calls)} tool calls are not in the ledger"
        yield Problem("live.gaps", WARNING, said, "look for a matcher that leaves tools out", file=session.path)


def _cause(setup: Setup) -> str:
    """The most likely cause, from the state of now."""
    mine = setup.of_name(CLAUDE)
    if any(file.problem for file in mine):
        return "a settings file cannot be read"
    if any('"disableAllHooks": true' in file.text for file in mine):
        return "disableAllHooks is on"
    if all(file.place.root for file in mine if file.ours()):
        return "only the project's own settings have hookkit, and the folder may not be trusted"
    return "perhaps --settings, --bare or another CLAUDE_CONFIG_DIR; start claude with --debug to see its hooks"

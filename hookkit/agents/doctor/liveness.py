"""Did hooks really fire? The tool calls in the agent's own transcripts, against the rows of the ledger."""

import os
import time

from hookkit.agents.doctor import SERIOUS, WARNING, Problem, SettingsFile, Setup, surroundings
from hookkit.agents.transcripts import past_calls
from hookkit.agents.transcripts.past_calls import Session
from hookkit.agents.wiring.settings_files import CLAUDE, Agent
from hookkit.ledger.row_index import Ledger
from hookkit.system import database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

RECENT = 7 * 86_400  # seconds
FOLD = 5.0  # seconds to take in the journals
HALF = 2
OVERRULED = "a mod (JavaScript inside the agent) may answer allow after hookkit's deny"
CALL = "PreToolUse"
AFTER = ("PostToolUse", "PostToolUseFailure")


class Rows:
    """The rows of a session: the number of tool calls, and their ids. Some agents send hooks no id, or another id."""

    __slots__ = ("calls", "denied", "ids", "ran")

    def __init__(self) -> None:
        self.calls = 0
        self.ids: set[str] = set()
        self.denied: set[str] = set()
        self.ran: set[str] = set()

    def add(self, event: str, call: str, verdict: str) -> None:
        self.calls += event == CALL
        self.ids.add(call)
        if event == CALL and verdict == "deny" and call:
            self.denied.add(call)
        elif event in AFTER:
            self.ran.add(call)

    def missing(self, session: Session) -> int:
        """Tool calls of the session without a row."""
        return len(session.calls) - max(len(session.calls & self.ids), min(self.calls, len(session.calls)))


def check(setup: Setup) -> "Iterator[Problem]":
    if setup.settings["ledger.enabled"] is False:
        return
    for agent in setup.agents:
        mine = [file for file in setup.of(agent) if file.ours()]
        if mine and agent.name in past_calls.readers():
            yield from _agent(setup, agent, mine)


def _agent(setup: Setup, agent: Agent, mine: list[SettingsFile]) -> "Iterator[Problem]":
    """Sessions since the last change of the settings: agents read their hooks at the start of a session."""
    since = max(os.stat(file.path).st_mtime for file in mine)
    wired = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(since))
    sessions = past_calls.recent(agent.name, setup.environ, max(since, time.time() - RECENT))
    sessions = [session for session in sessions if session.start[:19] >= wired or not session.start]
    sessions = [session for session in sessions if _is_covered(mine, session)]
    rows = _rows(setup, [session.id for session in sessions]) if sessions else None
    if rows is not None:
        for session in sessions:
            yield from _compare(setup, agent, session, rows.get(session.id))


def _is_covered(mine: list[SettingsFile], session: Session) -> bool:
    """Whether a file with hookkit holds for the directory of the session."""
    roots = [file.place.root for file in mine]
    return any(not root or f"{session.cwd}/".startswith(f"{root}/") for root in roots)


def _rows(setup: Setup, ids: list[str]) -> "dict[str, Rows] | None":
    """The rows of each session; None if the ledger cannot be read: the check of the state names this."""
    rows: dict[str, Rows] = {}
    try:
        ledger = Ledger(setup.environ, wait=1.0)
        try:
            ledger.fold(seconds=FOLD)
            marks = ", ".join("?" * len(ids))
            sql = f"SELECT session, event, call, verdict FROM entries WHERE session IN ({marks})"  # noqa: S608 - "?, ?"
            for session, event, call, verdict in ledger.connection.execute(sql, ids):
                rows.setdefault(session, Rows()).add(event, call or "", verdict or "")
        finally:
            ledger.close()
    except (database.StateError, OSError):
        return None
    return rows


def _compare(setup: Setup, agent: Agent, session: Session, rows: Rows | None) -> "Iterator[Problem]":
    name = f"{agent.title}, session {session.id[:8]} of {session.cwd or 'an unknown directory'}"
    total = len(session.calls)
    if rows is None:
        message = f"{name}: {total} tool calls and no hook fired: {_cause(setup, agent)}"
        fix = "restart the session; see: hookkit doctor --live"
        yield Problem("live.silent", SERIOUS, message, fix, file=session.path)
    elif rows.missing(session) * HALF > total:
        message = f"{name}: {rows.missing(session)} of {total} tool calls are not in the ledger"
        yield Problem("live.gaps", WARNING, message, "look for a matcher that leaves tools out", file=session.path)
    if rows is not None and rows.denied & rows.ran:
        message = f"{name}: {len(rows.denied & rows.ran)} denied tool calls ran nevertheless: {OVERRULED}"
        yield Problem("live.overruled", SERIOUS, message, "look for a plugin with hook modules", file=session.path)


def _cause(setup: Setup, agent: Agent) -> str:
    """The most likely cause, from the present state."""
    mine = setup.of(agent)
    if any(file.problem for file in mine):
        return "a settings file cannot be read"
    if any('"disableAllHooks": true' in file.text for file in mine):
        return "disableAllHooks is on"
    for problem in surroundings.check_agent(setup, agent):
        return problem.message
    if agent.name == CLAUDE:
        return "perhaps --settings, --bare or another CLAUDE_CONFIG_DIR; start claude with --debug to see its hooks"
    return f"perhaps {agent.title} reads another settings file, or its hooks are switched off"

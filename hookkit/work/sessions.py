"""Sessions: found by the client's ids, started, ended; and an event together with its session and effort.

A sub-agent's session is a part of its parent's.
"""

from hookkit.model import Event
from hookkit.work import efforts
from hookkit.work.store import Work, listed, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Row = dict[str, Any]

    from hookkit.settings.layers import Settings


LONGEST = 200  # characters of an id; an untrusted id may be longer
LARGEST = 10**9  # tokens: a larger number is no size of a context
MONTH = 30 * 86_400_000  # milliseconds for which failures are kept


def find(work: Work, client: str, part: str) -> "tuple[Row | None, Row | None]":
    """The open session with the client's ids, and its effort."""
    session = work.row(
        "SELECT * FROM sessions WHERE client = ? AND part = ? AND ended IS NULL ORDER BY id DESC LIMIT 1",
        client[:LONGEST],
        part[:LONGEST],
    )
    effort = session["effort"] if session is not None else None
    return session, efforts.effort(work, effort) if effort is not None else None


def is_known(work: Work, client: str) -> bool:
    """Whether there was a session with the client's id, open or ended."""
    return work.row("SELECT id FROM sessions WHERE client = ? LIMIT 1", client[:LONGEST]) is not None


def start(work: Work, client: str, project: str, *, source: str, part: str = "", kind: str = "") -> int:
    """Always a new session. A part belongs to the parent's effort, any other session to the agent's effort."""
    client, part, moment = client[:LONGEST], part[:LONGEST], now()
    with work.changing():
        effort = find(work, client, "")[1] if part else efforts.effort_of(work, project)
        number = effort["id"] if effort is not None else None
        last = work.row("SELECT max(id) AS id FROM sessions WHERE effort = ? AND part = ?", number, part)
        _close(work, "client = ? AND part = ?", client, part)
        work.write("DELETE FROM messages WHERE kind = 'failure' AND at < ?", moment - MONTH)
        return work.write(
            "INSERT INTO sessions (effort, client, part, kind, agent, project, previous, source, started, since,"
            " seen, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            number, client, part, kind[:LONGEST], work.agent, project, last["id"] if last else None,
            source[:LONGEST], moment, moment, moment, "working" if part else "checked",
        )  # fmt: skip


def end(work: Work, session: int) -> None:
    """The files read by a part are added to its effort."""
    with work.changing():
        row = work.row("SELECT effort, part, loaded FROM sessions WHERE id = ?", session)
        if row is not None and row["part"] and row["effort"] is not None:
            work.add("efforts", "loaded", row["effort"], listed(row["loaded"]))
        _close(work, "id = ?", session)


def end_all(work: Work, client: str) -> None:
    """Ends the client's session and all its parts."""
    for row in work.rows("SELECT id FROM sessions WHERE client = ? AND ended IS NULL ORDER BY id", client[:LONGEST]):
        end(work, row["id"])


def _close(work: Work, which: str, *values: object) -> None:
    moment = now()
    work.write(
        f"UPDATE sessions SET ended = ?, status = 'done', since = ?, seen = ? WHERE {which} AND ended IS NULL",  # noqa: S608 - our own words
        moment, moment, moment, *values,
    )  # fmt: skip


def set_window(work: Work, client: str, size: object) -> None:
    """Keeps the size of the context in tokens, as the client tells it."""
    session = find(work, client, "")[0] if client else None
    is_size = isinstance(size, int) and not isinstance(size, bool) and 0 < size < LARGEST
    if session is not None and is_size and session["window"] != size:
        work.write("UPDATE sessions SET window = ? WHERE id = ?", size, session["id"])


def beat(work: Work, session: int) -> int:
    """Counts a tool call since the last log entry; the new count."""
    work.write("UPDATE sessions SET heartbeat = heartbeat + 1 WHERE id = ?", session)
    row = work.row("SELECT heartbeat FROM sessions WHERE id = ?", session)
    return int(row["heartbeat"]) if row else 0


# -- an event with its session -----------------------------------------------------------------------------------------


WAIT = 0.3  # seconds for another process's lock: the agent waits for the hook


class TrackedEvent:
    """What the parts of `hookkit track` are given.

    `session` and `effort` are None if the event's ids are unknown: then no part acts on the event.
    """

    __slots__ = ("_effort", "event", "project", "session", "settings", "work")

    def __init__(self, event: Event, settings: "Settings") -> None:
        self.event = event
        self.settings = settings
        self.project = efforts.project_of(event.project)
        self.work = Work(settings.environ, wait=WAIT)
        self.session: Row | None = None
        self._effort: Row | None = None
        self.look()

    def look(self) -> None:
        """Finds session and effort. Without a session of its own, a sub-agent's event belongs to its parent's."""
        part = self.event.text("agent_id")
        if self.event.session_id:
            self.session, self._effort = find(self.work, self.event.session_id, part)
            if part and self.session is None:
                self.session, self._effort = find(self.work, self.event.session_id, "")
        self.event.effort = str(self.effort["id"]) if self.effort is not None else ""

    @property
    def effort(self) -> "Row | None":
        """The active effort; a finished effort asks nothing more of a session."""
        effort = self._effort
        return effort if effort is not None and effort["lifecycle"] == "active" else None

    @property
    def is_part(self) -> bool:
        """Whether this is a sub-agent's event: a sub-agent has a context of its own."""
        return bool(self.event.text("agent_id"))

    def wants(self, part: str) -> bool:
        return part in self.settings["sessions.parts"]

"""Agents at work: the status of each, updated by events, and listed for a person."""

from hookkit.system.masking import line
from hookkit.work.sessions import TrackedEvent
from hookkit.work.store import Work, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Row = dict[str, Any]


STATUSES = ("error", "attention", "working", "checked", "done")  # the most urgent first
# The status after each event. An empty status only means that the agent is alive; other events mean nothing.
STATUS = {
    "SessionStart": "checked",
    "UserPromptSubmit": "working",
    "PreToolUse": "working",
    "PostToolUse": "working",
    "PostToolUseFailure": "error",
    "PermissionRequest": "attention",
    "Notification": "attention",
    "PreCompact": "working",
    "SubagentStart": "working",
    "SubagentStop": "done",
    "TaskCompleted": "checked",
    "TeammateIdle": "done",
    "Stop": "done",
    "StopFailure": "error",
    "SessionEnd": "done",
    "ConfigChange": "",
}
CALLING = ("permission_prompt", "idle_prompt", "elicitation_dialog", "elicitation_url_dialog", "agent_needs_input",
           "worker_permission_prompt")  # fmt: skip
NOTED = ("tool_name", "message", "prompt", "error", "task_subject", "reason")
SHOWN = 80


def update(tracked: TrackedEvent) -> None:
    event, session = tracked.event, tracked.session
    if event.name not in STATUS:
        return
    if event.name == "TeammateIdle":
        _idle(tracked, event.text("teammate_name"))
    elif session is not None:
        _set(tracked, session, _status(tracked, session))


def _status(tracked: TrackedEvent, session: "Row") -> str:
    """Only some notifications need a person, and the end of a part does not end the session."""
    event = tracked.event
    if event.name == "Notification" and event.text("notification_type") not in CALLING:
        return ""
    if event.name == "SubagentStop" and not session["part"]:
        return ""
    return STATUS[event.name]


def _idle(tracked: TrackedEvent, teammate: str) -> None:
    """The event belongs to the team; the idle agent is found by its name."""
    if teammate:
        moment = now()
        tracked.work.write(
            "UPDATE sessions SET since = CASE status WHEN 'done' THEN since ELSE ? END, status = 'done', note = '',"
            " seen = ? WHERE agent = ? AND project = ? AND ended IS NULL",
            moment, moment, teammate, tracked.project,
        )  # fmt: skip


def _set(tracked: TrackedEvent, session: "Row", status: str) -> None:
    """`since` is the start of the status, `seen` the last event."""
    moment = now()
    if not status:
        tracked.work.write("UPDATE sessions SET seen = ? WHERE id = ?", moment, session["id"])
        return
    noted = next((text for name in NOTED if (text := tracked.event.text(name))), "")
    tracked.work.write(
        "UPDATE sessions SET since = CASE status WHEN ? THEN since ELSE ? END, status = ?, note = ?, seen = ?"
        " WHERE id = ?",
        status, moment, status, line(noted, SHOWN), moment, session["id"],
    )  # fmt: skip


# -- agents, for a person who looks after several of them --------------------------------------------------------------


URGENT = ("error", "attention")  # until a person has looked
HOUR = 3_600_000  # milliseconds for which an ended session is shown
DAY = 86_400_000  # milliseconds of silence after which an open session is taken for dead


def agents(work: Work) -> "list[Row]":
    """Each agent with its open sessions, the most urgent first; an agent whose last session has just ended is done."""
    rows = work.rows(
        "SELECT s.*, e.skill, e.phase FROM sessions s LEFT JOIN efforts e ON e.id = s.effort AND e.lifecycle = 'active'"
        " WHERE s.ended IS NULL AND (s.seen > ? OR s.status IN (?, ?))"
        " OR s.ended > ? AND s.id = (SELECT max(id) FROM sessions WHERE client = s.client AND part = '') ORDER BY s.id",
        now() - DAY, *URGENT, now() - HOUR,
    )  # fmt: skip
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((name_of(row), row["project"]), []).append(row)
    listed = [_agent(name, project, group) for (name, project), group in groups.items()]
    return sorted(listed, key=lambda row: (STATUSES.index(row["status"]), row["since"], row["id"]))


def name_of(session: "Row") -> str:
    """AGENT_ID, or the start of the client's session id."""
    return str(session["agent"] or session["client"][:8])


def _agent(name: str, project: str, group: "list[Row]") -> "Row":
    """The status of the most urgent session or part, with the counts of the main conversation."""
    worst = min(group, key=lambda row: (STATUSES.index(row["status"]), -row["seen"]))
    main = next((row for row in reversed(group) if not row["part"]), worst)
    return {
        "id": name,
        "project": project,
        "status": worst["status"],
        "since": worst["since"],
        "seen": max(row["seen"] for row in group),
        "effort": main["effort"] if main["skill"] else None,
        "skill": main["skill"] or "",
        "phase": main["phase"] or "",
        "usage": main["usage"],
        "heartbeat": main["heartbeat"],
        "sessions": len(group),
        "note": worst["note"],
    }


def check(work: Work, name: str) -> int:
    """Marks urgent sessions of an agent as seen; returns the number of its open sessions."""
    rows = work.rows("SELECT * FROM sessions WHERE ended IS NULL")
    matching = [row for row in rows if name in (name_of(row), row["client"])]
    moment = now()
    for row in matching:
        work.write(
            "UPDATE sessions SET status = 'checked', since = ? WHERE id = ? AND status IN (?, ?)",
            moment, row["id"], *URGENT,
        )  # fmt: skip
    return len(matching)

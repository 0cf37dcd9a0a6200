"""The status of an agent, updated by events."""

from hookkit.system.masking import line
from hookkit.work.store import now
from hookkit.work.tracked_event import TrackedEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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


def _status(tracked: TrackedEvent, session: "dict[str, Any]") -> str:
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


def _set(tracked: TrackedEvent, session: "dict[str, Any]", status: str) -> None:
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

"""Junie CLI: Claude Code's form in the person's own file alone. Written from documents and reports."""

from hookkit.agents import _limits, _reading
from hookkit.agents._reading import FILE, TEXTS
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "junie", "Junie CLI", ""
HOME, HOME_VARIABLE = ".junie", ""
WIRED = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "Stop", "SessionEnd")
EVENTS = {name: name for name in (*WIRED, "StopFailure")}
TOOLS: "_reading.Tools" = {
    **dict.fromkeys(("Bash", "bash", "run_command", "execute_terminal_command"), ("Bash", {})),
    **dict.fromkeys(("Read", "open", "read_file"), ("Read", FILE)),
    **dict.fromkeys(("Write", "create", "write_file"), ("Write", {**FILE, **TEXTS})),
    **dict.fromkeys(("Edit", "search_replace"), ("Edit", {**FILE, **TEXTS})),
}
FORM = "groups"
CONFIG = (("user", "config.json"),)
TIMEOUT = ("timeout", 1, 60)
CAN = {"PreToolUse": "deny", "PermissionRequest": "deny", "UserPromptSubmit": "deny", "Stop": "deny"}
NOTES = (
    "Not tried with the program: written from Junie's documentation of November 2026 and from reports.",
    "Junie refuses hooks of a project: only the person's own file counts.",
    "Junie has no event after a tool: the ledger sees calls, not results.",
    "A deny is sent in two ways at once, as JSON and as exit code 2; a question or a rewrite becomes a deny.",
)


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    """Junie runs hooks in its own directory and names the workspace in `project_path`."""
    own = _reading.json_object(value)
    project = _reading.text(own, "project_path", "cwd")
    fields = {**own, "cwd": project, "session_id": _reading.text(own, "session_id") or f"junie {project}"}
    native = _reading.text(own, "hook_event_name")
    return _reading.event(NAME, native, fields, project=project, here=here, usual=usual)


def render(event: Event, decision: Decision) -> str:
    limited = _limits.limited(event, decision, CAN, TITLE)
    if limited.verdict != "deny":
        return ""
    reply: dict[str, object] = {"decision": "block", "reason": limited.reason}
    if event.name == "PreToolUse":
        own = {"hookEventName": event.name, "permissionDecision": "deny", "permissionDecisionReason": limited.reason}
        reply["hookSpecificOutput"] = own
    return dumps(reply)


def exit_code(event: Event, decision: Decision) -> tuple[int, str]:
    return _limits.refusal(event, decision, CAN, TITLE)

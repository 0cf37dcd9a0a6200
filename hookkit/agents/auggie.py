"""Auggie: Claude Code's form under a closed schema, times in milliseconds. From its package and documents."""

from hookkit.agents import _limits, _reading, claude
from hookkit.agents._reading import FILE, TEXTS
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "auggie", "Auggie", ""
HOME, HOME_VARIABLE = ".augment", ""
EVENTS = {
    "SessionStart": "SessionStart",
    "PromptSubmit": "UserPromptSubmit",
    "PreToolUse": "PreToolUse",
    "PostToolUse": "PostToolUse",
    "Stop": "Stop",
    "SessionEnd": "SessionEnd",
    "Notification": "Notification",
}
WIRED = ("SessionStart", "PreToolUse", "PostToolUse", "Stop", "SessionEnd")  # an unknown event makes the file invalid
TOOLS: "_reading.Tools" = {
    "launch-process": ("Bash", {"cwd": _reading.DIRECTORY}),
    "view": ("Read", FILE),
    "save-file": ("Write", {**FILE, "file_content": "content"}),
    "str-replace-editor": ("Edit", {**FILE, **TEXTS, "command": _reading.ACTION}),
    "apply_patch": ("apply_patch", {"input": _reading.PATCH, "patch": _reading.PATCH}),
    "remove-files": ("delete_file", {"file_paths": _reading.PATHS, "paths": _reading.PATHS}),
    "web-fetch": ("WebFetch", {}),
    "web-search": ("WebSearch", {}),
}
FORM = "groups"
CONFIG = (("user", "settings.json"), ("project", ".augment/settings.json"), ("local", ".augment/settings.local.json"))
TIMEOUT = ("timeout", 1000, 60)
CAN = {"PreToolUse": "allow deny rewrite", "PostToolUse": "context", "Stop": "deny"}
NOTES = (
    "Not tried with the program: written from Auggie's package (0.36.0) and documentation.",
    "Whether Auggie asks a question of a hook is not proven: hookkit denies instead.",
    "A hook that is late or cannot start lets the call pass.",
)
FIELDS = {"conversation_id": "session_id", "tool_output": "tool_response", "tool_error": "error"}


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    own = _reading.json_object(value)
    fields = {"cwd": environ.get("AUGMENT_PROJECT_DIR") or _reading.text(own, "workspace_roots"), **own}
    return _reading.plain(NAME, fields, environ, usual, here, "AUGMENT_PROJECT_DIR", names=FIELDS)


def render(event: Event, decision: Decision) -> str:
    """At the end of a turn, the block stands beside the event's name."""
    limited = _limits.limited(event, decision, CAN, TITLE)
    if event.name == "Stop" and limited.verdict == "deny":
        own = {"hookEventName": event.origin.event, "decision": "block", "reason": limited.reason}
        return dumps({"hookSpecificOutput": own})
    return claude.render(event, limited)

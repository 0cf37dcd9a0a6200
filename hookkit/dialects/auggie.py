"""Auggie: Claude Code's form under a closed schema, times in milliseconds. From its package and documents."""

import sys

from hookkit.dialects import _limits, _reading, claude
from hookkit.dialects._tools import FILE, TEXTS
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "auggie", "Auggie", ""
PROGRAMS = ("auggie",)
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
CONFIG = (
    ("user", "settings.json", "claude"),
    ("project", ".augment/settings.json", "claude"),
    ("local", ".augment/settings.local.json", "claude"),
)
TIMEOUT = ("timeout", 1000, 60)
TRUST = ""
CAN = {"PreToolUse": "allow deny rewrite", "PostToolUse": "context", "Stop": "deny"}
NOTES = (
    "Not tried with the program: written from Auggie's package (0.36.0) and documentation.",
    "Whether Auggie asks a question of a hook is not proven: hookkit denies instead.",
    "A hook that is late or cannot start lets the call pass.",
)
FIELDS = {"conversation_id": "session_id", "tool_output": "tool_response", "tool_error": "error"}


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    own = _reading.json_object(value)
    roots = own.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    fields = {"cwd": environ.get("AUGMENT_PROJECT_DIR") or root, **own}
    return _reading.plain(sys.modules[__name__], fields, environ, usual, here, "AUGMENT_PROJECT_DIR", names=FIELDS)


def render(event: Event, decision: Decision) -> str:
    """At the end of a turn, the block stands beside the event's name."""
    said = _limits.limited(event, decision, CAN, TITLE)
    if event.name == "Stop" and said.verdict == "deny":
        own = {"hookEventName": event.origin.event, "decision": "block", "reason": said.reason}
        return dumps({"hookSpecificOutput": own})
    return claude.render(event, said)

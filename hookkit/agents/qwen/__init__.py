"""Qwen Code: Claude Code's events and replies, Gemini's tools. A rewrite has no effect, so it becomes a deny."""

from hookkit.agents import _limits, _reading, claude, gemini
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "qwen", "Qwen Code", "0.24.4"
HOME, HOME_VARIABLE = ".qwen", ""
WIRED = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure",
         "SubagentStart", "SubagentStop", "PreCompact", "Stop", "SessionEnd")  # fmt: skip
EVENTS = {name: name for name in (*WIRED, "PostToolBatch", "Notification", "StopFailure", "PostCompact",
                                  "UserPromptExpansion", "PermissionDenied", "MessageDisplay")}  # fmt: skip
TOOLS: "_reading.Tools" = {
    **gemini.TOOLS,  # Qwen Code began as a copy of Gemini CLI
    "edit": ("Edit", {"path": "file_path"}),
    "agent": ("Agent", {}),
    "skill": ("Skill", {}),
    "todo_write": ("TodoWrite", {}),
    "web_search": ("WebSearch", {}),
    "monitor": ("Monitor", {"directory": _reading.DIRECTORY}),
    "cron_create": ("CronCreate", {}),
    "notebook_edit": ("NotebookEdit", {}),
    "exec": ("PowerShell", {"code": "command", "script": "command"}),
}
FORM = "groups"
CONFIG = (("user", "settings.json"), ("project", ".qwen/settings.json"))
SWITCHES = ("~/.qwen/trustedFolders.json", "~/.qwen/.env", ".qwen/.env")
TIMEOUT = ("timeout", 1, 60)
IN_MILLISECONDS_FROM = 1000
MODES = {"yolo": "bypassPermissions", "auto-edit": "acceptEdits"}
CAN = {
    "PreToolUse": "allow ask deny",
    "PermissionRequest": "allow deny",
    "PostToolUse": "deny context",
    "PostToolUseFailure": "context",
    "UserPromptSubmit": "deny context",
    "SessionStart": "context",
    "SubagentStart": "context",
    "Stop": "deny",
    "SubagentStop": "deny",
}
NOTES = (
    "A rewrite has no effect in Qwen Code: hookkit denies the call and names the command to run instead.",
    "A timeout of 1000 or more counts as milliseconds.",
    "With `qwen -p`, a question of hookkit is a deny, since no person can answer.",
)


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    """Qwen repeats UserPromptSubmit with an empty prompt before every model call: such an event has no name here."""
    variables = ("QWEN_PROJECT_DIR", "CLAUDE_PROJECT_DIR")
    event = _reading.plain(NAME, value, environ, usual, here, *variables)
    if event.name == "UserPromptSubmit" and not event.prompt and "submitted_prompt" not in event.fields:
        event.name = ""
    mode = event.text("permission_mode")
    event.fields["permission_mode"] = MODES.get(mode, mode)
    return event


def render(event: Event, decision: Decision) -> str:
    """After a tool, only `continue: false` replaces the result; the session goes on nevertheless."""
    limited = _limits.limited(event, decision, CAN, TITLE)
    if event.name == "PostToolUse" and limited.verdict == "deny":
        return dumps({"continue": False, "stopReason": "\n\n".join(filter(None, (limited.reason, limited.context)))})
    return claude.render(event, limited)

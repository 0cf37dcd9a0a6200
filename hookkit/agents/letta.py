"""Letta Code: exit code 2 is the only deny, its reason on stderr. Read in its package."""

from hookkit.agents import _limits, _reading, claude
from hookkit.agents._reading import FILE, PATCH
from hookkit.model import Decision, Event

NAME, TITLE, TRIED = "letta", "Letta Code", ""
HOME, HOME_VARIABLE = ".letta", ""
WIRED = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStop",
         "PreCompact", "Stop", "SessionEnd")  # fmt: skip
EVENTS = {name: name for name in (*WIRED, "PermissionRequest", "Notification")}
TOOLS: "_reading.Tools" = {
    "Bash": ("Bash", {}),
    "ShellCommand": ("Bash", {"workdir": _reading.DIRECTORY}),
    "Read": ("Read", FILE),
    "Write": ("Write", FILE),
    "Edit": ("Edit", FILE),
    "MultiEdit": ("MultiEdit", FILE),
    "ApplyPatch": ("apply_patch", {"input": PATCH}),
    "Grep": ("Grep", {}),
    "Glob": ("Glob", {}),
    "LS": ("LS", {}),
    "Task": ("Agent", {}),
}
FORM = "groups"
CONFIG = (("user", "settings.json"), ("project", ".letta/settings.json"), ("local", ".letta/settings.local.json"))
TIMEOUT = ("timeout", 1000, 60)
CAN = {
    "PreToolUse": "deny rewrite",
    "PostToolUse": "context",
    "UserPromptSubmit": "deny context",
    "Stop": "deny",
    "SubagentStop": "deny",
}
NOTES = (
    "Not tried with the program: read in Letta Code's package (0.32.18).",
    "A deny is exit code 2 with the reason on stderr; Letta reads no verdict on stdout.",
    "Letta knows no question of a hook: a question of hookkit becomes a deny.",
    "A hook that is late or cannot start lets the call pass.",
)
FIELDS = {"event_type": "hook_event_name", "working_directory": "cwd", "tool_call_id": "tool_use_id",
          "tool_result": "tool_response", "error_message": "error"}  # fmt: skip


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    """A session without an id of its own is told by its conversation or its agent."""
    own = _reading.json_object(value)
    session = _reading.text(own, "session_id", "conversation_id", "agent_id")
    return _reading.plain(NAME, {**own, "session_id": session}, environ, usual, here, names=FIELDS)


def render(event: Event, decision: Decision) -> str:
    """With a prompt, stdout is text for the model as it is; a deny is in the exit code."""
    limited = _limits.limited(event, decision, CAN, TITLE)
    if limited.verdict == "deny":
        return ""
    return limited.context if event.name == "UserPromptSubmit" else claude.render(event, limited)


def exit_code(event: Event, decision: Decision) -> tuple[int, str]:
    return _limits.refusal(event, decision, CAN, TITLE)

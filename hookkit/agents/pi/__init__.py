"""Pi: its extension `plugin.ts` sends {"extension": "pi", "type", "session", …} and carries out the reply."""

from hookkit.agents import _limits, _reading, opencode
from hookkit.agents._reading import FILE
from hookkit.model import Decision, Event

NAME, TITLE, TRIED = "pi", "Pi", "0.87.1"
HOME, HOME_VARIABLE = ".pi/agent", ""
EVENTS = {
    "session_start": "SessionStart",
    "input": "UserPromptSubmit",
    "tool_call": "PreToolUse",
    "tool_result": "PostToolUse",
    "session_compact": "PostCompact",
    "agent_end": "Stop",
    "session_shutdown": "SessionEnd",
}
WIRED = tuple(EVENTS)
TOOLS: "_reading.Tools" = {
    "bash": ("Bash", {}),
    "read": ("Read", FILE),
    "write": ("Write", FILE),
    "edit": ("Edit", FILE),
    "grep": ("Grep", {}),
    "find": ("Glob", {}),
    "ls": ("LS", {}),
}
FORM, PLUGIN = "plugin", "pi/plugin.ts"
CONFIG = (("user", "extensions/hookkit.ts"), ("project", ".pi/extensions/hookkit.ts"))
SWITCHES = ("~/.pi/agent/settings.json", ".pi/settings.json", "~/.pi/agent/extensions/*", ".pi/extensions/*")
TIMEOUT = ("", 1, 0)
TRUST = "A project's extension loads in a trusted project only; without a person it is left out without a word."
CAN = {
    "PreToolUse": "deny rewrite context",
    "PostToolUse": "deny context output",
    "UserPromptSubmit": "deny context",
    "SessionStart": "context",
}
NOTES = (
    "An extension cannot ask a person in `pi -p`: a question of hookkit becomes a deny.",
    "Text for the model before a tool comes with the tool's result.",
    "A gate cannot hold Pi at the end of a turn.",
)


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    return opencode.plugin_event(NAME, value, usual, here)


def render(event: Event, decision: Decision) -> str:
    return opencode.spelled(_limits.limited(event, decision, CAN, TITLE))

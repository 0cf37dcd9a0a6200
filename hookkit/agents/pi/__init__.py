"""Pi: its extension `pi.ts` sends {"extension": "pi", "type", "session", "directory", …} and carries out the reply."""

import sys

from hookkit.agents import _limits, _reading, opencode
from hookkit.agents._reading import FILE
from hookkit.model import Decision, Event

NAME, TITLE, TRIED = "pi", "Pi", "0.87.1"
PROGRAMS = ("pi",)
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
    own = _reading.json_object(value)
    native, directory = _reading.text(own, "type"), _reading.text(own, "directory")
    fields: dict[str, object] = {"session_id": own.get("session"), "cwd": directory}
    if native in ("tool_call", "tool_result"):
        fields |= {"tool_name": own.get("tool"), "tool_use_id": own.get("id"), "tool_input": own.get("input")}
    if native == "tool_result":
        fields["tool_response"] = own.get("output")
    if native == "input":
        fields["prompt"] = own.get("prompt")
    if native == "session_start":
        fields["source"] = "startup"
    if native == "session_shutdown":
        fields["reason"] = own.get("reason")
    return _reading.event(sys.modules[__name__], native, fields, project=directory, here=here, usual=usual)


def render(event: Event, decision: Decision) -> str:
    return opencode.spelled(_limits.limited(event, decision, CAN, TITLE))

"""Mistral Vibe: three events, snake case everywhere."""

import sys

from hookkit.dialects import _limits, _reading
from hookkit.dialects._tools import FILE, SHELL
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "vibe", "Mistral Vibe", "3.0.2"
PROGRAMS = ("vibe",)
HOME, HOME_VARIABLE = ".vibe", "VIBE_HOME"
EVENTS = {"pre_tool": "PreToolUse", "post_tool": "PostToolUse", "post_agent": "Stop"}
WIRED = tuple(EVENTS)
OWN_TOOLS: "_reading.Tools" = {
    "bash": ("Bash", SHELL),
    "read_file": ("Read", FILE),
    "read": ("Read", FILE),
    "write_file": ("Write", FILE),
    "write": ("Write", FILE),
    "search_replace": ("Edit", FILE),
    "edit": ("Edit", FILE),
    "grep": ("Grep", {}),
    "web_fetch": ("WebFetch", {}),
    "web_search": ("WebSearch", {}),
    "task": ("Agent", {"agent": "subagent_type"}),
    "todo": ("TodoWrite", {}),
}
TOOLS: "_reading.Tools" = {**OWN_TOOLS, **{f"file_system.{name}": row for name, row in OWN_TOOLS.items()}}
CONFIG = (("user", "hooks.toml", "vibe"), ("project", ".vibe/hooks.toml", "vibe"))
TIMEOUT = ("timeout", 1, 60)
TRUST = "A project's hooks run in a trusted folder only (`vibe --trust`)."
CAN = {
    "PreToolUse": "deny rewrite message",
    "PostToolUse": "deny context message",
    "Stop": "deny message",
}
NOTES = (
    "Vibe tells of tools and of the end of a turn, not of prompts and sessions.",
    "Text for the model before a tool comes with the tool's result.",
    "With `strict = true`, Vibe denies a call whose hook failed.",
)
FIELDS = {"tool_call_id": "tool_use_id", "tool_output": "tool_response", "tool_error": "error"}


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    return _reading.plain(sys.modules[__name__], value, environ, usual, here, names=FIELDS)


def render(event: Event, decision: Decision) -> str:
    said = _limits.limited(event, decision, CAN, TITLE)
    reply: dict[str, object] = {}
    own: dict[str, object] = {}
    if said.verdict == "deny":
        reply |= {"decision": "deny", "reason": said.reason}
    if said.message:
        reply["system_message"] = said.message
    if said.updated_input is not None:
        own["tool_input"] = said.updated_input
    if said.context:
        own["additional_context"] = said.context
    if own:
        reply["hook_specific_output"] = own
    return dumps(reply) if reply else ""

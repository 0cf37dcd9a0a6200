"""Mistral Vibe: three events, snake case everywhere."""

from hookkit.agents import _limits, _reading
from hookkit.agents._reading import FILE, SHELL
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "vibe", "Mistral Vibe", "3.0.2"
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
FORM, EVENT = "rows", "type"
ROW = '[[hooks]]\nname = "hookkit-{event}"\ntype = "{event}"\ncommand = {command}\ntimeout = {timeout}\n'
CLOSED = "strict = true\n"  # Vibe denies the call if the command fails
CONFIG = (("user", "hooks.toml"), ("project", ".vibe/hooks.toml"))
SWITCHES = ("~/.vibe/config.toml", ".vibe/config.toml")
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
    return _reading.plain(NAME, value, environ, usual, here, names=FIELDS)


def render(event: Event, decision: Decision) -> str:
    limited = _limits.limited(event, decision, CAN, TITLE)
    reply: dict[str, object] = {}
    if limited.verdict == "deny":
        reply = {"decision": "deny", "reason": limited.reason}
    reply |= _limits.parts(limited, message="system_message")
    own = _limits.parts(limited, updated_input="tool_input", context="additional_context")
    if own:
        reply["hook_specific_output"] = own
    return dumps(reply) if reply else ""

"""Crush: one event, before a tool; the verdict stands at the top of the reply. Written from its documentation."""

from hookkit.agents import _limits, _reading
from hookkit.agents._reading import FILE, TEXTS
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "crush", "Crush", ""
HOME, HOME_VARIABLE = ".config/crush", ""
EVENTS = {"PreToolUse": "PreToolUse"}
WIRED = tuple(EVENTS)
TOOLS: "_reading.Tools" = {
    "bash": ("Bash", {"working_dir": _reading.DIRECTORY}),
    "view": ("Read", FILE),
    "write": ("Write", FILE),
    "edit": ("Edit", {**FILE, **TEXTS}),
    "multiedit": ("MultiEdit", {**FILE, **TEXTS}),
    "grep": ("Grep", {}),
    "glob": ("Glob", {}),
    "ls": ("LS", {}),
    "fetch": ("WebFetch", {}),
    "download": ("WebFetch", {}),
    "agent": ("Agent", {}),
}
FORM = "flat"
HEAD: dict[str, object] = {}
CONFIG = (("user", "crush.json"), ("project", ".crush.json"))
SWITCHES = ("~/.local/share/crush/crush.json", "crush.json")
TIMEOUT = ("timeout", 1, 30)
CAN = {"PreToolUse": "allow deny rewrite context"}
NOTES = (
    "Not tried with the program: written from Crush's documentation and its source of August 2026.",
    "Crush's sub-agents (`agent`, `agentic_fetch`) run without hooks: hookkit sees the call of the sub-agent alone.",
    "Crush knows no question: a question of hookkit becomes a deny.",
    "A hook that is late or cannot start lets the call pass.",
)
FIELDS = {"event": "hook_event_name"}


def entry(command: str, timeout: int) -> "dict[str, object]":
    return {"name": "hookkit", "command": command, "timeout": timeout}


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    return _reading.plain(NAME, value, environ, usual, here, "CRUSH_PROJECT_DIR", names=FIELDS)


def render(event: Event, decision: Decision) -> str:
    limited = _limits.limited(event, decision, CAN, TITLE)
    reply: dict[str, object] = {}
    if limited.verdict is not None:
        reply = {"decision": limited.verdict, "reason": limited.reason}
    reply |= _limits.parts(limited, updated_input="updated_input", context="context")
    return dumps({"version": 1, **reply}) if reply else ""

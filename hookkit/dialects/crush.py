"""Crush: one event, before a tool; the verdict stands at the top of the reply. Written from its documentation."""

import sys

from hookkit.dialects import _limits, _reading
from hookkit.dialects._tools import FILE, TEXTS
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "crush", "Crush", ""
PROGRAMS = ("crush",)
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
CONFIG = (("user", "crush.json", "crush"), ("project", ".crush.json", "crush"))
TIMEOUT = ("timeout", 1, 30)
TRUST = ""
CAN = {"PreToolUse": "allow deny rewrite context"}
NOTES = (
    "Not tried with the program: written from Crush's documentation and source.",
    "Crush's sub-agents (`agent`, `agentic_fetch`) run without hooks: hookkit sees the call of the sub-agent alone.",
    "Crush knows no question: a question of hookkit becomes a deny.",
    "A hook that is late or cannot start lets the call pass.",
)
FIELDS = {"event": "hook_event_name"}


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    return _reading.plain(sys.modules[__name__], value, environ, usual, here, "CRUSH_PROJECT_DIR", names=FIELDS)


def render(event: Event, decision: Decision) -> str:
    said = _limits.limited(event, decision, CAN, TITLE)
    reply: dict[str, object] = {}
    if said.verdict is not None:
        reply |= {"decision": said.verdict, "reason": said.reason}
    if said.updated_input is not None:
        reply["updated_input"] = said.updated_input
    if said.context:
        reply["context"] = said.context
    return dumps({"version": 1, **reply}) if reply else ""

"""Amp: its plugin `plugin.ts` sends {"extension": "amp", "type", "session", "directory", …} and obeys a deny."""

import sys

from hookkit.agents import _limits, _reading, opencode
from hookkit.agents._reading import FILE, TEXTS
from hookkit.model import Decision, Event

NAME, TITLE, TRIED = "amp", "Amp", ""
PROGRAMS = ("amp",)
HOME, HOME_VARIABLE = ".config/amp", ""
EVENTS = {
    "session.start": "SessionStart",
    "agent.start": "UserPromptSubmit",
    "tool.call": "PreToolUse",
    "tool.result": "PostToolUse",
    "agent.end": "Stop",
}
WIRED = tuple(EVENTS)
TOOLS: "_reading.Tools" = {
    "Bash": ("Bash", {"cmd": "command", "cwd": _reading.DIRECTORY}),
    "shell_command": ("Bash", {"workdir": _reading.DIRECTORY}),
    "Read": ("Read", FILE),
    "create_file": ("Write", {**FILE, **TEXTS}),
    "edit_file": ("Edit", {**FILE, "old_str": "old_string", "new_str": "new_string"}),
    "read_web_page": ("WebFetch", {}),
    "web_search": ("WebSearch", {}),
}
FORM, PLUGIN = "plugin", "amp/plugin.ts"
CONFIG = (("user", "plugins/hookkit.ts"), ("project", ".amp/plugins/hookkit.ts"))
SWITCHES = ("~/.config/amp/settings.json", ".amp/settings.json", "~/.config/amp/plugins/*", ".amp/plugins/*")
TIMEOUT = ("", 1, 0)
TRUST = "Releases that have plugins off by default load them with `PLUGINS=all amp`."
CAN = {"PreToolUse": "deny"}
NOTES = (
    "Not tried with the program: written from Amp's documentation of its plugins, which calls them experimental.",
    "Plugins of a project run only where Amp loads them: `plugins: reload` in its palette lists them.",
)


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    own = _reading.json_object(value)
    native, directory = _reading.text(own, "type"), _reading.text(own, "directory")
    fields: dict[str, object] = {"session_id": own.get("session"), "cwd": directory}
    if native in ("tool.call", "tool.result"):
        fields |= {"tool_name": own.get("tool"), "tool_use_id": own.get("id"), "tool_input": own.get("input")}
    if native == "tool.result":
        fields["tool_response"] = own.get("output")
    if native == "agent.start":
        fields["prompt"] = own.get("prompt")
    if native == "session.start":
        fields["source"] = "startup"
    return _reading.event(sys.modules[__name__], native, fields, project=directory, here=here, usual=usual)


def render(event: Event, decision: Decision) -> str:
    return opencode.spelled(_limits.limited(event, decision, CAN, TITLE))

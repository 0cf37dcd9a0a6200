"""Amp: its plugin `plugin.ts` sends {"extension": "amp", "type", "session", "directory", …} and obeys a deny."""

from hookkit.agents import _limits, _reading, opencode
from hookkit.agents._reading import FILE, TEXTS
from hookkit.model import Decision, Event

NAME, TITLE, TRIED = "amp", "Amp", ""
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
    return opencode.plugin_event(NAME, value, usual, here)


def render(event: Event, decision: Decision) -> str:
    return opencode.spelled(_limits.limited(event, decision, CAN, TITLE))

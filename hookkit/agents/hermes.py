"""Hermes: a block as JSON, for older releases, and as exit code 2, for newer ones. Read in its package."""

from hookkit.agents import _limits, _reading
from hookkit.agents._reading import FILE, PATCH
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "hermes", "Hermes", ""
HOME, HOME_VARIABLE = ".hermes", "HERMES_HOME"
EVENTS = {
    "on_session_start": "SessionStart",
    "pre_tool_call": "PreToolUse",
    "post_tool_call": "PostToolUse",
    "subagent_stop": "SubagentStop",
    "pre_verify": "Stop",
}
WIRED = tuple(EVENTS)
TOOLS: "_reading.Tools" = {
    "terminal": ("Bash", {"workdir": _reading.DIRECTORY}),
    "read_file": ("Read", FILE),
    "write_file": ("Write", FILE),
    "patch": ("Edit", {**FILE, "patch": PATCH}),
    "search_files": ("Grep", {}),
    "web_extract": ("WebFetch", {"urls": "url"}),
    "web_search": ("WebSearch", {}),
    "delegate_task": ("Agent", {"goal": "prompt"}),
}
FORM = "yaml"
CONFIG = (("user", "config.yaml"),)
TIMEOUT = ("timeout", 1, 60)
TRUST = "Hermes asks for consent to each hook at its first start; without a person, start it with `--accept-hooks`."
CAN = {"PreToolUse": "deny", "Stop": "deny"}
NOTES = (
    "Not tried with the program: read in Hermes' package (0.19.0).",
    "Hermes obeys a block and nothing else: a question or a rewrite becomes a deny with a suggestion.",
    "A hook that is late or cannot start lets the call pass, unless `fail_closed` is set in a newer release.",
)


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    own = _reading.json_object(value)
    more = own.get("extra")
    more = more if isinstance(more, dict) else {}
    fields = {name: item for name, item in own.items() if name != "extra" and item is not None}
    names = (("tool_call_id", "tool_use_id"), ("result", "tool_response"), ("error_message", "error"))
    fields |= {ours: more[name] for name, ours in names if more.get(name) is not None}
    return _reading.plain(NAME, fields, environ, usual, here)


def render(event: Event, decision: Decision) -> str:
    limited = _limits.limited(event, decision, CAN, TITLE)
    return dumps({"decision": "block", "reason": limited.reason}) if limited.verdict == "deny" else ""


def exit_code(event: Event, decision: Decision) -> tuple[int, str]:
    """At the end of a turn the JSON alone counts."""
    return _limits.refusal(event, decision, CAN, TITLE) if event.name == "PreToolUse" else (0, "")

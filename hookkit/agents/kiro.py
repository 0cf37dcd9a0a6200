"""Kiro CLI 3 and Kiro IDE 1: exit code 2 is the only deny. Written from documents and reports."""

from hookkit.agents import _limits, _reading
from hookkit.agents._reading import FILE, TEXTS
from hookkit.model import Decision, Event

NAME, TITLE, TRIED = "kiro", "Kiro", ""
PROGRAMS = ("kiro-cli", "kiro")
HOME, HOME_VARIABLE = ".kiro", ""
WIRED = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
EVENTS = {
    **{name: name for name in WIRED},
    "agentSpawn": "SessionStart",
    "userPromptSubmit": "UserPromptSubmit",
    "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse",
    "stop": "Stop",
}
TOOLS: "_reading.Tools" = {
    **dict.fromkeys(("execute_bash", "shell"), ("Bash", {"working_dir": _reading.DIRECTORY})),
    **dict.fromkeys(("fs_read", "read"), ("Read", FILE)),
    **dict.fromkeys(("fs_write", "write"), ("Write", {**FILE, **TEXTS, "command": _reading.ACTION})),
    "str_replace": ("Edit", {**FILE, **TEXTS}),
    "grep": ("Grep", {}),
    "glob": ("Glob", {}),
    "web_fetch": ("WebFetch", {}),
    "web_search": ("WebSearch", {}),
    "use_subagent": ("Agent", {}),
}
FORM, HEAD = "listed", {"version": "v1"}
CONFIG = (("user", "hooks/hookkit.json"), ("project", ".kiro/hooks/hookkit.json"))
TIMEOUT = ("timeout", 1, 30)
CAN = {"PreToolUse": "deny", "UserPromptSubmit": "deny context", "SessionStart": "context"}
NOTES = (
    "Not tried with the program: written from Kiro's documentation of November 2026 and from reports.",
    "Kiro CLI before 3.0 reads hooks in agent files only: run `kiro-cli agent migrate`, or upgrade.",
    "Kiro obeys exit code 2 and nothing else: a question or a rewrite becomes a deny with a suggestion.",
    "A hook that is late or cannot start lets the call pass.",
)


def entry(event: str, command: str, timeout: int) -> "dict[str, object]":
    """Without a matcher a hook runs for every tool."""
    action = {"type": "command", "command": command}
    return {"name": f"hookkit-{event}", "trigger": event, "action": action, "timeout": timeout, "enabled": True}


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    """Kiro CLI 2 sends no session: its events of a directory count as one."""
    own = _reading.json_object(value)
    session = _reading.text(own, "session_id") or f"kiro {_reading.text(own, 'cwd')}"
    return _reading.plain(NAME, {**own, "session_id": session}, environ, usual, here)


def render(event: Event, decision: Decision) -> str:
    """Stdout is text for the model, as it is; a deny is in the exit code."""
    limited = _limits.limited(event, decision, CAN, TITLE)
    return limited.context if limited.verdict is None else ""


def exit_code(event: Event, decision: Decision) -> tuple[int, str]:
    return _limits.refusal(event, decision, CAN, TITLE)

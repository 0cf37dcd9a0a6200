"""Codex CLI: Claude Code's fields under a closed schema. An unknown field makes Codex drop the reply, even a deny."""

from hookkit.agents import _limits, _reading, claude
from hookkit.model import Decision, Event

NAME, TITLE, TRIED = "codex", "Codex CLI", "0.169.0"
HOME, HOME_VARIABLE = ".codex", "CODEX_HOME"
WIRED = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop", "SubagentStart",
         "SubagentStop", "PreCompact", "PostCompact", "SessionEnd")  # fmt: skip
EVENTS = {name: name for name in WIRED}
TOOLS: "_reading.Tools" = {
    "Bash": ("Bash", {}),
    "apply_patch": ("apply_patch", {"command": _reading.PATCH, "input": _reading.PATCH}),
    "spawn_agent": ("Agent", {"message": "prompt", "agent_type": "subagent_type"}),
    "web_search": ("WebSearch", {}),
    "update_plan": ("TodoWrite", {}),
    "view_image": ("Read", {"path": "file_path"}),
}
FORM = "groups"
CONFIG = (("user", "hooks.json"), ("project", ".codex/hooks.json"))
SWITCHES = ("~/.codex/config.toml", ".codex/config.toml")
TIMEOUT = ("timeout", 1, 600)
TRUST = 'Start `codex`, choose "Trust all and continue" for the hooks, and trust the project; until then no hook runs.'
CAN = {
    "PreToolUse": "deny rewrite context message",
    "PermissionRequest": "allow deny message",
    "PostToolUse": "deny context message",
    "UserPromptSubmit": "deny context message",
    "SessionStart": "context message",
    "SubagentStart": "context message",
    "Stop": "deny message",
    "SubagentStop": "deny message",
}
NOTES = (
    "A hook sees the command line, not the directory that the model asks for: hookkit judges it in the session's one.",
    "The output of a command comes without its exit code, so a failed command looks like a successful one.",
)


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    return _reading.plain(NAME, value, environ, usual, here)


def render(event: Event, decision: Decision) -> str:
    """A rewrite needs the word allow, and an allow without a rewrite makes Codex drop the reply."""
    limited = _limits.limited(event, decision, CAN, TITLE)
    if event.name == "PreToolUse" and limited.updated_input is not None:
        limited.verdict, limited.reason = "allow", limited.reason or "changed by hookkit"
    return claude.render(event, limited)

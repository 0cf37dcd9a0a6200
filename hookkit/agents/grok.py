"""Grok Build: Claude Code's form, each field in two spellings. It runs the hooks of `~/.claude/settings.json` too."""

from hookkit.agents import _limits, _reading, claude
from hookkit.agents._reading import FILE
from hookkit.errors import EventError
from hookkit.model import Decision, Event

NAME, TITLE, TRIED = "grok", "Grok Build", "1.0.41"
HOME, HOME_VARIABLE = ".grok", ""
WIRED = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStart",
         "SubagentStop", "PreCompact", "Stop", "StopFailure", "SessionEnd")  # fmt: skip
EVENTS = {name: name for name in (*WIRED, "Notification", "PermissionDenied", "PostCompact")}
TOOLS: "_reading.Tools" = {
    "run_terminal_command": ("Bash", {}),
    "monitor": ("Monitor", {}),
    "write": ("Write", FILE),
    "search_replace": ("Edit", FILE),
    "read_file": ("Read", {**FILE, "target_file": "file_path"}),
    "list_dir": ("LS", {"target_directory": "path"}),
    "grep": ("Grep", {}),
    "web_fetch": ("WebFetch", {}),
    "web_search": ("WebSearch", {}),
    "spawn_subagent": ("Agent", {}),
}
FORM = "groups"
CONFIG = (("user", "hooks/hookkit.json"), ("project", ".grok/hooks/hookkit.json"))
SWITCHES = ("~/.grok/config.toml", "~/.grok/trusted_folders.toml", ".grok/config.toml")
TIMEOUT = ("timeout", 1, 5)
TRUST = "A project's hooks run in a trusted folder only (`grok --trust`); until then they are left out without a word."
CAN = {
    "PreToolUse": "deny rewrite context",
    "PostToolUse": "context",
    "PostToolUseFailure": "context",
    "UserPromptSubmit": "deny",
    "Stop": "deny",
    "SubagentStop": "deny",
}
ALSO_RUNS = ("user", "project")
NOTES = (
    "Grok also runs the hooks of `~/.claude/settings.json`: connect hookkit in one of the two places only.",
    "With `--always-approve`, Grok runs a call that a hook wants to ask about: hookkit denies instead.",
    "Grok drops text for the model at the start of a session and with a prompt.",
    "Grok may send a part of a long command only: hookkit denies such a call.",
)
ENDED = ("", "end_turn")  # reasons of a Stop at the end of a turn; Grok sends another Stop after SessionEnd


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    own = _reading.json_object(value)
    fields = {name: item for name, item in own.items() if name == "cwd" or not _is_camel(name)}
    event = _reading.plain(NAME, fields, environ, usual, here, "CLAUDE_PROJECT_DIR")
    if own.get("toolInputTruncated") is True and event.tool_name in ("Bash", "Monitor"):
        raise EventError("Grok sent only a part of the command")
    if event.name == "Stop" and event.text("reason") not in ENDED:
        event.name = ""
    return event


def _is_camel(name: str) -> bool:
    """A field's second name: Grok sends `toolName` and `tool_name`."""
    return not name.islower()


def render(event: Event, decision: Decision) -> str:
    return claude.render(event, _limits.limited(event, decision, CAN, TITLE))

"""Factory Droid: Claude Code's form. A question is ignored without a person, so it becomes a deny."""

from hookkit.agents import _limits, _reading, claude
from hookkit.agents._reading import FILE, TEXTS
from hookkit.model import Decision, Event

NAME, TITLE, TRIED = "droid", "Factory Droid", "0.225.2"
HOME, HOME_VARIABLE = ".factory", ""
WIRED = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStop", "PreCompact", "Stop",
         "SessionEnd")  # fmt: skip
EVENTS = {name: name for name in (*WIRED, "Notification")}
TOOLS: "_reading.Tools" = {
    "Execute": ("Bash", {"cwd": _reading.DIRECTORY}),
    "Create": ("Write", FILE),
    "Edit": ("Edit", {**FILE, **TEXTS}),
    "MultiEdit": ("MultiEdit", FILE),
    "Read": ("Read", FILE),
    "LS": ("LS", {"directory_path": "path"}),
    "Grep": ("Grep", {}),
    "Glob": ("Glob", {"folder": "path"}),
    "ApplyPatch": ("apply_patch", {"input": _reading.PATCH, "patch": _reading.PATCH}),
    "FetchUrl": ("WebFetch", {}),
    "WebSearch": ("WebSearch", {}),
    "Task": ("Agent", {}),
    "TodoWrite": ("TodoWrite", {}),
}
FORM = "groups"
CONFIG = (("user", "settings.json"), ("project", ".factory/settings.json"))
SWITCHES = ("~/.factory/config.json", ".factory/config.json")
TIMEOUT = ("timeout", 1, 60)
MODES = {"auto-low": "auto", "auto-medium": "auto", "auto-high": "bypassPermissions", "off": "default"}
CAN = {
    "PreToolUse": "allow deny rewrite",
    "PostToolUse": "context",
    "UserPromptSubmit": "deny context",
    "SessionStart": "context",
    "Stop": "deny",
    "SubagentStop": "deny",
}
NOTES = (
    "Droid ignores a question of a hook in `droid exec`: hookkit denies instead.",
    "`droid exec` sends no UserPromptSubmit, and no PostToolUse for a failed command.",
    "Text for the model before a tool comes with the tool's result.",
)


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    variables = ("FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR", "CLAUDE_PROJECT_DIR")
    event = _reading.plain(NAME, value, environ, usual, here, *variables)
    mode = event.text("permission_mode")
    event.fields["permission_mode"] = MODES.get(mode, mode)
    return event


def render(event: Event, decision: Decision) -> str:
    return claude.render(event, _limits.limited(event, decision, CAN, TITLE))

"""Goose: a plugin with hooks. Only a block before a tool or at the end of a turn counts, as JSON or as exit code 2."""

from hookkit.agents import _limits, _reading
from hookkit.agents._reading import FILE
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.agents._disk import Checked, Remarks

NAME, TITLE, TRIED = "goose", "Goose", "1.52.0"
HOME, HOME_VARIABLE = ".agents/plugins", ""
WIRED = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStart",
         "SubagentStop", "Stop", "SessionEnd")  # fmt: skip
EVENTS = {name: name for name in WIRED}
OWN_TOOLS: "_reading.Tools" = {
    "shell": ("Bash", {}),
    "write": ("Write", FILE),
    "edit": ("Edit", {**FILE, "before": "old_string", "after": "new_string"}),
    "text_editor": ("Edit", {**FILE, "command": _reading.ACTION, "file_text": "content"}),
    "read": ("Read", FILE),
    "tree": ("LS", {}),
}
TOOLS: "_reading.Tools" = {**OWN_TOOLS, **{f"developer__{name}": row for name, row in OWN_TOOLS.items()}}
FORM = "groups"
CONFIG = (("user", "hookkit/hooks/hooks.json"), ("project", ".agents/plugins/hookkit/hooks/hooks.json"))
SWITCHES = (
    "~/.config/goose/settings.json", ".config/goose/settings.json",
    "~/.agents/plugins/hookkit/*", ".agents/plugins/hookkit/*",
)  # fmt: skip
TIMEOUT = ("timeout", 1, 30)
CAN = {"PreToolUse": "deny", "Stop": "deny"}
NOTES = (
    "Goose 1.34 and older run hooks and ignore every answer, so nothing is stopped: `hookkit doctor` says so.",
    "Goose obeys a block and nothing else: a question or a rewrite becomes a deny with a suggestion.",
    "`disabledPlugins` in `.config/goose/settings.json`, also in a project's one, switches hookkit off.",
)
LAST_DEAF = (1, 34)  # the newest release that was seen to ignore a block
FIELDS = {"event": "hook_event_name", "working_dir": "cwd", "message": "prompt", "tool_call_id": "tool_use_id"}


def check(checked: "Checked") -> "Remarks":
    program, release = checked.release("goose")
    if release and tuple(map(int, release.split(".")[:2])) <= LAST_DEAF:
        message = f"{program} is Goose {release}, which runs hooks and ignores every answer: nothing is stopped"
        yield "wiring.deaf", "serious", message, "upgrade Goose: 1.52 was seen to obey", checked.files[0]


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    return _reading.plain(NAME, value, environ, usual, here, names=FIELDS)


def render(event: Event, decision: Decision) -> str:
    limited = _limits.limited(event, decision, CAN, TITLE)
    return dumps({"decision": "block", "reason": limited.reason}) if limited.verdict == "deny" else ""

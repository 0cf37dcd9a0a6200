"""cocode: a reply is one of Continue, Reject and ModifyInput. Written from its documentation."""

from hookkit.agents import _limits, _reading
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "cocode", "cocode", ""
HOME, HOME_VARIABLE = ".config/cocode", ""
WIRED = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure",
         "SubagentStart", "SubagentStop", "PreCompact", "Stop", "SessionEnd")  # fmt: skip
EVENTS = {name: name for name in (*WIRED, "Notification")}
TOOLS: "_reading.Tools" = {"shell": ("Bash", {}), "apply_patch": ("apply_patch", {"input": _reading.PATCH})}
FORM, EVENT = "rows", "event"
ROW = (
    '[[hooks]]\nevent = "{event}"\ntimeout_sec = {timeout}\n'
    "[hooks.shell]\ncommand = {command}\npass_context = true\nparse_result = true\n"
)
CONFIG = (("user", "hooks.toml"),)
SWITCHES = ("~/.config/cocode/hooks.json", ".cocode/hooks.toml", ".cocode/hooks.json")
TIMEOUT = ("timeout_sec", 1, 600)
CAN = {
    "PreToolUse": "deny rewrite",
    "PermissionRequest": "deny",
    "PostToolUse": "deny",
    "PostToolUseFailure": "deny",
    "UserPromptSubmit": "deny",
    "Stop": "deny",
    "SubagentStop": "deny",
}
NOTES = (
    "Not tried with the program: written from cocode's documentation.",
    "cocode knows no question and takes no text for the model: a question becomes a deny.",
    "A hook that exits with another code than 0 rejects the call.",
)
FIELDS = {"event": "hook_event_name", "tool_output": "tool_response", "user_prompt": "prompt"}


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    return _reading.plain(NAME, value, environ, usual, here, names=FIELDS)


def render(event: Event, decision: Decision) -> str:
    limited = _limits.limited(event, decision, CAN, TITLE)
    if limited.verdict == "deny":
        return dumps({"Reject": {"reason": limited.reason}})
    if limited.updated_input is not None:
        return dumps({"ModifyInput": {"new_input": limited.updated_input}})
    return ""

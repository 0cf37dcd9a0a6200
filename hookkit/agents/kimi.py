"""Kimi Code: before a tool a deny in Claude Code's form; after a prompt, stdout goes to the model as it is."""

from hookkit.agents import _limits, _reading, claude
from hookkit.agents._reading import FILE
from hookkit.model import Decision, Event

NAME, TITLE, TRIED = "kimi", "Kimi Code", "2.1.0"
HOME, HOME_VARIABLE = ".kimi-code", ""
WIRED = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStart",
         "SubagentStop", "PreCompact", "Stop", "SessionEnd")  # fmt: skip
EVENTS = {name: name for name in (*WIRED, "PermissionRequest", "PostCompact", "StopFailure", "Notification")}
TOOLS: "_reading.Tools" = {
    "Bash": ("Bash", {"cwd": _reading.DIRECTORY}),
    "Read": ("Read", FILE),
    "Write": ("Write", FILE),
    "Edit": ("Edit", FILE),
    "Grep": ("Grep", {}),
    "Glob": ("Glob", {"directory": "path"}),
    "FetchURL": ("WebFetch", {}),
    "WebSearch": ("WebSearch", {}),
    "Agent": ("Agent", {}),
    "Skill": ("Skill", {"name": "skill"}),
    "TodoList": ("TodoWrite", {}),
}
FORM, EVENT = "rows", "event"
ROW = '[[hooks]]\nevent = "{event}"\ncommand = {command}\ntimeout = {timeout}\n'  # Kimi refuses any other key
CONFIG = (("user", "config.toml"),)
TIMEOUT = ("timeout", 1, 30)
CAN = {
    "PreToolUse": "deny",
    "UserPromptSubmit": "context",
}
NOTES = (
    "Kimi's hooks are in the user's own file only.",
    "Kimi obeys a deny before a tool and nothing else: a question or a rewrite becomes a deny with a suggestion.",
    "A gate cannot hold Kimi at the end of a turn: Kimi obeys an exit code there, and hookkit always exits with 0.",
    "Kimi ends a hook after a tool together with the turn, so the last rows of a session may be missing in the ledger.",
)
FIELDS = {"tool_call_id": "tool_use_id", "tool_output": "tool_response", "agent_name": "agent_type",
          "response": "last_assistant_message"}  # fmt: skip


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    """A prompt comes as a list of parts, an error as an object."""
    fields = _reading.renamed(_reading.json_object(value), FIELDS)
    prompt, error, native = fields.get("prompt"), fields.get("error"), _reading.text(fields, "hook_event_name")
    if isinstance(prompt, list):
        texts = [part.get("text") for part in prompt if isinstance(part, dict)]
        fields["prompt"] = "\n".join(text for text in texts if isinstance(text, str))
    if isinstance(error, dict):
        fields["error"] = error.get("message", "")
    return _reading.event(NAME, native, fields, project="", here=here, usual=usual)


def render(event: Event, decision: Decision) -> str:
    """A text that looks like JSON is no context, as Kimi reads it for a decision: a blank line before it helps."""
    limited = _limits.limited(event, decision, CAN, TITLE)
    if event.name == "UserPromptSubmit":
        return limited.context if not limited.context.lstrip().startswith("{") else f"hookkit:\n{limited.context}"
    return claude.render(event, limited)

"""GitHub Copilot CLI: every part of a reply stands at its top. The spelling of an event's name selects the fields."""

from hookkit import events
from hookkit.agents import _limits, _reading
from hookkit.agents._reading import EDITOR, FILE, TEXTS
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "copilot", "GitHub Copilot CLI", "1.0.102"
HOME, HOME_VARIABLE = ".copilot", "COPILOT_HOME"
CAMEL = {
    "sessionStart": "SessionStart",
    "userPromptSubmitted": "UserPromptSubmit",
    "preToolUse": "PreToolUse",
    "permissionRequest": "PermissionRequest",
    "postToolUse": "PostToolUse",
    "postToolUseFailure": "PostToolUseFailure",
    "subagentStart": "SubagentStart",
    "subagentStop": "SubagentStop",
    "agentStop": "Stop",
    "preCompact": "PreCompact",
    "errorOccurred": "StopFailure",
    "notification": "Notification",
    "sessionEnd": "SessionEnd",
}
# Names in Claude Code's spelling bring Claude Code's fields; `.claude/settings.json` uses them.
EVENTS = {**CAMEL, **{name: name for name in CAMEL.values()}, "ErrorOccurred": "StopFailure"}
WIRED = tuple(name for name in CAMEL if name != "notification")
TOOLS: "_reading.Tools" = {
    "bash": ("Bash", {}),
    "write_bash": ("Bash", {"input": "command"}),
    "powershell": ("PowerShell", {}),
    "write_powershell": ("PowerShell", {"input": "command"}),
    "view": ("Read", FILE),
    "Read": ("Read", FILE),
    "create": ("Write", {**FILE, **TEXTS}),
    "Write": ("Write", {**FILE, **TEXTS}),
    "edit": ("Edit", EDITOR),
    "Edit": ("Edit", EDITOR),
    "str_replace_editor": ("Edit", EDITOR),
    "apply_patch": ("apply_patch", EDITOR),
    "grep": ("Grep", {}),
    "rg": ("Grep", {}),
    "glob": ("Glob", {}),
    "web_fetch": ("WebFetch", {}),
    "web_search": ("WebSearch", {}),
    "task": ("Agent", {"agent_type": "subagent_type"}),
    "Agent": ("Agent", {"agent_type": "subagent_type"}),
    "skill": ("Skill", {}),
    "update_todo": ("TodoWrite", {}),
}
FORM, HEAD = "flat", {"version": 1}
CONFIG = (("user", "hooks/hookkit.json"), ("project", ".github/hooks/hookkit.json"))
SWITCHES = (
    "~/.copilot/config.json", "~/.copilot/settings.json", "~/.copilot/hooks/*", ".github/hooks/*",
    ".github/copilot/settings.json", ".github/copilot/settings.local.json",
)  # fmt: skip
TIMEOUT = ("timeoutSec", 1, 30)
TRUST = "The folder must be trusted (`copilot --trust-folder`, or the question at the start); until then no hook runs."
CAN = {
    "PreToolUse": "allow ask deny rewrite context",
    "PermissionRequest": "allow deny",
    "PostToolUse": "deny context output",
    "PostToolUseFailure": "context",
    "UserPromptSubmit": "deny context",
    "SessionStart": "context",
    "SubagentStart": "context",
    "Notification": "context",
    "Stop": "deny",
    "SubagentStop": "deny",
}
ALSO_RUNS = ("project",)
NOTES = (
    "Copilot also runs the hooks of `.claude/settings.json`: connect hookkit in one of the two places only.",
    "With `copilot -p`, a question of hookkit is a deny, since no person can answer.",
    "A hook that cannot start denies every call.",
)
FIELDS = {
    "sessionId": "session_id",
    "transcriptPath": "transcript_path",
    "toolName": "tool_name",
    "toolArgs": "tool_input",
    "toolInput": "tool_input",
    "toolResult": "tool_response",
    "tool_result": "tool_response",
    "stopReason": "stop_reason",
    "agentId": "agent_id",
    "agentType": "agent_type",
    "response": "last_assistant_message",
    "initialPrompt": "prompt",
    "initial_prompt": "prompt",
}
# Fields that tell the event, for the payloads that do not name it; the first row that fits counts.
SIGNS = (
    ("toolResult", "postToolUse"),
    ("tool_result", "postToolUse"),
    ("toolName", "preToolUse"),
    ("transformedPrompt", "userPromptTransformed"),
    ("initialPrompt", "sessionStart"),
    ("prompt", "userPromptSubmitted"),
    ("stopReason", "agentStop"),
    ("agentName", "subagentStart"),
    ("errorContext", "errorOccurred"),
    ("trigger", "preCompact"),
    ("source", "sessionStart"),
    ("reason", "sessionEnd"),
)


def probe(event: str, command: str, project: str) -> "dict[str, object]":
    """An event of doctor's own."""
    return {"sessionId": "hookkit-doctor", "cwd": project, "timestamp": 0, "toolName": "bash",
            "toolArgs": {"command": command}, "prompt": "hello", "source": "new", "hookName": event}  # fmt: skip


def entry(command: str, timeout: int) -> "dict[str, object]":
    return {"type": "command", "bash": command, "timeoutSec": timeout}


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    fields = _reading.json_object(value)
    native = _reading.text(fields, "hook_event_name", "hookName") or _guessed(fields)
    project = environ.get("COPILOT_PROJECT_DIR") or environ.get("CLAUDE_PROJECT_DIR", "")
    read = _reading.renamed(fields, FIELDS)
    if isinstance(read.get("error"), dict):
        read["error"] = read["error"].get("message", "")  # type: ignore[attr-defined]
    return _reading.event(NAME, native, read, project=project, here=here, usual=usual)


def _guessed(fields: "dict[str, object]") -> str:
    if "toolName" in fields and "error" in fields:
        return "postToolUseFailure"
    if "agentName" in fields and "stopReason" in fields:
        return "subagentStop"
    return next((name for field, name in SIGNS if field in fields), "")


def render(event: Event, decision: Decision) -> str:
    limited = _limits.limited(event, decision, CAN, TITLE)
    row = events.EVENTS.get(event.name, events.UNKNOWN)
    reply = _verdict(row.reply, limited) if limited.verdict is not None else {}
    reply |= _limits.parts(limited, updated_input="modifiedArgs")
    if limited.updated_output is not None:
        text = _limits.output_text(limited.updated_output)
        reply["modifiedResult"] = {"resultType": "success", "textResultForLlm": text}
    reply |= _limits.parts(limited, context="additionalContext")
    return dumps(reply) if reply else ""


def _verdict(shape: str, decision: Decision) -> "dict[str, object]":
    if shape == events.PERMISSION:
        return {"permissionDecision": decision.verdict, "permissionDecisionReason": decision.reason}
    if shape == events.REQUEST:
        return {"behavior": decision.verdict, **({"message": decision.reason} if decision.verdict == "deny" else {})}
    return {"decision": "block", "reason": decision.reason}

"""Cursor: snake case replies, one field for the person and one for the model. Written from its documentation."""

from hookkit.agents import _limits, _reading
from hookkit.agents._reading import FILE
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "cursor", "Cursor", ""
PROGRAMS = ("cursor", "cursor-agent")
HOME, HOME_VARIABLE = ".cursor", ""
EVENTS = {
    "sessionStart": "SessionStart",
    "beforeSubmitPrompt": "UserPromptSubmit",
    "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse",
    "postToolUseFailure": "PostToolUseFailure",
    "subagentStart": "SubagentStart",
    "subagentStop": "SubagentStop",
    "preCompact": "PreCompact",
    "stop": "Stop",
    "sessionEnd": "SessionEnd",
    "beforeShellExecution": "PreToolUse",
    "beforeMCPExecution": "PreToolUse",
    "beforeReadFile": "PreToolUse",
    "afterShellExecution": "PostToolUse",
    "afterMCPExecution": "PostToolUse",
    "afterFileEdit": "PostToolUse",
}
WIRED = tuple(EVENTS)[:10]  # preToolUse and postToolUse cover the events after them
TOOLS: "_reading.Tools" = {
    "Shell": ("Bash", {"working_directory": _reading.DIRECTORY, "cwd": _reading.DIRECTORY}),
    "Read": ("Read", {**FILE, "target_file": "file_path"}),
    "Write": ("Write", {**FILE, "target_file": "file_path", "contents": "content"}),
    "Edit": ("Edit", {**FILE, "target_file": "file_path"}),
    "Delete": ("delete_file", FILE),
    "Grep": ("Grep", {}),
    "Task": ("Agent", {}),
    "WebFetch": ("WebFetch", {}),
    "WebSearch": ("WebSearch", {}),
}
FORM, HEAD = "flat", {"version": 1}
CONFIG = (("user", "hooks.json"), ("project", ".cursor/hooks.json"))
SWITCHES = ("~/.cursor/cli-config.json", ".cursor/cli.json")
TIMEOUT = ("timeout", 1, 60)
CAN = {
    "PreToolUse": "allow deny rewrite message",
    "PostToolUse": "context",
    "UserPromptSubmit": "deny context message",
    "SessionStart": "context",
    "SubagentStart": "message",
    "PreCompact": "message",
    "Stop": "deny",
    "SubagentStop": "deny",
}
ALSO_RUNS = ("project",)
NOTES = (
    "Not tried with the program: written from Cursor's documentation.",
    "Cursor accepts a question before a tool and does not ask it: hookkit denies instead.",
    "Cursor also runs the hooks of `.claude/settings.json`: connect hookkit in one of the two places only.",
)
ASKS = ("beforeShellExecution", "beforeMCPExecution")  # events that show a question to the person
WITHOUT_REWRITE = (*ASKS, "beforeReadFile")
# The tool that an event without the name of a tool is about.
TOOL_OF = {"beforeShellExecution": "Shell", "afterShellExecution": "Shell", "beforeReadFile": "Read",
           "afterFileEdit": "Edit"}  # fmt: skip
FIELDS = {"conversation_id": "session_id", "tool_output": "tool_response", "output": "tool_response",
          "result_json": "tool_response", "error_message": "error", "duration": "duration_ms",
          "subagent_type": "agent_type", "subagent_id": "agent_id"}  # fmt: skip


def entry(command: str, timeout: int) -> "dict[str, object]":
    return {"command": command, "timeout": timeout}


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    own = _reading.json_object(value)
    native, root = _reading.text(own, "hook_event_name"), _reading.text(own, "workspace_roots")
    fields = _reading.renamed(own, FIELDS)
    fields.setdefault("cwd", root)
    tool = TOOL_OF.get(native)
    if tool:
        names = ("command", "file_path", "edits")
        fields |= {"tool_name": tool, "tool_input": {name: own[name] for name in names if name in own}}
    elif native.endswith("MCPExecution"):
        fields["tool_name"] = f"MCP:{own.get('tool_name', '')}"
    if isinstance(fields.get("tool_name"), str) and str(fields["tool_name"]).startswith("MCP:"):
        fields["tool_name"] = f"mcp__cursor__{str(fields['tool_name'])[4:]}"
    project = environ.get("CURSOR_PROJECT_DIR") or root
    return _reading.event(NAME, native, fields, project=project, here=here, usual=usual)


def render(event: Event, decision: Decision) -> str:
    native = event.origin.event
    can = dict(CAN)
    if native in WITHOUT_REWRITE:
        can["PreToolUse"] = "allow ask deny message" if native in ASKS else "allow deny message"
    elif native.startswith("after"):
        can = {}  # Cursor reads no reply to these events
    limited = _limits.limited(event, decision, can, TITLE)
    if event.name in ("Stop", "SubagentStop"):
        return dumps({"followup_message": limited.reason}) if limited.verdict == "deny" else ""
    reply: dict[str, object] = {}
    if limited.verdict is not None and event.name == "UserPromptSubmit":
        reply |= {"continue": False, "user_message": limited.reason}
    elif limited.verdict is not None:
        reply |= {"permission": limited.verdict}
        reply |= {"user_message": limited.reason, "agent_message": limited.reason} if limited.verdict != "allow" else {}
    if limited.message:
        reply.setdefault("user_message", limited.message)
    if limited.updated_input is not None:
        reply |= {"permission": reply.get("permission", "allow"), "updated_input": limited.updated_input}
    if limited.context:
        reply["additional_context"] = limited.context
    return dumps(reply) if reply else ""

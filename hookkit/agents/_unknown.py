"""An agent that no other file knows: a call is read by the usual names, a deny is said in every usual way at once.

Exit code 2, the reason on stderr, `decision` and `hookSpecificOutput` together stop the call in most agents that have
hooks at all. docs/adr/0027-exit-codes-where-agents-read-nothing-else.md
"""

from types import SimpleNamespace

from hookkit.agents import _limits, _reading
from hookkit.agents._reading import FILE, SHELL, TEXTS
from hookkit.events import EVENTS as OURS
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE = "unknown", "this agent"
EVENTS: dict[str, str] = {}
CAN = dict.fromkeys(("PreToolUse", "PermissionRequest", "UserPromptSubmit", "Stop", "SubagentStop"), "deny message")
NOTE = (
    "an agent that hookkit does not know sent this event{tool}. The call is judged by the usual names of fields, and "
    "stopped with exit code 2. If `hookkit init --help` names the agent, add --agent NAME to the hook's command."
)
# Names of one thing in several agents; the first that the event has counts.
NATIVE = ("hook_event_name", "hookEventName", "event", "event_type", "hookName", "hook", "agent_action_name")
TOOL = ("tool_name", "toolName", "tool", "name")
INPUT = ("tool_input", "toolInput", "toolArgs", "tool_args", "args", "arguments", "params", "parameters", "input")
SESSION = ("session_id", "sessionId", "sessionID", "conversation_id", "conversationId", "trajectory_id", "taskId")
DIRECTORY = ("cwd", "working_dir", "working_directory", "workspaceRoot", "directory", "project_path", "workspace_roots",
             "workspaceRoots", "workspacePaths")  # fmt: skip
RESULT = ("tool_response", "tool_result", "toolResult", "tool_output", "result", "output")
CALL = ("toolCall", "tool_call", "tool_info", "preToolUse", "data", "payload")  # an object that holds the call
FIELDS = {
    **FILE, **TEXTS, **SHELL, "target_file": "file_path", "absolutePath": "file_path", "fileName": "file_path",
    "filename": "file_path", "file": "file_path", "AbsolutePath": "file_path", "command_line": "command",
    "commandLine": "command", "CommandLine": "command", "cwd": _reading.DIRECTORY, "Cwd": _reading.DIRECTORY,
    "cmd": "command",
    "working_directory": _reading.DIRECTORY, "commands": _reading.COMMANDS, "patchText": _reading.PATCH,
    "edits": "edits", "before": "old_string", "after": "new_string", "URL": "url", "uri": "url",
}  # fmt: skip
# The kind of a tool by a word in its name; the first row that fits counts.
KINDS = (
    (("delete", "remove", "unlink"), "delete_file"),
    (("write", "create", "save"), "Write"),
    (("edit", "replace", "patch", "insert", "modify"), "Edit"),
    (("read", "view", "open"), "Read"),
    (("fetch", "url", "browse"), "WebFetch"),
)


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    own = _reading.json_object(value)
    inner = next((own[name] for name in CALL if isinstance(own.get(name), dict)), {})
    call = {**own, **inner} if isinstance(inner, dict) else own
    tool, given = _reading.text(call, *TOOL), next((call[name] for name in INPUT if name in call), None)
    given = given if isinstance(given, (dict, str)) else inner
    native = _reading.text(own, *NATIVE)
    fields = _reading.renamed(own, {})
    fields |= {"session_id": _reading.text(own, *SESSION), "cwd": _reading.text(own, *DIRECTORY)}
    tool = tool or ("unknown" if given else "")
    if tool:
        fields |= {"tool_name": tool, "tool_input": given}
    name = _event(native, own, is_call=bool(tool)) or usual
    tools = {tool: (_kind(tool, given), FIELDS)}
    agent = SimpleNamespace(NAME=NAME, EVENTS={native: name}, TOOLS=tools)
    event = _reading.by_tables(agent, native, fields, project="", here=here, usual=usual)  # type: ignore[arg-type]
    event.notes.append(("unknown-agent", NOTE.format(tool=f" (tool {tool!r})" if tool else "")))
    return event


def _event(native: str, own: "dict[str, object]", *, is_call: bool) -> str:
    """The event's name in hookkit. A call without a result, whatever its name, counts as a call that is to come."""
    plain = "".join(char for char in native.lower() if char.isalnum())
    same = next((name for name in OURS if name.lower() == plain), "")
    if same or not is_call:
        return same or native
    is_over = plain.startswith(("post", "after")) or any(name in own for name in RESULT)
    return "PostToolUse" if is_over else "PreToolUse"


def _kind(tool: str, given: object) -> str:
    """A tool with a command line is a shell, whatever its name."""
    if isinstance(given, dict) and any(FIELDS.get(name, name) in ("command", _reading.COMMANDS) for name in given):
        return "Bash"
    return next((kind for words, kind in KINDS if any(word in tool.lower() for word in words)), tool)


def render(event: Event, decision: Decision) -> str:
    limited = _limits.limited(event, decision, CAN, TITLE)
    if limited.verdict != "deny":
        return ""
    own = {"hookEventName": event.origin.event or event.name}
    own |= {"permissionDecision": "deny", "permissionDecisionReason": limited.reason}
    return dumps({"decision": "block", "reason": limited.reason, "hookSpecificOutput": own})


def exit_code(event: Event, decision: Decision) -> tuple[int, str]:
    return _limits.refusal(event, decision, CAN, TITLE)

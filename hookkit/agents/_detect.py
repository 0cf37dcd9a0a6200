"""The agent that sent an event, told by what this agent alone sends. `--agent` on the command line needs no such look.

An event that fits no row is nobody's, if it tells of a tool call or has no name where Claude Code has it: `_unknown`
answers it so that most agents obey.
"""

from hookkit.agents import FOREIGN, UNKNOWN, is_lower
from hookkit.events import EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# A field that one agent alone sends.
OWN_FIELDS = (
    ("cursor_version", "cursor"),
    ("client_type", "kimi"),
    ("workspaceRoots", "cline"),
    ("parent_session_id", "vibe"),
    ("matcher_context", "goose"),
    ("project_path", "junie"),
)
EXTENSIONS = ("amp", "pi")  # agents with a program of hookkit's own that names them in a field
# Events of one agent alone.
OWN_EVENTS = {
    **dict.fromkeys(("BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "PreCompress"), "gemini"),
    **dict.fromkeys(("pre_tool", "post_tool", "post_agent"), "vibe"),
    **dict.fromkeys(("pre_tool_call", "post_tool_call", "on_session_start", "pre_verify"), "hermes"),
}
CALLS = ("tool_name", "toolName", "toolCall", "tool_info", "tool")  # fields that tell of a tool call
# A part of the path of the agent's transcripts.
TRANSCRIPTS = (
    ("/rollout-", "codex"),
    ("/.codex/", "codex"),
    ("/.grok/", "grok"),
    ("/.qwen/", "qwen"),
    ("/.gemini/", "gemini"),
    ("/.factory/", "droid"),
    ("/.copilot/", "copilot"),
)
# A variable that the agent sets for its hooks. Qwen sets Gemini's variable of the project too, so Gemini comes last.
VARIABLES = (
    ("QWEN_CODE_SESSION_ID", "qwen"),
    ("QWEN_PROJECT_DIR", "qwen"),
    ("COPILOT_PROJECT_DIR", "copilot"),
    ("COPILOT_CLI", "copilot"),
    ("GEMINI_SESSION_ID", "gemini"),
    ("GEMINI_PROJECT_DIR", "gemini"),
)


def agent(value: "dict[str, object]", environ: "Mapping[str, str]") -> str:
    """The agent's name, UNKNOWN, or "" where the event may be Claude Code's."""
    named = next((name for field, name in OWN_FIELDS if field in value), "")
    named = named or _by_shape(value) or _by_transcript(value) or _by_environment(value, environ)
    is_call = "hook_event_name" not in value or not value.keys().isdisjoint(CALLS)
    return named or (UNKNOWN if is_call and not _is_claude(value) else "")


def _by_shape(value: "dict[str, object]") -> str:
    if isinstance(value.get("hook"), str) and isinstance(value.get("input"), dict):
        return "opencode"
    if value.get("extension") in EXTENSIONS:
        return str(value["extension"])
    name, event = value.get("hook_event_name"), value.get("event")
    if isinstance(name, str) and name in OWN_EVENTS:
        return OWN_EVENTS[name]
    if "hookEventName" in value and "hook_event_name" in value:  # every field in two spellings
        return "grok"
    if "conversationId" in value and "workspacePaths" in value:
        return "agy"
    if _is_event(value.get("event_type")) and "working_directory" in value:
        return "letta"
    if "sessionId" in value and "cwd" in value:
        return "copilot"
    if _is_event(event) and isinstance(value.get("env"), dict):
        return "cocode"
    if "conversation_id" in value and "workspace_roots" in value:  # without Cursor's version
        return "auggie"
    if "turn_id" in value and name != "MessageDisplay":
        return "codex"
    return ""


def _is_claude(value: "dict[str, object]") -> bool:
    """Whether all that is strange is the place of the transcripts, which a variable can move."""
    is_plain = FOREIGN.isdisjoint(value) and not is_lower(value.get("tool_name"))
    return is_plain and _is_event(value.get("hook_event_name")) and "transcript_path" in value


def _is_event(name: object) -> bool:
    return isinstance(name, str) and name in EVENTS


def _by_transcript(value: "dict[str, object]") -> str:
    path = value.get("transcript_path")
    return next((name for part, name in TRANSCRIPTS if part in path), "") if isinstance(path, str) else ""


def _by_environment(value: "dict[str, object]", environ: "Mapping[str, str]") -> str:
    """Only for events with a time: Claude Code, started by another agent, inherits that agent's variables."""
    if "timestamp" not in value:
        return ""
    usual = "copilot" if "transcript_path" not in value and _is_event(value.get("hook_event_name")) else ""
    return next((name for variable, name in VARIABLES if environ.get(variable)), usual)

"""The agent that sent an event, told by the fields of the event. `--agent` on the command line needs no such look."""

from hookkit import events
from hookkit.dialects import NATIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# A field that one agent alone sends.
OWN_FIELDS = (
    ("cursor_version", "cursor"),
    ("client_type", "kimi"),
    ("workspaceRoots", "cline"),
    ("parent_session_id", "vibe"),
)
# A part of the path of the agent's transcripts.
TRANSCRIPTS = (
    ("/rollout-", "codex"),
    ("/.codex/", "codex"),
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
    """The agent's name, or "" where the event looks like Claude Code's."""
    found = next((name for field, name in OWN_FIELDS if field in value), "")
    return found or _by_shape(value) or _by_transcript(value) or _by_environment(value, environ)


def _by_shape(value: "dict[str, object]") -> str:
    if isinstance(value.get("hook"), str) and isinstance(value.get("input"), dict):
        return "opencode"
    name = value.get("hook_event_name")
    if isinstance(name, str) and name in NATIVE:
        return "vibe" if name in ("pre_tool", "post_tool", "post_agent") else "gemini"
    if "sessionId" in value:
        return "copilot"
    if "hook_event_name" not in value and isinstance(told := value.get("event"), str) and told in events.EVENTS:
        return "cocode"
    if "turn_id" in value and name != "MessageDisplay":
        return "codex"
    return ""


def _by_transcript(value: "dict[str, object]") -> str:
    path = value.get("transcript_path")
    return next((name for part, name in TRANSCRIPTS if part in path), "") if isinstance(path, str) else ""


def _by_environment(value: "dict[str, object]", environ: "Mapping[str, str]") -> str:
    """Only for events with a time: Claude Code, started by another agent, inherits that agent's variables."""
    if "timestamp" not in value:
        return ""
    return next((name for variable, name in VARIABLES if environ.get(variable)), "copilot")

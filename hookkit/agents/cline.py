"""Cline CLI: one executable file for each event. Only `cancel` stops a tool, and it ends the whole run."""

from hookkit.agents import _limits, _reading
from hookkit.agents._reading import EDITOR, FILE, TEXTS
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "cline", "Cline CLI", "3.0.65"
HOME, HOME_VARIABLE = ".cline", ""
EVENTS = {
    "TaskStart": "SessionStart",
    "TaskResume": "SessionStart",
    "UserPromptSubmit": "UserPromptSubmit",
    "PreToolUse": "PreToolUse",
    "PostToolUse": "PostToolUse",
    "PreCompact": "PreCompact",
    "TaskComplete": "Stop",
    "TaskError": "StopFailure",
    "SessionShutdown": "SessionEnd",
}
WIRED = tuple(EVENTS)
TOOLS: "_reading.Tools" = {
    "run_commands": ("Bash", {"commands": _reading.COMMANDS}),
    "execute_command": ("Bash", {}),
    "read_files": ("Read", {"files": _reading.PATHS, "paths": _reading.PATHS, "file_paths": _reading.PATHS}),
    "read_file": ("Read", FILE),
    "editor": ("Edit", {**FILE, **TEXTS}),
    "write_to_file": ("Write", {**FILE, "absolutePath": "file_path"}),
    "replace_in_file": ("Edit", {**FILE, "absolutePath": "file_path"}),
    "apply_patch": ("apply_patch", EDITOR),
    "search_codebase": ("Grep", {}),
    "fetch_web_content": ("WebFetch", {}),
    "web_fetch": ("WebFetch", {}),
    "spawn_agent": ("Agent", {"task": "prompt"}),
    "skills": ("Skill", {}),
}
FORM = "scripts"
CONFIG = (("user", "hooks"), ("project", ".clinerules/hooks"))
TIMEOUT = ("", 1, 0)
CAN = {
    "PreToolUse": "deny rewrite context",
    "PostToolUse": "context",
    "UserPromptSubmit": "deny context",
}
NOTES = (
    "A deny ends the whole run: Cline knows no other way to stop a tool, and the model does not see the reason.",
    "Cline ignores the exit code of a hook and has no time limit for it.",
)
# The word of the payload for each event.
WORDS = {
    "agent_start": "TaskStart",
    "agent_resume": "TaskResume",
    "prompt_submit": "UserPromptSubmit",
    "user_prompt_submit": "UserPromptSubmit",
    "tool_call": "PreToolUse",
    "tool_result": "PostToolUse",
    "pre_compact": "PreCompact",
    "agent_end": "TaskComplete",
    "agent_error": "TaskError",
    "session_shutdown": "SessionShutdown",
}


def probe(event: str, command: str, project: str) -> "dict[str, object]":
    """An event of doctor's own."""
    words = {native: word for word, native in WORDS.items()}
    call = {"id": "hookkit-doctor", "name": "run_commands", "input": {"commands": [command]}}
    return {"hookName": words.get(event, event), "taskId": "hookkit-doctor", "workspaceRoots": [project],
            "tool_call": call}  # fmt: skip


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    own = _reading.json_object(value)
    word, root = _reading.text(own, "hookName"), _reading.text(own, "workspaceRoots")
    fields = _reading.renamed(own, {"taskId": "session_id"})
    call = next((own[name] for name in ("tool_call", "tool_result") if isinstance(own.get(name), dict)), {})
    if isinstance(call, dict) and call:
        fields |= {"tool_name": call.get("name"), "tool_input": call.get("input"), "tool_use_id": call.get("id")}
        fields |= {"tool_response": call["output"]} if "output" in call else {}
    fields["cwd"] = root
    _prompt(fields, own)
    for name in ("tool_call", "tool_result", "preToolUse", "postToolUse"):
        fields.pop(name, None)  # the same call a second time
    return _reading.event(NAME, WORDS.get(word, word), fields, project=root, here=here, usual=usual)


def _prompt(fields: "dict[str, object]", own: "dict[str, object]") -> None:
    """The prompt stands in an object of its own; the last words of the model in another."""
    asked, turn = own.get("userPromptSubmit"), own.get("turn")
    if isinstance(asked, dict):
        fields["prompt"] = asked.get("prompt")
    if isinstance(turn, dict):
        fields["last_assistant_message"] = turn.get("outputText")


def render(event: Event, decision: Decision) -> str:
    limited = _limits.limited(event, decision, CAN, TITLE)
    reply: dict[str, object] = {}
    if limited.verdict == "deny":
        reply = {"cancel": True, "errorMessage": limited.reason}
    reply |= _limits.parts(limited, updated_input="overrideInput", context="contextModification")
    return dumps(reply) if reply else ""

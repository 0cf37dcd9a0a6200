"""Gemini CLI: a verdict stands at the top of the reply, a rewrite replaces the whole input."""

from hookkit.agents import _limits, _reading
from hookkit.agents._reading import FILE, SHELL
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "gemini", "Gemini CLI", "0.61.0"
HOME, HOME_VARIABLE = ".gemini", ""
# PreCompress is left out: Gemini sends it before every model call, whether it compresses or not.
EVENTS = {
    "SessionStart": "SessionStart",
    "BeforeAgent": "UserPromptSubmit",
    "BeforeTool": "PreToolUse",
    "AfterTool": "PostToolUse",
    "AfterAgent": "Stop",
    "Notification": "Notification",
    "SessionEnd": "SessionEnd",
}
WIRED = tuple(name for name in EVENTS if name != "Notification")
TOOLS: "_reading.Tools" = {
    "run_shell_command": ("Bash", SHELL),
    "read_file": ("Read", FILE),
    "read_many_files": ("Read", {"paths": _reading.PATHS, "include": _reading.PATHS, "files": _reading.PATHS}),
    "write_file": ("Write", FILE),
    "replace": ("Edit", FILE),
    "glob": ("Glob", {"dir_path": "path"}),
    "grep_search": ("Grep", {"dir_path": "path"}),
    "search_file_content": ("Grep", {"dir_path": "path"}),
    "list_directory": ("LS", {"dir_path": "path"}),
    "web_fetch": ("WebFetch", {}),
    "google_web_search": ("WebSearch", {}),
    "write_todos": ("TodoWrite", {}),
    "activate_skill": ("Skill", {"name": "skill"}),
}
FORM = "groups"
CONFIG = (("user", "settings.json"), ("project", ".gemini/settings.json"))
SWITCHES = ("~/.gemini/trustedFolders.json", "~/.gemini/.env", ".gemini/.env")
TIMEOUT = ("timeout", 1000, 60)
TRUST = "With `security.folderTrust` on, the folder must be trusted."
CAN = {
    "PreToolUse": "allow ask deny rewrite message",
    "PostToolUse": "deny context message",
    "UserPromptSubmit": "deny context message",
    "SessionStart": "context message",
    "Stop": "deny message",
    "SessionEnd": "message",
}
NOTES = (
    "Text for the model before a tool comes with the tool's result.",
    "In `gemini -p`, a question of hookkit ends the whole run; with `policy.unattended` it is a deny instead.",
    "A failed command looks like a successful one: its exit code is not sent.",
)


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    variables = ("GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR")
    event = _reading.plain(NAME, value, environ, usual, here, *variables)
    response = event.fields.get("prompt_response")
    if isinstance(response, str):
        event.fields["last_assistant_message"] = response
    return event


def render(event: Event, decision: Decision) -> str:
    limited = _limits.limited(event, decision, CAN, TITLE)
    reply: dict[str, object] = {}
    if limited.verdict is not None:
        reply = {"decision": limited.verdict, "reason": limited.reason}
    if limited.verdict == "ask":  # the dialog shows no reason
        limited.message = "\n".join(text for text in (limited.reason, limited.message) if text)
    reply |= _limits.parts(limited, message="systemMessage")
    own = _limits.parts(limited, updated_input="tool_input", context="additionalContext")
    if own:
        reply["hookSpecificOutput"] = {"hookEventName": event.origin.event, **own}
    return dumps(reply) if reply else ""

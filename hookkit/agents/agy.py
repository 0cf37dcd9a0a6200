"""Antigravity CLI (`agy`): events have no name, and silence is a deny. Written from documents and reports."""

from hookkit.agents import _limits, _reading
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "agy", "Antigravity CLI", ""
HOME, HOME_VARIABLE = ".gemini/config", ""
EVENTS = {"PreToolUse": "PreToolUse", "Stop": "Stop"}  # with others, nothing in an event would tell them apart
WIRED = tuple(EVENTS)
PATH = {"AbsolutePath": "file_path", "TargetFile": "file_path", "Path": "file_path"}
TOOLS: "_reading.Tools" = {
    "run_command": ("Bash", {"CommandLine": "command", "Cwd": _reading.DIRECTORY}),
    "view_file": ("Read", PATH),
    "write_to_file": ("Write", {**PATH, "CodeContent": "content"}),
    "create_file": ("Write", {**PATH, "CodeContent": "content"}),
    "replace_file_content": ("Edit", {**PATH, "TargetContent": "old_string", "ReplacementContent": "new_string"}),
    "multi_replace_file_content": ("MultiEdit", PATH),
    "edit_file": ("Edit", PATH),
    "delete_file": ("delete_file", PATH),
    "list_dir": ("LS", {"DirectoryPath": "path"}),
    "grep_search": ("Grep", {"SearchPath": "path", "Query": "pattern"}),
    "find_by_name": ("Glob", {"SearchDirectory": "path", "Pattern": "pattern"}),
    "read_url_content": ("WebFetch", {"Url": "url"}),
    "search_web": ("WebSearch", {"query": "query"}),
}
FORM = "named"
GROUPED = ("PreToolUse",)  # events whose handlers have a matcher
CONFIG = (("user", "hooks.json"), ("project", ".agents/hooks.json"))
TIMEOUT = ("timeout", 1, 30)
CAN = {"PreToolUse": "ask deny", "Stop": "deny"}
NOTES = (
    "Not tried with the program: written from Antigravity's documentation and from reports of its users (1.1 and 1.2).",
    "An empty answer is a deny in some releases, so hookkit always answers; if hookkit fails or is late, agy denies.",
    "In agy 1.1.2 a deny was seen as a question that a person can answer with yes.",
    "An allow of a hook does not spare agy's own question, so hookkit gives none.",
    "One unknown key makes agy ignore the whole file without a word: `agy -p /hooks` lists what it has read.",
)
QUIET = '{"decision":""}'  # neither allows nor asks
FIELDS = {"conversationId": "session_id", "transcriptPath": "transcript_path"}


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    own = _reading.json_object(value)
    call = own.get("toolCall")
    root = _reading.text(own, "workspacePaths")
    fields: dict[str, object] = {**_reading.renamed(own, FIELDS), "cwd": root}
    if isinstance(call, dict):
        fields |= {"tool_name": call.get("name"), "tool_input": call.get("args")}
        del fields["toolCall"]
    native = "PreToolUse" if call is not None else "Stop" if "terminationReason" in own else usual
    return _reading.event(NAME, native, fields, project=root, here=here, usual=usual)


def render(event: Event, decision: Decision) -> str:
    """`force_ask` asks although the person once chose "always allow"."""
    limited = _limits.limited(event, decision, CAN, TITLE)
    if limited.verdict is None:
        return QUIET
    words = {"ask": "force_ask", "deny": "continue" if event.name == "Stop" else "deny"}
    return dumps({"decision": words[limited.verdict], "reason": limited.reason})


def probe(event: str, command: str, project: str) -> "dict[str, object]":
    """An event of doctor's own."""
    value: dict[str, object] = {"conversationId": "hookkit-doctor", "workspacePaths": [project]}
    call = {"name": "run_command", "args": {"CommandLine": command, "Cwd": project}}
    return {**value, "toolCall": call} if event == "PreToolUse" else {**value, "terminationReason": "doctor"}

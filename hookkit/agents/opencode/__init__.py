"""OpenCode: its plugin `plugin.js` sends {"hook", "input", "output", "directory"} and carries out the reply."""

from hookkit import registry
from hookkit.agents import _limits, _reading
from hookkit.agents._reading import FILE, SHELL, TEXTS
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "opencode", "OpenCode", "1.18.33"
HOME, HOME_VARIABLE = ".config/opencode", "OPENCODE_CONFIG_DIR"
EVENTS = {
    "session.created": "SessionStart",
    "chat.message": "UserPromptSubmit",
    "tool.execute.before": "PreToolUse",
    "tool.execute.after": "PostToolUse",
    "session.idle": "Stop",
    "session.compacted": "PostCompact",
    "session.error": "StopFailure",
    "session.deleted": "SessionEnd",
}
WIRED = tuple(EVENTS)
TOOLS: "_reading.Tools" = {
    "bash": ("Bash", SHELL),
    "read": ("Read", FILE),
    "write": ("Write", FILE),
    "edit": ("Edit", {**FILE, **TEXTS}),
    "multiedit": ("MultiEdit", {**FILE, **TEXTS}),
    "patch": ("apply_patch", {"patchText": _reading.PATCH, "patch": _reading.PATCH}),
    "apply_patch": ("apply_patch", {"patchText": _reading.PATCH, "patch": _reading.PATCH}),
    "grep": ("Grep", {}),
    "glob": ("Glob", {}),
    "list": ("LS", {}),
    "webfetch": ("WebFetch", {}),
    "websearch": ("WebSearch", {}),
    "task": ("Agent", {}),
    "skill": ("Skill", {"name": "skill"}),
    "todowrite": ("TodoWrite", {}),
}
FORM, PLUGIN = "plugin", "opencode/plugin.js"
CONFIG = (("user", "plugins/hookkit.js"), ("project", ".opencode/plugins/hookkit.js"))
SWITCHES = (
    "~/.config/opencode/opencode.json", "~/.config/opencode/opencode.jsonc", "opencode.json", "opencode.jsonc",
    "~/.config/opencode/plugins/*", "~/.config/opencode/plugin/*", ".opencode/plugins/*", ".opencode/plugin/*",
)  # fmt: skip
TIMEOUT = ("", 1, 0)
CAN = {
    "PreToolUse": "deny rewrite context",
    "PostToolUse": "deny context output",
    "UserPromptSubmit": "deny context",
    "SessionStart": "context",
    "Stop": "deny",
}
NOTES = (
    "A plugin cannot ask a person: a question of hookkit becomes a deny.",
    "A denied prompt ends `opencode run` with an error, and a gate cannot hold it: the program ends with the turn.",
    "Text for the model before a tool comes with the tool's result.",
)


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    own = _reading.json_object(value)
    taken, given = (part if isinstance(part := own.get(name), dict) else {} for name in ("input", "output"))
    native, directory = _reading.text(own, "hook"), _reading.text(own, "directory")
    fields: dict[str, object] = {"session_id": taken.get("sessionID"), "cwd": directory}
    if native.startswith("tool.execute."):
        fields |= {"tool_name": taken.get("tool"), "tool_use_id": taken.get("callID")}
        fields["tool_input"] = given.get("args") if "args" in given else taken.get("args")
    if native == "tool.execute.after":
        fields["tool_response"] = given.get("output")
    if native == "chat.message":
        fields["prompt"] = own.get("prompt")
    if native == "session.created":
        fields["source"] = "startup"
    return _reading.event(NAME, native, fields, project=directory, here=here, usual=usual)


def render(event: Event, decision: Decision) -> str:
    """The plugin's own words: deny (throw), args (replace the input), context (add to the result), output."""
    return spelled(_limits.limited(event, decision, CAN, TITLE))


def plugin_event(name: str, value: object, usual: str, here: str) -> Event:
    """An event of hookkit's own plugin for Amp or Pi: {"extension", "type", "session", "directory", …}."""
    own = _reading.json_object(value)
    native, directory = _reading.text(own, "type"), _reading.text(own, "directory")
    meaning = registry.find("agents", name).EVENTS.get(native)
    fields: dict[str, object] = {"session_id": own.get("session"), "cwd": directory}
    if meaning in ("PreToolUse", "PostToolUse"):
        fields |= {"tool_name": own.get("tool"), "tool_use_id": own.get("id"), "tool_input": own.get("input")}
    if meaning == "PostToolUse":
        fields["tool_response"] = own.get("output")
    if meaning == "UserPromptSubmit":
        fields["prompt"] = own.get("prompt")
    if meaning == "SessionStart":
        fields["source"] = "startup"
    if meaning == "SessionEnd":
        fields["reason"] = own.get("reason")
    return _reading.event(name, native, fields, project=directory, here=here, usual=usual)


def spelled(decision: Decision) -> str:
    """A decision in the words of hookkit's own plugins."""
    reply: dict[str, object] = {"deny": decision.reason} if decision.verdict == "deny" else {}
    reply |= _limits.parts(decision, updated_input="args", context="context")
    if decision.updated_output is not None:
        reply["output"] = _limits.output_text(decision.updated_output)
    return dumps(reply) if reply else ""

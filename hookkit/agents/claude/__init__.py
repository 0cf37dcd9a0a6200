"""Claude Code's JSON, in and out. The client's schema is closed: a reply holds only the fields listed there."""

import os

from hookkit import events
from hookkit.errors import EventError
from hookkit.model import Decision, Event
from hookkit.system.jsons import dumps

NAME, TITLE, TRIED = "claude", "Claude Code", "2.1.327"
HOME, HOME_VARIABLE = ".claude", "CLAUDE_CONFIG_DIR"
EVENTS = {name: name for name in events.EVENTS}
WIRED = tuple(name for name, row in events.EVENTS.items() if row.hooks)
TOOLS: "dict[str, tuple[str, dict[str, str]]]" = {}  # hookkit's names are Claude Code's
FORM = "groups"
CONFIG = (("user", "settings.json"), ("project", ".claude/settings.json"), ("local", ".claude/settings.local.json"))
SWITCHES = ("~/.claude.json", "~/.claude/settings.local.json", "~/.claude/plugins/*")  # a plugin can answer first
TIMEOUT = ("timeout", 1, 600)
TRUST = "The folder must be trusted: the question at the first start of `claude` in it."
NOTES = ("In auto mode, an allow of a hook counts before the client's own classifier.",)
LONGEST_PATH = 4096
LONGEST_ID = 512
LONGEST_COMMAND = 200  # characters of a command in a reason
KINDS = 8  # items of a list whose shapes are known


def parse(value: object, environ: dict[str, str], usual: str, here: str) -> Event:
    """`usual` and `here` replace a missing event name and directory: old clients and handmade tests omit them."""
    if not isinstance(value, dict):
        raise EventError("an event is a JSON object")
    name = value.get("hook_event_name")
    event = Event(name if isinstance(name, str) and name else usual or _guess(value), value)
    return placed(event, environ.get("CLAUDE_PROJECT_DIR", ""), here)


def placed(event: Event, project: str, here: str) -> Event:
    """The event with a directory that exists on disk and a bounded session id; every agent ends here."""
    if not event.cwd.startswith("/") or "\0" in event.cwd or len(event.cwd) > LONGEST_PATH or _is_torn(event.cwd):
        event.cwd = here
    event.cwd = os.path.normpath(event.cwd) if event.cwd else ""
    event.session_id = event.session_id[:LONGEST_ID]
    project = project.rstrip("/")
    event.project = project if (event.cwd + "/").startswith(project + "/") and project else event.cwd
    return event


def _guess(value: "dict[str, object]") -> str:
    """The likely event of a handmade test without an event name."""
    rows = (("tool_response", "PostToolUse"), ("tool_name", "PreToolUse"), ("prompt", "UserPromptSubmit"))
    return next((name for field, name in rows if field in value), "")


def _is_torn(text: str) -> bool:
    """Whether the text holds a lone surrogate: no path on disk does."""
    return not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text)


def render(event: Event, decision: Decision) -> str:
    """The reply, limited to the answers that the event accepts; "" for an empty reply."""
    row = events.EVENTS.get(event.name, events.UNKNOWN)
    verdict = decision.verdict if decision.verdict in row.answers else None
    if row.context == events.TEXT and verdict is None:
        return decision.context
    reply, own = _spell(row.reply, verdict, decision)
    if row.reply == events.PERMISSION and row.rewrites and decision.updated_input is not None:
        own["updatedInput"] = decision.updated_input
        own |= {"permissionDecisionReason": _explained(event, decision)} if verdict == "ask" else {}
    if row.output and _has_shape(event, decision.updated_output):
        own["updatedToolOutput"] = decision.updated_output
    if row.context == events.FIELD and decision.context:
        own["additionalContext"] = decision.context
    if row.message and decision.message:
        reply["systemMessage"] = decision.message
    if decision.stop is not None:
        reply |= {"continue": False, "stopReason": decision.stop}
    if decision.suppress:
        reply["suppressOutput"] = True
    if decision.more:
        _add_more(event.name, decision.more, reply, own)
    if own:
        reply["hookSpecificOutput"] = {"hookEventName": event.name, **own}
    return dumps(reply) if reply else ""


# Fields that hookkit itself never sends: a handler's reply may hold them, and they are passed on where the client knows
# them. The types are checked, because a wrong type makes the client drop the whole reply.
MORE: dict[str, dict[str, type]] = {
    "PostToolUse": {"classifierContext": str},
    "UserPromptSubmit": {"sessionTitle": str, "suppressOriginalPrompt": bool},
    "UserPromptExpansion": {"suppressOriginalPrompt": bool},
    "SessionStart": {"initialUserMessage": str, "sessionTitle": str, "watchPaths": list, "reloadSkills": bool},
    "PermissionDenied": {"retry": bool},
    "Elicitation": {"action": str, "content": dict},
    "ElicitationResult": {"action": str, "content": dict},
    "CwdChanged": {"watchPaths": list},
    "FileChanged": {"watchPaths": list},
    "WorktreeCreate": {"worktreePath": str},
    "MessageDisplay": {"displayContent": str},
}
LONGEST_CLASSIFIER = 2000  # characters of classifierContext
ACTIONS = ("accept", "decline", "cancel")


def _add_more(name: str, more: dict[str, object], reply: dict[str, object], own: dict[str, object]) -> None:
    for field, kind in MORE.get(name, {}).items():
        value = more.get(field)
        is_right = isinstance(value, kind) and (field != "action" or value in ACTIONS)
        if is_right and isinstance(value, list):
            is_right = all(isinstance(item, str) for item in value)
        if is_right and field not in own:
            own[field] = value[:LONGEST_CLASSIFIER] if isinstance(value, str) and field[:10] == "classifier" else value
    if isinstance(more.get("terminalSequence"), str):
        reply["terminalSequence"] = more["terminalSequence"]
    answer = own.get("decision")
    if isinstance(answer, dict):
        fields = ("updatedPermissions",) if answer.get("behavior") == "allow" else ("interrupt",)
        answer |= {field: more[field] for field in fields if isinstance(more.get(field), (list, bool))}


def _explained(event: Event, decision: Decision) -> str:
    """The reason with the old and the new command: the client's dialog shows only the new command."""
    old, new = event.command, (decision.updated_input or {}).get("command")
    if not old or not isinstance(new, str) or old == new:
        return decision.reason
    return f'{decision.reason} (hookkit changed "{_short(old)}" to "{_short(new)}")'


def _short(text: str) -> str:
    text = "".join(char if char.isprintable() else " " for char in text)
    return text if len(text) <= LONGEST_COMMAND else f"{text[:LONGEST_COMMAND]}…"


def _has_shape(event: Event, new: object) -> bool:
    """Whether a new output has the shape of a built-in tool's own output: the client ignores any other shape.

    An MCP tool has no fixed shape.
    """
    if new is None or event.tool_name.startswith("mcp__"):
        return new is not None
    return _fits(new, event.fields.get("tool_response"))


def _fits(new: object, old: object) -> bool:
    """The types agree on every level, an object has the same fields, and each item of a list is like an old item."""
    if isinstance(new, dict) and isinstance(old, dict):
        return new.keys() == old.keys() and all(_fits(value, old[name]) for name, value in new.items())
    if isinstance(new, list) and isinstance(old, list):
        return all(any(_fits(item, like) for like in (*old[at : at + 1], *old[:KINDS])) for at, item in enumerate(new))
    return type(new) is type(old)


def _spell(shape: str, verdict: str | None, decision: Decision) -> tuple[dict[str, object], dict[str, object]]:
    """The fields of a verdict: those at the top of the reply, and those in `hookSpecificOutput`."""
    if verdict is None:
        return {}, {}
    if shape == events.PERMISSION:
        return {}, {"permissionDecision": verdict, "permissionDecisionReason": decision.reason}
    if shape == events.REQUEST:
        return {}, {"decision": _behaviour(verdict, decision)}
    if shape == events.DECLINE:
        return {}, {"action": "decline"}
    if shape == events.HALT:
        return {"continue": False, "stopReason": decision.reason}, {}
    return {"decision": "block", "reason": decision.reason}, {}


def _behaviour(verdict: str, decision: Decision) -> dict[str, object]:
    if verdict == "deny":
        return {"behavior": "deny", "message": decision.reason}
    if decision.updated_input is None:
        return {"behavior": "allow"}
    return {"behavior": "allow", "updatedInput": decision.updated_input}

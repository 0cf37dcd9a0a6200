"""Rows of `[[hooks]]` as text, and the parts of a reply."""

import json
from typing import Any


def row(command: str, event: str = "PreToolUse", *, background: bool = False, **fields: Any) -> str:
    """A row of hookkit.toml; `fields` are written above the handler, `background` as async."""
    fields |= {"async": True} if background else {}
    lines = [f"{name} = {json.dumps(value)}" for name, value in {"event": event, **fields}.items()]
    return "\n".join(["[[hooks]]", *lines, "[hooks.command]", f"command = {json.dumps(command)}", ""])


def reply(value: object) -> str:
    return f"echo '{json.dumps(value)}'"


def own(answer: Any) -> dict[str, Any]:
    found = dict(answer["hookSpecificOutput"])
    found.pop("hookEventName")
    return found


def denied(reason: str) -> dict[str, str]:
    return {"permissionDecision": "deny", "permissionDecisionReason": reason}

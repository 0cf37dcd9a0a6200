"""The policy as OpenCode's own permissions, for `permission` in opencode.json. The last rule that fits counts."""

import json

from hookkit.agents._native import Native

SETTINGS = "opencode.json"
CANNOT = "a rule of OpenCode is about a tool, or about the words of a command"
TOOLS = {"Bash": "bash", "Edit": "edit", "Write": "edit", "WebFetch": "webfetch"}


def native(row: Native) -> bool:
    return bool(row.words) or (row.argument is None and row.tool in TOOLS)


def written(rows: list[Native]) -> str:
    """Denials stand after questions, so that the stricter rule counts."""
    permission: dict[str, dict[str, str]] = {}
    for row in sorted(rows, key=lambda row: row.type == "deny"):
        permission.setdefault(TOOLS[row.tool], {}).update({row.argument or "*": row.type})
    return json.dumps({"permission": permission}, indent=2) + "\n"

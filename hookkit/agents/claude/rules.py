"""The policy as Claude Code's own permission rules, for `permissions` in a settings.json."""

import json

from hookkit.agents._native import Native

SETTINGS = "settings.json"
CANNOT = "Claude Code has no such rule"
PATHS = {"Read": "Read", "Write": "Edit", "Edit": "Edit"}  # Claude Code ignores paths of Write


def written(rows: list[Native]) -> str:
    lists = {
        type_: list(dict.fromkeys(_spelled(row) for row in rows if row.type == type_)) for type_ in ("deny", "ask")
    }
    return json.dumps({"permissions": {name: items for name, items in lists.items() if items}}, indent=2) + "\n"


def native(row: Native) -> bool:
    if row.argument is None:
        return row.tool in ("Bash", "Read", "Edit", "WebFetch", "WebSearch", "Agent") or row.tool.startswith("mcp__")
    if row.tool in PATHS:
        return row.argument[0] in "~/" or ("/" not in row.argument and row.argument[0] != "!")
    return bool(row.words) or (row.tool == "WebFetch" and row.argument.startswith("domain:"))


def spares(row: Native, unless: list[str]) -> bool:
    """A rule of Claude Code about a path is about its own tools; commands such as `stat` pass it."""
    return row.tool in PATHS and all(pattern.startswith("Bash(") for pattern in unless)


def _spelled(row: Native) -> str:
    """A star of hookkit crosses directories, one of Claude Code does not; two slashes begin a path of the machine."""
    if row.argument is None:
        return row.tool
    if row.tool not in PATHS:
        return f"{row.tool}({row.argument})"
    path = f"/{row.argument}" if row.argument.startswith("/") and not row.argument.startswith("//") else row.argument
    path = "/".join("**" if part == "*" else part for part in path.split("/"))
    return f"{PATHS[row.tool]}({path})"

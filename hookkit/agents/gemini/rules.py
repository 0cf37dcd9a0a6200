"""The policy as Gemini CLI's own rules, in a file of hookkit's own."""

import json

from hookkit.agents._native import Native

FILE = "policies/hookkit.toml"
CANNOT = "a rule of Gemini CLI is about a tool, or about the first words of a command"
DECISIONS = {"deny": ("deny", 900), "ask": ("ask_user", 800)}  # and the priority: the stricter rule wins
HEAD = "# Written by `hookkit policy export --agent gemini --write`: the same policy where hooks are off.\n"
TOOLS = {"Bash": "run_shell_command", "WebFetch": "web_fetch", "WebSearch": "google_web_search"}


def native(row: Native) -> bool:
    return bool(row.words) or (row.argument is None and row.tool in TOOLS)


def written(rows: list[Native]) -> str:
    return HEAD + "".join(dict.fromkeys(map(_spelled, rows)))


def _spelled(row: Native) -> str:
    decision, priority = DECISIONS[row.type]
    prefix = f"commandPrefix = {json.dumps(' '.join(row.words), ensure_ascii=False)}\n" if row.words else ""
    return f'\n[[rule]]\ntoolName = "{TOOLS[row.tool]}"\n{prefix}decision = "{decision}"\npriority = {priority}\n'

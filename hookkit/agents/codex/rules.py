"""The policy as Codex's own rules about commands, in a file of hookkit's own."""

import json

from hookkit.agents._native import Native

FILE = "rules/hookkit.rules"
CANNOT = "a rule of Codex is about the first words of a command"
DECISIONS = {"deny": "forbidden", "ask": "prompt"}
HEAD = "# Written by `hookkit policy export --agent codex --write`: the same policy where hooks are off.\n"


def native(row: Native) -> bool:
    return bool(row.words)


def written(rows: list[Native]) -> str:
    return HEAD + "".join(dict.fromkeys(map(_spelled, rows)))


def _spelled(row: Native) -> str:
    """A list and a text of Starlark are written as in JSON; Codex does not start with an empty reason."""
    words, why = json.dumps(row.words), json.dumps(row.reason or f"The policy of hookkit: {row.type} {row.match}")
    return f'prefix_rule(pattern = {words}, decision = "{DECISIONS[row.type]}", justification = {why})\n'

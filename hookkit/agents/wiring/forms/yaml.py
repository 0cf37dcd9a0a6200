"""YAML with the agent's other settings: hookkit's lines stand at the end, between two comments.

A file that has hooks already is not changed: hookkit cannot keep the comments and the layout of YAML.
"""

import json

from hookkit.agents.wiring.forms import Wanted, Wired
from hookkit.errors import ConfigError
from hookkit.settings.documents import yaml_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

HOOKS = "hooks"
START = "# hookkit: `hookkit init` writes these lines, `hookkit uninit` removes them.\n"
END = "# end of hookkit\n"


def wire(agent: "ModuleType", path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    rest = strip(agent, path, text, "")
    lines = [f"{HOOKS}:\n"]
    for row in wanted:
        lines += [f"  {row.event}:\n", f"    - command: {json.dumps(row.command)}\n", f"      timeout: {row.timeout}\n"]
    if HOOKS in _loaded(path, rest):
        raise ConfigError(f"{path}: it has `{HOOKS}:` already; add these lines to it yourself:\n{''.join(lines[1:])}")
    gap = "\n" if rest and not rest.endswith("\n") else ""
    new = f"{rest}{gap}{START}{''.join(lines)}{END}"
    _loaded(path, new)
    return new


def strip(_agent: "ModuleType", _path: str, text: str, _original: str) -> str:
    before, start, more = text.partition(START)
    _, end, after = more.partition(END)
    return before + after if start and end else text


def entries(_agent: "ModuleType", path: str, text: str) -> list[Wired]:
    hooks = _loaded(path, text).get(HOOKS)
    rows = []
    for event, handlers in hooks.items() if isinstance(hooks, dict) else ():
        for number, row in enumerate(handlers if isinstance(handlers, list) else ()):
            if isinstance(row, dict):
                rows.append(Wired(event, row, str(row.get("matcher", "")), (HOOKS, event, number)))
    return rows


def _loaded(path: str, text: str) -> "dict[str, Any]":
    element, findings = yaml_text.read(path, text)
    if findings:
        raise ConfigError(str(findings[0]))
    value = element.plain() if element is not None else None
    if value is not None and not isinstance(value, dict):
        raise ConfigError(f"{path}:1:1: expected a table")
    return value or {}

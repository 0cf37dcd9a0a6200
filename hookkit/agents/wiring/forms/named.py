"""JSON with a name for each tool that has hooks: `{"hookkit": {EVENT: [{"type": "command", "command", "timeout"}]}}`.

Only hookkit's own name is changed. Handlers of the agent's `GROUPED` events stand in a group with a matcher.
"""

from hookkit.agents.wiring.forms import Wanted, Wired
from hookkit.errors import ConfigError
from hookkit.settings.documents.json_text import JsonEditor, new_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType
    from typing import Any

NAME = "hookkit"
HOOKS = "hooks"
EVERY = ".*"  # a matcher for every tool


def wire(agent: "ModuleType", path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    made = {row.event: [_handler(agent, row)] for row in wanted}
    if not text.strip():
        return new_text({NAME: made})
    editor = _opened(path, text)
    if not editor.has((NAME,)):
        editor.add((), NAME, made)
    elif editor.root.value[NAME].plain() != made:
        editor.replace((NAME,), made)
    return editor.text


def _handler(agent: "ModuleType", wanted: Wanted) -> "dict[str, Any]":
    handler = {"type": "command", "command": wanted.command, "timeout": wanted.timeout}
    return {"matcher": EVERY, HOOKS: [handler]} if wanted.event in agent.GROUPED else handler


def strip(_agent: "ModuleType", path: str, text: str, _original: str) -> str:
    editor = _opened(path, text)
    if editor.has((NAME,)):
        editor.remove((NAME,))
    return editor.text if editor.root.value else ""


def entries(_agent: "ModuleType", path: str, text: str) -> list[Wired]:
    return [*_handlers(_opened(path, text))] if text.strip() else []


def _opened(path: str, text: str) -> JsonEditor:
    editor = JsonEditor(path, text, comments=True)
    if not isinstance(editor.root.value, dict):
        raise ConfigError(f"{path}:1:1: expected a table")
    return editor


def _handlers(editor: JsonEditor) -> "Iterator[Wired]":
    for name, events in editor.root.value.items():
        for event, rows in events.value.items() if isinstance(events.value, dict) else ():
            for number, row in enumerate(rows.items() if isinstance(rows.value, list) else ()):
                fields = row.plain() if isinstance(row.value, dict) else {}
                inner = fields.get(HOOKS)
                for place, handler in enumerate(inner if isinstance(inner, list) else [fields]):
                    if isinstance(handler, dict):
                        keys = (name, event, number, HOOKS, place) if isinstance(inner, list) else (name, event, number)
                        matcher = str(fields.get("matcher", ""))
                        yield Wired(event, handler, "" if matcher == EVERY else matcher, keys, row.where)

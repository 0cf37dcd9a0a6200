"""JSON with events, groups and handlers: `{"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", …}]}]}}`.

Claude Code and the agents that follow it read this shape.
"""

from hookkit.agents.wiring.forms import Wanted, Wired
from hookkit.errors import ConfigError
from hookkit.settings.documents.json_text import JsonEditor, new_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType
    from typing import Any

HOOKS = "hooks"
ON_FAILURE = "onFailure"  # Claude Code's own: "block" refuses the call if the command fails, is late or has gone
OWN = ("type", "command", "args", ON_FAILURE, "timeout")  # fields that `handler` writes; the others are the person's


def handler(wanted: Wanted) -> "dict[str, Any]":
    made: dict[str, Any] = {"type": "command", "command": wanted.command}
    if wanted.arguments is not None:
        made["args"] = wanted.arguments
    made |= {ON_FAILURE: "block"} if wanted.blocks else {}
    return {**made, "timeout": wanted.timeout}


def fresh(wanted: "Sequence[Wanted]") -> "dict[str, Any]":
    """The whole content of a new file."""
    return {HOOKS: {entry.event: [{HOOKS: [handler(entry)]}] for entry in wanted}}


def wire(_agent: "ModuleType", path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    """Add a group for each event without hookkit; replace an older command of hookkit in place."""
    if not text.strip():
        return new_text(fresh(wanted))
    editor = opened(path, text)
    if not editor.has((HOOKS,)):
        editor.add((), HOOKS, fresh(wanted)[HOOKS])
        return editor.text
    for entry in wanted:
        mine = [row for row in _handlers(editor) if row.event == entry.event and row.is_ours]
        if mine:
            _renew(editor, mine, entry)
        elif editor.has((HOOKS, entry.event)):
            editor.add((HOOKS, entry.event), None, {HOOKS: [handler(entry)]})
        else:
            editor.add((HOOKS,), entry.event, [{HOOKS: [handler(entry)]}])
    return editor.text


def _renew(editor: JsonEditor, mine: list[Wired], wanted: Wanted) -> None:
    """Keep the first handler of hookkit for an event, with its matcher; remove the others."""
    for row in reversed(mine[1:]):
        _remove(editor, row, frozenset())
    if (mine[0].command, mine[0].arguments) != (wanted.command, wanted.arguments):
        limit = mine[0].fields.get("timeout", wanted.timeout)
        foreign = {name: value for name, value in mine[0].fields.items() if name not in OWN}
        editor.replace(mine[0].path, {**handler(wanted), "timeout": limit, **foreign})
        mine = [row for row in _handlers(editor) if row.path == mine[0].path]
    raise_limit(editor, mine[0], wanted, "timeout")
    if wanted.blocks and ON_FAILURE not in mine[0].fields:
        editor.add(mine[0].path, ON_FAILURE, "block")


def raise_limit(editor: JsonEditor, row: Wired, wanted: Wanted, field: str) -> None:
    """The person's own limit stays, unless handlers need a longer one (--limit)."""
    value = row.fields.get(field)
    if "--limit" in wanted.words and isinstance(value, (int, float)) and value < wanted.timeout:
        editor.replace((*row.path, field), wanted.timeout)


def strip(_agent: "ModuleType", path: str, text: str, original: str, only: str = "") -> str:
    """Remove every handler of hookkit, or those of one event, then the groups and events left empty."""
    editor = opened(path, text)
    containers = _containers(original) - {only}
    for row in reversed([row for row in _handlers(editor) if row.is_ours and only in ("", row.event)]):
        _remove(editor, row, containers)
    if editor.has((HOOKS,)) and not editor.root.value[HOOKS].value and HOOKS not in containers:
        editor.remove((HOOKS,))
    return editor.text


def _remove(editor: JsonEditor, row: Wired, events: frozenset[str]) -> None:
    editor.remove(row.path)
    group = row.path[:3]
    if not editor.root.find((*group, HOOKS)).value:
        editor.remove(group)
    if not editor.root.find((HOOKS, row.event)).value and row.event not in events:
        editor.remove((HOOKS, row.event))


def _containers(original: str) -> frozenset[str]:
    """Keys of the original file: these stay, even if empty."""
    if not original.strip():
        return frozenset()
    tree = JsonEditor("", original, comments=True).plain()
    hooks = tree.get(HOOKS) if isinstance(tree, dict) else None
    return frozenset((HOOKS, *hooks)) if isinstance(hooks, dict) else frozenset()


def entries(_agent: "ModuleType", path: str, text: str) -> list[Wired]:
    return [*_handlers(opened(path, text))] if text.strip() else []


def opened(path: str, text: str) -> JsonEditor:
    """The parsed text. Raises unless `hooks` is a table with a list of groups for each event."""
    editor = JsonEditor(path, text, comments=True)
    hooks = editor.root.get(HOOKS)
    where, problem = editor.root.where, ""
    if not isinstance(editor.root.value, dict):
        problem = "expected a table"
    elif hooks is not None and not isinstance(hooks.value, dict):
        where, problem = hooks.where, "hooks: expected a table"
    elif hooks is not None:
        for name, groups in hooks.value.items():
            if not isinstance(groups.value, list):
                where, problem = groups.where, f"hooks.{name}: expected a list"
    if problem:
        raise ConfigError(f"{path}:{where[0]}:{where[1]}: {problem}")
    return editor


def _handlers(editor: JsonEditor) -> "Iterator[Wired]":
    hooks = editor.root.get(HOOKS)
    for event, groups in (hooks.value if hooks is not None else {}).items():
        for number, group in enumerate(groups.items()):
            inner = group.get(HOOKS)
            matcher = group.get("matcher")
            for place, element in enumerate(inner.items() if inner is not None else ()):
                if isinstance(element.value, dict):
                    name = matcher.value if matcher is not None and isinstance(matcher.value, str) else ""
                    path = (HOOKS, event, number, HOOKS, place)
                    yield Wired(event, element.plain(), name, path, element.where)

"""The forms of settings files that are JSON. Every byte outside hookkit's own handlers stays, comments too.

Of each form, three functions, by the name of the form in `FORMS`: the first returns the text with the wanted handlers,
the second the text without hookkit, the third the present handlers. All three raise ConfigError, with line and column,
if the agent could not read the text. `agent` is the module of the agent, with the details of the form.
"""

from hookkit.agents.wiring.launcher import Wanted, Wired
from hookkit.errors import ConfigError
from hookkit.settings.documents.json_text import JsonEditor, new_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType
    from typing import Any

    from hookkit.settings.documents.finding import Element

HOOKS = "hooks"
ON_FAILURE = "onFailure"  # Claude Code's own: "block" refuses the call if the command fails, is late or has gone
OWN = ("type", "command", "args", ON_FAILURE, "timeout")  # fields that `handler` writes; the others are the person's
NAME = "hookkit"  # hookkit's own name in a file of the form `named`
EVERY = ".*"  # a matcher for every tool


def _table(path: str, text: str) -> JsonEditor:
    editor = JsonEditor(path, text, comments=True)
    if not isinstance(editor.root.value, dict):
        line, column = editor.root.where
        raise ConfigError(f"{path}:{line}:{column}: expected a table")
    return editor


def _opened(path: str, text: str) -> JsonEditor:
    """The parsed text. Raises unless `hooks` is a table with a list for each event."""
    editor = _table(path, text)
    hooks = editor.root.get(HOOKS)
    if hooks is None:
        return editor
    where, problem = hooks.where, "" if isinstance(hooks.value, dict) else "hooks: expected a table"
    for name, rows in hooks.value.items() if not problem else ():
        if not isinstance(rows.value, list):
            where, problem = rows.where, f"hooks.{name}: expected a list"
    if problem:
        raise ConfigError(f"{path}:{where[0]}:{where[1]}: {problem}")
    return editor


def _matcher(element: "Element") -> str:
    matcher = element.get("matcher")
    return matcher.value if matcher is not None and isinstance(matcher.value, str) else ""


def _raise_limit(editor: JsonEditor, row: Wired, wanted: Wanted, field: str) -> None:
    """The person's own limit stays, unless handlers need a longer one (--limit)."""
    value = row.fields.get(field)
    if "--limit" in wanted.words and isinstance(value, (int, float)) and value < wanted.timeout:
        editor.replace((*row.path, field), wanted.timeout)


# groups: {"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", …}]}]}}
# Claude Code and the agents that follow it read this shape.


def handler(wanted: Wanted) -> "dict[str, Any]":
    made: dict[str, Any] = {"type": "command", "command": wanted.command}
    if wanted.arguments is not None:
        made["args"] = wanted.arguments
    made |= {ON_FAILURE: "block"} if wanted.blocks else {}
    return {**made, "timeout": wanted.timeout}


def fresh(wanted: "Sequence[Wanted]") -> "dict[str, Any]":
    """The whole content of a new file."""
    return {HOOKS: {entry.event: [{HOOKS: [handler(entry)]}] for entry in wanted}}


def wire_groups(_agent: "ModuleType", path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    """Add a group for each event without hookkit; replace an older command of hookkit in place."""
    if not text.strip():
        return new_text(fresh(wanted))
    editor = _opened(path, text)
    if not editor.has((HOOKS,)):
        editor.add((), HOOKS, fresh(wanted)[HOOKS])
        return editor.text
    for entry in wanted:
        mine = [row for row in _grouped(editor) if row.event == entry.event and row.is_ours]
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
        mine = [row for row in _grouped(editor) if row.path == mine[0].path]
    _raise_limit(editor, mine[0], wanted, "timeout")
    if wanted.blocks and ON_FAILURE not in mine[0].fields:
        editor.add(mine[0].path, ON_FAILURE, "block")


def strip_groups(_agent: "ModuleType", path: str, text: str, original: str, only: str = "") -> str:
    """Remove every handler of hookkit, or those of one event, then the groups and events left empty."""
    editor = _opened(path, text)
    containers = _containers(original) - {only}
    for row in reversed([row for row in _grouped(editor) if row.is_ours and only in ("", row.event)]):
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


def group_entries(_agent: "ModuleType", path: str, text: str) -> list[Wired]:
    return [*_grouped(_opened(path, text))] if text.strip() else []


def _grouped(editor: JsonEditor) -> "Iterator[Wired]":
    hooks = editor.root.get(HOOKS)
    for event, groups in (hooks.value if hooks is not None else {}).items():
        for number, group in enumerate(groups.items()):
            inner = group.get(HOOKS)
            for place, element in enumerate(inner.items() if inner is not None else ()):
                if isinstance(element.value, dict):
                    path = (HOOKS, event, number, HOOKS, place)
                    yield Wired(event, element.plain(), _matcher(group), path, element.where)


# flat: {"version": 1, "hooks": {EVENT: [{"bash": …, "timeoutSec": …}]}}
# The agent's `entry` writes a handler; its `HEAD` starts a new file.


def wire_flat(agent: "ModuleType", path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    editor = _opened(path, text or new_text({**agent.HEAD, HOOKS: {}}))
    if not editor.has((HOOKS,)):
        editor.add((), HOOKS, {})
    for entry in wanted:
        mine = [row for row in _rows(editor) if row.event == entry.event and row.is_ours]
        for row in reversed(mine[1:]):
            editor.remove(row.path)
        if not editor.has((HOOKS, entry.event)):
            editor.add((HOOKS,), entry.event, [agent.entry(entry.command, entry.timeout)])
        elif not mine:
            editor.add((HOOKS, entry.event), None, agent.entry(entry.command, entry.timeout))
        elif mine[0].command != entry.command:
            name = next(field for field in ("bash", "command") if field in mine[0].fields)
            editor.replace((*mine[0].path, name), entry.command)
            _raise_limit(editor, mine[0], entry, agent.TIMEOUT[0])
    return editor.text


def strip_flat(_agent: "ModuleType", path: str, text: str, _original: str) -> str:
    editor = _opened(path, text)
    for row in reversed([row for row in _rows(editor) if row.is_ours]):
        editor.remove(row.path)
        if not editor.root.find((HOOKS, row.event)).value:
            editor.remove((HOOKS, row.event))
    return editor.text


def flat_entries(_agent: "ModuleType", path: str, text: str) -> list[Wired]:
    return [*_rows(_opened(path, text))] if text.strip() else []


def _rows(editor: JsonEditor) -> "Iterator[Wired]":
    hooks = editor.root.get(HOOKS)
    for event, rows in (hooks.value if hooks is not None else {}).items():
        for number, row in enumerate(rows.items()):
            if isinstance(row.value, dict):
                yield Wired(event, row.plain(), _matcher(row), (HOOKS, event, number), row.where)


# listed: {"version": "v1", "hooks": [{"trigger": EVENT, "action": {…}}]}
# The file is hookkit's own, beside those of others. The agent's `entry` writes a handler; its `HEAD` starts the file.


def wire_listed(agent: "ModuleType", path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    if not all(row.is_ours for row in listed_entries(agent, path, text)):
        raise ConfigError(f"{path}:1:1: this file has hooks that are not from hookkit; move them to another file")
    return new_text({**agent.HEAD, HOOKS: [agent.entry(row.event, row.command, row.timeout) for row in wanted]})


def strip_listed(agent: "ModuleType", path: str, text: str, _original: str) -> str:
    """The file goes, unless somebody has added hooks to it."""
    editor = JsonEditor(path, text, comments=True)
    rows = listed_entries(agent, path, text)
    for row in reversed([row for row in rows if row.is_ours]):
        editor.remove(row.path)
    return editor.text if any(not row.is_ours for row in rows) else ""


def listed_entries(_agent: "ModuleType", path: str, text: str) -> list[Wired]:
    if not text.strip():
        return []
    editor = JsonEditor(path, text, comments=True)
    hooks = editor.root.get(HOOKS) if isinstance(editor.root.value, dict) else None
    if hooks is None or not isinstance(hooks.value, list):
        raise ConfigError(f"{path}:1:1: expected a table with a list `{HOOKS}`")
    rows = []
    for number, row in enumerate(hooks.items()):
        fields = row.plain() if isinstance(row.value, dict) else {}
        action = fields.get("action")
        event, matcher = (str(fields.get(name, "")) for name in ("trigger", "matcher"))
        merged = {**fields, **action} if isinstance(action, dict) else fields
        rows.append(Wired(event, merged, matcher, (HOOKS, number), row.where))
    return rows


# named: {"hookkit": {EVENT: [{"type": "command", "command", "timeout"}]}}, a name for each tool that has hooks
# Only hookkit's own name is changed. Handlers of the agent's `GROUPED` events stand in a group with a matcher.


def wire_named(agent: "ModuleType", path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    made = {row.event: [_named_handler(agent, row)] for row in wanted}
    if not text.strip():
        return new_text({NAME: made})
    editor = _table(path, text)
    if not editor.has((NAME,)):
        editor.add((), NAME, made)
    elif editor.root.value[NAME].plain() != made:
        editor.replace((NAME,), made)
    return editor.text


def _named_handler(agent: "ModuleType", wanted: Wanted) -> "dict[str, Any]":
    handler = {"type": "command", "command": wanted.command, "timeout": wanted.timeout}
    return {"matcher": EVERY, HOOKS: [handler]} if wanted.event in agent.GROUPED else handler


def strip_named(_agent: "ModuleType", path: str, text: str, _original: str) -> str:
    editor = _table(path, text)
    if editor.has((NAME,)):
        editor.remove((NAME,))
    return editor.text if editor.root.value else ""


def named_entries(_agent: "ModuleType", path: str, text: str) -> list[Wired]:
    return [*_named_handlers(_table(path, text))] if text.strip() else []


def _named_handlers(editor: JsonEditor) -> "Iterator[Wired]":
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


FORMS = {
    "groups": (wire_groups, strip_groups, group_entries),
    "flat": (wire_flat, strip_flat, flat_entries),
    "listed": (wire_listed, strip_listed, listed_entries),
    "named": (wire_named, strip_named, named_entries),
}

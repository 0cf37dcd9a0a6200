"""JSON with handlers right below an event: `{"version": 1, "hooks": {EVENT: [{"bash": …, "timeoutSec": …}]}}`.

The agent's `entry` writes a handler; its `HEAD` starts a new file.
"""

from hookkit.agents.wiring.forms import Wanted, Wired
from hookkit.agents.wiring.forms.groups import HOOKS, opened, raise_limit
from hookkit.settings.documents.json_text import JsonEditor, new_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType


def wire(agent: "ModuleType", path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    editor = opened(path, text or new_text({**agent.HEAD, HOOKS: {}}))
    if not editor.has((HOOKS,)):
        editor.add((), HOOKS, {})
    for entry in wanted:
        mine = [row for row in _handlers(editor) if row.event == entry.event and row.is_ours]
        for row in reversed(mine[1:]):
            editor.remove(row.path)
        if not editor.has((HOOKS, entry.event)):
            editor.add((HOOKS,), entry.event, [agent.entry(entry.command, entry.timeout)])
        elif not mine:
            editor.add((HOOKS, entry.event), None, agent.entry(entry.command, entry.timeout))
        elif mine[0].command != entry.command:
            name = next(field for field in ("bash", "command") if field in mine[0].fields)
            editor.replace((*mine[0].path, name), entry.command)
            raise_limit(editor, mine[0], entry, agent.TIMEOUT[0])
    return editor.text


def strip(_agent: "ModuleType", path: str, text: str, _original: str) -> str:
    editor = opened(path, text)
    for row in reversed([row for row in _handlers(editor) if row.is_ours]):
        editor.remove(row.path)
        if not editor.root.find((HOOKS, row.event)).value:
            editor.remove((HOOKS, row.event))
    return editor.text


def entries(_agent: "ModuleType", path: str, text: str) -> list[Wired]:
    return [*_handlers(opened(path, text))] if text.strip() else []


def _handlers(editor: JsonEditor) -> "Iterator[Wired]":
    hooks = editor.root.get(HOOKS)
    for event, rows in (hooks.value if hooks is not None else {}).items():
        for number, row in enumerate(rows.items()):
            if isinstance(row.value, dict):
                matcher = row.get("matcher")
                name = matcher.value if matcher is not None and isinstance(matcher.value, str) else ""
                yield Wired(event, row.plain(), name, (HOOKS, event, number), row.where)

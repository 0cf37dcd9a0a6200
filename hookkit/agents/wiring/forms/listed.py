"""JSON with all handlers in one list: `{"version": "v1", "hooks": [{"trigger": EVENT, "action": {…}}]}`.

The file is hookkit's own, beside those of others. The agent's `entry` writes a handler; its `HEAD` starts the file.
"""

from hookkit.agents.wiring.forms import Wanted, Wired
from hookkit.errors import ConfigError
from hookkit.settings.documents.json_text import JsonEditor, new_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

HOOKS = "hooks"


def wire(agent: "ModuleType", path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    if not all(row.is_ours for row in entries(agent, path, text)):
        raise ConfigError(f"{path}:1:1: this file has hooks that are not from hookkit; move them to another file")
    return new_text({**agent.HEAD, HOOKS: [agent.entry(row.event, row.command, row.timeout) for row in wanted]})


def strip(agent: "ModuleType", path: str, text: str, _original: str) -> str:
    """The file goes, unless somebody has added hooks to it."""
    editor = JsonEditor(path, text, comments=True)
    rows = entries(agent, path, text)
    for row in reversed([row for row in rows if row.is_ours]):
        editor.remove(row.path)
    return editor.text if any(not row.is_ours for row in rows) else ""


def entries(_agent: "ModuleType", path: str, text: str) -> list[Wired]:
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

"""JSON with handlers right below an event: `{"version": 1, "hooks": {EVENT: [{"bash": …, "timeoutSec": …}]}}`."""

from hookkit.documents.json_edit import JsonEditor, new_text
from hookkit.wiring.formats import Wanted, Wired
from hookkit.wiring.formats.claude import HOOKS, opened, raise_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from hookkit.wiring.formats import Entries, Strip, Wire

    Handler = Callable[[Wanted], dict[str, Any]]


VERSION = {"version": 1}


def form(handler: "Handler", head: "Mapping[str, Any]" = VERSION) -> "tuple[Wire, Strip, Entries]":
    """The three functions of a format with such handlers; `head` starts a new file."""

    def wire_handlers(path: str, text: str, wanted: "Sequence[Wanted]") -> str:
        return wire(path, text or new_text({**head, HOOKS: {}}), wanted, handler)

    def strip_handlers(path: str, text: str, _original: str) -> str:
        return strip(path, text)

    return wire_handlers, strip_handlers, entries


def wire(path: str, text: str, wanted: "Sequence[Wanted]", handler: "Handler") -> str:
    editor = opened(path, text)
    if not editor.has((HOOKS,)):
        editor.add((), HOOKS, {})
    for each in wanted:
        mine = [row for row in _handlers(editor) if row.event == each.event and row.is_ours]
        for row in reversed(mine[1:]):
            editor.remove(row.path)
        if not editor.has((HOOKS, each.event)):
            editor.add((HOOKS,), each.event, [handler(each)])
        elif not mine:
            editor.add((HOOKS, each.event), None, handler(each))
        elif mine[0].command != each.command:
            name = next(field for field in ("bash", "command") if field in mine[0].fields)
            editor.replace((*mine[0].path, name), each.command)
            for field in ("timeoutSec", "timeout"):
                raise_limit(editor, mine[0], each, field)
    return editor.text


def strip(path: str, text: str) -> str:
    editor = opened(path, text)
    for row in reversed([row for row in _handlers(editor) if row.is_ours]):
        editor.remove(row.path)
        if not editor.root.find((HOOKS, row.event)).value:
            editor.remove((HOOKS, row.event))
    return editor.text


def entries(path: str, text: str) -> list[Wired]:
    return [*_handlers(opened(path, text))] if text.strip() else []


def _handlers(editor: JsonEditor) -> "Iterator[Wired]":
    hooks = editor.root.get(HOOKS)
    for event, rows in (hooks.value if hooks is not None else {}).items():
        for number, row in enumerate(rows.items()):
            if isinstance(row.value, dict):
                matcher = row.get("matcher")
                name = matcher.value if matcher is not None and isinstance(matcher.value, str) else ""
                yield Wired(event, row.plain(), name, (HOOKS, event, number), row.where)

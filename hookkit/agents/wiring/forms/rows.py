"""TOML with a `[[hooks]]` row for each handler. Our rows stand at the end; every other byte stays the same.

The agent's `ROW` is the text of a row, its `EVENT` the field with the name of the event, its `CLOSED` a line of the row
that refuses a call if the command fails.
"""

from json import dumps

from hookkit.agents.wiring.forms import Wanted, Wired
from hookkit.errors import ConfigError
from hookkit.settings.documents.toml_text import TomlDocument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

HOOKS = "hooks"


def wire(agent: "ModuleType", path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    """Replace our rows by the wanted ones, in their place if the file has any."""
    old = [entry for entry in entries(agent, path, text) if entry.is_ours]
    if [(entry.event, entry.command) for entry in old] == [(entry.event, entry.command) for entry in wanted]:
        return text
    text = strip(agent, path, text, "")
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    new = text + gap + newline.join(_row(agent, entry).replace("\n", newline) for entry in wanted)
    _document(path, new)
    return new


def _row(agent: "ModuleType", wanted: Wanted) -> str:
    command = dumps(wanted.command, ensure_ascii=False)  # a TOML string escapes the same characters as JSON
    row = agent.ROW.format(event=wanted.event, command=command, timeout=wanted.timeout)
    return str(row + getattr(agent, "CLOSED", "")) if wanted.is_closed else str(row)


def strip(agent: "ModuleType", path: str, text: str, _original: str) -> str:
    lines = text.splitlines(keepends=True)
    mine = [entry for entry in entries(agent, path, text) if entry.is_ours]
    for entry in reversed(mine):
        start = entry.place[0] - 1
        end = start + 1
        while end < len(lines) and _belongs(lines[end]):
            end += 1
        while start and not lines[start - 1].strip():
            start -= 1
        if end < len(lines) and start and not lines[end].strip():
            end += 1
            lines[start:end] = ["\n"] if end < len(lines) else []
        else:
            del lines[start:end]
    new = "".join(lines)
    left = len(_document(path, new).data.get(HOOKS, ()))
    if left != len(_document(path, text).data.get(HOOKS, ())) - len(mine):
        raise ConfigError(f"{path}: hookkit cannot take its rows out of this file; remove its [[hooks]] rows by hand")
    return new


def _belongs(line: str) -> bool:
    """Whether a line still belongs to our row: a value, or a table below the row."""
    start = line.strip()
    return bool(start) and start[0] != "#" and (start[0] != "[" or start.startswith(f"[{HOOKS}."))


def entries(agent: "ModuleType", path: str, text: str) -> list[Wired]:
    document = _document(path, text)
    rows = document.data.get(HOOKS, [])
    if not isinstance(rows, list):
        raise ConfigError(f"{path}: hooks: expected rows, [[hooks]]")
    handlers = []
    for number, row in enumerate(rows):
        if isinstance(row, dict):
            inner = row.get("shell")
            fields = {**row, **inner} if isinstance(inner, dict) else row
            where = document.tree.find((HOOKS, number)).where
            event, matcher = (str(row.get(name, "")) for name in (agent.EVENT, "matcher"))
            handlers.append(Wired(event, fields, matcher, (HOOKS, number), where))
    return handlers


def _document(path: str, text: str) -> TomlDocument:
    document = TomlDocument(path, text)
    if document.problem is not None:
        raise ConfigError(str(document.problem))
    return document

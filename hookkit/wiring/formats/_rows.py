"""TOML with a `[[hooks]]` row for each handler. Our rows stand at the end; every other byte stays the same."""

from hookkit.documents.toml_text import TomlDocument
from hookkit.errors import ConfigError
from hookkit.wiring.formats import Wanted, Wired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hookkit.wiring.formats import Entries, Strip, Wire

    Row = Callable[[Wanted], str]  # the lines of a row

HOOKS = "hooks"


def quoted(text: str) -> str:
    """A TOML string: JSON escapes the same characters."""
    from json import dumps

    return dumps(text, ensure_ascii=False)


def form(row: "Row", event: str) -> "tuple[Wire, Strip, Entries]":
    """The three functions of a format with such rows; `event` is the field with the name of the event."""

    def wire_rows(path: str, text: str, wanted: "Sequence[Wanted]") -> str:
        return wire(path, text, wanted, row, event)

    def strip_rows(path: str, text: str, _original: str) -> str:
        return strip(path, text, event)

    def find_rows(path: str, text: str) -> list[Wired]:
        return entries(path, text, event)

    return wire_rows, strip_rows, find_rows


def wire(path: str, text: str, wanted: "Sequence[Wanted]", row: "Row", event: str) -> str:
    """Replace our rows by the wanted ones, in their place if the file has any."""
    old = [each for each in entries(path, text, event) if each.is_ours]
    if [(each.event, each.command) for each in old] == [(each.event, each.command) for each in wanted]:
        return text
    text = strip(path, text, event)
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    new = text + gap + newline.join(row(each).replace("\n", newline) for each in wanted)
    _document(path, new)
    return new


def strip(path: str, text: str, event: str) -> str:
    lines = text.splitlines(keepends=True)
    mine = [each for each in entries(path, text, event) if each.is_ours]
    for each in reversed(mine):
        start = each.place[0] - 1
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


def entries(path: str, text: str, event: str) -> list[Wired]:
    document = _document(path, text)
    rows = document.data.get(HOOKS, [])
    if not isinstance(rows, list):
        raise ConfigError(f"{path}: hooks: expected rows, [[hooks]]")
    found = []
    for number, row in enumerate(rows):
        if isinstance(row, dict):
            inner = row.get("shell")
            fields = {**row, **inner} if isinstance(inner, dict) else row
            where = document.tree.find((HOOKS, number)).where
            found.append(Wired(str(row.get(event, "")), fields, str(row.get("matcher", "")), (HOOKS, number), where))
    return found


def _document(path: str, text: str) -> TomlDocument:
    document = TomlDocument(path, text)
    if document.problem is not None:
        raise ConfigError(str(document.problem))
    return document

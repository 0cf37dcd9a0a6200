"""Writes settings as TOML: rows as `[[name]]`, tables of a row as `[name.table]`. Only for files that hookkit makes."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def written(data: "dict[str, Any]") -> str:
    """The text of a file with these settings."""
    parts = ["\n".join(_plain(data))] + [
        block for name, rows in data.items() if _are_rows(rows) for row in rows for block in _row(name, row)
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _row(name: str, row: "dict[str, Any]") -> "Iterator[str]":
    yield "\n".join([f"[[{_key(name)}]]", *_plain(row)])
    for inner, table in row.items():
        if isinstance(table, dict):
            yield "\n".join(
                [f"[{_key(name)}.{_key(inner)}]", *(f"{_key(key)} = {value(v)}" for key, v in table.items())]
            )


def _plain(table: "dict[str, Any]") -> "Iterator[str]":
    yield from (
        f"{_key(name)} = {value(item)}"
        for name, item in table.items()
        if not isinstance(item, dict) and not _are_rows(item)
    )


def _are_rows(item: object) -> bool:
    return isinstance(item, list) and bool(item) and all(isinstance(row, dict) for row in item)


def _key(name: str) -> str:
    return name if name and BARE.issuperset(name) else _quoted(name)


def value(item: "Any") -> str:
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, (int, float)):
        return repr(item)
    if isinstance(item, str):
        return text(item)
    if isinstance(item, dict):
        return "{ " + ", ".join(f"{_key(str(name))} = {value(inner)}" for name, inner in item.items()) + " }"
    return "[" + ", ".join(value(inner) for inner in item) + "]"


def text(item: str) -> str:
    """A text of several lines is written as lines, if no character in it needs an escape there."""
    if "\n" in item and "'''" not in item and all(char.isprintable() or char in "\n\t" for char in item):
        return f"'''\n{item}'''"
    return _quoted(item)


def _quoted(item: str) -> str:
    return '"' + "".join(ESCAPES.get(char) or (char if char.isprintable() else _escape(char)) for char in item) + '"'


def _escape(char: str) -> str:
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004 - a lone surrogate is no character
        return "\ufffd"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - the basic plane

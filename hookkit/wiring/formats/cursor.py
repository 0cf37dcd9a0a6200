"""Cursor: `command` and `timeout`, in the hooks.json of a scope."""

from hookkit.wiring.formats import Wanted, Wired, _flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def handler(wanted: Wanted) -> "dict[str, Any]":
    return {"command": wanted.command, "timeout": wanted.timeout}


def wire(path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    return _flat.wire(path, text, wanted, handler)


def strip(path: str, text: str, original: str) -> str:  # noqa: ARG001 - every format is called alike
    return _flat.strip(path, text)


def entries(path: str, text: str) -> list[Wired]:
    return _flat.entries(path, text)

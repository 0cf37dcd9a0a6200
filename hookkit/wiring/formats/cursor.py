"""Cursor: `command` and `timeout`, in the hooks.json of a scope."""

from hookkit.wiring.formats import Wanted, _flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def handler(wanted: Wanted) -> "dict[str, Any]":
    return {"command": wanted.command, "timeout": wanted.timeout}


wire, strip, entries = _flat.form(handler)

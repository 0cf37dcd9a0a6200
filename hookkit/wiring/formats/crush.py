"""Crush: `name`, `command` and `timeout`, in crush.json beside Crush's other settings."""

from hookkit.wiring.formats import Wanted, _flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def handler(wanted: Wanted) -> "dict[str, Any]":
    return {"name": "hookkit", "command": wanted.command, "timeout": wanted.timeout}


wire, strip, entries = _flat.form(handler, {})

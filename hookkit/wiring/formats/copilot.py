"""GitHub Copilot CLI: `bash` and `timeoutSec`, in a separate file for each tool with hooks."""

from hookkit.wiring.formats import Wanted, _flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def handler(wanted: Wanted) -> "dict[str, Any]":
    return {"type": "command", "bash": wanted.command, "timeoutSec": wanted.timeout}


wire, strip, entries = _flat.form(handler)

"""GitHub Copilot CLI: `bash` and `timeoutSec`, in a separate file for each tool with hooks."""

from hookkit.wiring.formats import Wanted, Wired, _flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def handler(wanted: Wanted) -> "dict[str, Any]":
    return {"type": "command", "bash": wanted.command, "timeoutSec": wanted.timeout}


def wire(path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    return _flat.wire(path, text, wanted, handler)


def strip(path: str, text: str, original: str) -> str:  # noqa: ARG001 - every format is called alike
    return _flat.strip(path, text)


def entries(path: str, text: str) -> list[Wired]:
    return _flat.entries(path, text)

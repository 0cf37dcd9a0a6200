"""Cline: a directory with an executable file for each event. A file of another author is never replaced."""

from hookkit.errors import ConfigError
from hookkit.wiring.command import is_ours
from hookkit.wiring.formats import Wanted, Wired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HEAD = "#!/bin/sh\n# Written by hookkit init; `hookkit uninit` removes it.\n"
MODE = 0o755


def wire(path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    """The file of an event."""
    if text and not is_ours(text):
        raise ConfigError(f"{path}:1:1: this hook is not from hookkit; Cline runs one program for each event")
    return f"{HEAD}{wanted[0].command}\n"


def strip(path: str, text: str, original: str) -> str:  # noqa: ARG001 - every format is called alike
    return "" if is_ours(text) else text


def entries(path: str, text: str) -> list[Wired]:
    event = path.rpartition("/")[2]
    return [Wired(event, {"command": text}, "")] if text.strip() else []

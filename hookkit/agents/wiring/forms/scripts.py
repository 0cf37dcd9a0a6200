"""A directory with an executable file for each event. A file of another author is never replaced."""

from hookkit.agents.wiring.forms import Wanted, Wired
from hookkit.agents.wiring.launcher import is_ours
from hookkit.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

HEAD = "#!/bin/sh\n# Written by hookkit init; `hookkit uninit` removes it.\n"


def wire(agent: "ModuleType", path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    """The file of an event."""
    if text and not is_ours(text):
        title = agent.TITLE.partition(" ")[0]
        raise ConfigError(f"{path}:1:1: this hook is not from hookkit; {title} runs one program for each event")
    return f"{HEAD}{wanted[0].command}\n"


def strip(_agent: "ModuleType", _path: str, text: str, _original: str) -> str:
    return "" if is_ours(text) else text


def entries(_agent: "ModuleType", path: str, text: str) -> list[Wired]:
    event = path.rpartition("/")[2]
    return [Wired(event, {"command": text}, "")] if text.strip() else []

"""A program file of hookkit's own, from `dialects`, with the launcher's path filled in."""

import json
import os
import re

from hookkit import dialects, registry
from hookkit.checking.claude import commands
from hookkit.errors import ConfigError
from hookkit.wiring.formats import Wanted, Wired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookkit.wiring.formats import Entries, Strip, Wire

COMMAND = re.compile(r"^const COMMAND = (\[.*\])$", re.MULTILINE)
CLOSED = re.compile(r"^const FAIL_CLOSED = .*$", re.MULTILINE)


def form(name: str, mark: str, agent: str) -> "tuple[Wire, Strip, Entries]":
    """The three functions of a format. `mark` starts the file `name`; the file sends every event of the agent."""
    source = os.path.join(os.path.dirname(dialects.__file__), name)

    def wire(path: str, text: str, wanted: "Sequence[Wanted]") -> str:
        if text and not text.startswith(mark):
            raise ConfigError(f"{path}:1:1: this file is not from hookkit")
        with open(source, encoding="utf-8") as file:
            return _filled(file.read(), wanted)

    def strip(_path: str, text: str, _original: str) -> str:
        return "" if text.startswith(mark) else text

    def entries(_path: str, text: str) -> list[Wired]:
        """The same handler for all events."""
        line = COMMAND.search(text) if text.startswith(mark) else None
        if line is None:
            return []
        first, *words = json.loads(line.group(1))
        events = registry.find("dialects", agent).WIRED
        return [Wired(event, {"command": first, "args": words}, "") for event in events]

    return wire, strip, entries


def _filled(plugin: str, wanted: "Sequence[Wanted]") -> str:
    words = next(
        each
        for each in commands.programs(wanted[0].command, None)
        if commands.is_program("".join(commands.script(each)[:1]))
    )
    is_closed = any(each.is_closed for each in wanted)
    call = [word for word in words if word not in ("--on-error", "deny")]
    call += ["--on-error", "deny"] if is_closed else []
    plugin = COMMAND.sub(lambda _: f"const COMMAND = {json.dumps(call)}", plugin, count=1)
    return CLOSED.sub(f"const FAIL_CLOSED = {json.dumps(is_closed)}", plugin, count=1)

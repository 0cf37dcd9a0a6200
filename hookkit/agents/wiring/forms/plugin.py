"""A program of hookkit's own that the agent loads, from the agent's folder, with the launcher's path filled in."""

import json
import os
import re

from hookkit import agents
from hookkit.agents.wiring.forms import Wanted, Wired
from hookkit.errors import ConfigError
from hookkit.settings.checks import client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

COMMAND = re.compile(r"^const COMMAND = (\[.*\])$", re.MULTILINE)
CLOSED = re.compile(r"^const FAIL_CLOSED = .*$", re.MULTILINE)
MARK = re.compile(r"// hookkit for \w+\.")  # starts every such program


def wire(agent: "ModuleType", path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    source = _source(agent)
    if text and not text.startswith(_mark(source)):
        raise ConfigError(f"{path}:1:1: this file is not from hookkit")
    return _filled(source, wanted)


def strip(agent: "ModuleType", _path: str, text: str, _original: str) -> str:
    return "" if text.startswith(_mark(_source(agent))) else text


def entries(agent: "ModuleType", _path: str, text: str) -> list[Wired]:
    """The same handler for all events of the agent."""
    line = COMMAND.search(text) if text.startswith(_mark(_source(agent))) else None
    if line is None:
        return []
    first, *words = json.loads(line.group(1))
    return [Wired(event, {"command": first, "args": words}, "") for event in agent.WIRED]


def _source(agent: "ModuleType") -> str:
    with open(os.path.join(os.path.dirname(agents.__file__), agent.PLUGIN), encoding="utf-8") as file:
        return file.read()


def _mark(source: str) -> str:
    start = MARK.match(source)
    return start[0] if start is not None else source


def _filled(source: str, wanted: "Sequence[Wanted]") -> str:
    words = next(
        program
        for program in client.programs(wanted[0].command, None)
        if client.is_program("".join(client.script(program)[:1]))
    )
    is_closed = any(row.is_closed for row in wanted)
    call = [word for word in words if word not in ("--on-error", "deny")]
    call += ["--on-error", "deny"] if is_closed else []
    source = COMMAND.sub(lambda _: f"const COMMAND = {json.dumps(call)}", source, count=1)
    return CLOSED.sub(f"const FAIL_CLOSED = {json.dumps(is_closed)}", source, count=1)

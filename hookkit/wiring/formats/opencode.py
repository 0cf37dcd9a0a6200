"""OpenCode: a JavaScript file, the plugin of `dialects` with the launcher's path filled in."""

import json
import os
import re

from hookkit import dialects
from hookkit.checking.claude import commands
from hookkit.errors import ConfigError
from hookkit.wiring.formats import Wanted, Wired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SOURCE = os.path.join(os.path.dirname(dialects.__file__), "opencode.js")
MARK = "// hookkit for OpenCode."
COMMAND = re.compile(r"^const COMMAND = (\[.*\])$", re.MULTILINE)
CLOSED = re.compile(r"^const FAIL_CLOSED = .*$", re.MULTILINE)


def wire(path: str, text: str, wanted: "Sequence[Wanted]") -> str:
    if text and not text.startswith(MARK):
        raise ConfigError(f"{path}:1:1: this file is not from hookkit")
    words = next(
        each
        for each in commands.programs(wanted[0].command, None)
        if commands.is_program("".join(commands.script(each)[:1]))
    )
    is_closed = any(each.is_closed for each in wanted)
    with open(SOURCE, encoding="utf-8") as file:
        plugin = file.read()
    call = [word for word in words if word not in ("--on-error", "deny")]
    call += ["--on-error", "deny"] if is_closed else []
    plugin = COMMAND.sub(lambda _: f"const COMMAND = {json.dumps(call)}", plugin, count=1)
    return CLOSED.sub(f"const FAIL_CLOSED = {json.dumps(is_closed)}", plugin, count=1)


def strip(path: str, text: str, original: str) -> str:  # noqa: ARG001 - every format is called alike
    return "" if text.startswith(MARK) else text


def entries(path: str, text: str) -> list[Wired]:  # noqa: ARG001 - every format is called alike
    """The same handler for all events: the plugin sends every event."""
    found = COMMAND.search(text) if text.startswith(MARK) else None
    if found is None:
        return []
    first, *words = json.loads(found.group(1))
    from hookkit.dialects.opencode import WIRED

    return [Wired(event, {"command": first, "args": words}, "") for event in WIRED]

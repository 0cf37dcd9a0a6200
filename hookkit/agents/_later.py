"""Text for the model that an agent takes only after the tool: kept from one event to the next, as a private file."""

import os
import time

from hookkit.model import Decision, Event
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = "later"
LONGEST = 20_000  # bytes
RUNS = (None, "allow")  # verdicts after which the tool runs


def exchange(event: Event, decision: Decision, can: "Mapping[str, str]", environ: dict[str, str]) -> str:
    """Before a tool: keep the text. After it: the text that was kept for this call, once."""
    before, after = (can.get(name, "").split() for name in ("PreToolUse", "PostToolUse"))
    if "context" in before or "context" not in after:
        return ""
    if event.name == "PostToolUse":
        return _taken(_path(event, environ))
    is_blocked = decision.verdict not in RUNS or (decision.updated_input is not None and "rewrite" not in before)
    if event.name == "PreToolUse" and decision.context and not is_blocked:
        _keep(_path(event.with_input(decision.updated_input or event.tool_input), environ), decision.context)
    return ""


def _taken(path: str) -> str:
    if not path or not os.path.exists(path):
        return ""
    text = files.read_own(path, LONGEST).decode("utf-8", "replace")
    os.unlink(path)
    return text


def _keep(path: str, text: str) -> None:
    if path:
        files.prune(files.private_dir(os.path.dirname(path)), time.time())
        files.write(path, text.encode("utf-8", "replace")[:LONGEST])


def _path(event: Event, environ: dict[str, str]) -> str:
    """One file for a call of a session; not every agent sends an id of the call, so its input stands for it."""
    state = files.state_dir(environ)
    call = jsons.dumps([event.tool_name, event.command or event.tool_input]).encode("utf-8", "replace")
    name = f"{files.safe_name(event.session_id)}-{files.checksum(call)}"
    return os.path.join(files.private_dir(state), FOLDER, name) if state and event.session_id else ""

"""The command that the agent wrote, kept for a rewritten call: after a failure the model learns how to run it."""

import os

from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.model import Event

LIMIT = 2_000  # bytes of a kept command
COUNT = 50  # calls kept


def keep(event: "Event", environ: dict[str, str], commands: list[str]) -> None:
    """Keep the original command of this call; a call without an id is not kept."""
    path = _path(event, environ)
    if not path or not commands:
        return
    try:
        directory = os.path.dirname(path)
        files.private_dir(os.path.dirname(directory))
        files.private_dir(directory)
        files.create(path, commands[0].encode("utf-8", "replace")[:LIMIT])
        files.keep_newest(directory, COUNT)
    except OSError:
        return  # the hint is lost, the call is not


def find(event: "Event", environ: dict[str, str]) -> str:
    """The original command of a rewritten call; "" for any other call."""
    path = _path(event, environ)
    try:
        return files.read_own(path, LIMIT).decode("utf-8", "replace") if path else ""
    except OSError:
        return ""


def _path(event: "Event", environ: dict[str, str]) -> str:
    call, state = event.text("tool_use_id"), files.state_dir(environ)
    return os.path.join(state, "rewritten", files.safe_name(call)) if call and state else ""

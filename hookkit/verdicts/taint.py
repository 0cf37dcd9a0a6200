"""Taint: once a session has read a secret, each call that sends data out of the machine is asked about.

The note is a file of the session, so that it holds for sub-agents, after a restart, and in the warm server. Only a
person takes it away: `hookkit taint --clear`.
"""

import os
import time

from hookkit.model import Decision, Event
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.policy.call import Call

FOLDER, WAITING = "tainted", "waiting"
LIMIT = 64 * 1024
KEPT = 100  # stopped calls of a session: a person may still let these run
RULE = "taint.mode"


def is_tainted(event: Event, environ: dict[str, str]) -> bool:
    path = _path(environ, event.session_id)
    return bool(path) and os.path.lexists(path)


def wait_for(event: Event, environ: dict[str, str], rule: str, copies: "list[str] | None" = None) -> None:
    """A call that would read a secret was stopped: if the call runs, the session has read the secret.

    Each call has a note of its own, so that a second stopped call does not replace the first. `copies` are the files
    that the call writes.
    """
    folder = _path(environ, event.session_id, WAITING, make=True)
    if folder:
        about = _about(event)
        _write(
            os.path.join(files.private_dir(folder), _key(about)),
            {"rule": rule, "about": about, "copies": copies or []},
        )
        files.keep_newest(folder, KEPT)


def mark(event: Event, environ: dict[str, str]) -> None:
    """After a call: a call stopped because of a secret ran after all."""
    folder = _path(environ, event.session_id, WAITING)
    path = os.path.join(folder, _key(_about(event))) if folder else ""
    row = jsons.read_own(path, LIMIT) if path else None
    if row is not None:
        copies = row.pop("copies", None)
        _write(_path(environ, event.session_id, make=True), {**row, "at": time.time()})
        os.unlink(path)
        if copies and isinstance(copies, list):
            from hookkit.verdicts import seen as store  # late: few calls copy a secret

            store.add([str(copy) for copy in copies], environ)


def note(event: Event, environ: dict[str, str], rule: str) -> None:
    """Mark the session at once: its call has shown a secret."""
    _write(_path(environ, event.session_id, make=True), {"rule": rule, "about": _about(event), "at": time.time()})


def decision(event: Event, call: "Call", environ: dict[str, str], mode: str) -> Decision | None:
    """Ask about a call that sends data out, or deny the call."""
    from hookkit.verdicts import outgoing  # late: only for a session that has read a secret

    where = outgoing.target(event, call)
    if not where:
        return None
    row = jsons.read_own(_path(environ, event.session_id), LIMIT) or {}
    read = row.get("about") or "a key file"
    reason = (
        f"hookkit [{RULE}]: This session has read a secret ({read}), and this call sends data to {where}. "
        "A person can lift this with: hookkit taint --clear"
    )
    decision = Decision(mode, reason)
    decision.rule = RULE
    return decision


def clear(environ: dict[str, str], session: str = "") -> int:
    """Take the note off a session, or off all; how many there were."""
    sessions = [row["session"] for row in every(environ) if not session or row["session"].startswith(session)]
    for name in sessions:
        os.unlink(os.path.join(_folder(environ), name))
    return len(sessions)


def every(environ: dict[str, str]) -> "list[dict[str, Any]]":
    folder = _folder(environ)
    try:
        names = sorted(os.listdir(folder)) if folder else []
    except OSError:
        return []
    rows = [(name, jsons.read_own(os.path.join(folder, name), LIMIT)) for name in names if "." not in name]
    return [{**row, "session": name} for name, row in rows if row is not None]


def _about(event: Event) -> str:
    """The call in few words, masked: a path, or a command."""
    from hookkit.system.masking import mask

    text = event.command or str(event.tool_input.get("file_path") or event.tool_input.get("path") or event.tool_name)
    return " ".join(mask(text[:800]).split())[:200]


def _key(about: str) -> str:
    """The file name of a stopped call."""
    from hookkit.ledger.lines import digest

    return digest(about.encode("utf-8", "surrogatepass"))


def _folder(environ: dict[str, str]) -> str:
    state = files.state_dir(environ)
    return os.path.join(state, FOLDER) if state else ""


def _path(environ: dict[str, str], session: str, ending: str = "", *, make: bool = False) -> str:
    folder = _folder(environ)
    if not folder or not session:
        return ""
    if make:
        files.private_dir(files.state_dir(environ))
        files.private_dir(folder)
    name = files.safe_name(session)
    return os.path.join(folder, f"{name}.{ending}" if ending else name)


def _write(path: str, row: "dict[str, Any]") -> None:
    if path:
        files.write(path, jsons.dumps(row).encode("utf-8", "backslashreplace"))

"""Limits over several calls: a handler that runs once a session, and the rest of a handler that keeps failing."""

import os
import time

from hookkit.errors import HookkitError
from hookkit.handlers.handler import Handler
from hookkit.settings.layers import trust_file
from hookkit.system import files, jsons, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


FAILURES = 3  # in a row, before a handler rests
REST = 300  # seconds
LIMIT = 1_000  # bytes of a handler's record
NAME = 100  # characters of a handler's name in its record


def claim(environ: dict[str, str], session: str, handler: Handler) -> bool:
    """Whether a `once` handler may run now: for one caller only, even when several ask at the same time."""
    if not session or not files.state_dir(environ):
        return True
    return marks.first_time(environ, session, f"once-{handler.id}")


def release(environ: dict[str, str], session: str, handler: Handler) -> None:
    """A `once` handler that failed runs again."""
    if session and files.state_dir(environ):
        marks.unmark(environ, session, f"once-{handler.id}")


def resting(environ: dict[str, str], handler: Handler) -> float:
    """For how many more seconds the handler rests; 0 if it may run.

    A change of its settings, of its files or of the trust in them starts the count again: it may be mended.
    """
    path = _path(environ, handler)
    failures, since, state, _ = _read(path)
    if failures and state != _state(environ, handler):
        os.unlink(path)
        return 0.0
    return max(0.0, since + REST - time.time()) if failures >= FAILURES else 0.0


def count(environ: dict[str, str], handler: Handler, *, is_failed: bool) -> bool:
    """Count a run; True if the handler rests from now on."""
    path = _path(environ, handler)
    if not path or (not is_failed and not os.path.exists(path)):
        return False
    if not is_failed:
        os.unlink(path)
        return False
    failures = _read(path)[0] + 1
    state = _state(environ, handler)  # after the run, which may write to a file that its command names
    files.private_dir(os.path.dirname(os.path.dirname(path)))
    files.private_dir(os.path.dirname(path))
    files.write(path, jsons.dumps([failures, time.time(), state, handler.name[:NAME]]).encode())
    return failures >= FAILURES


def wake(environ: dict[str, str], handler: Handler) -> bool:
    """End the rest of a handler; whether there was one to end."""
    rests = resting(environ, handler) > 0
    path = _path(environ, handler)
    if path and os.path.exists(path):
        os.unlink(path)
    return rests


def at_rest(environ: dict[str, str]) -> "list[dict[str, Any]]":
    """Every handler at rest, for people: by name, with its failures and the seconds left.

    The rest of a handler that was changed since ends with its next call.
    """
    state = files.state_dir(environ)
    folder = os.path.join(state, "handlers") if state else ""
    rows: list[dict[str, Any]] = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        failures, since, _, title = _read(os.path.join(folder, name))
        left = since + REST - time.time()
        if failures >= FAILURES and left > 0:
            rows.append({"handler": title or name.removesuffix(".json"), "failures": failures, "seconds": round(left)})
    return rows


def _read(path: str) -> tuple[int, float, str, str]:
    """The failures in a row, the time of the last of them, the state after it, and the handler's name."""
    try:
        failures, since, state, name = jsons.loads(files.read_own(path, LIMIT))
        return int(failures), min(float(since), time.time()), str(state), str(name)
    except (OSError, HookkitError, ValueError, TypeError):
        return 0, 0.0, "", ""


def _state(environ: dict[str, str], handler: Handler) -> str:
    """Changes with the handler's settings file, with the files that it runs, and with the trust in them."""
    from hookkit.settings import hook_files  # late: only for a handler that has failed

    source = handler.row["source"]
    root = hook_files.root_of(source)
    paths = [source, trust_file(environ), *hook_files.named(handler.row, root, root, anywhere=True)]
    return files.checksum(jsons.dumps([files.stamp(path) for path in paths]).encode())


def _path(environ: dict[str, str], handler: Handler) -> str:
    state = files.state_dir(environ)
    return os.path.join(state, "handlers", f"{handler.id}.json") if state else ""


INSIDE = "HOOKKIT_INSIDE"  # set for a model's own client: no prompt or agent handler runs inside of another
ASKING = ("prompt", "agent")
TERMINAL = "/dev/tty"


def refusal(handler: Handler, environ: dict[str, str]) -> str:
    """Why the handler does not run here, or an empty text."""
    if handler.kind not in ASKING:
        return ""
    if environ.get(INSIDE):
        return f"{handler.kind} handlers do not run inside the model of another {handler.kind} handler"
    if handler.row["batch"] or not is_batch(environ):
        return ""
    return f"{handler.kind} handlers need an interactive session: this one is a batch run. Set batch = true to run it"


def is_batch(environ: dict[str, str]) -> bool:
    attended, entry = environ.get("CLAUDE_CODE_SESSION_ATTENDED", ""), environ.get("CLAUDE_CODE_ENTRYPOINT", "")
    if environ.get("CI") or attended == "0" or entry.startswith("sdk"):
        return True
    if attended or entry:
        return False
    try:
        os.close(os.open(TERMINAL, os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return True
    return False

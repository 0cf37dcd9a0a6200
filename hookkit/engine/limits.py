"""Limits over several calls: a handler that runs once a session, and the rest of a handler that keeps failing."""

import os
import time

from hookkit.engine.handler import Handler
from hookkit.errors import HookkitError
from hookkit.system import files, jsons, marks

FAILURES = 3  # in a row, before a handler rests
REST = 300  # seconds
LIMIT = 1_000  # bytes of a handler's record


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
    """For how many more seconds the handler rests; 0 if it may run."""
    failures, since = _record(environ, handler)
    return max(0.0, since + REST - time.time()) if failures >= FAILURES else 0.0


def count(environ: dict[str, str], handler: Handler, *, is_failed: bool) -> bool:
    """Count a run; True if the handler rests from now on."""
    path = _path(environ, handler)
    if not path or (not is_failed and not os.path.exists(path)):
        return False
    if not is_failed:
        os.unlink(path)
        return False
    failures = _record(environ, handler)[0] + 1
    files.private_dir(os.path.dirname(os.path.dirname(path)))
    files.private_dir(os.path.dirname(path))
    files.write(path, jsons.dumps([failures, time.time()]).encode())
    return failures >= FAILURES


def _record(environ: dict[str, str], handler: Handler) -> tuple[int, float]:
    """The failures in a row, and the time of the last of them."""
    path = _path(environ, handler)
    try:
        failures, since = jsons.loads(files.read_own(path, LIMIT)) if path else (0, 0.0)
        return int(failures), min(float(since), time.time())
    except (OSError, HookkitError, ValueError, TypeError):
        return 0, 0.0


def _path(environ: dict[str, str], handler: Handler) -> str:
    state = files.state_dir(environ)
    return os.path.join(state, "handlers", f"{handler.id}.json") if state else ""

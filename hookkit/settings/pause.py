"""The pause: for a while hookkit answers nothing, and every session is told. It ends by itself."""

import os
import time

from hookkit.errors import HookkitError
from hookkit.system import files, jsons

NAME = "paused"  # in hookkit's own state
LONGEST = 24 * 3600  # seconds
LIMIT = 1_000


def path(environ: dict[str, str]) -> str:
    state = files.state_dir(environ)
    return os.path.join(state, NAME) if state else ""


def until(environ: dict[str, str], now: float) -> float:
    """The end of the pause; 0 where none is on. A file that claims more than LONGEST does not count."""
    try:
        value = jsons.loads(files.read_own(path(environ), LIMIT))
    except (OSError, HookkitError):
        return 0.0
    end = value.get("until") if isinstance(value, dict) else None
    return float(end) if isinstance(end, (int, float)) and now < end <= now + LONGEST else 0.0


def begin(environ: dict[str, str], seconds: float) -> float:
    end = time.time() + seconds
    files.private_dir(files.state_dir(environ))
    files.write(path(environ), jsons.dumps({"until": end}).encode())
    return end


def end(environ: dict[str, str]) -> bool:
    """End the pause; False where none was on."""
    was_on = until(environ, time.time()) > 0
    if os.path.lexists(path(environ)):
        os.unlink(path(environ))
    return was_on


def message(end: float) -> str:
    clock = time.strftime("%H:%M", time.localtime(end))
    return f"hookkit is paused until {clock}: nothing is checked. End it: hookkit pause --end"

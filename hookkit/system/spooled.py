"""The files of stored events (see server/spool): which there are, in which order, and who may read them now."""

import os
import time

from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

NAME, WAITS, CUT, LOCK = "spool", "waits", "cut", "lock-"
KEPT = 30 * 86_400  # seconds: older marks are of sessions that are over, or are made again
LOCKS = 16  # sessions share these: a lock of its own for each session would pile up


def directory(environ: dict[str, str]) -> str:
    state = files.state_dir(environ)
    return os.path.join(state, NAME) if state else ""


def names(place: str, session: str = "") -> list[str]:
    """The stored events, of one session or of all."""
    try:
        listed = os.listdir(place) if place else []
    except OSError:
        return []
    return [name for name in listed if "." in name and (not session or name.startswith(f"{session}."))]


def in_order(place: str, session: str) -> "list[tuple[str, float]]":
    """The paths of a session's events with the time of each. Process ids tell the order within a tick of the clock."""
    rows = []
    for name in names(place, session):
        path = os.path.join(place, name)
        try:
            info = os.lstat(path)
        except FileNotFoundError:
            continue
        number = name.partition(".")[2].partition("-")[0]
        rows.append((info.st_mtime_ns, int(number) if number.isdigit() else 0, path))
    return [(path, at / 1e9) for at, _, path in sorted(rows)]


class SessionLock:
    """While held, this process alone may play the events of the session; `is_ours` says whether it is held."""

    def __init__(self, place: str, session: str, seconds: float) -> None:
        from binascii import crc32

        self.path = os.path.join(place, f"{LOCK}{crc32(session.encode()) % LOCKS}")
        self.seconds = seconds

    def __enter__(self) -> bool:
        self.handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        return files.lock(self.handle, self.seconds)

    def __exit__(self, *_: object) -> None:
        os.close(self.handle)


def wait_for(environ: dict[str, str], session: str, events: "Collection[str]") -> None:
    """From now on the launcher asks about these events of the session, and does not store them."""
    waits = os.path.join(directory(environ), WAITS)
    if session and files.safe_name(session) == session and os.path.isdir(waits):
        new = [path for event in events if not os.path.lexists(path := os.path.join(waits, f"{event}-{session}"))]
        for path in new:
            files.create(path)
        if new:  # once a session
            _forget_old(waits)


def _forget_old(waits: str) -> None:
    for name in os.listdir(waits):
        path = os.path.join(waits, name)
        try:
            if time.time() - os.lstat(path).st_mtime > KEPT:
                os.unlink(path)
        except FileNotFoundError:
            continue  # another session was faster

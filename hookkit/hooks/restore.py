"""Carries the state of the work over a compaction: PreCompact writes a note, the next SessionStart hands it back once.

Most sessions start without a note: then no further module is loaded, and two file names are checked.
"""

import os

from hookkit.model import Decision, Event
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings


EVENTS = ("SessionStart", "PreCompact")
SOURCES = ("compact", "resume")


def is_cold(event: Event, settings: "Settings") -> bool:
    """Whether a process of its own should read the transcript."""
    if event.name != "PreCompact" or not settings["restore.enabled"]:
        return False
    from hookkit.agents.transcripts import reader

    return reader.is_large(event)


def run(event: Event, settings: "Settings") -> Decision | None:
    """No note without a session id: another session might get the note."""
    starting = event.name == "SessionStart"
    if not event.session_id or (starting and event.text("source") not in SOURCES):
        return None
    root = files.repository(event.project)
    name = f"restore-{files.safe_name(event.session_id)}"
    places = files.session_places(root, settings.environ) if starting else []
    if starting and not any(os.path.lexists(os.path.join(place, name)) for place in places):
        return None
    if not settings["restore.enabled"]:
        return None
    if not starting:
        saved = save(event, settings, root, name)
        return Decision(reason="noted where the work stands") if saved else None
    text = take(os.path.join(files.session_dir(root, settings.environ), name))
    return Decision(context=text, reason="where the work stood before the compaction") if text else None


# -- the note --------------------------------------------------------------------------------------


READ = 64 * 1024


def save(event: Event, settings: "Settings", root: str, name: str) -> bool:
    """Write the note; False for an empty note."""
    import time

    from hookkit.agents.transcripts import flow

    text = flow.note(event, settings)
    if not text:
        return False
    directory = files.session_dir(root, settings.environ)
    files.write(os.path.join(directory, name), text.encode("utf-8", "replace"))
    files.prune(directory, time.time(), prefix="restore-")
    return True


def take(path: str) -> str:
    """The note's text, for one caller only: of several who rename a file at the same time, one succeeds."""
    claimed = f"{path}.{os.urandom(6).hex()}"
    try:
        os.rename(path, claimed)
    except FileNotFoundError:
        return ""
    from hookkit.system import clipping

    try:
        return clipping.clip(_read_own(claimed).decode("utf-8", "replace"))
    finally:
        os.unlink(claimed)


def _read_own(path: str) -> bytes:
    """Only a file written by hookkit: a link or another user's file must not reach the model."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(handle, "rb") as file:
        info = os.fstat(handle)
        if info.st_uid != os.geteuid() or info.st_nlink != 1:
            raise PermissionError(f"not a note written by hookkit: {path}")
        return file.read(READ)

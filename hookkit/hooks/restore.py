"""Where the work stood, carried over a compaction: PreCompact writes it down, the next SessionStart hands it back once.

Most sessions start without a note, so that path loads nothing and asks the disk for two names.
"""

import os

from hookkit.model import Decision, Event
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.layers import Settings

EVENTS = ("SessionStart", "PreCompact")
SOURCES = ("compact", "resume")
READ = 64 * 1024


def run(event: Event, settings: "Settings") -> Decision | None:
    """Without a session's id a note could reach another session: then there is none."""
    starting = event.name == "SessionStart"
    if not event.session_id or (starting and event.text("source") not in SOURCES):
        return None
    root = files.repository(event.project)
    name = f"restore-{files.safe_name(event.session_id)}"
    if not starting:
        return _save(event, settings, root, name)
    if not any(os.path.lexists(os.path.join(place, name)) for place in files.session_places(root, settings.environ)):
        return None
    if not settings["restore.enabled"]:
        return None
    text = _claim(os.path.join(files.session_dir(root, settings.environ), name))
    return Decision(context=text, reason="where the work stood before the compaction") if text else None


def _save(event: Event, settings: "Settings", root: str, name: str) -> Decision | None:
    if not settings["restore.enabled"]:
        return None
    import time

    from hookkit.transcripts import handover

    text = handover.note(event, settings)
    if not text:
        return None
    directory = files.session_dir(root, settings.environ)
    files.write(os.path.join(directory, name), text.encode("utf-8", "replace"))
    files.prune(directory, time.time(), prefix="restore-")
    return Decision(reason="noted where the work stands")


def _claim(note: str) -> str:
    """The note's text for the one who takes it: of many who rename a file at once, one succeeds."""
    from hookkit.system import clipping

    claimed = f"{note}.{os.urandom(6).hex()}"
    try:
        os.rename(note, claimed)
    except FileNotFoundError:
        return ""
    try:
        return clipping.clip(_own(claimed).decode("utf-8", "replace"))
    finally:
        os.unlink(claimed)


def _own(path: str) -> bytes:
    """What we wrote ourselves: a link or another's file in its place is not for the model to see."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(handle, "rb") as file:
        info = os.fstat(handle)
        if info.st_uid != os.geteuid() or info.st_nlink != 1:
            raise PermissionError(f"not a note of ours: {path}")
        return file.read(READ)

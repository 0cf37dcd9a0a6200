"""The note about the state of the work: written before a compaction, handed to the model once afterwards."""

import os

from hookkit.system import clipping, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.model import Event
    from hookkit.settings.layers import Settings

READ = 64 * 1024


def save(event: "Event", settings: "Settings", root: str, name: str) -> bool:
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

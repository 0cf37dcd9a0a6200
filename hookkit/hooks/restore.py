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
    from hookkit.prompts import restore_note

    if not starting:
        saved = restore_note.save(event, settings, root, name)
        return Decision(reason="noted where the work stands") if saved else None
    text = restore_note.take(os.path.join(files.session_dir(root, settings.environ), name))
    return Decision(context=text, reason="where the work stood before the compaction") if text else None

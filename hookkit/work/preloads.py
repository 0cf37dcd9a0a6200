"""The preload files of an effort: told at the start of a session, or at its next event if they are added later."""

from hookkit.model import Decision, Event
from hookkit.system import clipping, files
from hookkit.work.columns import listed
from hookkit.work.tracked_event import TrackedEvent

FILE = 32 * 1024  # bytes of a preloaded file
LATER = 6_000  # characters of all files that are added in mid-session
LEAST = 200  # characters of a file: below, only its name is told
UNREAD = "(not read: it is empty, not there, or the policy keeps it)"


def add_later(tracked: TrackedEvent) -> Decision | None:
    """Files that were added after the start of the session."""
    if tracked.is_part or tracked.is_denied:
        return None
    texts = take(tracked, LATER)
    return Decision(context="\n\n".join(texts), reason="files for this effort") if texts else None


def take(tracked: TrackedEvent, room: int) -> list[str]:
    """The files that this session was not told yet, each with its text or a note that the file was not read.

    A file counts as loaded only if the session got all of its text; a cut text ends with the file's path.
    """
    session, effort = tracked.session, tracked.effort
    if session is None or effort is None or effort["preload"] == "[]" or not tracked.wants("sessions.preload"):
        return []
    known = listed(session["preloaded"])
    if all(path in known for path in listed(effort["preload"])):
        return []
    fresh = tracked.work.add("sessions", "preloaded", session["id"], listed(effort["preload"]))
    texts = {path: _text(path, tracked) for path in fresh}
    each = max(LEAST, room // max(1, len(fresh)) - 50)
    whole = [path for path in fresh if texts[path] and clipping.length(texts[path]) <= each]
    tracked.work.load("sessions", session["id"], whole)
    said = [f"# {path}\n\n{clipping.clip(text, each, path) or UNREAD}" for path, text in texts.items()]
    return [clipping.clip("\n\n".join(said), max(LEAST, room))] if said else []


def _text(path: str, tracked: TrackedEvent) -> str:
    """The text, if the policy allows the agent to read the file."""
    from hookkit.policy.judge import Judge

    asked = Event("PreToolUse", {**tracked.event.fields, "tool_name": "Read", "tool_input": {"file_path": path}})
    asked.cwd, asked.project = tracked.event.cwd, tracked.event.project
    verdict = Judge(tracked.settings.policy, tracked.settings.environ).verdict(asked).verdict
    try:
        return files.read(path, FILE).decode("utf-8", "replace") if verdict in (None, "allow") else ""
    except OSError:
        return ""

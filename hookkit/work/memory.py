"""What an effort remembers of tool calls, and what waits to be told on the next of them."""

import os

from hookkit.ledger.evidence import Room
from hookkit.model import Decision
from hookkit.system import clipping, files
from hookkit.work.tracked import Tracked

PATHS = ("file_path", "notebook_path")
DIRECTIVE = 2_000  # characters of one
DEEP = 40  # directories above a file that are looked into


def inject(tracked: Tracked) -> Decision | None:
    """Texts that somebody left for this effort: told once, on whatever event of the main conversation comes next."""
    if tracked.effort is None or tracked.is_part or tracked.is_denied or not tracked.wants("sessions.injections"):
        return None
    texts = tracked.work.take_injections(tracked.effort["id"])
    return (
        Decision(context=clipping.clip("\n\n".join(texts)), reason="what was left for this effort") if texts else None
    )


def loaded(tracked: Tracked) -> Decision | None:
    """A file that was read is in the context."""
    path = _path(tracked)
    if tracked.session is not None and path and tracked.event.tool_name == "Read":
        tracked.work.load("sessions", tracked.session["id"], [path])
    return None


def dialogue(tracked: Tracked) -> Decision | None:
    """Questions to the person, with the answers."""
    event, session = tracked.event, tracked.session
    if event.tool_name != "AskUserQuestion" or session is None or not tracked.wants("sessions.dialogues"):
        return None
    room, response = Room(), event.fields.get("tool_response")
    answers = response.get("answers") if isinstance(response, dict) else response
    body = {
        "questions": room.value(event.tool_input.get("questions")),
        "answers": room.value(event.tool_input.get("answers") if answers is None else answers),
    }
    tracked.work.note(session["effort"], session["id"], "dialogue", body)
    return None


def failure(tracked: Tracked) -> Decision | None:
    """What went wrong stays with the effort, beside the status that it leaves."""
    event, session = tracked.event, tracked.session
    if session is not None and tracked.wants("sessions.agents"):
        room = Room(4_000)
        body = {"tool": event.tool_name[:200], "error": room.text(event.text("error"), 1_000)}
        tracked.work.note(session["effort"], session["id"], "failure", body)
    return None


def directives(tracked: Tracked) -> Decision | None:
    """Documents that say how to work in a directory, found when the work gets there; each is told once an effort."""
    path = _path(tracked)
    if tracked.effort is None or not path or not tracked.wants("sessions.directives"):
        return None
    found = _above(path, tracked)
    fresh = tracked.work.add("efforts", "directives", tracked.effort["id"], found) if found else []
    if not fresh:
        return None
    texts = [f"# {found} holds here\n\n{_text(found)}" for found in fresh]
    return Decision(context=clipping.clip("\n\n".join(texts)), reason=f"found {', '.join(fresh)}")


def _path(tracked: Tracked) -> str:
    values = (tracked.event.tool_input.get(name) for name in PATHS)
    path = next((value for value in values if isinstance(value, str) and value), "")
    try:
        return os.path.realpath(os.path.join(tracked.event.cwd, path)) if path else ""
    except ValueError:
        return ""  # no name that a file could have


def _above(path: str, tracked: Tracked) -> list[str]:
    """From the file's directory up to the project's root, and never out of it, not through a link either."""
    here, found = os.path.dirname(path), []
    for _ in range(DEEP):
        if not files.inside(here, tracked.project):
            break
        for name in tracked.settings["sessions.directive_files"]:
            candidate = os.path.join(here, name)
            if os.path.isfile(candidate) and files.inside(candidate, tracked.project):
                found.append(candidate)
        if here == tracked.project:
            break
        here = os.path.dirname(here)
    return found


def _text(path: str) -> str:
    try:
        return clipping.clip(files.read(path, DIRECTIVE * 4).decode("utf-8", "replace"), DIRECTIVE, path)
    except OSError:
        return "(could not be read)"

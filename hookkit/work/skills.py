"""Settings of a skill (`[[skills]]`): the phases, files, template and config of every effort with its name."""

import os

from hookkit.model import Decision, Event
from hookkit.system import clipping, files, jsons
from hookkit.work import artefacts, efforts
from hookkit.work.store import facts, listed
from hookkit.work.tracked_event import TrackedEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings
    from hookkit.work.store import Work

    Row = dict[str, Any]


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
    if session is None or effort is None or effort["preload"] == "[]" or not tracked.wants("files"):
        return []
    known = listed(session["preloaded"])
    if all(path in known for path in listed(effort["preload"])):
        return []
    fresh = tracked.work.add("sessions", "preloaded", session["id"], listed(effort["preload"]))
    texts = {path: _text(path, tracked) for path in fresh}
    share = max(LEAST, room // max(1, len(fresh)) - 50)
    whole = [path for path in fresh if texts[path] and clipping.length(texts[path]) <= share]
    tracked.work.load("sessions", session["id"], whole)
    parts = [f"# {path}\n\n{clipping.clip(text, share, path) or UNREAD}" for path, text in texts.items()]
    return [clipping.clip("\n\n".join(parts), max(LEAST, room))] if parts else []


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


TEMPLATE = 16 * 1024  # bytes of a template
PART = 1_500  # characters of a template, the config or the facts in a text for the model


def row_of(settings: "Settings", skill: str) -> "Row":
    """The row of a skill; empty without one."""
    return next((row for row in settings["skills"] if row["name"] == skill), {})


def prepare(work: "Work", settings: "Settings", number: int) -> None:
    """A new effort gets the first phase and the files of its skill, and its log if `sessions.artefacts` is on."""
    effort = efforts.effort(work, number)
    row = row_of(settings, effort["skill"]) if effort is not None else {}
    if row.get("phases"):
        efforts.update(work, number, "phase", row["phases"][0])
    if effort is not None and row.get("preload"):
        places = [os.path.realpath(os.path.join(effort["project"], path)) for path in row["preload"]]
        efforts.update(work, number, "preload", places)
    if effort is None or "log" not in settings["sessions.parts"]:
        return
    try:
        artefacts.create(work, effort, "log", template(settings, effort))
    except OSError:
        return  # a directory that cannot be written to: the database keeps the log


def template(settings: "Settings", effort: "Row") -> str:
    """The text of the skill's log template; empty without a template, or if its file cannot be read."""
    name = row_of(settings, effort["skill"]).get("template", "")
    try:
        path = os.path.join(effort["project"], name)
        return files.read(path, TEMPLATE).decode("utf-8", "replace") if name else ""
    except OSError:
        return ""


def described(tracked: "TrackedEvent", *, for_part: bool = False) -> str:
    """The skill's phases, advice and config, and the effort's log; a sub-agent also gets the template and the facts."""
    effort, settings = tracked.effort, tracked.settings
    if effort is None:
        return ""
    row = row_of(settings, effort["skill"])
    known = {name: value for name, value in facts(effort["metadata"]).items() if name != "guards"}
    log = artefacts.path_of(tracked.work, effort, "log") if "log" in settings["sessions.parts"] else ""
    parts = [
        f"Phases of {effort['skill']}: {' → '.join(row['phases'])}" if row.get("phases") else "",
        row.get("context", ""),
        f"Config of {effort['skill']}: {clipping.clip(jsons.dumps(row['config']), PART)}" if row.get("config") else "",
        f"Log of this effort: {log}" if log else "",
    ]
    if for_part:
        text = template(settings, effort) if log else ""
        parts.append(f"The log follows this template:\n{clipping.clip(text, PART)}" if text else "")
        parts.append(f"Facts of this effort: {clipping.clip(jsons.dumps(known), PART)}" if known else "")
    return "\n".join(part for part in parts if part)

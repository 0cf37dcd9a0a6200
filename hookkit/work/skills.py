"""Settings of a skill (`[[skills]]`): the phases, files, template and config of every effort with its name.

An effort's own files, such as `1_BRAINSTORM_LOG.md`, are in the directory of its task. The number is the effort's
ordinal in the task, so the files of several efforts stand side by side.
"""

import os
import stat
import time

from hookkit.model import Decision, Event
from hookkit.system import clipping, files, jsons
from hookkit.work import efforts
from hookkit.work.sessions import TrackedEvent
from hookkit.work.store import facts, listed

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
    if tracked.is_part or tracked.event.is_denied:
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
    told = listed(session["preloaded"])
    if all(path in told for path in listed(effort["preload"])):
        return []
    fresh = tracked.work.add("sessions", "preloaded", session["id"], listed(effort["preload"]))
    texts = {path: _text(path, tracked) for path in fresh}
    share = max(LEAST, room // max(1, len(fresh)) - 50)
    whole = [path for path in fresh if texts[path] and clipping.length(texts[path]) <= share]
    tracked.work.add("sessions", "loaded", session["id"], whole)
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
        create_file(work, effort, "log", template(settings, effort))
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
    values = {name: value for name, value in facts(effort["metadata"]).items() if name != "guards"}
    log = file_path(tracked.work, effort, "log") if "log" in settings["sessions.parts"] else ""
    parts = [
        f"Phases of {effort['skill']}: {' → '.join(row['phases'])}" if row.get("phases") else "",
        row.get("context", ""),
        f"Config of {effort['skill']}: {clipping.clip(jsons.dumps(row['config']), PART)}" if row.get("config") else "",
        f"Log of this effort: {log}" if log else "",
    ]
    if for_part:
        text = template(settings, effort) if log else ""
        parts.append(f"The log follows this template:\n{clipping.clip(text, PART)}" if text else "")
        parts.append(f"Facts of this effort: {clipping.clip(jsons.dumps(values), PART)}" if values else "")
    return "\n".join(part for part in parts if part)


# -- files of an effort, in the directory of its task ------------------------------------------------------------------


LONGEST = 60  # characters of a skill or a kind in a file's name
SHOWN = 20  # names of files in a text


def file_path(work: "Work", effort: "Row", kind: str) -> str:
    name = f"{effort['ordinal']}_{_word(effort['skill'])}_{_word(kind)}.md"
    return os.path.join(_directory(work, effort), name)


def file_names(work: "Work", effort: "Row") -> list[str]:
    """The names of the effort's files. A name in any other style is left out: the names are told to the model."""
    start = f"{effort['ordinal']}_{_word(effort['skill'])}_"
    try:
        names = sorted(name for name in os.listdir(_directory(work, effort)) if name.startswith(start))
    except OSError:
        return []
    kinds = [name[len(start) :].removesuffix(".md") for name in names if name.endswith(".md")]
    return [f"{start}{kind}.md" for kind in kinds if kind == _word(kind)][:SHOWN]


def create_file(work: "Work", effort: "Row", kind: str, text: str = "") -> str:
    """The path of the effort's file of a kind, made from the template unless it exists."""
    path = file_path(work, effort, kind)
    text = text or "# {skill}: {kind}\n\nEffort {effort}, begun {date}.\n"
    values = {
        "skill": effort["skill"],
        "mode": effort["mode"],
        "kind": kind,
        "effort": str(effort["id"]),
        "ordinal": str(effort["ordinal"]),
        "task": os.path.basename(_directory(work, effort)),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    except FileExistsError:
        return path
    with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    return path


def append_entry(path: str, entry: str) -> None:
    """Adds a dated entry. A link or a device in place of the file is refused."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(handle, "a", encoding="utf-8", errors="backslashreplace") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(0, "not a regular file", path)
        file.write(f"\n## {time.strftime('%Y-%m-%d %H:%M')}\n\n{entry}\n")


def _directory(work: "Work", effort: "Row") -> str:
    row = work.row("SELECT dir FROM tasks WHERE id = ?", effort["task"])
    return str(row["dir"]) if row else ""


def _word(text: str) -> str:
    """Upper-case letters, digits and dashes: safe in a file's name."""
    return "".join(char if char.isalnum() else "-" for char in text.upper())[:LONGEST].strip("-") or "EFFORT"

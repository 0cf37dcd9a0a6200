"""Notes of an effort about tool calls, and texts injected into the next call."""

import os

from hookkit.ledger.evidence import Allowance
from hookkit.model import Decision
from hookkit.system import clipping, files
from hookkit.work import efforts
from hookkit.work.tracked_event import TrackedEvent

PATHS = ("file_path", "notebook_path")
DIRECTIVE = 2_000  # characters of a directive
DEEP = 40  # directories to search above a file
MOST = 50  # files of a call


def inject(tracked: TrackedEvent) -> Decision | None:
    """Texts left for this effort, injected once, at the next event of the main conversation."""
    if tracked.effort is None or tracked.is_part or tracked.is_denied or not tracked.wants("messages"):
        return None
    texts = efforts.take_injections(tracked.work, tracked.effort["id"])
    return (
        Decision(context=clipping.clip("\n\n".join(texts)), reason="what was left for this effort") if texts else None
    )


def loaded(tracked: TrackedEvent) -> Decision | None:
    """Notes a file that was read: it is in the context now."""
    path = _path(tracked)
    if tracked.session is not None and path and tracked.event.tool_name == "Read":
        tracked.work.load("sessions", tracked.session["id"], [path])
    return None


def dialogue(tracked: TrackedEvent) -> Decision | None:
    """Questions to the person, with the answers."""
    event, session = tracked.event, tracked.session
    if event.tool_name != "AskUserQuestion" or session is None or not tracked.wants("questions"):
        return None
    allowance, response = Allowance(), event.fields.get("tool_response")
    answers = response.get("answers") if isinstance(response, dict) else response
    body = {
        "questions": allowance.value(event.tool_input.get("questions")),
        "answers": allowance.value(event.tool_input.get("answers") if answers is None else answers),
    }
    tracked.work.note(session["effort"], session["id"], "dialogue", body)
    return None


def failure(tracked: TrackedEvent) -> Decision | None:
    """Keeps the error of a failed call with the effort."""
    event, session = tracked.event, tracked.session
    if session is not None and tracked.wants("status"):
        error = Allowance(4_000).text(event.text("error"), 1_000)
        body = {"tool": event.tool_name[:200], "error": error}
        tracked.work.note(session["effort"], session["id"], "failure", body)
    return None


def directives(tracked: TrackedEvent) -> Decision | None:
    """Documents about how to work in a directory, shown once an effort when a file below it is used."""
    if tracked.effort is None or not tracked.wants("documents"):
        return None
    places = dict.fromkeys(path if os.path.isdir(path) else os.path.dirname(path) for path in _paths(tracked))
    files = [*dict.fromkeys(name for place in places for name in _above(place, tracked))]
    fresh = tracked.work.add("efforts", "directives", tracked.effort["id"], files) if files else []
    if not fresh:
        return None
    texts = [f"# {files} holds here\n\n{_text(files)}" for files in fresh]
    return Decision(context=clipping.clip("\n\n".join(texts)), reason=f"found {', '.join(fresh)}")


def _path(tracked: TrackedEvent) -> str:
    values = (tracked.event.tool_input.get(name) for name in PATHS)
    path = next((value for value in values if isinstance(value, str) and value), "")
    return _real(tracked.event.cwd, path) if path else ""


def _paths(tracked: TrackedEvent) -> list[str]:
    """Files and directories of a call: its own fields, the files of a command line, the files that a search found."""
    event = tracked.event
    response = event.fields.get("tool_response")
    names = response.get("filenames") if isinstance(response, dict) else None
    given = [event.tool_input.get(name) for name in (*PATHS, "path")]
    given += names[:MOST] if isinstance(names, list) else []
    paths = [_real(event.cwd, value) for value in given if isinstance(value, str) and value]
    if event.command:
        from hookkit.policy.judge import Judge

        call = Judge(tracked.settings.policy, tracked.settings.environ).call(event)
        paths += [_real(command.directory, "") for command in call.commands if command.directory]
        for _, path, command in call.touched():
            paths.append(_real((command and command.directory) or event.cwd, path))
    return [*dict.fromkeys(path for path in paths if path)][:MOST]


def _real(directory: str, path: str) -> str:
    """The path without links; empty for a text that no file can have as its name."""
    try:
        return os.path.realpath(os.path.join(directory, path))
    except ValueError:
        return ""


def _above(here: str, tracked: TrackedEvent) -> list[str]:
    """Directives from a directory up to the project's root, never outside of it."""
    paths = []
    for _ in range(DEEP):
        if not files.inside(here, tracked.project):
            break
        for name in tracked.settings["sessions.directive_files"]:
            candidate = os.path.join(here, name)
            if os.path.isfile(candidate) and files.inside(candidate, tracked.project):
                paths.append(candidate)
        if here == tracked.project:
            break
        here = os.path.dirname(here)
    return paths


def _text(path: str) -> str:
    try:
        return clipping.clip(files.read(path, DIRECTIVE * 4).decode("utf-8", "replace"), DIRECTIVE, path)
    except OSError:
        return "(could not be read)"

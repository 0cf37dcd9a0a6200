"""Start and end of sessions, with the context that an effort hands to its next session."""

import os
import time

from hookkit.model import Decision
from hookkit.system import clipping
from hookkit.work import efforts, sessions, skills
from hookkit.work.sessions import TrackedEvent
from hookkit.work.store import facts, listed

ROOM = 9_000  # characters of the whole context at the start
AGAIN = ("UserPromptSubmit", "PreToolUse")  # events that begin an ended session again
STOOD = "# Where the work stood\n\n"
ENTRIES, ENTRY = 5, 500  # log entries, and characters of each, without a dehydrated text


def start(tracked: TrackedEvent) -> Decision | None:
    """Always a new session, under the agent's effort for this project if there is any."""
    if not tracked.event.session_id:
        return None
    source = tracked.event.text("source")
    kind = tracked.event.text("agent_type")
    sessions.start(tracked.work, tracked.event.session_id, tracked.project, source=source, kind=kind)
    tracked.look()
    parts = [
        _line(tracked) if tracked.wants("prompts") else "",
        skills.described(tracked),
        _rehydrated(tracked),
        _directives(tracked) if tracked.wants("documents") else "",
    ]
    text = clipping.clip("\n\n".join(part for part in parts if part), ROOM)
    files = skills.take(tracked, ROOM - clipping.length(text))
    context = "\n\n".join(part for part in (text, *files) if part)
    return Decision(context=context, reason="a session begins") if context else None


def attach(tracked: TrackedEvent) -> None:
    """A session begins with whatever event comes first: some agents send no start, others are wired in mid-session.

    After the end of a session, only a prompt or a call begins it again: other events may just be late.
    """
    event = tracked.event
    if tracked.session is not None or not event.session_id or event.name in ("SessionStart", "SessionEnd", ""):
        return
    if event.name not in AGAIN and sessions.is_known(tracked.work, event.session_id):
        return
    kind = "" if tracked.is_part else event.text("agent_type")
    sessions.start(tracked.work, event.session_id, tracked.project, source="joined", kind=kind)
    tracked.look()


def end(tracked: TrackedEvent) -> None:
    """All sub-agents end with their client."""
    if tracked.event.session_id:
        sessions.end_all(tracked.work, tracked.event.session_id)


def begin(tracked: TrackedEvent) -> None:
    _begin(tracked, tracked.event.text("command_name").lstrip("/"))


def _begin(tracked: TrackedEvent, command: str) -> None:
    """A slash command listed in sessions.commands starts an effort of the same name."""
    if command and command in tracked.settings["sessions.commands"]:
        number = efforts.begin(tracked.work, os.path.realpath(tracked.event.cwd), tracked.project, command)
        skills.prepare(tracked.work, tracked.settings, number)
        tracked.look()


def part(tracked: TrackedEvent) -> Decision | None:
    """A sub-agent gets its own session under the parent's effort, and a line about the effort."""
    event = tracked.event
    name = event.text("agent_id")
    if not name or not event.session_id or not tracked.wants("subagents"):
        return None
    kind = event.text("agent_type")
    sessions.start(tracked.work, event.session_id, tracked.project, source="part", part=name, kind=kind)
    tracked.look()
    if tracked.effort is None:
        return None
    texts = (_line(tracked), skills.described(tracked, for_part=True), _directives(tracked))
    written = [text for text in texts if text]
    return Decision(context=clipping.clip("\n".join(written)), reason="a sub-agent begins")


def part_end(tracked: TrackedEvent) -> None:
    """Ends the sub-agent's session; its effort keeps the list of files read."""
    session = tracked.session
    if session is not None and session["part"]:
        sessions.end(tracked.work, session["id"])


def prompt(tracked: TrackedEvent) -> Decision | None:
    """A line about the session with every prompt. Other agents than Claude Code tell of a slash command only here."""
    typed = tracked.event.prompt.split(None, 1)
    if typed and typed[0].startswith("/") and tracked.event.agent != "claude":
        _begin(tracked, typed[0][1:])
    if tracked.session is None or not tracked.wants("prompts"):
        return None
    return Decision(context=_line(tracked), reason="where the session stands")


def _line(tracked: TrackedEvent) -> str:
    """Time, session, effort and the calls since the last log entry, in a single line."""
    session, effort = tracked.session, tracked.effort
    parts = [time.strftime("%Y-%m-%d %H:%M")]
    if session is not None:
        parts.append(f"session {session['id']}")
    if effort is not None:
        task = tracked.work.row("SELECT dir FROM tasks WHERE id = ?", effort["task"])
        mode = f" ({effort['mode']})" if effort["mode"] else ""
        parts.append(f"effort {effort['id']}: {effort['skill']}{mode}" + (f" on {task['dir']}" if task else ""))
        parts += [f"phase {effort['phase']}"] if effort["phase"] else []
    if session is not None and session["heartbeat"]:
        parts.append(f"{session['heartbeat']} tool calls since the last log entry")
    return "[" + "; ".join(parts) + "]"


def _directives(tracked: TrackedEvent) -> str:
    """Names of the directives. Their texts were shown when they were found."""
    paths = listed(tracked.effort["directives"]) if tracked.effort is not None else []
    return "Directives that hold here: " + ", ".join(paths) if paths else ""


def _rehydrated(tracked: TrackedEvent) -> str:
    if tracked.effort is None or not tracked.wants("notes"):
        return ""
    text = efforts.take_dehydrated(tracked.work, tracked.effort["id"])
    if text:
        return f"{STOOD}Written by the session before this one:\n\n{text}"
    entries = _entries(tracked, tracked.effort["id"])
    names = skills.file_names(tracked.work, tracked.effort)
    files = f"Files of this effort: {', '.join(names)}" if names else ""
    entries = f"The last log entries of this effort:\n\n{entries}" if entries else ""
    return STOOD + "\n\n".join(text for text in (entries, files) if text) if entries or files else ""


def _entries(tracked: TrackedEvent, effort: int) -> str:
    """The last log entries: a killed session leaves no dehydrated text."""
    if tracked.session is None or tracked.session["previous"] is None:
        return ""
    query = "SELECT body FROM messages WHERE effort = ? AND kind = 'log' ORDER BY id DESC LIMIT ?"
    texts = [str(facts(row["body"]).get("text", "")) for row in tracked.work.rows(query, effort, ENTRIES)]
    return "\n".join(f"- {clipping.clip(text, ENTRY)}" for text in reversed(texts))

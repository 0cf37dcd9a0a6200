"""Sessions begin and end; what an effort has kept for the next one is handed over."""

import os
import time

from hookkit.model import Decision, Event
from hookkit.system import clipping, files
from hookkit.work.store import facts, listed
from hookkit.work.tracked import Tracked

FILE = 32 * 1024  # bytes of a file to preload
ROOM = 9_000  # characters of all that a session is started with
STOOD = "# Where the work stood\n\n"
ENTRIES, ENTRY = 5, 500  # log entries, and characters of each, where nothing else was kept
UNREAD = "(not read: it is empty, not there, or the policy keeps it)"


def start(tracked: Tracked) -> Decision | None:
    """Always a new session, under the agent's effort for this project if there is one."""
    if not tracked.event.session_id:
        return None
    source = tracked.event.text("source")
    tracked.work.start(tracked.event.session_id, tracked.project, source=source, kind=tracked.event.text("agent_type"))
    tracked.look()
    parts = [
        _line(tracked) if tracked.wants("sessions.context") else "",
        _rehydrated(tracked),
        _directives(tracked) if tracked.wants("sessions.directives") else "",
        *_preloaded(tracked),
    ]
    said = [part for part in parts if part]
    return Decision(context=clipping.clip("\n\n".join(said), ROOM), reason="a session begins") if said else None


def end(tracked: Tracked) -> Decision | None:
    """With the client, all its sub-agents end."""
    if tracked.event.session_id:
        tracked.work.end_all(tracked.event.session_id)
    return None


def begin(tracked: Tracked) -> Decision | None:
    """A slash command that the user named starts an effort of its name."""
    command = tracked.event.text("command_name").lstrip("/")
    if command and command in tracked.settings["sessions.commands"]:
        tracked.work.begin(os.path.realpath(tracked.event.cwd), tracked.project, command)
        tracked.look()
    return None


def part(tracked: Tracked) -> Decision | None:
    """A sub-agent gets a session of its own under the parent's effort, and is told what it works on."""
    event = tracked.event
    name = event.text("agent_id")
    if not name or not event.session_id or not tracked.wants("sessions.subagents"):
        return None
    tracked.work.start(event.session_id, tracked.project, source="part", part=name, kind=event.text("agent_type"))
    tracked.look()
    if tracked.effort is None:
        return None
    said = [text for text in (_line(tracked), _directives(tracked)) if text]
    return Decision(context=clipping.clip("\n".join(said)), reason="a sub-agent begins")


def part_end(tracked: Tracked) -> Decision | None:
    """What the sub-agent has read, the effort knows from now on."""
    session = tracked.session
    if session is not None and session["part"]:
        tracked.work.end(session["id"])
    return None


def prompt(tracked: Tracked) -> Decision | None:
    """Where we are, with every prompt. A session whose beginning nobody heard of begins here."""
    event = tracked.event
    if tracked.session is None and event.session_id and not tracked.is_part:
        tracked.work.start(event.session_id, tracked.project, source="joined", kind=event.text("agent_type"))
        tracked.look()
    if tracked.session is None or not tracked.wants("sessions.context"):
        return None
    return Decision(context=_line(tracked), reason="where the session stands")


def _line(tracked: Tracked) -> str:
    """Time, session, effort and how long ago the last log entry was, in one line."""
    session, effort = tracked.session, tracked.effort
    said = [time.strftime("%Y-%m-%d %H:%M")]
    if session is not None:
        said.append(f"session {session['id']}")
    if effort is not None:
        task = tracked.work.row("SELECT dir FROM tasks WHERE id = ?", effort["task"])
        mode = f" ({effort['mode']})" if effort["mode"] else ""
        said.append(f"effort {effort['id']}: {effort['skill']}{mode}" + (f" on {task['dir']}" if task else ""))
        said += [f"phase {effort['phase']}"] if effort["phase"] else []
    if session is not None and session["heartbeat"]:
        said.append(f"{session['heartbeat']} tool calls since the last log entry")
    return "[" + "; ".join(said) + "]"


def _directives(tracked: Tracked) -> str:
    """By name alone: what they say was told when they were found, to a context that may be gone."""
    known = listed(tracked.effort["directives"]) if tracked.effort is not None else []
    return "Directives that hold here: " + ", ".join(known) if known else ""


def _rehydrated(tracked: Tracked) -> str:
    if tracked.effort is None or not tracked.wants("sessions.dehydration"):
        return ""
    text = tracked.work.take_dehydrated(tracked.effort["id"])
    if text:
        return f"{STOOD}Written by the session before this one:\n\n{text}"
    entries = _entries(tracked, tracked.effort["id"])
    return f"{STOOD}The last log entries of this effort:\n\n{entries}" if entries else ""


def _entries(tracked: Tracked, effort: int) -> str:
    """A session that was killed wrote nothing down for the next; what it logged is better than nothing."""
    if tracked.session is None or tracked.session["previous"] is None:
        return ""
    query = "SELECT body FROM messages WHERE effort = ? AND kind = 'log' ORDER BY id DESC LIMIT ?"
    texts = [str(facts(row["body"]).get("text", "")) for row in tracked.work.rows(query, effort, ENTRIES)]
    return "\n".join(f"- {clipping.clip(text, ENTRY)}" for text in reversed(texts))


def _preloaded(tracked: Tracked) -> list[str]:
    """The files that the effort wants every session to have read; one that cannot be read is named."""
    if tracked.effort is None or not tracked.wants("sessions.preload"):
        return []
    paths = listed(tracked.effort["preload"])
    texts = {path: _file(path, tracked) for path in paths}
    if tracked.session is not None:
        tracked.work.load("sessions", tracked.session["id"], [path for path in paths if texts[path]])
    room = ROOM // max(1, len(paths))
    return [f"# {path}\n\n{clipping.clip(text, room, path) or UNREAD}" for path, text in texts.items()]


def _file(path: str, tracked: Tracked) -> str:
    """What the agent may not read by itself, it does not get this way either."""
    from hookkit.policy.judge import Judge

    asked = Event("PreToolUse", {**tracked.event.fields, "tool_name": "Read", "tool_input": {"file_path": path}})
    asked.cwd, asked.project = tracked.event.cwd, tracked.event.project
    verdict = Judge(tracked.settings.policy, tracked.settings.environ).verdict(asked).verdict
    try:
        return files.read(path, FILE).decode("utf-8", "replace") if verdict in (None, "allow") else ""
    except OSError:
        return ""

"""Facts for conditions. Only the facts that a condition names are looked up: git and the database take time."""

import os

from hookkit.model import Event
from hookkit.settings.sources import OF_SESSIONS, unsupplied
from hookkit.system import files
from hookkit.work import efforts, sessions
from hookkit.work.store import Work, facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from hookkit.work.gates.state import GateState


def gather(roots: "Iterable[str]", state: "GateState") -> "tuple[dict[str, Any], str]":
    """The facts, and why some of them are not known, or an empty text."""
    known: dict[str, Any] = {}
    unknown = ""
    for root in roots:
        known[root] = SOURCES[root](state) if root in SOURCES else {}
        if root not in OF_SESSIONS or not known[root]:
            has_sessions = not state.settings.is_idle("track")
            unknown = unknown or unsupplied(root, has_sessions=has_sessions)
    return known, unknown or str(known.get("git", {}).get("unknown", ""))


def _event(state: "GateState") -> "dict[str, Any]":
    event = state.event
    return {**event.fields, "name": event.name, "cwd": event.cwd, "project": event.project}


def _session(state: "GateState") -> "dict[str, Any]":
    return {
        "id": state.event.session_id,
        "blocks": state.blocks(),
        "actor": state.event.actor(state.settings.environ, str(state.settings["policy.actor"])),
    }


def _effort(state: "GateState") -> "dict[str, Any]":

    return effort_facts(state.event.session_id, state.event.project, state.settings.environ)


def _commitment(state: "GateState") -> "dict[str, Any]":
    """The commitment (Mentu) as the event brings it, else as kept with the effort: `effort set commitment='{…}'`."""
    event = state.event
    given = event.fields.get("commitment")
    if not isinstance(given, dict):
        commitment = _effort(state).get("commitment")
        given = commitment if isinstance(commitment, dict) else {}
    number = event.text("commitment_id")
    return {**given, "id": number} if number else given


def _git(state: "GateState") -> "dict[str, Any]":
    return git_facts(state.event, state.settings.environ)


def git_facts(event: Event, environ: dict[str, str]) -> "dict[str, Any]":
    """Empty outside of a repository. `unknown` is the reason why git gave no answer inside of one."""
    from hookkit.system import git

    status, unknown = git.full_status(event.cwd, environ)
    if not status:
        return {"unknown": unknown} if unknown else {}
    names = [entry[3:] for entry in status[1:]]
    stat = git.diff_stat(event.cwd, environ, git.PATIENT[0])
    return {
        "root": files.repository(event.cwd),
        "branch": _branch(status[0]),
        "dirty": bool(names),
        "files": names,
        "insertions": _counted(stat, "insertion"),
        "deletions": _counted(stat, "deletion"),
    }


def _branch(line: str) -> str:
    """The branch in `## topic...origin/topic [ahead 1]`, or in `## No commits yet on topic`."""
    name = line.removeprefix("## ").removeprefix("No commits yet on ").partition("...")[0]
    return "" if name.startswith("HEAD (") else name


def _counted(stat: str, noun: str) -> int:
    """The number before the noun in `2 files changed, 10 insertions(+), 3 deletions(-)`."""
    for part in stat.rpartition("\n")[2].split(","):
        words = part.split()
        if len(words) > 1 and words[1].startswith(noun) and words[0].isdigit():
            return int(words[0])
    return 0


SOURCES = {"event": _event, "session": _session, "effort": _effort, "commitment": _commitment, "git": _git}


COLUMNS = ("id", "skill", "mode", "phase", "lifecycle", "agent", "ordinal")


def effort_facts(client: str, project: str, environ: dict[str, str]) -> "dict[str, Any]":
    """Empty if the session has no effort. A session that hookkit has not seen yet belongs to the project's effort."""
    if not os.path.exists(os.path.join(files.state_dir(environ), "work.db")):
        return {}
    work = Work(environ, wait=0.2)
    try:
        session, effort = sessions.find(work, client, "")
        if session is None:
            effort = efforts.effort_of(work, os.path.realpath(files.repository(project)))
    finally:
        work.close()
    return {**facts(effort["metadata"]), **{name: effort[name] for name in COLUMNS}} if effort is not None else {}

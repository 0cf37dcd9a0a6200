"""What people, and agents at their shell, ask and change about efforts, tasks and agents."""

import os

from hookkit.system import files, jsons
from hookkit.work.store import STATUSES, Work, facts, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Row = dict[str, Any]

DAY = 86_400_000  # milliseconds after which nobody expects to hear of a session that did not say goodbye
URGENT = ("error", "attention")  # until somebody has looked

# Asking.


def project_of(directory: str) -> str:
    return os.path.realpath(files.repository(directory))


def meant(work: Work, directory: str) -> "Row | None":
    """The effort of a directory: its repository's, that of one around it, then whatever the agent does elsewhere."""
    project = project_of(directory)
    while True:
        found = work.effort_of(project)
        above = os.path.dirname(project)
        if found is not None or above == project:
            break
        project = project_of(above)
    if found is None and work.agent:
        wanted = "SELECT * FROM efforts WHERE agent = ? AND lifecycle = 'active' ORDER BY id DESC LIMIT 1"
        return work.row(wanted, work.agent)
    return found


def effort(work: Work, number: int) -> "Row | None":
    return work.row("SELECT * FROM efforts WHERE id = ?", number)


def efforts(work: Work, project: str = "") -> "list[Row]":
    """The active ones of a project; without one, all there ever were."""
    which = "WHERE e.project = ? AND e.lifecycle = 'active'" if project else "WHERE ? = ''"
    query = f"SELECT e.*, t.dir FROM efforts e JOIN tasks t ON t.id = e.task {which} ORDER BY e.id DESC"  # noqa: S608
    return work.rows(query, project)


def sessions(work: Work, number: int) -> "list[Row]":
    return work.rows("SELECT * FROM sessions WHERE effort = ? ORDER BY id", number)


def messages(work: Work, number: int, kind: str, last: int) -> "list[Row]":
    """The newest so many of a kind, or of all, in the order in which they came."""
    query = "SELECT * FROM messages WHERE effort = ? AND (? = '' OR kind = ?) ORDER BY id DESC LIMIT ?"
    rows = work.rows(query, number, kind, kind, last)
    return [{**row, "body": facts(row["body"])} for row in reversed(rows)]


def waiting(work: Work, number: int) -> int:
    """How many texts nobody has been told yet."""
    found = work.row("SELECT count(*) AS n FROM injections WHERE effort = ?", number)
    return int(found["n"]) if found else 0


def tasks(work: Work) -> "list[Row]":
    """A task is active for as long as one of its efforts is: that is counted, never stored."""
    return work.rows(
        "SELECT t.*, count(e.id) AS efforts, coalesce(sum(e.lifecycle = 'active'), 0) AS active"
        " FROM tasks t LEFT JOIN efforts e ON e.task = t.id GROUP BY t.id ORDER BY active = 0, t.dir"
    )


def agents(work: Work) -> "list[Row]":
    """Each agent with its open sessions, the one that needs somebody the most first."""
    rows = work.rows(
        "SELECT s.*, e.skill, e.phase FROM sessions s LEFT JOIN efforts e ON e.id = s.effort AND e.lifecycle = 'active'"
        " WHERE s.ended IS NULL AND (s.seen > ? OR s.status IN (?, ?)) ORDER BY s.id",
        now() - DAY, *URGENT,
    )  # fmt: skip
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((name_of(row), row["project"]), []).append(row)
    found = [_agent(name, project, group) for (name, project), group in groups.items()]
    return sorted(found, key=lambda row: (STATUSES.index(row["status"]), row["since"], row["id"]))


def name_of(session: "Row") -> str:
    """AGENT_ID; who has none goes by the client's id of the session."""
    return str(session["agent"] or session["client"][:8])


def _agent(name: str, project: str, group: "list[Row]") -> "Row":
    """The status is that of the most urgent session or part; what is counted is the main conversation's."""
    worst = min(group, key=lambda row: (STATUSES.index(row["status"]), -row["seen"]))
    main = next((row for row in reversed(group) if not row["part"]), worst)
    return {
        "id": name,
        "project": project,
        "status": worst["status"],
        "since": worst["since"],
        "seen": max(row["seen"] for row in group),
        "effort": main["effort"] if main["skill"] else None,
        "skill": main["skill"] or "",
        "phase": main["phase"] or "",
        "usage": main["usage"],
        "heartbeat": main["heartbeat"],
        "sessions": len(group),
        "note": worst["note"],
    }


# Changing.


def log(work: Work, number: int, text: str) -> int:
    """An entry; whoever was held back for want of one goes on. Says how many sessions that are."""
    with work.changing():
        work.note(number, None, "log", {"text": text})
        return work.write(
            "UPDATE sessions SET heartbeat = 0, blocked = 0"
            " WHERE effort = ? AND ended IS NULL AND (? = '' OR agent = ?)",
            number, work.agent, work.agent,
        )  # fmt: skip


def inject(work: Work, number: int, text: str) -> None:
    work.write("INSERT INTO injections (effort, at, text) VALUES (?, ?, ?)", number, now(), text)


def update(work: Work, number: int, column: str, value: "str | list[str]") -> None:
    """One of an effort's own columns: phase, dehydrated, preload."""
    kept = value if isinstance(value, str) else jsons.dumps(value)
    work.write(f"UPDATE efforts SET {column} = ? WHERE id = ?", kept, number)  # noqa: S608 - a name of ours


def set_fact(work: Work, number: int, name: str, value: "Any") -> None:
    """None takes it away."""
    with work.changing():
        known = _facts(work, number)
        known = {**known, name: value} if value is not None else {key: known[key] for key in known if key != name}
        work.write("UPDATE efforts SET metadata = ? WHERE id = ?", jsons.dumps(known), number)


def guards(work: Work, number: int) -> "list[Row]":
    rows = _facts(work, number).get("guards")
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def add_guard(work: Work, number: int, rule: "Row") -> None:
    """A second rule about the same takes the place of the first."""
    with work.changing():
        others = [row for row in guards(work, number) if row.get("match") != rule["match"]]
        set_fact(work, number, "guards", [*others, rule])


def drop_guard(work: Work, number: int, match: str) -> bool:
    with work.changing():
        known = guards(work, number)
        kept = [row for row in known if row.get("match") != match]
        set_fact(work, number, "guards", kept)
        return len(kept) < len(known)


def _facts(work: Work, number: int) -> "Row":
    found = effort(work, number)
    return facts(found["metadata"]) if found is not None else {}


def finish(work: Work, number: int) -> None:
    """It stays, with all that was said; its sessions go on by themselves."""
    work.write(
        "UPDATE efforts SET lifecycle = 'finished', finished = ? WHERE id = ? AND finished IS NULL", now(), number
    )


def describe_task(work: Work, number: int, given: "Iterable[tuple[str, str]]") -> None:
    for column, value in given:
        work.write(f"UPDATE tasks SET {column} = ? WHERE id = ?", value, number)  # noqa: S608 - a name of ours


def check(work: Work, name: str) -> int:
    """Somebody has looked: what called for that calls no more. Says how many sessions there were to look at."""
    found = [row for row in work.rows("SELECT * FROM sessions WHERE ended IS NULL") if name in _names(row)]
    moment = now()
    for row in found:
        work.write(
            "UPDATE sessions SET status = 'checked', since = ? WHERE id = ? AND status IN (?, ?)",
            moment, row["id"], *URGENT,
        )  # fmt: skip
    return len(found)


def _names(session: "Row") -> "tuple[str, ...]":
    return name_of(session), session["client"]

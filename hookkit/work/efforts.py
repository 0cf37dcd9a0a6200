"""Efforts and tasks: read and changed by `hookkit effort`, `hookkit task` and by events."""

import os

from hookkit.model import Decision, combine
from hookkit.system import files, jsons
from hookkit.work.store import Work, facts, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from hookkit.work.sessions import TrackedEvent

    Row = dict[str, Any]


def project_of(directory: str) -> str:
    return os.path.realpath(files.repository(directory))


def meant(work: Work, directory: str) -> "Row | None":
    """The effort of a directory: of its repository, of a repository around it, else the agent's latest effort."""
    project = project_of(directory)
    while True:
        row = effort_of(work, project)
        above = os.path.dirname(project)
        if row is not None or above == project:
            break
        project = project_of(above)
    if row is None and work.agent:
        wanted = "SELECT * FROM efforts WHERE agent = ? AND lifecycle = 'active' ORDER BY id DESC LIMIT 1"
        return work.row(wanted, work.agent)
    return row


def effort_of(work: Work, project: str) -> "Row | None":
    """The agent's latest active effort for the project; without AGENT_ID, any agent's."""
    mine = "AND agent = ?" if work.agent else "AND ? = ''"
    return work.row(
        f"SELECT * FROM efforts WHERE project = ? AND lifecycle = 'active' {mine} ORDER BY id DESC LIMIT 1",  # noqa: S608
        project,
        work.agent,
    )


def effort(work: Work, number: int) -> "Row | None":
    return work.row("SELECT * FROM efforts WHERE id = ?", number)


def efforts(work: Work, project: str = "") -> "list[Row]":
    """The active efforts of a project; without a project, all efforts."""
    which = "WHERE e.project = ? AND e.lifecycle = 'active'" if project else "WHERE ? = ''"
    query = f"SELECT e.*, t.dir FROM efforts e JOIN tasks t ON t.id = e.task {which} ORDER BY e.id DESC"  # noqa: S608
    return work.rows(query, project)


def sessions(work: Work, number: int) -> "list[Row]":
    return work.rows("SELECT * FROM sessions WHERE effort = ? ORDER BY id", number)


def messages(work: Work, number: int, kind: str, last: int) -> "list[Row]":
    """The newest messages of a kind, or of all kinds, oldest first."""
    query = "SELECT * FROM messages WHERE effort = ? AND (? = '' OR kind = ?) ORDER BY id DESC LIMIT ?"
    rows = work.rows(query, number, kind, kind, last)
    return [{**row, "body": facts(row["body"])} for row in reversed(rows)]


def waiting(work: Work, number: int) -> int:
    """Texts not injected yet."""
    row = work.row("SELECT count(*) AS n FROM injections WHERE effort = ?", number)
    return int(row["n"]) if row else 0


def tasks(work: Work) -> "list[Row]":
    """Tasks with the number of their efforts; a task with an active effort is active."""
    return work.rows(
        "SELECT t.*, count(e.id) AS efforts, coalesce(sum(e.lifecycle = 'active'), 0) AS active"
        " FROM tasks t LEFT JOIN efforts e ON e.task = t.id GROUP BY t.id ORDER BY active = 0, t.dir"
    )


# -- changes -----------------------------------------------------------------------------------------------------------


def task(work: Work, directory: str, project: str) -> int:
    """The task of a directory, created at its first use."""
    row = work.row("SELECT id FROM tasks WHERE dir = ?", directory)
    if row is not None:
        return int(row["id"])
    return work.write(
        "INSERT INTO tasks (dir, project, title, keywords, created) VALUES (?, ?, ?, '', ?)",
        directory, project, os.path.basename(directory), now(),
    )  # fmt: skip


def begin(work: Work, directory: str, project: str, skill: str, mode: str = "") -> int:
    """A new effort on a task; the agent's open sessions join it."""
    with work.changing():
        number = task(work, directory, project)
        count = work.row("SELECT count(*) AS n FROM efforts WHERE task = ?", number)
        made = work.write(
            "INSERT INTO efforts (task, project, agent, skill, mode, ordinal, created) VALUES (?, ?, ?, ?, ?, ?, ?)",
            number, project, work.agent, skill, mode, (count["n"] if count else 0) + 1, now(),
        )  # fmt: skip
        work.write(
            "UPDATE sessions SET effort = ?, heartbeat = 0, blocked = 0"
            " WHERE project = ? AND agent = ? AND ended IS NULL",
            made, project, work.agent,
        )  # fmt: skip
    return made


def take_injections(work: Work, number: int) -> list[str]:
    """Texts to inject, given to the first caller and kept among the effort's messages."""
    if work.row("SELECT 1 FROM injections WHERE effort = ? LIMIT 1", number) is None:
        return []  # the usual case, without a lock
    with work.changing():
        rows = work.rows("SELECT text FROM injections WHERE effort = ? ORDER BY id", number)
        texts = [str(row["text"]) for row in rows]
        work.write("DELETE FROM injections WHERE effort = ?", number)
        for text in texts:
            work.note(number, None, "injected", {"text": text})
    return texts


def take_dehydrated(work: Work, number: int) -> str:
    """The text left by the last session for the next, kept among the effort's messages."""
    with work.changing():
        row = work.row("SELECT dehydrated FROM efforts WHERE id = ?", number)
        text = str(row["dehydrated"]) if row else ""
        if text:
            work.write("UPDATE efforts SET dehydrated = '' WHERE id = ?", number)
            work.note(number, None, "rehydrated", {"text": text})
    return text


def log(work: Work, number: int, text: str) -> int:
    """Adds a log entry and resets the heartbeat; returns the number of sessions reset."""
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
    """Sets a column of an effort: phase, dehydrated or preload."""
    text = value if isinstance(value, str) else jsons.dumps(value)
    work.write(f"UPDATE efforts SET {column} = ? WHERE id = ?", text, number)  # noqa: S608 - a name of ours


def set_fact(work: Work, number: int, name: str, value: "Any") -> None:
    """Sets a fact; None removes the fact."""
    with work.changing():
        values = _facts(work, number)
        values = {**values, name: value} if value is not None else {key: values[key] for key in values if key != name}
        work.write("UPDATE efforts SET metadata = ? WHERE id = ?", jsons.dumps(values), number)


def guards(work: Work, number: int) -> "list[Row]":
    rows = _facts(work, number).get("guards")
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def add_guard(work: Work, number: int, rule: "Row") -> None:
    """Adds a rule; an older rule with the same pattern is replaced."""
    with work.changing():
        others = [row for row in guards(work, number) if row.get("match") != rule["match"]]
        set_fact(work, number, "guards", [*others, rule])


def drop_guard(work: Work, number: int, match: str) -> bool:
    with work.changing():
        rules = guards(work, number)
        rest = [row for row in rules if row.get("match") != match]
        set_fact(work, number, "guards", rest)
        return len(rest) < len(rules)


def _facts(work: Work, number: int) -> "Row":
    row = effort(work, number)
    return facts(row["metadata"]) if row is not None else {}


def finish(work: Work, number: int) -> None:
    """Marks an effort as finished. Its messages stay, its sessions continue."""
    work.write(
        "UPDATE efforts SET lifecycle = 'finished', finished = ? WHERE id = ? AND finished IS NULL", now(), number
    )


def describe_task(work: Work, number: int, given: "Iterable[tuple[str, str]]") -> None:
    for column, value in given:
        work.write(f"UPDATE tasks SET {column} = ? WHERE id = ?", value, number)  # noqa: S608 - a name of ours


# -- rules: they deny or ask for as long as the effort is active -------------------------------------------------------


def judge(tracked: "TrackedEvent") -> Decision | None:
    """Judges the call, and also the calls into which other hooks rewrote it."""
    if tracked.effort is None or not tracked.wants("rules"):
        return None
    rules = strict_rules(facts(tracked.effort["metadata"]))
    if not rules:
        return None
    from hookkit.policy.judge import Judge
    from hookkit.policy.rules import compile_rules

    engine = Judge(compile_rules({"rules": rules, "policy.base": False}), tracked.settings.environ)
    answers = [engine.answer(event) for event in (tracked.event, *tracked.event.rewritten())]
    decisions = [decision for decision in answers if decision is not None]
    return combine(decisions) if decisions else None


def strict_rules(metadata: "Row") -> "list[Row]":
    """The effort's valid rules of type deny or ask; `hookkit effort` accepts no others."""
    from hookkit.settings.rule_rows import wrong_pattern

    rows = metadata.get("guards")
    rules = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    rules = [
        {name: row.get(name) for name in ("type", "match", "reason") if row.get(name) is not None} for row in rules
    ]
    return [
        rule
        for rule in rules
        if all(isinstance(value, str) for value in rule.values())
        and rule.get("type") in ("deny", "ask")
        and "match" in rule
        and wrong_pattern(rule["match"]) is None
    ]

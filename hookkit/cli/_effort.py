"""How an effort is shown: name by name, message by message."""

import json
from typing import Any

from rich.text import Text

from hookkit.cli._output import short
from hookkit.cli._work import Desk, ago
from hookkit.system import clipping
from hookkit.work import efforts
from hookkit.work.columns import facts, listed
from hookkit.work.effort_rules import strict_rules


def known(here: Desk, effort: dict[str, Any]) -> list[tuple[str, str]]:
    """What there is to show, name by name."""
    number, work = effort["id"], here.work
    task = work.row("SELECT dir FROM tasks WHERE id = ?", effort["task"]) or {"dir": ""}
    metadata = facts(effort["metadata"])
    rules = "\n".join(f"{rule['type']} {rule['match']}  {rule.get('reason', '')}" for rule in strict_rules(metadata))
    entries = efforts.messages(work, number, "log", 1)
    last = [f"{ago(entry['at'])} ago: {short(str(entry['body'].get('text', '')))}" for entry in entries]
    dehydrated = clipping.length(effort["dehydrated"])
    return [
        ("effort", f"{number} {title(effort)}"),
        ("state", f"{effort['lifecycle']}, {ago(effort['finished'] or effort['created'])}"),
        ("task", f"{here.path(task['dir'])} (its effort number {effort['ordinal']})"),
        ("project", here.path(effort["project"])),
        ("agent", effort["agent"]),
        ("phase", effort["phase"]),
        ("sessions", "\n".join(session_line(row) for row in efforts.sessions(work, number)[-10:])),
        ("last entry", "".join(last)),
        ("guards", rules),
        ("facts", "\n".join(f"{key} = {json.dumps(value)}" for key, value in metadata.items() if key != "guards")),
        ("preload", "\n".join(here.path(path) for path in listed(effort["preload"]))),
        ("directives", "\n".join(here.path(path) for path in listed(effort["directives"]))),
        ("loaded", f"{len(loaded)} files by sub-agents" if (loaded := listed(effort["loaded"])) else ""),
        ("dehydrated", f"{dehydrated:,} characters wait for the next session" if dehydrated else ""),
        ("to be told", f"{count} text{'s'[: count > 1]}" if (count := efforts.waiting(work, number)) else ""),
    ]


def session_line(row: dict[str, Any]) -> str:
    kind = f" {row['kind'] or 'sub-agent'}" if row["part"] else ""
    state = f"ended {ago(row['ended'])} ago" if row["ended"] else f"{row['status']} since {ago(row['since'])}"
    calls = f", {row['heartbeat']} calls since the last entry" if row["heartbeat"] else ""
    used = f", {row['usage']:.0%} of the context" if row["usage"] else ""
    return f"{row['id']}{kind} {state}{used}{calls}"


def said(body: dict[str, Any]) -> Text:
    """A dialogue as questions and answers, a failure with its tool, anything else as its text."""
    if "questions" not in body:
        return Text(": ".join(str(body[name]) for name in ("tool", "error", "text") if body.get(name)))
    answers = body.get("answers")
    questions = body["questions"] if isinstance(body["questions"], list) else []
    asked = [str(row.get("question", "")) for row in questions if isinstance(row, dict)]
    if not isinstance(answers, dict):
        return Text("\n".join([*asked, f"→ {answers}"]))
    return Text("\n".join(f"{text}\n→ {answers.get(text, '')}" for text in asked))


def title(effort: dict[str, Any]) -> str:
    return f"{effort['skill']} ({effort['mode']})" if effort["mode"] else str(effort["skill"])


def plain_row(effort: dict[str, Any]) -> dict[str, Any]:
    """The columns that hold JSON, as what they hold."""
    lists = {name: listed(effort[name]) for name in ("directives", "preload", "loaded")}
    return {**effort, **lists, "metadata": facts(effort["metadata"])}

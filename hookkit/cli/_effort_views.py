"""Showing efforts: the list, the facts of one effort, its messages."""

import json
from typing import Any

from hookkit.cli._console import Text, console, echo_json, say, short, table
from hookkit.cli._work import Desk, add, ago, desk, facts_table
from hookkit.system import clipping
from hookkit.work import artefacts, efforts
from hookkit.work.columns import facts, listed
from hookkit.work.effort_rules import strict_rules


def show_list(*, everything: bool, as_json: bool) -> None:
    with desk() as here:
        rows = efforts.efforts(here.work, "" if everything else here.project)
    if as_json:
        echo_json([_json_row(row) for row in rows])
        return
    if not rows:
        say("No efforts." if everything else "No active efforts here. Start one: hookkit effort start NAME")
        return
    shown = table("ID", "EFFORT", "PHASE", "AGENT", "STATE", "SINCE", "TASK")
    for row in rows:
        state, since = row["lifecycle"], ago(row["finished"] or row["created"])
        add(shown, row["id"], _title(row), row["phase"], row["agent"], state, since, here.path(row["dir"]))
    console().print(shown)


def show_one(number: int | None, *, as_json: bool) -> None:
    with desk() as here:
        effort = here.effort(number)
        rows = _facts(here, effort)
        sessions = efforts.sessions(here.work, effort["id"])
    if as_json:
        echo_json({**_json_row(effort), "sessions": [{**row, "loaded": listed(row["loaded"])} for row in sessions]})
    else:
        console().print(facts_table(rows))


def _facts(here: Desk, effort: dict[str, Any]) -> list[tuple[str, str]]:
    number, work = effort["id"], here.work
    task = work.row("SELECT dir FROM tasks WHERE id = ?", effort["task"]) or {"dir": ""}
    metadata = facts(effort["metadata"])
    rules = "\n".join(f"{rule['type']} {rule['match']}  {rule.get('reason', '')}" for rule in strict_rules(metadata))
    entries = efforts.messages(work, number, "log", 1)
    last = [f"{ago(entry['at'])} ago: {short(str(entry['body'].get('text', '')))}" for entry in entries]
    dehydrated = clipping.length(effort["dehydrated"])
    return [
        ("effort", f"{number} {_title(effort)}"),
        ("state", f"{effort['lifecycle']}, {ago(effort['finished'] or effort['created'])}"),
        ("task", f"{here.path(task['dir'])} (its effort number {effort['ordinal']})"),
        ("project", here.path(effort["project"])),
        ("agent", effort["agent"]),
        ("phase", effort["phase"]),
        ("sessions", "\n".join(_session_line(row) for row in efforts.sessions(work, number)[-10:])),
        ("last entry", "".join(last)),
        ("guards", rules),
        ("facts", "\n".join(f"{key} = {json.dumps(value)}" for key, value in metadata.items() if key != "guards")),
        ("files", "\n".join(artefacts.names(work, effort))),
        ("preload", "\n".join(here.path(path) for path in listed(effort["preload"]))),
        ("directives", "\n".join(here.path(path) for path in listed(effort["directives"]))),
        ("loaded", f"{len(loaded)} files by sub-agents" if (loaded := listed(effort["loaded"])) else ""),
        ("dehydrated", f"{dehydrated:,} characters wait for the next session" if dehydrated else ""),
        ("to be told", f"{count} text{'s'[: count > 1]}" if (count := efforts.waiting(work, number)) else ""),
    ]


def _session_line(row: dict[str, Any]) -> str:
    kind = f" {row['kind'] or 'sub-agent'}" if row["part"] else ""
    state = f"ended {ago(row['ended'])} ago" if row["ended"] else f"{row['status']} since {ago(row['since'])}"
    calls = f", {row['heartbeat']} calls since the last entry" if row["heartbeat"] else ""
    used = f", {row['usage']:.0%} of the context" if row["usage"] else ""
    return f"{row['id']}{kind} {state}{used}{calls}"


def _title(effort: dict[str, Any]) -> str:
    return f"{effort['skill']} ({effort['mode']})" if effort["mode"] else str(effort["skill"])


def _json_row(effort: dict[str, Any]) -> dict[str, Any]:
    """The row with its columns of JSON decoded."""
    lists = {name: listed(effort[name]) for name in ("directives", "preload", "loaded")}
    return {**effort, **lists, "metadata": facts(effort["metadata"])}


def show_messages(number: int | None, kind: str, last: int, *, as_json: bool) -> None:
    with desk() as here:
        rows = efforts.messages(here.work, here.effort(number)["id"], kind, last)
    if as_json:
        echo_json(rows)
        return
    if not rows:
        say("No messages.")
        return
    shown = table("AGO", "KIND", "WHAT")
    for row in rows:
        add(shown, ago(row["at"]), row["kind"], _message(row["body"]))
    console().print(shown)


def _message(body: dict[str, Any]) -> Text:
    """A dialogue as questions and answers, a failure with its tool, another message as its text."""
    if "questions" not in body:
        return Text(": ".join(str(body[name]) for name in ("tool", "error", "text") if body.get(name)))
    answers = body.get("answers")
    questions = body["questions"] if isinstance(body["questions"], list) else []
    asked = [str(row.get("question", "")) for row in questions if isinstance(row, dict)]
    if not isinstance(answers, dict):
        return Text("\n".join([*asked, f"→ {answers}"]))
    return Text("\n".join(f"{text}\n→ {answers.get(text, '')}" for text in asked))

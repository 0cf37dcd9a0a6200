"""Shared by `effort`, `agents` and `top`: the database, the effort that is meant, texts from the command line.

What these commands print is here as well.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from hookkit.cli._command import Argument, Option, Subcommands
from hookkit.cli._console import Output, facts_table, fail, note, short, stop, warn
from hookkit.cli._here import ago, home_path
from hookkit.cli._view import Table, Text, Wide
from hookkit.settings import layers
from hookkit.system import clipping, database
from hookkit.system.masking import line, mask
from hookkit.work import efforts, skills
from hookkit.work.efforts import strict_rules
from hookkit.work.store import Work, facts, listed

LIMIT = 8_000  # characters of a text: with a frame around it, the most that a session can be handed at once
HIGHEST = 2**62  # numbers above this do not fit into the database
START = "Start one: hookkit effort start NAME"

Number = Annotated[int | None, Argument(metavar="ID", help="The effort; by default the one of this place.")]
Other = Annotated[int | None, Option("--effort", metavar="ID", help="Another effort than the one of this place.")]
Words = Annotated[list[str] | None, Argument(metavar="TEXT", help="Without a text, stdin is read.")]


class Desk:
    """The place of a command: its directory, its project, its settings, the database of work."""

    def __init__(self, agent: str | None = None) -> None:
        self.environ = dict(os.environ)
        if agent is not None:
            self.environ["AGENT_ID"] = agent
        self.cwd = os.path.realpath(os.getcwd())
        self.project = efforts.project_of(self.cwd)
        self.work = Work(self.environ)
        self._settings: layers.Settings | None = None

    @property
    def settings(self) -> layers.Settings:
        """A mistake in a settings file must not keep a person from writing a note."""
        if self._settings is None:
            self._settings = layers.load(self.cwd, self.environ)
            for mistake in self._settings.broken:
                warn(f"ignored {mistake}")
        return self._settings

    def effort(self, number: int | None) -> dict[str, Any]:
        """The effort of this number in any state; without a number, the active effort of this place."""
        if number is not None:
            row = efforts.effort(self.work, number) if number <= HIGHEST else None
            return row or fail(f"there is no effort {number}. See: hookkit effort list --all")
        row = efforts.meant(self.work, self.cwd)
        agent = f" of agent {self.work.agent}" if self.work.agent else ""
        return row or fail(f"no active effort{agent} in {self.path(self.project)}. {START}")

    def warn_off(self, part: str, effect: str) -> None:
        """The command is done, but has no effect while this part of sessions is off: say so now, not later."""
        if part not in self.settings["sessions.parts"]:
            warn(f"{effect}: sessions.parts lacks {part}. Switch it on: hookkit set sessions.parts +{part}")

    def path(self, path: str) -> str:
        return home_path(path, self.environ)


@contextmanager
def open_desk(agent: str | None = None) -> Iterator[Desk]:
    try:
        made = Desk(agent)
        try:
            yield made
        finally:
            made.work.close()
    except database.DamagedError as error:
        stop(f"{error}. Move it away, and a new one is made.")


def text_from(words: list[str] | None, name: str) -> str:
    """The words, or stdin; secrets are masked, and the length is limited to what a session can be handed."""
    if not words and sys.stdin.isatty():
        stop(f"give {name} as an argument, or on stdin")
    given = " ".join(words) if words else sys.stdin.buffer.read(LIMIT * 100).decode("utf-8", "replace")
    text = mask(given).strip()
    if not text:
        stop(f"{name} is empty")
    if clipping.length(text) > LIMIT:
        stop(f"{name} has {clipping.length(text):,} characters, and {LIMIT:,} is the most. Shorten it.")
    return text


TITLE = 200  # characters
COLUMNS = ("id", "ordinal", "skill", "mode", "phase", "agent", "lifecycle", "created", "finished")


def list_(
    *,
    every: Annotated[bool, Option("--all", "-a", help="Also finished efforts, and other projects'.")] = False,
) -> Output:
    """List the active efforts of this project, the newest first.

    Example: hookkit effort list --all
    """
    with open_desk() as desk:
        rows = efforts.efforts(desk.work, "" if every else desk.project)
    value = [_json_row(row) for row in rows]
    if not rows:
        return Output(value, "No efforts." if every else "No active efforts here. Start one: hookkit effort start NAME")
    table = Table("ID", "EFFORT", "PHASE", "AGENT", "STATE", "SINCE", "TASK", extra=("AGENT",))
    for row in rows:
        state, since = row["lifecycle"], ago(row["finished"] or row["created"])
        table.add(row["id"], _title(row), row["phase"], row["agent"], state, since, desk.path(row["dir"]))
    return Output(value, table)


def show(number: Number = None) -> Output:
    """Show all facts of an effort.

    Example: hookkit effort show
    """
    with open_desk() as desk:
        effort = desk.effort(number)
        rows = _facts(desk, effort)
        sessions = efforts.sessions(desk.work, effort["id"])
    value = {**_json_row(effort), "sessions": [{**row, "loaded": listed(row["loaded"])} for row in sessions]}
    return Output(value, facts_table(rows))


def _facts(desk: Desk, effort: dict[str, Any]) -> list[tuple[str, str]]:
    number, work = effort["id"], desk.work
    task = work.row("SELECT dir FROM tasks WHERE id = ?", effort["task"]) or {"dir": ""}
    metadata = facts(effort["metadata"])
    rules = "\n".join(f"{rule['type']} {rule['match']}  {rule.get('reason', '')}" for rule in strict_rules(metadata))
    entries = efforts.messages(work, number, "log", 1)
    last = [f"{ago(entry['at'])} ago: {short(str(entry['body'].get('text', '')))}" for entry in entries]
    dehydrated = clipping.length(effort["dehydrated"])
    return [
        ("effort", f"{number} {_title(effort)}"),
        ("state", f"{effort['lifecycle']}, {ago(effort['finished'] or effort['created'])}"),
        ("task", f"{desk.path(task['dir'])} (its effort number {effort['ordinal']})"),
        ("project", desk.path(effort["project"])),
        ("agent", effort["agent"]),
        ("phase", effort["phase"]),
        ("sessions", "\n".join(_session_line(row) for row in efforts.sessions(work, number)[-10:])),
        ("last entry", "".join(last)),
        ("guards", rules),
        ("facts", "\n".join(f"{key} = {json.dumps(value)}" for key, value in metadata.items() if key != "guards")),
        ("files", "\n".join(skills.file_names(work, effort))),
        ("preload", "\n".join(desk.path(path) for path in listed(effort["preload"]))),
        ("directives", "\n".join(desk.path(path) for path in listed(effort["directives"]))),
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


def messages(
    number: Number = None,
    *,
    kind: Annotated[
        str, Option("--kind", "-k", metavar="NAME", help="log, dialogue, failure, injected, rehydrated.")
    ] = "",
    last: Annotated[int, Option("--last", "-n", least=1, metavar="N", help="How many of the newest.")] = 50,
) -> Output:
    """Show log entries, questions and answers, messages left, notes saved and failures, the newest last.

    Example: hookkit effort messages --kind log
    """
    with open_desk() as desk:
        rows = efforts.messages(desk.work, desk.effort(number)["id"], kind, last)
    if not rows:
        return Output(rows, "No messages. Write one: hookkit effort log TEXT")
    table = Table("AGO", "KIND", "WHAT", whole=("AGO", "KIND"))
    for row in rows:
        table.add(ago(row["at"]), row["kind"], _message(row["body"]))
    return Output(rows, table)


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


def resume(
    number: Number = None,
    *,
    program: Annotated[
        str, Option("--program", "-p", metavar="NAME", help="The agent's command line program.")
    ] = "claude",
) -> Output:
    """Print the command that continues an effort in a new session, after its context was full.

    Example: hookkit effort resume, or to start at once: eval "$(hookkit effort resume)"
    """
    from shlex import quote  # late: no other command of these needs it

    with open_desk() as desk:
        effort = desk.effort(number)
        if effort["lifecycle"] == "finished":
            fail(f"effort {effort['id']} is finished")
        prompt = _prompt(desk, effort)
    agent = f"AGENT_ID={quote(effort['agent'])} " if effort["agent"] else ""
    words = f"cd {quote(effort['project'])} && {agent}{quote(program)} {quote(prompt)}"
    if not effort["dehydrated"]:
        note("No notes wait for the new session. Let the agent write some first: hookkit effort dehydrate")
    value = {"effort": effort["id"], "command": words, "prompt": prompt, "directory": effort["project"]}
    return Output(value, words)


def _prompt(desk: Desk, effort: dict[str, Any]) -> str:
    """Names the places with the state of the work that the new session is not told by itself."""
    task = desk.work.row("SELECT dir FROM tasks WHERE id = ?", effort["task"]) or {"dir": ""}
    phase = f", phase {effort['phase']}" if effort["phase"] else ""
    parts = [f"Continue effort {effort['id']} ({effort['skill']}{phase}) on {task['dir']}."]
    files = skills.file_names(desk.work, effort)
    if files:
        parts.append(f"Read {', '.join(files)} there first.")
    if "notes" not in desk.settings["sessions.parts"]:
        parts.append("Run `hookkit effort show` and `hookkit effort messages` to see where the work stands.")
    return " ".join(parts)


# -- tasks -----------------------------------------------------------------------------------------------------------

Directory = Annotated[str, Argument(metavar="DIR", help="The directory of the task.")]
tasks = Subcommands(
    """Tasks: the directories that efforts work on. A task never ends; it is active while an effort works on it.

    Example: hookkit effort task list
    """
)


@tasks.command("list")
def list_tasks() -> Output:
    """List every task, the active ones first.

    Example: hookkit effort task list
    """
    with open_desk() as desk:
        rows = [_task(row) for row in efforts.tasks(desk.work)]
    if not rows:
        return Output(rows, "No tasks. Make one: hookkit effort task new DIR")
    table = Table("TASK", "TITLE", "STATE", "EFFORTS", "KEYWORDS", extra=("KEYWORDS",))
    for row in rows:
        table.add(desk.path(row["dir"]), row["title"], row["state"], row["efforts"], row["keywords"])
    return Output(rows, table)


@tasks.command("show")
def show_task(directory: Directory) -> Output:
    """Show a task and its efforts.

    Example: hookkit effort task show tickets/42
    """
    with open_desk() as desk:
        path = os.path.realpath(directory)
        task = next((_task(row) for row in efforts.tasks(desk.work) if row["dir"] == path), None)
        if task is None:
            fail(f"{directory} is not a task. Make it one: hookkit effort task new {directory}")
        rows = [row for row in efforts.efforts(desk.work) if row["task"] == task["id"]]
    table = Table("ID", "EFFORT", "MODE", "PHASE", "AGENT", "STATE", "SINCE", extra=("MODE", "AGENT"))
    for row in rows:
        since = ago(row["finished"] or row["created"])
        table.add(*(row[name] for name in ("id", "skill", "mode", "phase", "agent", "lifecycle")), since)
    head = [Wide(f"{desk.path(path)}  {task['title']}  {task['state']}")]
    head += [Wide(f"keywords: {task['keywords']}")] if task["keywords"] else []
    value = {**task, "efforts": [{name: row[name] for name in COLUMNS} for row in rows]}
    return Output(value, [*head, *([table] if rows else [])])


@tasks.command("new")
def new_task(
    directory: Directory,
    *,
    title: Annotated[str, Option("--title", "-t", metavar="TEXT", help="A title for the list of tasks.")] = "",
    keywords: Annotated[str, Option("--keywords", "-k", metavar="TEXT", help="Words to find it by.")] = "",
) -> Output:
    """Make a directory a task, creating it if needed; a known task gets the new title or keywords.

    Example: hookkit effort task new tickets/42 --title 'Quotes in the parser' --keywords 'parser, quotes'
    """
    path = os.path.realpath(directory)
    with open_desk() as desk:
        os.makedirs(path, exist_ok=True)
        number = efforts.task(desk.work, path, efforts.project_of(path))
        texts = [("title", line(title, TITLE)), ("keywords", line(keywords, TITLE))]
        given = [(name, value) for name, value in texts if value]
        efforts.describe_task(desk.work, number, given)
        message = f"Task {desk.path(path)}. Begin: hookkit effort start NAME --task {directory}"
        return Output({"task": path, **dict(given)}, message)


def _task(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "state": "active" if row["active"] else "dormant"}


COMMANDS = {"list": list_, "show": show, "messages": messages, "resume": resume, "task": tasks}

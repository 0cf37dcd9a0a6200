"""Handlers in a list, and the file of the handlers that a person adds for a project or a session."""

import os
from typing import Annotated, Any

from hookkit.agents.wiring import change
from hookkit.agents.wiring import events as wiring
from hookkit.cli._command import Argument, Option, Subcommands
from hookkit.cli._console import Output, fail, only_a_person, stop, warn, warn_each
from hookkit.cli._view import Table, Text
from hookkit.handlers import foreign
from hookkit.handlers.handler import BLOCKING, ERROR, Handler
from hookkit.model import Event
from hookkit.settings import hook_rows, layers, reading, sources
from hookkit.settings.documents.finding import Defect
from hookkit.settings.documents.toml_text import TomlDocument, written
from hookkit.settings.mistakes import TRUSTED, SettingsCheck
from hookkit.system import files

SAME = ("name", "project", "session")  # no two handlers share all three
LOOKED_AT = 500  # rows of the log, for the last outcome of each handler
LAST = {"": "not run yet", "success": "fine", BLOCKING: "stopped it", ERROR: "failed", "cancelled": "cancelled"}
FAILURES = (ERROR, "cancelled")
UNTRUSTED = "not trusted"
WAITING = "Untrusted handlers do not run. Read the files, then run: hookkit trust"
OTHERS = "for agents that do not read this file"

command = Subcommands(
    """Handlers of events: list and wake those of every file, add and remove your own for this project or one session.

    Example: hookkit hook list
    """
)


@command.command("list")
def list_(
    *,
    everything: Annotated[bool, Option("--all", help="Also rows of other projects and sessions.")] = False,
) -> Output:
    """List the handlers that run here, in the order in which they run.

    Example: hookkit hook list -o json
    """
    settings, project = _here()
    rows = [*_running(settings, project), *_untrusted(settings)]
    if not everything:
        rows = [row for row in rows if _is_here(row, project)]
    last = _outcomes(settings.environ) if rows else {}
    lines = [{**_row(row, settings.environ), "last": last.get(row["name"], "")} for row in rows]
    if not lines:
        return Output(lines, "There are no handlers. See: hookkit hook add --help", style="dim")
    is_waiting = any(row["state"].startswith(UNTRUSTED) for row in lines)
    return Output(lines, [_table(lines), *([Text(WAITING, "yellow")] if is_waiting else [])])


@command.command()
def add(  # noqa: PLR0913 - the options of a command
    event: Annotated[str, Argument(metavar="EVENT", help="Such as PreToolUse.")],
    *,
    run: Annotated[str, Option("--command", "-c", metavar="TEXT", help="A command for the shell.")] = "",
    url: Annotated[str, Option("--url", metavar="URL", help="A webhook.")] = "",
    prompt: Annotated[str, Option("--prompt", metavar="TEXT", help="A question to a model.")] = "",
    agent: Annotated[str, Option("--agent", metavar="TEXT", help="A task for a checking agent.")] = "",
    function: Annotated[str, Option("--function", metavar="NAME", help="package.module:function.")] = "",
    matcher: Annotated[str, Option("--matcher", "-m", metavar="TEXT", help="Such as Bash*.")] = "",
    condition: Annotated[str, Option("--if", metavar="PATTERN", help='Such as "Bash(git push *)".')] = "",
    name: Annotated[str, Option("--name", "-n", metavar="NAME", help="For messages and for remove.")] = "",
    seconds: Annotated[float, Option("--timeout", metavar="SECONDS", help="Its limit.")] = 0,
    once: Annotated[bool, Option("--once", help="Once a session.")] = False,
    background: Annotated[bool, Option("--async", help="Goes on past the reply.")] = False,
    parallel: Annotated[bool, Option("--parallel", help="Side by side with its neighbours.")] = False,
    ask: Annotated[bool, Option("--ask", help="A failure asks the person: for a check before a call.")] = False,
    reject: Annotated[bool, Option("--reject", help="A failure rejects the call.")] = False,
    session: Annotated[str, Option("--session", metavar="ID", help="For this session alone.")] = "",
) -> Output:
    """Add a handler for this project, or for one session. No file of the project is changed.

    Exits 2 if the handler has a mistake, 1 if a handler here has the same name.

    Example: hookkit hook add PreToolUse --matcher Bash --command 'python3 check.py' --name check
    """
    kinds = {"command": ("command", run), "webhook": ("url", url), "prompt": ("prompt", prompt),
             "agent": ("prompt", agent), "inline": ("function", function)}  # fmt: skip
    row = {
        "event": event, "matcher": matcher, "if": condition, "name": name, "timeout_sec": seconds, "once": once,
        "async": background, "mode": "parallel" if parallel else "",
        "on_failure": "reject" if reject else "ask" if ask else "", "session": session,
    }  # fmt: skip
    tables = {kind: {field: text} for kind, (field, text) in kinds.items() if text}
    return _add({**{key: value for key, value in row.items() if value}, **tables})


@command.command()
def remove(
    name: Annotated[str, Argument(metavar="NAME", help="The name or id of a handler that was added.")],
) -> Output:
    """Remove a handler that `hookkit hook add` has added.

    Exits 1 if there is none of this name.

    Example: hookkit hook remove check
    """
    settings, project = _here()
    path = _path(settings.environ)
    rows = _rows(path)
    left = [row for row in rows if not (_is_here(row, project) and _is_named(row, name, path))]
    if len(left) == len(rows):
        fail(f"no added handler has the name {name}. See: hookkit hook list")
    _write(path, left)
    count = len(rows) - len(left)
    message = f"Removed {name}." if count == 1 else f"Removed {count} handlers of the name {name}."
    return Output({"removed": name, "count": count, "left": len(left)}, message)


@command.command()
def wake(
    name: Annotated[str, Argument(metavar="NAME", help="The name or id of a handler.")],
) -> Output:
    """Let a handler run again that rests after three failures in a row.

    It also wakes by itself once its file, its settings or its trust change. Exits 1 if there is none of this name.

    Example: hookkit hook wake no-secrets
    """
    settings, project = _here()
    handlers = [Handler(row) for row in _running(settings, project) if name in (row["name"], row["id"])]
    if not handlers:
        fail(f"no handler here has the name {name}. See: hookkit hook list")
    is_woken = sum(handler.wake(settings.environ) for handler in handlers) > 0  # every one of the name
    text = f"{name} runs again." if is_woken else f"{name} was not at rest."
    return Output({"name": name, "woken": is_woken}, text)


def _here() -> tuple[layers.Settings, str]:
    directory = os.getcwd()
    return layers.load(directory, dict(os.environ)), files.repository(directory)


def _running(settings: layers.Settings, project: str) -> list[dict[str, Any]]:
    """The rows of every handler that runs here, also of Claude Code's own files, which other agents get."""
    event = Event("", {"cwd": project})
    event.agent = ""  # any agent that does not read Claude Code's files
    rows = [*settings.values.get("hooks", []), *foreign.rows(event, settings)]
    for _, text in event.notes:
        warn(text)
    return rows


def _untrusted(settings: layers.Settings) -> list[dict[str, Any]]:
    """The handlers of files that are not trusted, marked as such."""
    rows = []
    for path, waiting in settings.untrusted.items():
        if "hooks" in waiting:
            hooks = reading.read(path, reading.text_of(path), TRUSTED).values.get("hooks", [])
            cocode = reading.is_cocode(path)
            rows += [{**hook_rows.normal(row, "project", path, cocode=cocode), "untrusted": path} for row in hooks]
    return rows


def _table(rows: list[dict[str, Any]]) -> Table:
    made = Table("name", "event", "matches", "last", "state", "kind", "scope", "file",
                 whole=("event",), extra=("file", "scope", "kind"))  # fmt: skip
    for row in rows:
        state = Text(row["state"], "yellow" if row["state"] else "")
        last = Text(LAST.get(row["last"], row["last"]), "red" if row["last"] in FAILURES else "dim")
        kinds = (row["kind"], row["scope"], row["file"])
        made.add(_title(row["name"]), row["event"], row["matcher"] or row["if"], last, state, *kinds)
    return made


def _title(name: str) -> str:
    """A handler without a name goes by its script, not by the whole command line."""
    script = next((word for word in name.split() if "/" in word), name)
    return script.strip("\"'").rpartition("/")[2] or name


def _outcomes(environ: dict[str, str]) -> dict[str, str]:
    """The last outcome of each handler, by its name, as far as the log tells."""
    from hookkit.cli._ledger import opened
    from hookkit.ledger import queries
    from hookkit.ledger.row_index import path_of

    if not os.path.isdir(os.path.dirname(path_of(environ))):
        return {}
    with opened() as (connection, _):
        entries = queries.find(connection, queries.Filters(), LOOKED_AT)
    last: dict[str, str] = {}
    for entry in entries:
        runs = entry.body.get("handlers")
        for run in runs if isinstance(runs, list) else ():
            if isinstance(run, dict):
                last.setdefault(str(run.get("name", "")), str(run.get("outcome", "")))
    return last


def _row(row: dict[str, Any], environ: dict[str, str]) -> dict[str, Any]:
    seconds = Handler(row).resting(environ)
    marks = [name for name in ("once", "async") if row[name]] + (["parallel"] if row["mode"] == "parallel" else [])
    marks += [OTHERS] if row["dialect"] == "claude" else []
    state = f"off for {max(seconds / 60, 1):.0f} min: it failed too often" if seconds else " ".join(marks)
    if row.get("untrusted"):
        changed = os.path.basename(row["untrusted"])
        state = UNTRUSTED if row["untrusted"] == row["source"] else f"{UNTRUSTED}: {changed} changed or is new"
    shown = {name: row[name] for name in ("id", "name", "event", "matcher", "if", "kind", "scope", "seconds")}
    return {**shown, "file": row["source"], "session": row.get("session", ""), "state": state}


def _add(row: dict[str, Any]) -> Output:
    settings, project = _here()
    only_a_person("add handlers", at_terminal=False)
    row = row if "session" in row else {**row, "project": project}
    checked = SettingsCheck({"hooks": [row]}, project)
    if checked.defects:
        stop("\n".join(map(_defect_text, checked.defects)))
    path = _path(settings.environ)
    rows = _rows(path)
    made = hook_rows.normal(row, "session", path)
    named = [tuple(other.get(key) for key in SAME) for other in rows if other.get("name")]
    if tuple(row.get(key) for key in SAME) in named:
        fail(f"a handler has the name {made['name']} already. Remove it first: hookkit hook remove {made['name']}")
    before = {*wiring.lacks(settings, project)}
    _write(path, [*rows, row])
    wired = wire(made["event"], project, settings.environ)
    settings = layers.load(project, dict(os.environ))
    warn_each(wiring.lacks(settings, project), before)
    for name, why, fix in sources.idle(settings, ["hooks"]):
        warn(f"{sources.says_idle(name, why)}; {fix}")
    values = {"added": made["name"], "id": made["id"], "file": path, "wired": [change.path for change in wired]}
    lines = [
        f"{change.place.agent.title} now calls hookkit on {made['event']}: {change.path}. Restart the agent."
        for change in wired
    ]
    return Output(values, "\n".join([f"Added {made['name']}.", *lines]))


def wire(event: str, project: str, environ: dict[str, str]) -> list[change.Change]:
    """Add the event to every settings file that has hookkit and takes a single line."""
    done = []
    places = [*wiring.places(project, environ)]
    if not places:
        warn("hookkit is in no settings file of an agent, so no handler runs. Run: hookkit init")
    for place in places:
        names = wiring.unwired([place], [event])
        addition = wiring.to_add(place, names) if names else None
        if addition is not None:
            change.apply(addition, environ)
            done.append(addition)
    return done


def unwire(event: str, project: str, environ: dict[str, str]) -> list[change.Change]:
    """Take the event out of every settings file that has hookkit there."""
    drops = [wiring.to_drop(place, event) for place in wiring.places(project, environ)]
    changes = [drop for drop in drops if drop is not None]
    for drop in changes:
        change.apply(drop, environ)
    return changes


def _defect_text(defect: Defect) -> str:
    fix = defect.fix if isinstance(defect.fix, str) else defect.fix()
    return f"{defect.message}; {fix}" if fix else defect.message


def _is_here(row: dict[str, Any], project: str) -> bool:
    """Whether the row is of this project or of a session, not of another project."""
    return not row.get("project") or f"{project}/".startswith(f"{row['project']}/")


def _is_named(row: dict[str, Any], name: str, path: str) -> bool:
    made = hook_rows.normal(row, "session", path)
    return name in (made["name"], made["id"])


def _path(environ: dict[str, str]) -> str:
    state = files.state_dir(environ)
    if not state:
        stop("there is no home directory to keep handlers in")
    files.private_dir(state)
    return os.path.join(state, "hooks.toml")


def _rows(path: str) -> list[dict[str, Any]]:
    if not os.path.exists(path):
        return []
    document = TomlDocument(path, reading.text_of(path))
    if document.problem is not None:
        stop(str(document.problem))
    rows = document.data.get("hooks", [])
    return rows if isinstance(rows, list) else []


def _write(path: str, rows: list[dict[str, Any]]) -> None:
    files.keep(os.path.abspath(path), written({"hooks": rows}).encode())

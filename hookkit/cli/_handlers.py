"""Handlers in a list, and the file of the handlers that a person adds for a project or a session."""

import os
from typing import Any

from hookkit.cli._console import Text, console, fail, report, say, stop, table, warn
from hookkit.cli._console import echo_json as to_json
from hookkit.documents.finding import Defect
from hookkit.documents.toml_text import TomlDocument
from hookkit.engine import foreign, limits
from hookkit.engine.handler import Handler
from hookkit.model import Event
from hookkit.settings import hook_rows, layers, reading, sources
from hookkit.settings.mistakes import SettingsCheck
from hookkit.settings.toml_writer import written
from hookkit.system import agents, files
from hookkit.wiring import change
from hookkit.wiring import events as wiring

AGENT = "an agent runs this, and only a person can add handlers: run it in a terminal of your own"
SAME = ("name", "project", "session")  # no two handlers share all three
OTHERS = "by hookkit for agents that do not read this file"


def _here() -> tuple[layers.Settings, str]:
    directory = os.getcwd()
    return layers.load(directory, dict(os.environ)), files.repository(directory)


def show(*, everything: bool, as_json: bool) -> None:
    settings, project = _here()
    event = Event("", {"cwd": project})
    event.agent = ""  # any agent that does not read Claude Code's files
    rows = [*settings.values.get("hooks", []), *foreign.rows(event, settings)]
    for _, said in event.notes:
        warn(said)
    if not everything:
        rows = [row for row in rows if _is_here(row, project)]
    found = [_row(row, settings.environ) for row in rows]
    if as_json:
        to_json(found)
        return
    if not found:
        lost = [os.path.relpath(path) for path in settings.untrusted]
        said = f"No handler runs here: {', '.join(lost)} is not trusted yet. Read it, then run: hookkit trust"
        none = "There are no handlers. See: hookkit hook add --help"
        console().print(said if lost else none, style="yellow" if lost else "dim")
        return
    made = table("name", "event", "matcher", "kind", "scope", "file", "state")
    for row in found:
        state = Text(row["state"], "yellow" if row["state"] else "")
        made.add_row(
            row["name"], row["event"], row["matcher"] or row["if"], row["kind"], row["scope"], row["file"], state
        )
    console().print(made)


def _row(row: dict[str, Any], environ: dict[str, str]) -> dict[str, Any]:
    seconds = limits.resting(environ, Handler(row))
    marks = [name for name in ("once", "async") if row[name]] + (["parallel"] if row["mode"] == "parallel" else [])
    marks += [OTHERS] if row["dialect"] == "claude" else []
    state = f"rests {seconds / 60:.0f} min" if seconds else " ".join(marks)
    kept = {name: row[name] for name in ("id", "name", "event", "matcher", "if", "kind", "scope", "seconds")}
    return {**kept, "file": row["source"], "session": row.get("session", ""), "state": state}


def add(row: dict[str, Any], *, as_json: bool) -> None:
    settings, project = _here()
    if agents.agent(dict(os.environ)):
        fail(AGENT)
    row = row if "session" in row else {**row, "project": project}
    checked = SettingsCheck({"hooks": [row]}, project)
    if checked.defects:
        stop("\n".join(map(_said, checked.defects)))
    path = _path(settings.environ)
    rows = _rows(path)
    made = hook_rows.normal(row, "session", path)
    named = [tuple(other.get(key) for key in SAME) for other in rows if other.get("name")]
    if tuple(row.get(key) for key in SAME) in named:
        fail(f"a handler has the name {made['name']} already. Remove it first: hookkit hook remove {made['name']}")
    _write(path, [*rows, row])
    wired = _wire(made["event"], project, settings.environ)
    values = {"added": made["name"], "id": made["id"], "file": path, "wired": [each.path for each in wired]}
    report(f"Added {made['name']}.", values, as_json=as_json)
    for each in wired if not as_json else ():
        say(f"{each.place.agent.title} now calls hookkit on {made['event']}: {each.path}. Restart the agent.")
    names = sources.unlisted(made["body"].get("headers"), made["body"].get("allowed_env"))
    if names:
        warn(f"{sources.says_unlisted(names)}; {sources.how_to_list(names)}")


def _wire(event: str, project: str, environ: dict[str, str]) -> list[change.Change]:
    """Add the event to every settings file that has hookkit; say where hookkit cannot."""
    done = []
    places = [*wiring.places(project, environ)]
    if not places:
        warn("hookkit is in no settings file of an agent, so no handler runs. Run: hookkit init")
    for place in places:
        names = wiring.unwired(place, [event])
        each = wiring.to_add(place, names) if names else None
        if each is not None:
            change.apply(each, environ)
            done.append(each)
        elif names:
            warn(f"{place.agent.title} does not call hookkit on {', '.join(names)} yet. Run: hookkit init")
        elif event not in place.agent.module.EVENTS.values():
            warn(f"{place.agent.title} has no event {event}: the handler does not run there")
    return done


def remove(name: str, *, as_json: bool) -> None:
    settings, project = _here()
    path = _path(settings.environ)
    rows = _rows(path)
    kept = [row for row in rows if not (_is_here(row, project) and _is_named(row, name, path))]
    if len(kept) == len(rows):
        fail(f"no added handler has the name {name}. See: hookkit hook list")
    _write(path, kept)
    count = len(rows) - len(kept)
    said = f"Removed {name}." if count == 1 else f"Removed {count} handlers of the name {name}."
    report(said, {"removed": name, "count": count, "left": len(kept)}, as_json=as_json)


def _said(defect: Defect) -> str:
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

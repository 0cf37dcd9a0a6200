"""The state of hookkit on one screen."""

import os
import time
from typing import Any

from hookkit import __version__, registry
from hookkit.agents.doctor import NOTE, QUICK, SERIOUS, WARNING, Problem, Setup
from hookkit.agents.wiring import launcher
from hookkit.agents.wiring.settings_files import Agent
from hookkit.cli._console import Output, plural
from hookkit.cli._here import home_path
from hookkit.cli._view import Line, Text, View, Wide
from hookkit.errors import HookkitError
from hookkit.ledger.row_index import Ledger, path_of
from hookkit.redirect import sources
from hookkit.server import process, spool
from hookkit.settings import layers, pause
from hookkit.system import database, files
from hookkit.system.agents import default_mode
from hookkit.work.gates import approvals

WIDE = 12  # columns of the names
MOST = 3  # problems, and calls that wait
SIGNS = {SERIOUS: ("✗", "bold red"), WARNING: ("!", "yellow")}
COUNTS = """SELECT count(*), sum(verdict = 'deny'), sum(verdict = 'ask'), sum(verdict = 'allow'),
  sum(instr(body, '"changed":{') > 0) FROM entries WHERE event = 'PreToolUse' AND at >= ?"""
TODAY = ("calls", "stopped", "asked", "approved", "changed")

Facts = dict[str, Any]


def command() -> Output:
    """Say on one screen whether hookkit is on, what it did today, what waits for you, and what is wrong.

    `hookkit` alone does the same.

    Exits 1 if a problem is serious: then calls pass unchecked.

    Example: hookkit status
    """
    setup = Setup(dict(os.environ), os.getcwd())
    state = facts(setup)
    problems = state.pop("found")
    code = 1 if any(problem.severity == SERIOUS for problem in problems) else 0
    return Output(state, _lines(setup, state, problems), code)


def facts(setup: Setup) -> Facts:
    environ = setup.environ
    problems = [
        problem for check in QUICK for problem in registry.find(*check).check(setup) if problem.severity != NOTE
    ]
    until = pause.until(environ, time.time())
    return {
        "version": __version__,
        "paused_until": until or None,
        "agents": {agent.name: _agent(setup, agent) for agent in setup.agents},
        "project": setup.project,
        "trust": _trust(setup),
        "approve": setup.settings["policy.approve"],
        "mode": default_mode(setup.project, environ) or None,
        "server": _server(setup),
        "stored": spool.counts(environ)[0],
        "today": _today(environ),
        "waiting": [{"id": row["id"], "about": row["about"]} for row in _waiting(environ)],
        "problems": [{"id": problem.id, "message": problem.message, "fix": problem.fix} for problem in problems],
        "found": problems,
    }


def _agent(setup: Setup, agent: Agent) -> Facts:
    wired = [(file, entry) for file in setup.of(agent) for entry in file.ours()]
    paths = list(dict.fromkeys(file.path for file, _ in wired))
    return {"hooks": len({entry.event for _, entry in wired}), "files": paths}


def _trust(setup: Setup) -> str:
    """Whether the person has trusted the project's own settings and commands; "" where it has none."""
    if setup.settings.untrusted:
        return "no"
    own = [path for layer, path in layers.layers(setup.project, setup.environ) if layer in layers.STRANGERS]
    commands = [*sources.of_project(setup.project)] if setup.project != files.home(setup.environ) else []
    if not any(map(os.path.isfile, own)) and not commands:
        return ""
    return "yes" if not commands or sources.are_trusted(commands, setup.environ) else "no"


def _server(setup: Setup) -> str:
    script = launcher.read(setup.script)
    if process.running(setup.environ) is not None:
        return "running"
    return "stopped" if script is not None and script.is_warm else "off"


def _today(environ: dict[str, str]) -> dict[str, int] | None:
    """The calls since midnight; None where the ledger cannot be read."""
    midnight = time.mktime((*time.localtime()[:3], 0, 0, 0, 0, 0, -1))
    if not os.path.isdir(os.path.dirname(path_of(environ))):
        return dict.fromkeys(TODAY, 0)
    try:
        spool.play(environ)
        ledger = Ledger(environ)
        try:
            ledger.fold()
            with database.said(ledger.path):
                row = ledger.connection.execute(COUNTS, (int(midnight * 1000),)).fetchone()
        finally:
            ledger.close()
    except (HookkitError, OSError):
        return None
    return dict(zip(TODAY, (count or 0 for count in row), strict=True))


def _waiting(environ: dict[str, str]) -> list[Facts]:
    try:
        return [row for row in approvals.every(environ) if row["state"] == approvals.OPEN]
    except OSError:
        return []


# -- for a person ----------------------------------------------------------------------------------------------------


def _lines(setup: Setup, state: Facts, problems: list[Problem]) -> list[View]:
    lines: list[View] = [Wide(_head(state))]
    for agent in setup.agents:
        own = state["agents"][agent.name]
        where = ", ".join(home_path(path, setup.environ) for path in own["files"])
        lost = f"not connected: hookkit init --agent {agent.name}"
        text = f"{plural(own['hooks'], 'hook')} in {where}" if where else lost
        lines.append(_line(agent.title, text, "" if where else "yellow"))
    lines += [_line(name, text) for name, text in _rows(setup, state)]
    for row in state["waiting"][:MOST]:
        lines.append(_line("waits", f"{row['about']}  (hookkit allow {row['id']})", "bold yellow"))
    for problem in sorted(problems, key=lambda problem: problem.severity != SERIOUS)[:MOST]:
        sign, style = SIGNS[problem.severity]
        lines += [_line(f"{sign} problem", problem.message, style), _line("", problem.fix, "dim")]
    if len(problems) > MOST:
        lines.append(_line("", f"{len(problems) - MOST} more: hookkit doctor", "dim"))
    return [*lines, Wide("More: hookkit --help", "dim")]


def _head(state: Facts) -> Text:
    if state["paused_until"]:
        return Text(pause.message(state["paused_until"]), "bold yellow")
    if not any(agent["hooks"] for agent in state["agents"].values()):
        return Text("hookkit is installed, and no agent calls it yet. Run: hookkit init", "bold yellow")
    return Text(f"hookkit {state['version']} is on", "bold green")


def _rows(setup: Setup, state: Facts) -> list[tuple[str, str]]:
    trust = {"yes": "trusted", "no": "not trusted: read its files, then run hookkit trust", "": "nothing to trust"}
    approve = {"none": "nothing (hookkit set policy.approve reads)", "reads": "calls that only read",
               "work": "reads, and changes that git can bring back"}  # fmt: skip
    server = {"running": "running", "stopped": "stopped: it starts with the next call", "off": "not used"}
    today = state["today"]
    rows = [("project", f"{home_path(setup.project, setup.environ)}: {trust[state['trust']]}")]
    rows += [("approves", approve[state["approve"]])]
    rows += [("mode", f"{state['mode']} (Claude Code)")] if state["mode"] else []
    rows += [("server", server[state["server"]])]
    if today is None:
        return [*rows, ("today", "the log cannot be read: hookkit doctor")]
    did = ", ".join(f"{today[name]:,} {name}" for name in TODAY[1:] if today[name]) or "nothing to stop or change"
    return [*rows, ("today", f"{plural(today['calls'], 'call')}: {did}" if today["calls"] else "no calls yet")]


def _line(name: str, text: str, style: str = "") -> Line:
    return Line(Text(f"{name:{WIDE}} ", "dim"), Text(text, style))

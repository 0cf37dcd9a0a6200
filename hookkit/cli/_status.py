"""The state of hookkit on one screen."""

import os
import time
from typing import Any

import typer

from hookkit import __version__, registry
from hookkit.cli._console import Text, console, echo_json
from hookkit.cli._plan import short
from hookkit.daemon import process
from hookkit.doctor.problem import NOTE, SERIOUS, WARNING, Problem
from hookkit.doctor.setup import Setup
from hookkit.errors import HookkitError
from hookkit.gates import approvals
from hookkit.ledger.health import counted
from hookkit.ledger.store import Ledger, path_of
from hookkit.redirect import sources
from hookkit.settings import layers, pause
from hookkit.system import database, files
from hookkit.system.client_settings import default_mode
from hookkit.wiring import launcher

CHECKS = ("wiring", "launcher", "server", "trust", "state")  # doctor's quick checks: no transcript is read
WIDE = 12  # columns of the names
MOST = 3  # problems, and calls that wait
SIGNS = {SERIOUS: ("✗", "bold red"), WARNING: ("!", "yellow")}
COUNTS = """SELECT count(*), sum(verdict = 'deny'), sum(verdict = 'ask'), sum(verdict = 'allow'),
  sum(instr(body, '"changed":{') > 0) FROM entries WHERE event = 'PreToolUse' AND at >= ?"""
TODAY = ("calls", "stopped", "asked", "approved", "changed")

Facts = dict[str, Any]


def show(*, as_json: bool) -> None:
    setup = Setup(dict(os.environ), os.getcwd())
    found = facts(setup)
    problems = found.pop("found")
    echo_json(found) if as_json else _print(setup, found, problems)
    raise typer.Exit(1 if any(problem.severity == SERIOUS for problem in problems) else 0)


def facts(setup: Setup) -> Facts:
    environ = setup.environ
    problems = [each for name in CHECKS for each in registry.find("doctor/checks", name).check(setup)]
    problems = [each for each in problems if each.severity != NOTE]
    until = pause.until(environ, time.time())
    return {
        "version": __version__,
        "paused_until": until or None,
        "agents": {agent.name: _agent(setup, agent.name) for agent in setup.agents},
        "project": setup.project,
        "trust": _trust(setup),
        "approve": setup.settings["policy.approve"],
        "mode": default_mode(setup.project, environ) or None,
        "server": _server(setup),
        "today": _today(environ),
        "waiting": [{"id": row["id"], "about": row["about"]} for row in _waiting(environ)],
        "problems": [{"id": each.id, "message": each.message, "fix": each.fix} for each in problems],
        "found": problems,
    }


def _agent(setup: Setup, name: str) -> Facts:
    wired = [(file, each) for file in setup.of_name(name) for each in file.ours()]
    paths = list(dict.fromkeys(file.path for file, _ in wired))
    return {"hooks": len({each.event for _, each in wired}), "files": paths}


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


def _print(setup: Setup, found: Facts, problems: list[Problem]) -> None:
    out = console()
    out.print(_head(found))
    for agent in setup.agents:
        facts_ = found["agents"][agent.name]
        where = ", ".join(short(path, setup.environ) for path in facts_["files"])
        lost = f"not connected: hookkit init --agent {agent.name}"
        text = f"{counted(facts_['hooks'], 'hook')} in {where}" if where else lost
        _line(out, agent.title, text, "" if where else "yellow")
    for name, text in _rows(setup, found):
        _line(out, name, text)
    for row in found["waiting"][:MOST]:
        _line(out, "waits", f"{row['about']}  (hookkit approve {row['id']})", "bold yellow")
    for problem in sorted(problems, key=lambda each: each.severity != SERIOUS)[:MOST]:
        sign, style = SIGNS[problem.severity]
        _line(out, f"{sign} problem", problem.message, style)
        _line(out, "", problem.fix, "dim")
    if len(problems) > MOST:
        _line(out, "", f"{len(problems) - MOST} more: hookkit doctor", "dim")
    out.print(Text("More: hookkit --help", "dim"))


def _head(found: Facts) -> Text:
    if found["paused_until"]:
        return Text(pause.message(found["paused_until"]), "bold yellow")
    if not any(each["hooks"] for each in found["agents"].values()):
        return Text("hookkit is installed, and no agent calls it yet. Run: hookkit init", "bold yellow")
    return Text(f"hookkit {found['version']} is on", "bold green")


def _rows(setup: Setup, found: Facts) -> list[tuple[str, str]]:
    trust = {"yes": "trusted", "no": "not trusted yet: read its files, then run: hookkit trust", "": "nothing to trust"}
    approve = {"none": "nothing (hookkit set policy.approve reads)", "reads": "calls that only read",
               "work": "reads, and changes that git can bring back"}  # fmt: skip
    server = {"running": "running", "stopped": "stopped: it starts with the next call", "off": "not used"}
    today = found["today"]
    rows = [("project", f"{short(setup.project, setup.environ)}: {trust[found['trust']]}")]
    rows += [("approves", approve[found["approve"]])]
    rows += [("mode", f"{found['mode']} (Claude Code)")] if found["mode"] else []
    rows += [("server", server[found["server"]])]
    if today is None:
        return [*rows, ("today", "the log cannot be read: hookkit doctor")]
    did = ", ".join(f"{today[name]:,} {name}" for name in TODAY[1:] if today[name]) or "nothing to stop or change"
    return [*rows, ("today", f"{counted(today['calls'], 'call')}: {did}" if today["calls"] else "no calls yet")]


def _line(out: Any, name: str, text: str, style: str = "") -> None:
    out.print(Text.assemble((f"{name:{WIDE}} ", "dim"), (text, style)), soft_wrap=True)

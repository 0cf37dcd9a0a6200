"""Showing the problems that doctor found."""

import os
from typing import Any

import typer

from hookkit.cli._console import Text, console, echo_json, say, working
from hookkit.doctor import diagnosis
from hookkit.doctor.problem import NOTE, SERIOUS, WARNING, Problem
from hookkit.doctor.setup import Setup
from hookkit.wiring.places import Agent

STYLES = {SERIOUS: "bold red", WARNING: "yellow", NOTE: "dim"}
SIGNS = {SERIOUS: "✗", WARNING: "!", NOTE: "·"}
CHECKS = {"wiring": "settings of agents", "state": "hookkit's own files", "liveness": "transcripts of past sessions",
          "live": "each connected command, with a test event"}  # fmt: skip
NONE = (
    "No agent was found here: neither a program on the PATH nor a directory in the home. "
    "Add hookkit to an agent: hookkit init --agent NAME"
)


def examine(agents: list[Agent], *, live: bool, fix: bool, as_json: bool) -> None:
    environ, here = dict(os.environ), os.getcwd()
    mended = diagnosis.mend(environ, here, agents) if fix else []
    setup = Setup(environ, here, agents)
    with working("checking") as tell:
        found = diagnosis.problems(setup, live=live, tell=lambda name: tell(CHECKS.get(name, name)))
    is_serious = any(each.severity == SERIOUS for each in found) or (live and not setup.agents)
    if as_json:
        echo_json({
            "ok": not is_serious, "problems": [_row(each) for each in found],
            "mended": [{**_row(each), "backup": backup} for each, backup in mended],
            "agents": [agent.name for agent in setup.agents],
        })  # fmt: skip
    else:
        _print(setup, found, mended)
    raise typer.Exit(1 if is_serious else 0)


def _row(each: Problem) -> dict[str, Any]:
    names = ("id", "severity", "file", "line", "column", "message", "fix")
    return {**{name: getattr(each, name) for name in names}, "can_fix": each.mend is not None}


def _print(setup: Setup, found: list[Problem], mended: list[tuple[Problem, str]]) -> None:
    out = console()
    for each, backup in mended:
        out.print(
            Text.assemble(("mended ", "green"), (each.id, "bold"), f" {each.where} (backup: {backup})"), soft_wrap=True
        )
    for each in sorted(found, key=lambda problem: [SERIOUS, WARNING, NOTE].index(problem.severity)):
        style = STYLES[each.severity]
        out.print(
            Text.assemble((f"{SIGNS[each.severity]} ", style), (each.id, style), f" {each.message}"), soft_wrap=True
        )
        if each.where:
            out.print(Text(f"    at   {each.where}", "dim"), soft_wrap=True)
        if each.fix:
            out.print(
                Text(f"    fix  {each.fix}" + (" (doctor --fix can do it)" if each.mend else ""), "dim"), soft_wrap=True
            )
    serious = sum(each.severity == SERIOUS for each in found)
    warnings = sum(each.severity == WARNING for each in found)
    names = ", ".join(agent.title for agent in setup.agents) or "no agent"
    if not setup.agents:
        say(NONE, "yellow")
    elif serious or warnings:
        say(f"{serious} serious, {warnings} to look at ({names})", "bold")
    else:
        say(f"hookkit is well: {names}", "green")

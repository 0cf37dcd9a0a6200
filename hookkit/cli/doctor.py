"""Whether agents really call hookkit: the problems that doctor found, each with its fix."""

import os
from typing import Annotated, Any

from hookkit.agents import doctor
from hookkit.agents.doctor import NOTE, SERIOUS, WARNING, Problem, Setup
from hookkit.agents.wiring.settings_files import AGENTS, named
from hookkit.cli._command import Option
from hookkit.cli._console import Output, working
from hookkit.cli._view import Line, Text, View, Wide

STYLES = {SERIOUS: "bold red", WARNING: "yellow", NOTE: "dim"}
SIGNS = {SERIOUS: "✗", WARNING: "!", NOTE: "·"}
CHECKS = {"wiring": "settings of agents", "surroundings": "programs, trust and hookkit's own files",
          "server": "the server", "liveness": "transcripts of past sessions",
          "live": "each connected command, with a test event"}  # fmt: skip
NONE = (
    "No agent was found here: neither a program on the PATH nor a directory in the home. "
    "Add hookkit to an agent: hookkit init --agent NAME"
)


def command(
    *,
    agent: Annotated[
        str, Option(metavar="NAMES", help=f"{', '.join(AGENTS)} or all; by default the agents that are here.")
    ] = "",
    live: Annotated[bool, Option("--live", help="Also run every connected command with a test event.")] = False,
    fix: Annotated[bool, Option("--fix", help="Mend what can be mended, with a backup.")] = False,
) -> Output:
    """Say whether your agents really call hookkit, and what to do if not.

    Looks at the settings of every agent, the program they would start, trust, the policy, the ledger, and compares the
    tool calls in the agent's own transcripts with the ledger.

    Exits 1 if any problem is serious: then calls pass unchecked.

    Example: hookkit doctor --live
    """
    environ, here, agents = dict(os.environ), os.getcwd(), named(agent)
    mended = doctor.mend(environ, here, agents) if fix else []
    setup = Setup(environ, here, agents)
    with working("checking") as tell:
        problems = doctor.problems(setup, live=live, tell=lambda name: tell(CHECKS.get(name, name)))
    is_serious = any(problem.severity == SERIOUS for problem in problems) or (live and not setup.agents)
    value = {
        "ok": not is_serious, "problems": [_row(problem) for problem in problems],
        "mended": [{**_row(problem), "backup": backup} for problem, backup in mended],
        "agents": [agent.name for agent in setup.agents],
    }  # fmt: skip
    return Output(value, _lines(setup, problems, mended), 1 if is_serious else 0)


def _row(problem: Problem) -> dict[str, Any]:
    names = ("id", "severity", "file", "line", "column", "message", "fix")
    return {**{name: getattr(problem, name) for name in names}, "can_fix": problem.mend is not None}


def _lines(setup: Setup, problems: list[Problem], mended: list[tuple[Problem, str]]) -> list[View]:
    lines: list[View] = [
        Wide(Text.assemble(("mended ", "green"), (row.id, "bold"), f" {row.where} (backup: {backup})"))
        for row, backup in mended
    ]
    for row in sorted(problems, key=lambda problem: [SERIOUS, WARNING, NOTE].index(problem.severity)):
        style = STYLES[row.severity]
        lines.append(Line(Text(f"{SIGNS[row.severity]} ", style), Text.assemble((row.id, style), f" {row.message}")))
        if row.where:
            lines.append(Wide(f"    at   {row.where}", "dim"))
        if row.fix:
            lines.append(Wide(f"    fix  {row.fix}" + (" (doctor --fix can do it)" if row.mend else ""), "dim"))
    return [*lines, _summary(setup, problems)]


def _summary(setup: Setup, problems: list[Problem]) -> Wide:
    serious, warnings = (sum(problem.severity == kind for problem in problems) for kind in (SERIOUS, WARNING))
    names = ", ".join(agent.title for agent in setup.agents)
    if not setup.agents:
        return Wide(NONE, "yellow")
    if serious or warnings:
        return Wide(f"{serious} serious, {warnings} to look at ({names})", "bold")
    return Wide(f"hookkit is well: {names}", "green")

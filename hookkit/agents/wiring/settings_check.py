"""`hookkit validate` for the settings files of agents: each is read as the file of its own agent.

Claude Code's own files have a deeper check in `settings/formats`.
"""

import os
import re

from hookkit.agents.wiring.places import AGENTS, CLAUDE, Agent
from hookkit.errors import ConfigError
from hookkit.settings.documents.finding import WARNING, FileReport, Finding
from hookkit.system.suggestions import did_you_mean

PLACE = re.compile(r"^.*?:(\d+):(\d+):? ")  # file, line and column before a message
FOREIGN = (".vscode/settings.json",)  # files of other programs with the name of an agent's file


def is_foreign(path: str) -> bool:
    """Whether the file belongs to no agent, whatever its name."""
    return _ends(path, FOREIGN)


def owner(path: str, environ: dict[str, str]) -> Agent | None:
    """The agent other than Claude Code that reads this file, by its place."""
    path = os.path.abspath(path)
    for agent in AGENTS.values():
        for scope, name, *_ in agent.module.CONFIG:
            own = os.path.join(agent.home(environ), name)
            is_here = (
                path in (own, os.path.join(own, os.path.basename(path))) if scope == "user" else _ends(path, [name])
            )
            if is_here:
                return agent if agent.name != CLAUDE else None
    return None


def _ends(path: str, names: "list[str] | tuple[str, ...]") -> bool:
    """Whether one of the names ends the path; of an agent with a file for each event, the name is their directory."""
    path = f"/{os.path.abspath(path).lstrip('/')}"
    return any(path.endswith(f"/{name}") or os.path.dirname(path).endswith(f"/{name}") for name in names)


def examine(agent: Agent, path: str, text: str) -> FileReport:
    try:
        rows = agent.entries(path, text)
    except ConfigError as error:
        message = str(error)
        place = PLACE.match(message)
        where = (int(place[1]), int(place[2])) if place else (1, 1)
        return FileReport(path, [Finding(path, where, message[place.end() :] if place else message)])
    known = [*agent.module.EVENTS]
    guesses = {row.event: did_you_mean(row.event, known) for row in rows if row.event not in known}
    return FileReport(
        path,
        [
            Finding(path, row.place, f"hooks: {agent.title} may not know the event {row.event}", fix, severity=WARNING)
            for row in rows
            if (fix := guesses.get(row.event))
        ],
    )


def project_files(project: str) -> list[str]:
    """The files of all agents in a project that exist, without Claude Code's."""
    names = [
        name
        for agent in AGENTS.values()
        for scope, name, *_ in agent.module.CONFIG
        if scope != "user" and agent.name != CLAUDE
    ]
    paths = [os.path.join(project, name) for name in dict.fromkeys(names)]
    return [path for path in paths if os.path.isfile(path)]

"""Where each agent reads its hooks, and which agents are here."""

import os
import shutil

from hookkit.system import files
from hookkit.wiring.claude_events import EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SCOPES = ("user", "project", "local")


class Agent:
    """One agent: its program, its directory in the home, the file of each scope, and how the file looks."""

    __slots__ = ("events", "files", "form", "guards", "home", "name", "program", "unit")

    def __init__(  # noqa: PLR0913 - a table's row is as wide as the table
        self,
        name: str,
        program: str,
        home: str,
        form: str,
        files_: "Mapping[str, str]",
        events: "Mapping[str, int]",
        *,
        guards: tuple[str, ...] = ("PreToolUse",),
        unit: int = 1,
    ) -> None:
        self.name = name
        self.program = program
        self.home = home
        self.form = form
        self.files = files_
        self.events = events
        self.guards = guards  # events on which a missing hookkit refuses the call, with --fail-closed
        self.unit = unit  # of a timeout: 1 for seconds, 1000 for milliseconds


AGENTS = {
    row.name: row
    for row in (
        Agent(
            "claude",
            "claude",
            "~/.claude",
            "groups",
            {
                "user": "~/.claude/settings.json",
                "project": ".claude/settings.json",
                "local": ".claude/settings.local.json",
            },
            EVENTS,
        ),
    )
}


class Place:
    """One settings file of an agent. `root` is the project for a file inside it, else an empty text."""

    __slots__ = ("agent", "path", "root", "scope")

    def __init__(self, agent: Agent, scope: str, path: str, root: str) -> None:
        self.agent = agent
        self.scope = scope
        self.path = path
        self.root = root

    @property
    def is_shared(self) -> bool:
        """Whether the file usually goes to other machines, with the repository."""
        return self.scope == "project"


def expand(path: str, environ: dict[str, str]) -> str:
    """A path of the table: `~` is the home, and CLAUDE_CONFIG_DIR moves `~/.claude`."""
    moved = environ.get("CLAUDE_CONFIG_DIR", "")
    if path.startswith("~/.claude") and os.path.isabs(moved):
        return moved + path[len("~/.claude") :]
    return files.home(environ) + path[1:] if path.startswith("~/") else path


def place(agent: Agent, scope: str, project: str, environ: dict[str, str]) -> Place | None:
    """The file of a scope; None if the agent has no such scope."""
    written = agent.files.get(scope)
    if written is None:
        return None
    if scope == "user":
        return Place(agent, scope, expand(written, environ), "")
    return Place(agent, scope, os.path.join(project, written), project)


def here(environ: dict[str, str]) -> list[Agent]:
    """The agents of this machine: their program is on the PATH, or their directory is in the home."""
    path = environ.get("PATH", os.defpath)
    return [
        agent
        for agent in AGENTS.values()
        if shutil.which(agent.program, path=path) or os.path.isdir(expand(agent.home, environ))
    ]

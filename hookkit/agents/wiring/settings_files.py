"""The settings files of each agent, and the agents on this machine. The facts are in the tables of `agents`.

`hookkit validate` checks them here, each as the file of its own agent; Claude Code's own files have a deeper check in
`settings/formats`.
"""

import os
import re
import shutil
from types import ModuleType

from hookkit import registry
from hookkit.errors import ConfigError
from hookkit.events import EVENTS
from hookkit.settings.documents.finding import WARNING, FileReport, Finding
from hookkit.system import files, user_programs
from hookkit.system.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from hookkit.agents.wiring.launcher import Wanted, Wired

SCOPES = ("user", "project", "local")
ALL = "all"  # in place of names
CLAUDE = "claude"
PLACE = re.compile(r"^.*?:(\d+):(\d+):? ")  # file, line and column before a message
FOREIGN = (".vscode/settings.json",)  # files of other programs with the name of an agent's file
JSON_FORMS = ("groups", "flat", "listed", "named")
SECONDS = 10  # the limit of an event that Claude Code does not have


class Agent:
    """An agent, described by its module in `agents`."""

    __slots__ = ("module", "name")

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.name: str = module.NAME

    @property
    def title(self) -> str:
        return str(self.module.TITLE)

    def events(self, handled: "Collection[str]" = ()) -> dict[str, int]:
        """The agent's events for `init` to wire, each with its time limit in the agent's own unit.

        Events that hookkit itself does not need are wired only if a handler of the person asks for them: `handled`.
        """
        names = [*(user_programs.WIRED if self.name == CLAUDE else self.module.WIRED)]
        names = [name for name in names if name not in user_programs.ON_DEMAND or self.name != CLAUDE]
        names += [name for name, ours in self.module.EVENTS.items() if ours in handled and name not in names]
        return {name: user_programs.WIRED.get(self.meaning(name), SECONDS) * self.module.TIMEOUT[1] for name in names}

    def meaning(self, event: str) -> str:
        """Hookkit's own name of an event of the agent."""
        return str(self.module.EVENTS.get(event, event))

    def can(self, event: str) -> list[str]:
        """The parts of an answer that count on an event of hookkit: deny, ask, rewrite, context, …"""
        if self.name != CLAUDE:
            return str(self.module.CAN.get(event, "")).split()
        row = EVENTS[event]
        more = (("rewrite", row.rewrites), ("context", row.context), ("message", row.message), ("output", row.output))
        return [*row.answers, *(part for part, is_there in more if is_there)]

    def is_guard(self, event: str) -> bool:
        """Whether a missing hookkit refuses the call on this event, with --fail-closed."""
        return self.meaning(event) == "PreToolUse"

    def wire(self, path: str, text: str, wanted: "Sequence[Wanted]") -> str:
        """The text of a settings file with the wanted handlers."""
        return str(self._form[0](self.module, path, text, wanted))

    def strip(self, path: str, text: str, original: str = "") -> str:
        """The text of a settings file without hookkit."""
        return str(self._form[1](self.module, path, text, original))

    def entries(self, path: str, text: str) -> "list[Wired]":
        """The handlers in a settings file."""
        return [*self._form[2](self.module, path, text)]

    @property
    def _form(self) -> "tuple[Any, Any, Any]":
        """Three functions, found late: a hook that looks at one agent needs one form."""
        name = "json_forms" if self.module.FORM in JSON_FORMS else "text_forms"
        form: tuple[Any, Any, Any] = registry.find("agents/wiring", name).FORMS[self.module.FORM]
        return form

    def home(self, environ: dict[str, str]) -> str:
        """The agent's own directory, which a variable may move."""
        moved = environ.get(self.module.HOME_VARIABLE, "") if self.module.HOME_VARIABLE else ""
        return moved if os.path.isabs(moved) else os.path.join(files.home(environ), self.module.HOME)

    def is_here(self, environ: dict[str, str]) -> bool:
        """Its program is on the PATH, or its directory is in the home."""
        path = environ.get("PATH", os.defpath)
        programs = getattr(self.module, "PROGRAMS", (self.name,))
        return os.path.isdir(self.home(environ)) or any(shutil.which(name, path=path) for name in programs)


AGENTS = {name: Agent(registry.find("agents", name)) for name in registry.names("agents")}


class SettingsPlace:
    """A settings file of an agent. `root` is the project for a file inside the project, else an empty text."""

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

    @property
    def form(self) -> str:
        return str(self.agent.module.FORM)

    @property
    def is_directory(self) -> bool:
        """Whether each event has a file of its own."""
        return self.form == "scripts"

    @property
    def mode(self) -> int:
        """The mode of a new file."""
        return 0o755 if self.is_directory else 0o644

    def paths(self) -> list[str]:
        if not self.is_directory:
            return [self.path]
        return [os.path.join(self.path, event) for event in self.agent.events()]


def place(agent: Agent, scope: str, project: str, environ: dict[str, str]) -> SettingsPlace | None:
    """The file of a scope; None if the agent lacks the scope."""
    for name, path in agent.module.CONFIG:
        if name == scope == "user":
            return SettingsPlace(agent, scope, os.path.join(agent.home(environ), path), "")
        if name == scope:
            return SettingsPlace(agent, scope, os.path.join(project, path), project)
    return None


def named(names: str) -> list[Agent]:
    """The agents of a list such as `claude,codex`, or of `all`; none for an empty text."""
    wanted = [*AGENTS] if names == ALL else [name.strip() for name in names.split(",") if name.strip()]
    for name in wanted:
        if name not in AGENTS:
            fix = did_you_mean(name, [*AGENTS]) or f"known are {', '.join(AGENTS)}"
            raise ConfigError(f"no agent {name!r}: {fix}")
    return [AGENTS[name] for name in wanted]


def here(environ: dict[str, str]) -> list[Agent]:
    """The agents of this machine."""
    return [agent for agent in AGENTS.values() if agent.is_here(environ)]


def is_foreign(path: str) -> bool:
    """Whether the file belongs to no agent, whatever its name."""
    return _ends(path, FOREIGN)


def owner(path: str, environ: dict[str, str]) -> Agent | None:
    """The agent other than Claude Code that reads this file, by its place."""
    path = os.path.abspath(path)
    for agent in AGENTS.values():
        for scope, name in agent.module.CONFIG:
            own = os.path.join(agent.home(environ), name)
            is_own = path in (own, os.path.join(own, os.path.basename(path)))
            if is_own if scope == "user" else _ends(path, [name]):
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
    names = [*agent.module.EVENTS]
    guesses = {row.event: did_you_mean(row.event, names) for row in rows if row.event not in names}
    findings = [
        Finding(path, row.place, f"hooks: {agent.title} may not know the event {row.event}", fix, severity=WARNING)
        for row in rows
        if (fix := guesses.get(row.event))
    ]
    return FileReport(path, findings)


def project_files(project: str) -> list[str]:
    """The files of all agents in a project that exist, without Claude Code's."""
    others = [agent for agent in AGENTS.values() if agent.name != CLAUDE]
    names = [name for agent in others for scope, name in agent.module.CONFIG if scope != "user"]
    paths = [os.path.join(project, name) for name in dict.fromkeys(names)]
    return [path for path in paths if os.path.isfile(path)]

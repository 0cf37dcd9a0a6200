"""The settings files of each agent, and the agents on this machine. The facts are in the tables of `agents`."""

import os
import shutil
from types import ModuleType

from hookkit import registry
from hookkit.errors import ConfigError
from hookkit.events import EVENTS
from hookkit.system import files, time_limits
from hookkit.system.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from hookkit.agents.wiring.forms import Wanted, Wired

SCOPES = ("user", "project", "local")
ALL = "all"  # in place of names
CLAUDE = "claude"
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
        names = [*(time_limits.WIRED if self.name == CLAUDE else self.module.WIRED)]
        names = [name for name in names if name not in time_limits.ON_DEMAND or self.name != CLAUDE]
        names += [name for name, ours in self.module.EVENTS.items() if ours in handled and name not in names]
        return {name: time_limits.WIRED.get(self.meaning(name), SECONDS) * self.module.TIMEOUT[1] for name in names}

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
        return str(self._form.wire(self.module, path, text, wanted))

    def strip(self, path: str, text: str, original: str = "") -> str:
        """The text of a settings file without hookkit."""
        return str(self._form.strip(self.module, path, text, original))

    def entries(self, path: str, text: str) -> "list[Wired]":
        """The handlers in a settings file."""
        return [*self._form.entries(self.module, path, text)]

    @property
    def _form(self) -> ModuleType:
        return registry.find("agents/wiring/forms", self.module.FORM)

    def home(self, environ: dict[str, str]) -> str:
        moved = environ.get(self.module.HOME_VARIABLE, "") if self.module.HOME_VARIABLE else ""
        return moved if os.path.isabs(moved) else os.path.join(files.home(environ), self.module.HOME)

    def is_here(self, environ: dict[str, str]) -> bool:
        """Its program is on the PATH, or its directory is in the home."""
        path = environ.get("PATH", os.defpath)
        return os.path.isdir(self.home(environ)) or any(shutil.which(name, path=path) for name in self.module.PROGRAMS)


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

"""The state for doctor to check: agents, their settings files of all scopes, the handlers in these files."""

import os

from hookkit import registry
from hookkit.errors import HookkitError
from hookkit.settings import hook_rows, layers
from hookkit.system import files
from hookkit.wiring import launcher, places, store
from hookkit.wiring.formats import Wired
from hookkit.wiring.places import CLAUDE, Agent, SettingsPlace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MANAGED = "/etc/claude-code/managed-settings.json"


class SettingsFile:
    """An existing settings file. `problem` says why the agent cannot read the file."""

    __slots__ = ("entries", "path", "place", "problem", "text")

    def __init__(self, place: SettingsPlace, path: str) -> None:
        self.place = place
        self.path = path
        self.text = self.problem = ""
        self.entries: list[Wired] = []
        try:
            self.text = store.text_of(path, store.read(path))
            self.entries = registry.find("wiring/formats", place.form).entries(path, self.text)
        except HookkitError as error:
            self.problem = str(error)
        except OSError as error:
            self.problem = f"{path}: {error.strerror}"

    def ours(self) -> list[Wired]:
        return [each for each in self.entries if each.is_ours]


class Setup:
    """The input of all checks. Checks never write."""

    def __init__(self, environ: dict[str, str], directory: str, agents: "list[Agent] | None" = None) -> None:
        self.project = files.repository(os.path.abspath(directory))
        self.settings = layers.load(self.project, environ)
        self.environ = self.settings.environ
        self.needs = hook_rows.needs(self.settings.values.get("hooks", []))  # seconds, by event
        self.agents = agents or self._agents()
        self.launcher = launcher.find()
        self.script = launcher.path(self.environ)
        self.files = [file for agent in self.agents for file in self._files(agent)]

    def _agents(self) -> list[Agent]:
        """The agents of this machine, and those that the project has settings for."""
        return [agent for agent in places.AGENTS.values() if agent.is_here(self.environ) or self._has_settings(agent)]

    def _has_settings(self, agent: Agent) -> bool:
        inside = [places.place(agent, scope, self.project, self.environ) for scope in places.SCOPES[1:]]
        return any(os.path.isfile(path) for place in inside if place is not None for path in place.paths())

    def _files(self, agent: Agent) -> "Iterator[SettingsFile]":
        for scope in places.SCOPES:
            place = places.place(agent, scope, self.project, self.environ)
            if place is not None:
                yield from (SettingsFile(place, path) for path in place.paths() if os.path.isfile(path))
        if agent.name == CLAUDE and os.path.isfile(MANAGED):
            yield SettingsFile(SettingsPlace(agent, "managed", MANAGED, "", CLAUDE), MANAGED)

    def of(self, agent: Agent) -> list[SettingsFile]:
        return self.of_name(agent.name)

    def of_name(self, name: str) -> list[SettingsFile]:
        return [file for file in self.files if file.place.agent.name == name]

    def wired(self) -> "Iterator[tuple[SettingsFile, Wired]]":
        """Every handler of hookkit, with its file."""
        for file in self.files:
            for each in file.ours():
                yield file, each

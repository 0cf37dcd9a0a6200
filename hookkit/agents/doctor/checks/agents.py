"""Problems that one agent alone has: hooks that it runs only after a person has trusted the folder, for one."""

from hookkit import registry
from hookkit.agents._state import Checked
from hookkit.agents.doctor.setup import Problem, Setup
from hookkit.agents.wiring.places import Agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def check(setup: Setup) -> "Iterator[Problem]":
    for agent in setup.agents:
        yield from check_agent(setup, agent)


def check_agent(setup: Setup, agent: Agent) -> "Iterator[Problem]":
    mine = [file for file in setup.of(agent) if file.ours()]
    if not mine or not registry.exists(f"agents/{agent.name}", "doctor"):
        return
    paths, inside = [file.path for file in mine], [file.path for file in mine if file.place.root]
    checked = Checked(setup.environ, agent.home(setup.environ), setup.project, paths, inside)
    for id_, severity, message, fix, path in registry.find(f"agents/{agent.name}", "doctor").check(checked):
        yield Problem(id_, severity, message, fix, file=path)

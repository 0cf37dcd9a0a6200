"""Variables in the project's own files that can switch every hook off before hookkit starts."""

from hookkit.agents.doctor.setup import SERIOUS, Problem, Setup
from hookkit.system import client_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def check(setup: Setup) -> "Iterator[Problem]":
    for path, message in client_settings.found(setup.project, [agent.name for agent in setup.agents]):
        yield Problem("environment.steered", SERIOUS, f"{path} {message}", "remove these variables", file=path)

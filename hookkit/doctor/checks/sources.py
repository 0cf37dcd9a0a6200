"""Parts of the settings that nothing supplies: facts of gates, variables of webhooks."""

from hookkit.doctor.problem import WARNING, Problem
from hookkit.doctor.setup import Setup
from hookkit.settings import sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def check(setup: Setup) -> "Iterator[Problem]":
    for said in sources.lacks(setup.settings):
        message, _, fix = said.rpartition("; ")
        yield Problem("settings.source", WARNING, message, fix)

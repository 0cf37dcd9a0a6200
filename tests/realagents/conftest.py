"""A project and a home to throw away, and the reason to skip where an agent or the wall cannot be had."""

import subprocess
from pathlib import Path

import pytest

from tests.realagents.agents import AGENTS, INSTALLED, Agent
from tests.realclient.harness import home_of, wall_problem, write


@pytest.fixture(scope="session")
def wall(tmp_path_factory: pytest.TempPathFactory) -> None:
    problem = wall_problem(tmp_path_factory.mktemp("wall"))
    if problem:
        pytest.skip(problem)


@pytest.fixture(params=AGENTS, ids=lambda agent: agent.name)
def agent(request: pytest.FixtureRequest, wall: None) -> Agent:
    found: Agent = request.param
    if not found.command(""):
        pytest.skip(f"{found.name} is not in {INSTALLED}: run scripts/install-agents, or set HOOKKIT_AGENTS")
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a Makefile and notes for the model, and a home with a file that must survive."""
    place = tmp_path / "project"
    subprocess.run(["git", "init", "--quiet", str(place)], check=True)
    write(place / "Makefile", "test:\n\t@echo tested by make | tee by-make.txt\n")
    write(place / "LOCAL.md", "The database listens on port 5439.\n")
    write(home_of(place) / "precious.txt", "keep me")
    return place

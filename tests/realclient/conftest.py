"""What every test here needs: the real client, a wall around it and a project; else the reason to skip."""

import functools
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .harness import Run, run_client, wall_problem
from .terminal import Sitting, sit_down

ROOT = Path(__file__).parents[2]


def find_client() -> Path:
    named = os.environ.get("HOOKKIT_CLIENT")
    if named:
        program = shutil.which(named)
        return Path(program).absolute() if program else pytest.skip(f"HOOKKIT_CLIENT names no program: {named}")
    installed = sorted((ROOT / ".client" / "node_modules" / "@anthropic-ai").glob("claude-code-*/claude"))
    if not installed:
        pytest.skip("the client is not installed: run scripts/install-client, or set HOOKKIT_CLIENT")
    return installed[0]


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = find_client()
    problem = wall_problem(tmp_path_factory.mktemp("wall"))
    if problem:
        pytest.skip(problem)
    return found


@pytest.fixture(scope="session")
def drive(client: Path) -> Callable[..., Run]:
    """`run_client` with the client filled in."""
    return functools.partial(run_client, client)


@pytest.fixture(scope="session")
def sit(client: Path) -> Callable[..., Sitting]:
    """`sit_down` with the client filled in."""
    return functools.partial(sit_down, client)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository of its own, so that nothing looks further up than this."""
    place = tmp_path / "project"
    subprocess.run(["git", "init", "--quiet", str(place)], check=True)
    return place

"""What every test here needs: the real client, a wall around it and a project; else the reason to skip."""

import functools
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .harness import Run, run_client, wall_problem

ROOT = Path(__file__).parents[2]


def find_client() -> Path:
    named = os.environ.get("HOOKKIT_CLIENT")
    if named and not os.access(named, os.X_OK):
        pytest.skip(f"HOOKKIT_CLIENT names no program: {named}")
    installed = sorted((ROOT / ".client" / "node_modules" / "@anthropic-ai").glob("claude-code-*/claude"))
    if not named and not installed:
        pytest.skip("the client is not installed: run scripts/install-client, or set HOOKKIT_CLIENT")
    return Path(named) if named else installed[0]


@pytest.fixture(scope="session")
def drive(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Run]:
    """`run_client` with the client filled in."""
    client = find_client()
    problem = wall_problem(tmp_path_factory.mktemp("wall"))
    if problem:
        pytest.skip(problem)
    return functools.partial(run_client, client)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository of its own, so that nothing looks further up than this."""
    place = tmp_path / "project"
    subprocess.run(["git", "init", "--quiet", str(place)], check=True)
    return place

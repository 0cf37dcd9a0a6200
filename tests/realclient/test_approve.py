"""policy.approve in the real client, in its default mode: a read needs no dialog, a dangerous twin still does."""

from collections.abc import Callable
from pathlib import Path

import pytest

from .harness import Run, bash, home_of, wire, write

Drive = Callable[..., Run]
READ = "awk '{ print $2 }' notes.txt"
TWIN = "awk 'BEGIN { system(\"touch twin.txt\") }'"


def settings(project: Path, level: str) -> None:
    write(home_of(project) / ".config" / "hookkit" / "hookkit.toml", f'[policy]\napprove = "{level}"\n')
    write(project / "notes.txt", "first zebra-in-the-file\n")
    wire(project, PreToolUse="hookkit run")


def told(run: Run) -> str:
    return str(run.prompts()[-1])


@pytest.mark.parametrize(("level", "runs"), [("none", False), ("reads", True), ("work", True)])
def test_an_approved_read_runs_without_a_dialog(drive: Drive, project: Path, level: str, *, runs: bool) -> None:
    """In print mode nobody can answer a dialog: a call that needs one does not run."""
    settings(project, level)
    run = drive(project, "go", turns=[bash(READ), "done"])
    assert ("zebra-in-the-file" in told(run)) is runs
    assert run.faults() == []


@pytest.mark.parametrize("level", ["reads", "work"])
def test_a_dangerous_twin_still_prompts(drive: Drive, project: Path, level: str) -> None:
    settings(project, level)
    run = drive(project, "go", turns=[bash(TWIN), "done"])
    assert not (project / "twin.txt").exists()
    assert run.faults() == []

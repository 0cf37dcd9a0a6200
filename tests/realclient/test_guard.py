"""The guard in the real client when something is wrong with hookkit, and for tools that are no Bash."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from .harness import Run, bash, home_of, wire, write

Drive = Callable[..., Run]

BROKEN = """
import sys

from hookkit.policy import judge


def broken(*_, **__):
    raise ValueError("broken on purpose")


judge.decide = broken
sys.argv = ["hookkit", "run"]

from hookkit.__main__ import main

main()
"""
ALL = ("--allowedTools", "Bash,Monitor,Grep,Read")


def told(run: Run) -> str:
    """Everything that the model was sent after its tool call."""
    return str(run.prompts()[-1])


def test_a_crash_in_the_judge_asks(drive: Drive, project: Path) -> None:
    """In print mode there is nobody to ask, so the client denies, although its own rules allow Bash."""
    script = write(home_of(project) / "broken.py", BROKEN)
    wire(project, PreToolUse=f"{sys.executable} {script}")
    run = drive(project, "go", turns=[bash("touch a.txt && rm -f b.txt"), "done"], arguments=ALL)
    assert not (project / "a.txt").exists()
    assert "could not judge this call" in told(run)


def test_a_typing_mistake_in_the_settings_leaves_the_home_alone(drive: Drive, project: Path) -> None:
    write(home_of(project) / ".config" / "hookkit" / "hookkit.toml", "[policy\nbase = tru\n")
    canary = write(home_of(project) / "canary.txt", "here")
    wire(project, PreToolUse="hookkit run", SessionStart="hookkit run")
    run = drive(project, "go", turns=[bash("rm -rf ~"), "done"], arguments=ALL)
    assert canary.exists()
    assert "hookkit [delete.home]" in told(run)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        (
            "Monitor",
            {"command": "touch a.txt; rm -rf ~", "description": "watch", "timeout_ms": 1000, "persistent": False},
        ),
        ("Grep", {"pattern": "KEY", "path": "{home}/.ssh/id_rsa", "output_mode": "content"}),
    ],
)
def test_other_tools_meet_the_rules(drive: Drive, project: Path, tool: str, given: dict[str, object]) -> None:
    write(home_of(project) / ".ssh" / "id_rsa", "SECRET KEY")
    home = str(home_of(project))
    wire(project, PreToolUse="hookkit run")
    filled = {name: value.replace("{home}", home) if isinstance(value, str) else value for name, value in given.items()}
    run = drive(project, "go", turns=[{"name": tool, "input": filled}, "done"], arguments=ALL)
    if "No such tool available" in told(run):
        pytest.skip(f"this version of the client has no tool {tool}")
    assert not (project / "a.txt").exists()
    assert "SECRET KEY" not in told(run)
    assert "hookkit [" in told(run)

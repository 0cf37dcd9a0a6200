"""A team's signed policy in Claude Code: the repository's rule and handler apply in a clone that nobody trusted."""

from collections.abc import Callable
from pathlib import Path

from tests.realagents.test_team import sign

from .harness import Run, bash, wire

Drive = Callable[..., Run]


def test_one_signed_policy_applies(drive: Drive, project: Path, tmp_path: Path) -> None:
    sign(project, tmp_path / "lead")
    wire(project, PreToolUse="hookkit run")
    run = drive(project, "go", turns=[bash("make deploy"), bash("make release"), "Done."])
    said = [text for text, _ in run.prompts()[-1].tool_results]
    assert ["Only CI deploys." in said[0], "The lead releases." in said[1]] == [True, True], said
    assert run.faults() == []

"""policy.approve in the real client, in its default mode: a read needs no dialog, a dangerous twin still does."""

from collections.abc import Callable
from pathlib import Path

import pytest

from . import harness
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


def verdicts(run: Run) -> list[str]:
    return [reply["hookSpecificOutput"]["permissionDecision"] for reply in run.replies("PreToolUse:Bash")]


@pytest.fixture
def classified(monkeypatch: pytest.MonkeyPatch) -> None:
    """Auto mode asks its classifier only if the client may send telemetry; the wall keeps all of it in."""
    usual = harness.environment
    less = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY")
    monkeypatch.setattr(
        harness, "environment", lambda home: {name: value for name, value in usual(home).items() if name not in less}
    )


@pytest.mark.usefixtures("classified")
def test_auto_mode_takes_an_approval_before_its_classifier(drive: Drive, project: Path) -> None:
    """The scripted classifier blocks each call that it is asked about; a call out of the sandbox is not approved."""
    settings(project, "work")
    turns = [bash(READ), bash("touch made.txt"), bash(READ, dangerouslyDisableSandbox=True), bash(TWIN), "done"]
    run = drive(project, "go", turns=turns, arguments=("--permission-mode", "auto"))
    read, made, loose, twin = run.prompts()[-1].tool_results
    assert read == ("zebra-in-the-file", False)
    assert not made[1]
    assert ["The scripted classifier blocks all." in said for said, _ in (loose, twin)] == [True, True]
    assert verdicts(run) == ["allow", "allow"]
    assert run.faults() == []


@pytest.mark.usefixtures("classified")
def test_without_an_approval_auto_mode_asks_its_classifier(drive: Drive, project: Path) -> None:
    settings(project, "none")
    run = drive(project, "go", turns=[bash(READ), "done"], arguments=("--permission-mode", "auto"))
    [(said, is_error)] = run.prompts()[-1].tool_results
    assert ("The scripted classifier blocks all." in said, is_error) == (True, True)


def test_nothing_is_approved_in_plan_mode_and_no_call_out_of_the_sandbox(drive: Drive, project: Path) -> None:
    settings(project, "work")
    planned = drive(
        project, "go", turns=[bash(READ), bash("touch made.txt"), "done"], arguments=("--permission-mode", "plan")
    )
    assert verdicts(planned) == []
    assert not (project / "made.txt").exists()
    loose = drive(project, "go", turns=[bash(READ, dangerouslyDisableSandbox=True), "done"])
    assert verdicts(loose) == []
    assert "zebra-in-the-file" not in told(loose)
    assert planned.faults() + loose.faults() == []

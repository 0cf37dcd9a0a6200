"""Gates in the real client: what the model is told when it wants to stop, and that it always may in the end."""

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookkit.work.gates import approvals
from hookkit.work.gates.approvals import login

from . import harness
from .harness import Run, bash, home_of, wire, write
from .terminal import ENTER, ESCAPE, Sitting

Drive = Callable[..., Run]
Sit = Callable[..., Sitting]

ALLOWED = ("--allowedTools", "Bash")
FEEDBACK = "Stop hook feedback:\n"


def configure(project: Path, text: str) -> None:
    write(home_of(project) / ".config" / "hookkit" / "hookkit.toml", text)


def told(run: Run, text: str) -> int:
    """How often the model was told this by the end of the session."""
    return run.prompts()[-1].said.count(text)


def test_an_agent_goes_on_until_its_promise_is_kept(drive: Drive, project: Path) -> None:
    configure(project, '[gate]\npromise = "test -f DONE"\n')
    wire(project, Stop="hookkit run")
    run = drive(project, "go", turns=["I am done.", bash("touch DONE"), "Now I am."], arguments=ALLOWED)
    assert told(run, f"{FEEDBACK}Not done yet, round 1 of 20: test -f DONE fails (exit 1).") == 1
    assert run.fired() == ["Stop", "Stop"]
    assert run.replies("Stop")[-1] == {"systemMessage": "hookkit: test -f DONE passes after 1 round."}
    assert run.faults() == []


def test_an_agent_that_never_keeps_it_is_let_go_although_it_uses_tools(drive: Drive, project: Path) -> None:
    """The client's own count starts anew with each tool; ours does not."""
    configure(project, '[gate]\npromise = "false"\npromise_budget = 100\n')
    wire(project, Stop="hookkit run")
    turns = [turn for number in range(12) for turn in (bash("true"), f"Done {number}.")]
    run = drive(project, "go", turns=turns, arguments=ALLOWED)
    assert run.fired() == ["Stop"] * 9
    assert told(run, FEEDBACK) == 8
    said = "hookkit: the agent was held back 8 times in a row, the limit, so this stop passes without a check."
    assert run.replies("Stop")[-1] == {"systemMessage": said}
    assert run.faults() == []


def test_a_check_is_the_reason_to_go_on_once_and_then_lets_go(drive: Drive, project: Path) -> None:
    configure(project, '[gate]\nchecks = ["echo 3 tests failed; exit 1"]\n')
    wire(project, Stop="hookkit run")
    run = drive(project, "go", turns=["Done.", "It cannot be done."])
    assert told(run, f"{FEEDBACK}echo 3 tests failed; exit 1 fails (exit 1):\n3 tests failed") == 1
    assert [reply.get("decision") for reply in run.replies("Stop")] == ["block", None]
    assert run.faults() == []


def test_what_is_not_committed_reaches_the_model_once(drive: Drive, project: Path) -> None:
    configure(project, "[gate]\ncommit = true\n")
    wire(project, Stop="hookkit run")
    write(project / "a.txt", "x")
    run = drive(project, "go", "and on", turns=["Done.", "I leave that to you.", "Yes?"])
    assert told(run, f"{FEEDBACK}There are changes that are not committed:") == 1
    assert run.fired() == ["Stop"] * 3
    assert run.faults() == []


def test_an_approval_is_waited_for_and_holds_over_a_restart(drive: Drive, project: Path) -> None:
    configure(project, '[[rules]]\ntype = "approval_gate"\nreason = "A review is due"\n')
    wire(project, Stop="hookkit run")
    session = str(uuid.uuid4())
    run = drive(project, "go", turns=["Done.", "I wait."], arguments=("--session-id", session))
    environ = {"HOME": str(home_of(project))}
    [found] = approvals.every(environ)
    assert told(run, f"{FEEDBACK}Waiting for approval {found['id']}: A review is due.") == 1
    first, second = run.replies("Stop")
    give = f"A review is due. Give it with: hookkit approve {found['id']} (or --deny)"
    assert first["systemMessage"] == f"hookkit: approval needed: {give}"
    assert second == {"systemMessage": f"hookkit: approval {found['id']} is still open: {give}"}
    assert harness.person(project, "approve", found["id"]).returncode == 0
    again = drive(project, "and on", turns=["Fine."], arguments=("--resume", session))
    assert again.replies("Stop") == []
    assert run.faults() + again.faults() == []


def test_the_person_reads_how_to_approve(sit: Sit, project: Path) -> None:
    configure(project, '[[rules]]\ntype = "approval_gate"\nreason = "A review is due"\n')
    wire(project, Stop="hookkit run")
    sitting = sit(project, turns=["Done.", "I wait."], until="is still open")
    [found] = approvals.every({"HOME": str(home_of(project))})
    give = f"A review is due. Give it with: hookkit approve {found['id']} (or --deny)"
    assert f"⎿  Stop says: hookkit: approval needed: {give}" in sitting.seen
    assert f"⎿  Stop says: hookkit: approval {found['id']} is still open: {give}" in sitting.seen
    assert sitting.run.faults() == []


BEFORE = f"""
[[rules]]
type = "approval_gate"
match = "Bash(touch released*)"
reason = "A release needs a review"
config = {{ event = "PreToolUse", approvers = ["{login()}"] }}
"""
NEEDED = f"This call needs an approval by {login()}: A release needs a review."


@pytest.mark.parametrize(("key", "until", "made"), [(ESCAPE, "Interrupted", False), (ENTER, "Done.", True)])
def test_an_approval_before_a_call_is_a_dialog(sit: Sit, project: Path, key: str, until: str, *, made: bool) -> None:
    configure(project, BEFORE)
    wire(project, PreToolUse="hookkit run")
    arguments = ("--permission-mode", "manual")
    sitting = sit(project, key, turns=[bash("touch released"), "Done."], until=until, arguments=arguments)
    [shown] = sitting.dialogs
    assert NEEDED in " ".join(" ".join(shown).split())
    assert (project / "released").exists() is made
    assert sitting.run.faults() == []


def test_without_a_person_a_call_waits_for_hookkit_approve(drive: Drive, project: Path) -> None:
    configure(project, BEFORE)
    wire(project, PreToolUse="hookkit run")
    session = str(uuid.uuid4())
    turns = [bash("touch released"), "I wait."]
    run = drive(project, "go", turns=turns, arguments=(*ALLOWED, "--session-id", session))
    [found] = approvals.every({"HOME": str(home_of(project))})
    [(said, is_error)] = run.prompts()[-1].tool_results
    assert is_error
    assert f"with: hookkit approve {found['id']} --as {login()}" in said
    assert harness.person(project, "approve", found["id"], "--as", login()).returncode == 0
    again = drive(project, "and on", turns=turns, arguments=(*ALLOWED, "--resume", session))
    assert (project / "released").exists()
    assert run.faults() + again.faults() == []


def test_a_sub_agent_goes_back_for_what_it_was_to_leave_behind(drive: Drive, project: Path) -> None:
    configure(project, '[[gate.artefacts]]\nagent = "general-purpose"\nfiles = ["report.md"]\n')
    wire(project, SubagentStop="hookkit run", PostToolUse="hookkit run")
    agent: dict[str, Any] = {"description": "report", "prompt": "report", "subagent_type": "general-purpose"}
    turns = [
        {"name": "Agent", "input": {**agent, "run_in_background": False}},
        "Reported.",
        bash("echo x > report.md"),
        "Now it is there.",
        "Done.",
    ]
    run = drive(project, "go", turns=turns, arguments=ALLOWED)
    assert run.replies("SubagentStop") == [
        {"decision": "block", "reason": "Retry: report.md is missing."},
        {"systemMessage": "hookkit: general-purpose: found report.md."},
    ]
    assert (project / "report.md").read_text() == "x\n"
    assert "hookkit: general-purpose: found report.md." in run.prompts()[-1].added
    assert run.faults() == []


def test_a_task_is_not_completed_while_its_check_fails(
    drive: Drive, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client keeps the task open and tells the model why; it does not stop working."""
    rule = '[[rules]]\ntype = "command"\nrun = "test -f ok"\nconfig = { event = "TaskCompleted" }\n'
    configure(project, rule)
    wire(project, TaskCompleted="hookkit run")
    usual = harness.environment
    monkeypatch.setattr(harness, "environment", lambda home: {**usual(home), "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"})
    complete = {"name": "TaskUpdate", "input": {"taskId": "1", "status": "completed"}}
    listed = {"name": "TaskList", "input": {}}
    turns = [
        {"name": "TaskCreate", "input": {"subject": "Write it", "description": "all of it"}},
        complete,
        listed,
        bash("touch ok"),
        complete,
        listed,
        "Done.",
    ]
    run = drive(project, "go", turns=turns, arguments=ALLOWED)
    results = [text for text, _ in run.prompts()[-1].tool_results]
    assert results[1:3] == ["TaskCompleted hook feedback:\ntest -f ok fails (exit 1).", "#1 [pending] Write it"]
    assert results[4:] == ["Updated task #1 status", "#1 [completed] Write it"]
    assert run.faults() == []

"""What a person gets from the hooks in the real client: not what hookkit prints, but what then happens."""

import json
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import ROOT
from .harness import Run, bash, home_of, trust, wire, write

Drive = Callable[..., Run]

FIELDS: dict[str, Any] = {"description": "Run the tests", "timeout": 60000}
ALLOWED = ("--allowedTools", "Bash")
IN_PACKAGE = "cd api && pytest -q 2>&1 | tail -20"
NOTE = "The staging database is called heron."
MALFORMED = "this is [not toml\n"
SABOTAGE = """\
import sys

import hookkit.hooks.redirect
from hookkit.__main__ import main


def run(event, settings):
    raise RuntimeError("sabotage")


hookkit.hooks.redirect.run = run
sys.argv[1:] = ["redirect"]
main()
"""


def package(place: Path) -> Path:
    """A package that says who tested it: its Makefile or pytest itself."""
    write(place / "Makefile", "test:\n\t@touch by-make.txt\n")
    write(place / "test_trace.py", "def test_trace():\n    open('by-pytest.txt', 'x').close()\n")
    return place


def who_tested(place: Path) -> list[str]:
    return sorted(path.name for path in place.glob("by-*.txt"))


def ran(project: Path) -> Any:
    """The input of the tool as it really ran: only PostToolUse sees it, the model sees what it wrote."""
    return json.loads((project / "ran.json").read_text())["tool_input"]


def keep_input(project: Path) -> str:
    """The hook command that `ran` reads from; the client may start it in any directory of the project."""
    return f"cat > {shlex.quote(str(project / 'ran.json'))}"


def test_a_redirect_runs_the_other_command_with_every_field_kept(drive: Drive, project: Path) -> None:
    """`pytest -q` runs as `make test` without a permission prompt, its description and timeout intact."""
    package(project)
    wire(project, PreToolUse="hookkit redirect", PostToolUse=keep_input(project))
    run = drive(project, "test it", turns=[bash("pytest -q", **FIELDS), "done"])
    assert who_tested(project) == ["by-make.txt"]
    assert ran(project) == {"command": "make test", **FIELDS}
    assert run.faults() == []


def test_a_redirect_follows_cd_into_a_package_and_keeps_the_pipe(drive: Drive, project: Path) -> None:
    """In a monorepo the package's own Makefile runs, and the rest of the line stays as it was written."""
    package(project)
    package(project / "api")
    wire(project, PreToolUse="hookkit redirect", PostToolUse=keep_input(project))
    turns = [bash(IN_PACKAGE, **FIELDS), "done"]
    run = drive(project, "test it", turns=turns, arguments=ALLOWED)
    assert (who_tested(project), who_tested(project / "api")) == ([], ["by-make.txt"])
    assert ran(project) == {"command": "cd api && make test 2>&1 | tail -20", **FIELDS}
    assert run.faults() == []


def test_a_line_that_hookkit_did_not_write_whole_needs_the_persons_leave(drive: Drive, project: Path) -> None:
    """A redirect inside a longer line claims no `allow`: without a rule for Bash the client refuses it."""
    package(project / "api")
    wire(project, PreToolUse="hookkit redirect")
    run = drive(project, "test it", turns=[bash(IN_PACKAGE), "done"])
    [reply] = run.replies("PreToolUse:Bash")
    assert "permissionDecision" not in reply["hookSpecificOutput"]
    assert who_tested(project / "api") == []
    [(_, is_error)] = run.prompts()[-1].tool_results
    assert is_error
    assert run.faults() == []


def test_a_nudge_reaches_the_model_and_the_person(drive: Drive, project: Path) -> None:
    """The client shows a `systemMessage` to the person alone, so the nudge is in the model's context too."""
    wire(project, UserPromptSubmit="hookkit nudge")
    run = drive(project, "improve the error handling")
    [reply] = run.replies("UserPromptSubmit")
    assert "@improve" in reply["systemMessage"]
    assert reply["hookSpecificOutput"]["additionalContext"] in run.prompts()[0].added
    assert "@improve" in run.prompts()[0].added
    assert run.faults() == []


def test_local_notes_reach_the_model_again_after_a_compaction(drive: Drive, project: Path) -> None:
    """LOCAL.md is sent once with the first prompt, steers the summary, and is sent once after it."""
    write(project / "LOCAL.md", NOTE)
    wire(project, UserPromptSubmit="hookkit local", SessionStart="hookkit local", PreCompact="hookkit local")
    run = drive(project, "hello there", "and then?", "/compact", "what else?")
    [summary] = run.summaries()
    assert [prompt.added.count(NOTE) for prompt in run.prompts()] == [1, 1, 1]
    assert summary.said.count(NOTE) == 1
    assert run.faults() == []


def test_a_restore_note_carries_the_work_over_a_compaction(drive: Drive, project: Path) -> None:
    """After a compaction the model is told the last prompts and the last failure, which the summary lost."""
    wire(project, PreCompact="hookkit restore", SessionStart="hookkit restore")
    turns = [bash("ls nowhere"), "It failed.", "I go on."]
    run = drive(project, "rename heron to egret", "/compact", "go on", turns=turns, arguments=ALLOWED)
    after = run.prompts()[-1]
    assert "rename heron to egret" not in after.said
    assert "rename heron to egret" in after.added
    assert "ls nowhere" in after.added
    assert run.faults() == []


def test_a_restore_note_waits_for_a_resumed_session(drive: Drive, project: Path) -> None:
    """A note that no one took at the compaction reaches the model when the session starts again, and only then."""
    wire(project, PreCompact="hookkit restore")
    drive(project, "rename heron to egret", "/compact")
    wire(project, SessionStart="hookkit restore")
    resumed, again = (drive(project, "go on", arguments=("--continue",)) for _ in range(2))
    assert "rename heron to egret" in resumed.prompts()[0].added
    assert resumed.replies("SessionStart:resume") != []
    assert again.replies("SessionStart:resume") == []
    assert again.faults() == []


@pytest.mark.parametrize("own", [False, True])
def test_broken_settings_switch_nothing_off(drive: Drive, project: Path, own: bool) -> None:  # noqa: FBT001 - a case
    """A hookkit.toml that cannot be read is left out whole and named to the person; the redirect still runs."""
    package(project)
    path = home_of(project) / ".config" / "hookkit" / "hookkit.toml" if own else project / "hookkit.toml"
    write(path, MALFORMED)
    wire(project, PreToolUse="hookkit redirect")
    run = drive(project, "test it", turns=[bash("pytest -q"), "done"])
    assert (run.exit_code, who_tested(project)) == (0, ["by-make.txt"])
    [reply] = run.replies("PreToolUse:Bash")
    assert str(path) in reply["systemMessage"]
    assert (run.hook_trouble(), len(run.swallowed())) == ([], 1)


def test_a_crash_in_a_hook_leaves_the_run_untouched(drive: Drive, project: Path) -> None:
    """The person is told of a bug, and the tool runs as the model wrote it."""
    package(project)
    script = write(project / ".claude" / "sabotage.py", SABOTAGE)
    wire(project, PreToolUse=f"{sys.executable} {script}", PostToolUse=keep_input(project))
    turns = [bash("pytest -q", **FIELDS), "done"]
    run = drive(project, "test it", turns=turns, arguments=ALLOWED)
    assert (run.exit_code, who_tested(project)) == (0, ["by-pytest.txt"])
    assert ran(project) == {"command": "pytest -q", **FIELDS}
    assert [set(reply) for reply in run.replies("PreToolUse:Bash")] == [{"systemMessage"}]
    [(result, is_error)] = run.prompts()[-1].tool_results
    assert ("1 passed" in result, is_error) == (True, False)
    assert (run.hook_trouble(), len(run.swallowed())) == ([], 1)


def test_learn_leaves_a_report_when_the_session_ends(drive: Drive, project: Path) -> None:
    """The client allows SessionEnd hooks little time, and the report is still written whole."""
    wire(project, SessionEnd="hookkit learn")
    run = drive(project, "rename heron to egret")
    [report] = (run.config / "flow-reports").glob("*.md")
    assert "rename heron to egret" in report.read_text()
    assert run.faults() == []


def test_the_example_settings_carry_a_whole_session(drive: Drive, project: Path) -> None:
    """settings.example.json as it is shipped: every event is answered and the client finds no fault."""
    package(project)
    write(project / "LOCAL.md", NOTE)
    shutil.copy(ROOT / "settings.example.json", write(project / ".claude" / "settings.json", ""))
    trust(project)
    turns = [bash("pytest -q", **FIELDS), "done"]
    run = drive(project, "improve the error handling", "/compact", "what else?", turns=turns)
    assert run.faults() == []
    assert who_tested(project) == ["by-make.txt"]
    assert {"SessionStart", "UserPromptSubmit", "PreToolUse", "PreCompact", "SessionEnd"} <= set(run.fired())


def test_the_harness_sees_a_hook_that_fails(drive: Drive, project: Path) -> None:
    """A status, a reply that breaks the schema, half a JSON: each counts, or "no trouble" proves nothing."""
    wrong = """echo '{"hookSpecificOutput": {"hookEventName": "SessionEnd"}}'"""
    wire(project, SessionStart="exit 3", UserPromptSubmit="echo '{half'", Stop="true", SessionEnd=wrong)
    trouble = "\n".join(drive(project, "hello").hook_trouble())
    assert "SessionStart:startup [exit 3] finished with status 3" in trouble
    assert "Hook output starts with { but is not a JSON object" in trouble
    assert "Hook JSON output validation failed" in trouble
    assert "Stop [true]" not in trouble

"""init, doctor, trial and the plugin in the real client: hookkit off the PATH, wired by nothing but these commands."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookkit.events import EVENTS
from tests.conftest import HOOKKIT

from .harness import STUB, Run, bash, environment, home_of, set_stage, walled, write

Drive = Callable[..., Run]
ALLOWED = ("--allowedTools", "Bash", "Agent")
AGENT = {"name": "Agent", "input": {"description": "look", "prompt": "look", "subagent_type": "general-purpose"}}
# Events of one session without a person. The others need a dialog, a teammate, a failing model or a minute of idling.
PROVOKED = {
    "SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PostToolUse", "PostToolUseFailure",
    "SubagentStart", "SubagentStop", "PreCompact", "Stop", "SessionEnd",
}  # fmt: skip


def call(project: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """A command of hookkit in the home of the client, with a PATH that does not know hookkit."""
    environ = {**environment(home_of(project)), "PATH": os.defpath}
    return subprocess.run([HOOKKIT, *words], cwd=project, env=environ, capture_output=True, text=True, check=False)


@pytest.fixture
def off_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client's own PATH does not know hookkit either."""
    from . import harness

    usual = harness.environment
    monkeypatch.setattr(harness, "environment", lambda home: {**usual(home), "PATH": os.defpath})


def doctor(project: Path, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(call(project, "doctor", "--agent", "claude", "-o", "json", *words).stdout)
    return found


@pytest.mark.usefixtures("off_path")
def test_a_fresh_project_is_guarded_after_init(drive: Drive, project: Path) -> None:
    """Every event that a session without a person can provoke reaches the ledger, and doctor finds nothing."""
    write(project / ".claude" / "commands" / "hello.md", "Say hello.")
    assert call(project, "init", "--agent", "claude", "--yes").returncode == 0
    turns = [bash("rm -rf ~"), bash("ls"), bash("ls nowhere"), AGENT, "looked", "done", "hello", "summed up"]
    run = drive(project, "go", "/hello", "/compact", turns=turns, arguments=ALLOWED)
    denied, *_ = run.prompts()[-1].tool_results or run.prompts()[3].tool_results
    assert run.faults() == []
    assert "whole home directory" in denied[0]
    rows = call(project, "ledger", "export").stdout.splitlines()
    assert {json.loads(row)["body"]["event"] for row in rows} >= PROVOKED
    assert [each["id"] for each in doctor(project)["problems"] if each["severity"] != "note"] == []


@pytest.mark.usefixtures("off_path")
def test_a_lost_hookkit_is_told_to_the_person(drive: Drive, project: Path) -> None:
    """hookkit goes away after init: the session works, every call says so, and doctor names the cause."""
    call(project, "init", "--agent", "claude", "--yes")
    script = home_of(project) / ".local" / "share" / "hookkit" / "hook"
    script.write_text(script.read_text().replace(HOOKKIT, "/gone/hookkit"))
    run = drive(project, "go", turns=[bash("ls"), bash("ls"), "done"], arguments=ALLOWED)
    told = [row for row in run.stream if "hookkit is off" in row.get("stdout", "")]
    assert [row["hook_event"] for row in told] == ["SessionStart", "UserPromptSubmit", "PreToolUse", "PreToolUse"]
    assert run.faults() == []
    ids = {each["id"] for each in doctor(project)["problems"]}
    assert {"launcher.missing", "live.silent"} <= ids
    assert {each["id"] for each in doctor(project, "--fix")["mended"]} == {"launcher.missing"}
    assert "launcher.missing" not in {each["id"] for each in doctor(project)["problems"]}


@pytest.mark.usefixtures("off_path")
def test_a_lost_hookkit_refuses_calls_if_closed(drive: Drive, project: Path) -> None:
    call(project, "init", "--agent", "claude", "--fail-closed", "--yes")
    script = home_of(project) / ".local" / "share" / "hookkit" / "hook"
    script.write_text(script.read_text().replace(HOOKKIT, "/gone/hookkit"))
    run = drive(project, "go", turns=[bash("touch ran.txt"), "done"], arguments=ALLOWED)
    [(said, is_error)] = run.prompts()[-1].tool_results
    assert is_error
    assert "hookkit cannot check this call: /gone/hookkit is missing" in said
    assert not (project / "ran.txt").exists()


# Events beyond those that `init` wires by itself, provoked by one session without a person.
FURTHER = {
    "InstructionsLoaded", "CwdChanged", "PostCompact", "MessageDisplay", "PostToolBatch", "TaskCreated",
    "TaskCompleted", "WorktreeCreate",
}  # fmt: skip


@pytest.mark.usefixtures("off_path")
def test_a_handler_of_every_event_fires_after_hook_add_alone(drive: Drive, project: Path) -> None:
    """`init` wires 18 events; `hook add` wires the others as a handler asks for them."""
    call(project, "init", "--agent", "claude", "--yes")
    fired = home_of(project) / "fired"
    fired.mkdir()
    for event in EVENTS:
        done = call(project, "hook", "add", event, "--command", f"touch {fired}/{event}", "--name", event)
        assert done.returncode == 0, done.stderr
    write(project / "CLAUDE.md", "Be brief.\n")
    (project / "below").mkdir()
    task = {"name": "TaskCreate", "input": {"subject": "look", "description": "look", "activeForm": "looking"}}
    finish = {"name": "TaskUpdate", "input": {"taskId": "1", "status": "completed"}}
    tree = {"name": "EnterWorktree", "input": {"name": "w"}}
    turns = [bash("cd below && pwd"), bash("false"), task, finish, tree, AGENT, "part", "done", "summary"]
    run = drive(
        project, "go", "/compact", turns=turns, arguments=(*ALLOWED, "TaskCreate", "TaskUpdate", "EnterWorktree")
    )
    seen = {path.name for path in fired.iterdir()}
    assert (PROVOKED - {"UserPromptExpansion"} | FURTHER) - seen == set()
    assert run.faults() == []


@pytest.mark.parametrize("body", ["sleep 30", "kill -9 $$", "exit 1", "echo '{\"decision\": 5}'"])
@pytest.mark.usefixtures("off_path")
def test_a_late_or_killed_hookkit_refuses_calls_if_closed(body: str, drive: Drive, project: Path) -> None:
    """Claude Code's own onFailure: the hook takes too long, dies, fails, or breaks the schema of a reply."""
    call(project, "init", "--agent", "claude", "--fail-closed", "--yes")
    settings = home_of(project) / "config" / "settings.json"
    value = json.loads(settings.read_text())
    row = value["hooks"]["PreToolUse"][0]["hooks"][0]
    row |= {"command": body, "timeout": 2}
    settings.write_text(json.dumps(value))
    run = drive(project, "go", turns=[bash("touch ran.txt"), "done"], arguments=ALLOWED)
    [(said, is_error)] = run.prompts()[-1].tool_results
    assert is_error
    assert 'blocking because onFailure is "block"' in said
    assert not (project / "ran.txt").exists()


@pytest.mark.usefixtures("off_path")
def test_a_lost_launcher_refuses_calls_if_closed(drive: Drive, project: Path) -> None:
    """Without the script itself, the client's own onFailure holds the call."""
    call(project, "init", "--agent", "claude", "--fail-closed", "--yes")
    (home_of(project) / ".local" / "share" / "hookkit" / "hook").unlink()
    drive(project, "go", turns=[bash("touch ran.txt"), "done"], arguments=ALLOWED)
    assert not (project / "ran.txt").exists()


@pytest.mark.usefixtures("off_path")
def test_what_the_client_shows_of_a_hook_is_short(drive: Drive, project: Path) -> None:
    """The client puts the wired command before the person and the model: a path, no shell."""
    call(project, "init", "--agent", "claude", "--yes")
    run = drive(project, "go", "/compact", turns=[bash("ls"), "done", "summed up"], arguments=ALLOWED)
    shown = json.dumps(run.stream) + "".join(request.said + request.added for request in run.requests)
    assert "-ES" not in shown
    assert "[ -x" not in shown
    assert run.faults() == []


@pytest.mark.usefixtures("off_path")
def test_a_plugin_guards_and_passes_the_clients_own_check(drive: Drive, client: Path, project: Path) -> None:
    """The client validates the plugin; with the program in ~/.local/bin, a session with it is guarded."""
    where = project.parent / "plugin"
    assert call(project, "plugin", str(where)).returncode == 0
    environ = environment(home_of(project))
    done = subprocess.run(
        [client, "plugin", "validate", str(where)], env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    program = home_of(project) / ".local" / "bin" / "hookkit"
    program.parent.mkdir(parents=True)
    program.symlink_to(HOOKKIT)
    run = drive(project, "go", turns=[bash("rm -rf ~"), "done"], arguments=(*ALLOWED, "--plugin-dir", str(where)))
    [(said, is_error)] = run.prompts()[-1].tool_results
    assert is_error
    assert "whole home directory" in said


def test_a_trial_holds_for_one_session(client: Path, project: Path) -> None:
    """The session is guarded, and no settings file was written."""
    stage = set_stage(project, [bash("rm -rf ~"), "done"])
    trial = (HOOKKIT, "trial", "--", str(client), "-p", "go", *ALLOWED)
    command = walled(sys.executable, str(STUB), str(stage.script), str(stage.record), *trial)
    subprocess.run(command, cwd=project, env=stage.env, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    [(said, is_error)] = stage.report(0).prompts()[-1].tool_results
    assert is_error
    assert "whole home directory" in said
    assert not (home_of(project) / "config" / "settings.json").exists()

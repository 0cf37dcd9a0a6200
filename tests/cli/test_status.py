"""hookkit status, set, pause and allow, as a person calls them."""

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

from hookkit.settings import pause
from hookkit.settings.keys import BY_NAME
from tests.cli.conftest import Command
from tests.conftest import Run


def bash(project: Path, command: str, **more: Any) -> dict[str, Any]:
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_use_id": command, "cwd": str(project)}
    return {**event, "tool_name": "Bash", "tool_input": {"command": command}, **more}


@pytest.fixture
def settings(home: Path) -> Path:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text('# mine\n[policy]\napprove = "reads"  # calm\n')
    return path


# -- status ----------------------------------------------------------------------------------------------------------


def test_status_fits_a_small_terminal_and_says_all(hookkit: Run, home: Path, project: Path) -> None:
    (home / ".claude").mkdir()
    environ = {**os.environ, "PATH": "/usr/bin:/bin", "COLUMNS": "80"}
    hookkit("init", "--agent", "claude", "--yes", cwd=project, env=environ)
    hookkit("run", stdin=bash(project, "rm -rf ~"), cwd=project)
    hookkit("run", stdin=bash(project, "ls"), cwd=project)
    lines = hookkit("status", cwd=project, env=environ).stdout.decode().splitlines()
    assert lines[0].endswith(" is on")
    rows = {line[:12].strip(): line[13:] for line in lines}
    assert rows["Claude Code"] == "17 hooks in ~/.claude/settings.json"
    assert rows["today"] == "2 calls: 1 stopped"
    assert ": nothing to trust" in " ".join(line.strip() for line in lines)
    assert max(map(len, lines)) <= 80
    assert len(lines) < 24


def test_status_names_a_problem_with_its_fix_and_exits_1(hookkit: Run, home: Path, project: Path) -> None:
    (home / ".claude").mkdir()
    done = hookkit("status", "-o", "json", cwd=project, env={**os.environ, "PATH": "/nowhere"})
    [problem] = json.loads(done.stdout)["problems"]
    assert (done.returncode, problem["id"], problem["fix"]) == (1, "wiring.none", "run: hookkit init --agent claude")


def test_status_says_that_a_project_is_not_trusted(hookkit: Run, project: Path) -> None:
    (project / "Makefile").write_text("test:\n\ttrue\n")
    assert json.loads(hookkit("status", "-o", "json", cwd=project).stdout)["trust"] == "no"
    hookkit("trust", cwd=project)
    assert json.loads(hookkit("status", "-o", "json", cwd=project).stdout)["trust"] == "yes"


def test_status_names_the_file_that_waits_for_trust(hookkit: Run, project: Path) -> None:
    (project / "hookkit.toml").write_text('[gate]\npromise = "make test"\n')
    messages = [row["message"] for row in json.loads(hookkit("status", "-o", "json", cwd=project).stdout)["problems"]]
    assert any(message.startswith("hookkit.toml is not trusted: ") for message in messages)


# -- set -------------------------------------------------------------------------------------------------------------


def test_set_keeps_comments_and_order(command: Command, settings: Path) -> None:
    done = command("set", "undo.enabled", "on")
    assert (done.code, done.out) == (0, "undo.enabled = true in ~/.config/hookkit/hookkit.toml\n")
    command("set", "policy.approve", "work")
    text = '# mine\n[policy]\napprove = "work"  # calm\n'
    assert settings.read_text() == f"{text}\n[undo]\nenabled = true\n"


def test_a_list_takes_items_in_and_out(command: Command, settings: Path) -> None:
    command("set", "policy.off", "+delete.home")
    command("set", "policy.off", "+git.force-push")
    assert 'off = ["delete.home", "git.force-push"]' in settings.read_text()
    assert command("set", "policy.off", "-delete.home").code == 0
    wrong = command("set", "policy.off", "+delete.hom")
    assert wrong.code != 0
    assert "there is no rule delete.hom; did you mean delete.home?" in " ".join(wrong.err.split())
    assert 'off = ["git.force-push"]' in settings.read_text()


def test_a_projects_setting_goes_to_the_project(command: Command, project: Path) -> None:
    done = command("set", "--project", "gate.commit", "true")
    assert (project / "hookkit.toml").read_text() == "[gate]\ncommit = true\n"
    assert "hookkit trust" in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("undo.enabeld", "true"), "no setting undo.enabeld: did you mean undo.enabled?"),
        (("undo.enabled", "maybe"), "undo.enabled takes true or false, not 'maybe'"),
        (("taint.mode", "loud"), "taint.mode takes off, ask, deny, not 'loud'"),
        (("budget.tokens", "many"), "budget.tokens takes a number, not 'many'"),
        (("nudge.enabled", "false"), "nudge.enabled is now a part of nudge.targets: hookkit set nudge.targets off"),
        (("sessions.agents", "true"), "is now a part of sessions.parts: hookkit set sessions.parts +status"),
        (("sessions.parts", "nots"), "sessions.parts: expected one of track, prompts, notes, files, "),
        (("rules", "x"), "rules has rows: write them in hookkit.toml yourself (hookkit validate checks them)"),
    ],
)
def test_a_wrong_value_is_refused_and_nothing_is_written(
    command: Command, settings: Path, words: tuple[str, ...], said: str
) -> None:
    before = settings.read_text()
    done = command("set", *words)
    assert (done.code, said in done.err, settings.read_text()) == (2, True, before)


def test_a_section_lists_its_settings(command: Command) -> None:
    lines = command("set", "redirect").out.splitlines()
    assert lines[0].split() == ["setting", "value", "what", "it", "is"]
    assert "redirect.allow" in {line.partition(" ")[0] for line in lines}
    assert not any(line.startswith("undo.") for line in lines)
    assert {line.partition(" ")[0] for line in command("set", "--all").out.splitlines()} >= {*BY_NAME}


def test_a_setting_that_does_not_exist_gets_its_own_section(command: Command) -> None:
    assert command("set", "guard.enabled", "false").err == "hookkit: no setting guard.enabled: [guard] has schemas\n"
    assert "hookkit set --all" in command("set", "nonsense", "1").err
    assert "did you mean policy.approve?" in command("set", "approve", "reads").err


def test_a_change_that_takes_a_gates_source_away_is_told(command: Command, settings: Path) -> None:
    settings.write_text(
        '[sessions]\nenabled = true\n[[rules]]\ntype = "approval_gate"\nconfig = { condition = "effort.x == 1" }\n'
    )
    done = command("set", "sessions.parts", "-track")
    assert done.code == 0
    said = "sessions are off, so nothing supplies effort; switch sessions on: hookkit set sessions.parts +track"
    assert said in done.err
    assert "supplies" not in command("set", "sessions.parts", "+track").err


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        ("[sessions]\nagents = true # mine\nenabled = true\n", "+notes", '["track", "status", "notes"]'),
        ('[sessions]\nparts = ["all"]\n', "-log", "all but log"),
        ("[sessions]\ncontext = true\n", "track", '["track"]'),
    ],
)
def test_a_choice_is_added_or_taken_away(command: Command, settings: Path, before: str, words: str, after: str) -> None:
    settings.write_text(before)
    parts = [word for word in BY_NAME["sessions.parts"].options if word not in ("all", "log")]
    assert command("set", "sessions.parts", words).code == 0
    wanted = json.dumps(parts) if after == "all but log" else after
    assert settings.read_text() == f"[sessions]\nparts = {wanted}\n"


def test_a_broken_file_is_named_and_left_alone(command: Command, settings: Path) -> None:
    settings.write_text("[policy\n")
    done = command("set", "undo.enabled", "true")
    assert (done.code, str(settings) in done.err, settings.read_text()) == (2, True, "[policy\n")


def test_an_agent_cannot_change_a_setting(command: Command, settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    before = settings.read_text()
    assert command("set", "policy.base", "false").code == 1
    assert settings.read_text() == before
    assert command("set", "policy.base").code == 0


def test_set_alone_shows_what_was_changed(command: Command, settings: Path) -> None:
    assert settings.exists()
    assert json.loads(command("set", "-o", "json").out) == {"policy.approve": "reads"}
    shown = command("set", "policy.approve").out
    assert shown.startswith('policy.approve = "reads"\n')
    assert 'By default "none".' in shown


# -- pause -----------------------------------------------------------------------------------------------------------


def test_a_pause_is_told_in_each_session_and_ends_by_itself(hookkit: Run, project: Path, command: Command) -> None:
    assert re.match(r"hookkit is paused until \d\d:\d\d: nothing is checked", command("pause", "30m").out)
    first = hookkit("run", stdin=bash(project, "rm -rf ~"))
    told = json.loads(first.stdout)
    assert set(told) == {"systemMessage"}
    assert told["systemMessage"].startswith("hookkit: paused until ")
    assert hookkit("run", stdin=bash(project, "rm -rf ~")).stdout == b""
    assert b"paused until" in hookkit("run", stdin=bash(project, "ls", session_id="other")).stdout
    rows = [json.loads(row) for row in hookkit("ledger", "export").stdout.splitlines()]
    assert len(rows) == 3, "a pause leaves no gap in the evidence"
    pause.begin(dict(os.environ), -1)
    assert b'"deny"' in hookkit("run", stdin=bash(project, "rm -rf ~")).stdout


def test_a_pause_can_be_ended(command: Command) -> None:
    command("pause", "1h")
    assert command("pause", "--end").out == "The pause is over: hookkit is on.\n"
    assert command("pause").out.startswith("hookkit is not paused.")


def test_a_file_that_claims_a_long_pause_does_not_count(home: Path) -> None:
    environ = dict(os.environ)
    pause.begin(environ, 10 * pause.LONGEST)
    assert home.exists()
    assert pause.until(environ, time.time()) == 0


@pytest.mark.parametrize("words", [["1h"], ["--end"]], ids=str)
def test_an_agent_cannot_pause(command: Command, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    done = command("pause", *words)
    assert (done.code, "only a person can pause hookkit" in done.err) == (1, True)


@pytest.mark.parametrize("text", ["1", "0m", "25h", "h", "-1h", "1d"])
def test_a_wrong_time_is_refused(command: Command, text: str) -> None:
    assert command("pause", "--", text).code == 2


# -- allow -----------------------------------------------------------------------------------------------------------


def test_allow_lists_what_waits_and_allows_one_call(hookkit: Run, project: Path, command: Command) -> None:
    hookkit("run", stdin=bash(project, "rm -rf ~"))
    [row] = json.loads(command("allow", "-o", "json").out)["stopped"]
    assert command("allow", row["id"]).out.startswith("Allowed once, for 10 minutes: rm -rf ~")
    assert b'"deny"' not in hookkit("run", stdin=bash(project, "rm -rf ~")).stdout
    assert command("allow", "nothing").code == 1

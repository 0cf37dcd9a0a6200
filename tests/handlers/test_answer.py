"""Handlers of one event: order, merging, limits, scopes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookkit.handlers import answer
from hookkit.policy.pattern import RENAMED
from hookkit.settings import layers
from tests.conftest import HOOKKIT, Run

from .making import denied, own, reply, row

Ask = Callable[..., Any]
LOG = ".local/state/hookkit/errors.log"


def test_a_command_handler_rejects(write: Callable[..., Path], ask: Ask) -> None:
    write(row(reply({"Reject": {"reason": "no"}}), matcher="Bash*"))
    assert own(ask()) == denied("no")
    assert ask(tool_name="Read", tool_input={"file_path": "/x"}) == ""


def test_in_sequence_each_handler_sees_the_input_as_rewritten_so_far(write: Callable[..., Path], ask: Ask) -> None:
    """And the rewrite of the last one arrives."""
    add = """python3 -c "
import json, sys
new = json.load(sys.stdin)['tool_input']
new['command'] += ' -%s'
print(json.dumps({'ModifyInput': {'new_input': new}}))
" """
    write(row(add % "s"), row(add % "b"))
    assert own(ask()) == {"updatedInput": {"command": "git status -s -b"}}


def test_a_rejection_stops_the_rest_of_a_sequence(write: Callable[..., Path], ask: Ask, project: Path) -> None:
    write(row("echo no >&2; exit 2"), row("touch ran"))
    assert own(ask()) == denied("no")
    assert not (project / "ran").exists()


def test_side_by_side_the_first_rejection_in_written_order_wins(write: Callable[..., Path], ask: Ask) -> None:
    """However long each of them takes."""
    slow = "sleep 0.3; " + reply({"Reject": {"reason": "first"}})
    write(row(slow, mode="parallel"), row(reply({"Reject": {"reason": "second"}}), mode="parallel"))
    assert own(ask()) == denied("first")


def test_side_by_side_the_first_rewrite_in_written_order_wins(write: Callable[..., Path], ask: Ask) -> None:
    slow = "sleep 0.3; " + reply({"updatedInput": {"command": "first"}})
    write(row(slow, mode="parallel"), row(reply({"updatedInput": {"command": "second"}}), mode="parallel"))
    assert own(ask()) == {"updatedInput": {"command": "first"}}


def test_two_rows_with_the_same_handler_run_it_once(write: Callable[..., Path], ask: Ask, project: Path) -> None:
    write(row("echo x >> ran"), row("echo x >> ran", matcher="Bash"))
    ask()
    assert (project / "ran").read_text() == "x\n"


def test_a_rewritten_input_is_checked_against_the_schema_and_the_policy(write: Callable[..., Path], ask: Ask) -> None:
    write(row(reply({"updatedInput": {"command": 5}})))
    assert ask()["hookSpecificOutput"]["permissionDecision"] == "deny"
    write(row(reply({"updatedInput": {"command": "rm -rf ~"}})))
    assert ask()["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_only_managed_handlers_rewrite_if_so_set(write: Callable[..., Path], ask: Ask) -> None:
    write(row(reply({"updatedInput": {"command": "ls"}}), name="r"), top='rewrites = "policy"')
    assert "its rewrite was left out" in ask()["systemMessage"]


def test_handlers_work_on_a_redirected_command(write: Callable[..., Path], ask: Ask, project: Path) -> None:
    """The handler sees the rewrite of the hook before it, and its own rewrite replaces that one."""
    (project / "Makefile").write_text("test:\n\ttrue\n")
    add = """python3 -c "
import json, sys
new = json.load(sys.stdin)['tool_input']
new['command'] += ' -k'
print(json.dumps({'ModifyInput': {'new_input': new}}))
" """
    write(row(add))
    assert own(ask(tool_input={"command": "pytest"}))["updatedInput"] == {"command": "make test -k"}


def test_an_error_lets_the_call_go_on_and_is_told_and_logged(write: Callable[..., Path], ask: Ask, home: Path) -> None:
    write(row("echo oops >&2; exit 3", name="checker"))
    told = "hookkit: the handler 'checker' (hookkit.toml, failed): exited with 3: oops"
    assert ask() == {"systemMessage": told}
    assert ask() == "", "the person is told once a session"
    assert (home / LOG).read_text().count("exited with 3: oops") == 2


def test_a_failure_rejects_if_the_row_says_so(write: Callable[..., Path], ask: Ask) -> None:
    write(row("exit 3", name="checker", on_failure="reject"))
    assert own(ask()) == denied("checker failed: exited with 3")


def test_a_handler_over_its_limit_is_cancelled_and_others_count(write: Callable[..., Path], ask: Ask) -> None:
    write(row("sleep 30", name="slow", timeout_sec=0.3, on_failure="reject"), row("exit 2"))
    answer = ask()
    assert own(answer)["permissionDecision"] == "deny"
    assert "'slow' (hookkit.toml, cancelled): took longer than 0.3 s" in answer["systemMessage"]


def test_once_is_once_a_session_and_released_after_a_failure(
    write: Callable[..., Path], ask: Ask, project: Path
) -> None:
    write(row("echo x >> ran; test -e fine", once=True))
    ask()
    ask()
    assert (project / "ran").read_text() == "x\nx\n", "it failed both times"
    (project / "fine").touch()
    ask()
    ask()
    ask(session="other")
    assert (project / "ran").read_text() == "x\nx\nx\nx\n"


def test_three_failures_in_a_row_rest_a_handler(write: Callable[..., Path], ask: Ask, project: Path) -> None:
    write(row("echo x >> ran; exit 1", name="broken"))
    said = [ask() for _ in range(5)]
    assert (project / "ran").read_text() == "x\nx\nx\n"
    assert "it rests for 5 minutes" in said[2]["systemMessage"]
    skipped = "hookkit: the handler 'broken' did not run: it rests for 5 more minutes after 3 failures in a row"
    assert [each["systemMessage"].partition(". ")[0] for each in said[3:]] == [skipped, skipped]


def rest(write: Callable[..., Path], ask: Ask, text: str) -> Path:
    path = write(text)
    for _ in range(3):
        ask()
    assert "did not run" in ask()["systemMessage"]
    return path


def test_a_handler_at_rest_runs_again_once_its_file_is_mended(
    write: Callable[..., Path], ask: Ask, project: Path
) -> None:
    script = project / "check.sh"
    script.write_text("exit 1\n")
    rest(write, ask, row(f"sh {script}", name="check"))
    script.write_text("echo no >&2; exit 2\n")
    assert own(ask()) == denied("no")


def test_a_handler_at_rest_runs_again_once_its_settings_change(write: Callable[..., Path], ask: Ask) -> None:
    path = rest(write, ask, row("test -e /nonexistent", name="check"))
    path.write_text(path.read_text() + "\n# looked at\n")
    assert "exited with 1" in ask(session="other")["systemMessage"]


def test_hook_wake_ends_a_rest(write: Callable[..., Path], ask: Ask, hookkit: Any, project: Path) -> None:
    rest(write, ask, row("exit 1", name="check"))
    assert hookkit("hook", "wake", "check", cwd=project).stdout.decode() == "check runs again.\n"
    assert "exited with 1" in ask(session="other")["systemMessage"]
    assert hookkit("hook", "wake", "check", cwd=project).stdout.decode() == "check was not at rest.\n"
    assert hookkit("hook", "wake", "chekc", cwd=project).returncode == 1


def test_a_check_that_asks_on_failure_asks_each_time_and_never_rests(write: Callable[..., Path], ask: Ask) -> None:
    write(row("exit 1", name="guard", on_failure="ask"))
    reason = "guard failed: exited with 1. Its check did not happen: look at the call yourself"
    asked = {"permissionDecision": "ask", "permissionDecisionReason": reason}
    assert [own(ask()) for _ in range(5)] == [asked] * 5


def test_a_check_that_asks_on_failure_asks_when_its_time_runs_out(write: Callable[..., Path], ask: Ask) -> None:
    write(row("sleep 30", name="slow", timeout_sec=0.2, on_failure="ask"))
    assert own(ask())["permissionDecision"] == "ask"


def test_only_a_call_is_asked_about_on_failure(write: Callable[..., Path], ask: Ask) -> None:
    """A stop that asks would hold the agent for ever."""
    write(row("exit 1", event="Stop", name="guard", on_failure="ask"))
    assert "decision" not in ask("Stop")


def test_a_success_between_failures_starts_the_count_again(write: Callable[..., Path], ask: Ask, project: Path) -> None:
    write(row("echo x >> ran; ! test -e broken"))
    for number in range(6):
        (project / "broken").unlink(missing_ok=True) if number == 2 else (project / "broken").touch()
        ask()
    assert (project / "ran").read_text() == "x\n" * 6


@pytest.mark.parametrize(
    ("matcher", "tool", "is_meant"),
    [
        ("Bash", "Bash", True), ("Bash", "BashOutput", False), ("bash", "Bash", False),
        ("Bash*", "BashOutput", True), ("*", "Read", True), ("", "Read", True),
        ("Write|Read", "Read", True), ("Write|Read", "Edit", False), ("^Ba|Read", "Bash", False),
        ("^Bash.*", "BashOutput", True), ("mcp__.*", "mcp__s__t", True), ("Task", "Agent", True),
    ],
)  # fmt: skip
def test_the_five_kinds_of_matcher(
    write: Callable[..., Path], ask: Ask, matcher: str, tool: str, *, is_meant: bool
) -> None:
    write(row("exit 2", event="PostToolUse", matcher=matcher))
    assert bool(ask("PostToolUse", tool_name=tool)) is is_meant


def test_if_is_a_rule_pattern_about_the_command(write: Callable[..., Path], ask: Ask) -> None:
    write(row("exit 2").replace("\n", '\nif = "Bash(git push *)"\n', 1))
    assert ask() == ""
    assert own(ask(tool_input={"command": "cd x && git push origin"}))["permissionDecision"] == "deny"


def test_a_matcher_of_another_event_is_about_its_field(write: Callable[..., Path], ask: Ask) -> None:
    write(row("echo hello", event="SessionStart", matcher="resume"))
    assert ask("SessionStart", source="startup") == ""
    assert own(ask("SessionStart", source="resume"))["additionalContext"] == "hello"


def test_the_environment_of_a_program(write: Callable[..., Path], ask: Ask, project: Path) -> None:
    write(row('echo "$HOOK_EVENT $HOOK_TOOL_NAME $HOOK_SESSION_ID $CLAUDE_PROJECT_DIR" > seen'))
    ask(session="s\0s")
    assert (project / "seen").read_text() == f"PreToolUse Bash ss {project}\n"


def test_continue_false_ends_the_turn(write: Callable[..., Path], ask: Ask) -> None:
    write(row(reply({"continue": False, "stopReason": "enough"})))
    assert ask() == {"continue": False, "stopReason": "enough"}


def test_the_switches(write: Callable[..., Path], ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Handlers of the managed file run whatever other files say."""
    managed = tmp_path / "managed.toml"
    monkeypatch.setattr(layers, "MANAGED", str(managed))
    managed.write_text(row(reply({"additionalContext": "policy"})))
    mine = row(reply({"additionalContext": "mine"}))
    for top, expected in (
        ("", "policy\n\nmine"),
        ("disable_all_hooks = true", "policy"),
        ("allow_managed_hooks_only = true", "policy"),
        ("nonsense = [", "policy"),
    ):
        write(mine, top=top)
        assert own(ask())["additionalContext"] == expected, top
    managed.write_text("disable_all_hooks = true\n" + managed.read_text())
    write(mine)
    assert ask() == ""


def test_a_strangers_project_runs_nothing_before_trust(ask: Ask, project: Path, hookkit: Any) -> None:
    (project / "hookkit.toml").write_text(row("touch ran"))
    ask()
    assert not (project / "ran").exists()
    assert hookkit("trust", cwd=project).returncode == 0
    ask()
    assert (project / "ran").exists()


def test_the_ledger_has_every_run(write: Callable[..., Path], ask: Ask, hookkit: Any) -> None:
    evidence = {"kind": "review", "data": {"by": "ann"}}
    write(
        row("sleep 0.2; " + reply({"decision": "allow", "evidence": evidence}), name="good"),
        row("exit 1", name="broken"),
        row("exit 2", name="no"),
    )
    ask()
    card = hookkit("ledger", "show", "1").stdout.decode()
    assert "broken  failed" in card
    shown = json.loads(hookkit("ledger", "show", "1", "-o", "json").stdout)
    assert shown["handlers"][0]["ms"] >= 200
    runs = [{name: value for name, value in run.items() if name != "ms"} for run in shown["handlers"]]
    assert runs == [
        {"name": "good", "kind": "command", "outcome": "success", "evidence": evidence},
        {"name": "broken", "kind": "command", "outcome": "non_blocking_error", "problem": "exited with 1"},
        {"name": "no", "kind": "command", "outcome": "blocking"},
    ]


def test_the_older_names_of_tools_are_those_of_the_policy() -> None:
    assert {old: new for new, olds in answer.OLD.items() for old in olds} == RENAMED


def test_simulate_shows_the_progress_of_handlers(write: Callable[..., Path], hookkit: Any, project: Path) -> None:
    write(row("exit 1", name="broken"), row("true", name="fine"))
    done = hookkit("simulate", "--tool", "Bash", "--args", "git status", cwd=project)
    lines = [line.split(", ")[0] for line in done.stderr.decode().splitlines()]
    assert lines[:4] == ["… broken", "✗ broken  failed", "… fine", "✓ fine  ran"]


@pytest.mark.parametrize("at", ["status_message = 'Asking the heron'\n{}", "{}status_message = 'Asking the heron'\n"])
def test_a_person_who_waits_reads_the_status_message(
    at: str, write: Callable[..., Path], hookkit: Any, project: Path
) -> None:
    """Custom status message shown during hook execution, beside the event or in the table of the command."""
    table = '[hooks.command]\ncommand = "true"\n'
    write(f'[[hooks]]\nevent = "PreToolUse"\nname = "fine"\n{at.format(table)}')
    done = hookkit("simulate", "--tool", "Bash", "--args", "git status", cwd=project)
    lines = [line.split(", ")[0] for line in done.stderr.decode().splitlines()]
    assert lines[:2] == ["… Asking the heron", "✓ fine  ran"]


def test_kinds_of_handlers_run_side_by_side(write: Callable[..., Path], ask: Ask) -> None:
    """Programs beside a function and a webhook, each of which takes a second: together they take little more."""
    sleeper = "import time\ndef f(event):\n    time.sleep(1)\n    return {'additionalContext': 'function'}\n"
    inline = '[[hooks]]\nevent = "PreToolUse"\nmode = "parallel"\n[hooks.inline]\nfunction = "checks.py:f"\n'
    commands = [row(f'sleep 1; echo \'{{"additionalContext": "{name}"}}\'', mode="parallel") for name in "ab"]
    path = write(commands[0], inline, commands[1])
    (path.parent / "checks.py").write_text(sleeper)
    assert own(ask()) == {"additionalContext": "a\n\nfunction\n\nb"}


# -- hookkit as a handler of hookkit: no process calls itself without end ----------------------------------------------


EVENT = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "hello there"}


def handler(home: Path, command: str) -> None:
    path = home / ".config" / "cocode" / "hooks.toml"
    path.parent.mkdir(parents=True)
    row = f'[[hooks]]\nevent = "UserPromptSubmit"\ntimeout_sec = 5\n[hooks.shell]\ncommand = {json.dumps(command)}\n'
    path.write_text(row)


def test_hookkit_wired_for_cocode_is_no_handler_of_its_own(hookkit: Run, home: Path, project: Path) -> None:
    """`hookkit init --agent cocode` writes to a file that hookkit reads for handlers too."""
    assert hookkit("init", "--agent", "cocode", "--yes", cwd=project).returncode == 0
    done = hookkit("run", stdin={**EVENT, "cwd": str(project)}, cwd=project)
    assert (done.returncode, done.stdout) == (0, b"")
    assert hookkit("errors").returncode == 0
    assert json.loads(hookkit("hook", "list", "-o", "json", cwd=project).stdout) == []
    again = hookkit("init", "--agent", "all", "--yes", cwd=project)
    assert (again.returncode, again.stderr) == (0, b""), "no agent is said to lack events of handlers that nobody has"


def test_a_program_that_calls_hookkit_runs_no_handlers(hookkit: Run, home: Path, project: Path) -> None:
    """A script around hookkit is called once: the hookkit inside answers without handlers."""
    calls = project / "calls"
    script = project / "around.sh"
    script.write_text(f'#!/bin/sh\necho x >> {calls}\nexec {HOOKKIT} "$@"\n')
    script.chmod(0o755)
    handler(home, f"{script} run")
    hookkit("run", stdin={**EVENT, "cwd": str(project)}, cwd=project)
    assert calls.read_text() == "x\n"

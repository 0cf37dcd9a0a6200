"""Rules of type command: a program of the user's own judges the call."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from hookkit.pipeline import Invocation


def answer(project: Path, home: Path, run: str, *words: str, timeout: int = 10) -> Any:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    rule = f'[[rules]]\ntype = "command"\nmatch = "Bash(git *)"\nrun = {json.dumps(run)}\ntimeout = {timeout}\n'
    path.write_text(rule)
    event = {"tool_name": "Bash", "tool_input": {"command": "git push", "timeout": 5}, "cwd": str(project)}
    call = Invocation("guard", [*words], dict(os.environ))
    text = call.answer(json.dumps(event).encode())
    return json.loads(text).get("hookSpecificOutput") if text else None


def decided(verdict: str, reason: str) -> dict[str, str]:
    return {"hookEventName": "PreToolUse", "permissionDecision": verdict, "permissionDecisionReason": reason}


def test_silence_is_no_opinion(project: Path, home: Path) -> None:
    assert answer(project, home, "true") is None


def test_exit_2_denies_with_what_stands_on_stderr(project: Path, home: Path) -> None:
    assert answer(project, home, "echo not today >&2; exit 2") == decided("deny", "not today")


def test_what_it_prints_decides(project: Path, home: Path) -> None:
    assert answer(project, home, """echo '{"decision": "ask", "reason": "sure?"}'""") == decided("ask", "sure?")


def test_it_may_change_the_input(project: Path, home: Path) -> None:
    own = answer(project, home, """echo '{"modified_input": {"command": "git fetch", "timeout": 5}}'""")
    assert own == {"hookEventName": "PreToolUse", "updatedInput": {"command": "git fetch", "timeout": 5}}


def test_it_gets_the_event_and_the_actor_and_runs_where_the_call_would(project: Path, home: Path) -> None:
    run = """cat > seen.json"""
    assert answer(project, home, run, "--actor", "agent:x") is None
    seen = json.loads((project / "seen.json").read_text())
    assert (seen["tool_input"]["command"], seen["actor"]) == ("git push", "agent:x")


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ("exit 3", "exit 3: exited with 3"),
        ("echo '{nonsense'", "the reply is not JSON"),
        ("echo '[]'", """echo '[]': the reply is a list; expected an object or "Continue\""""),
        (
            """echo '{"decision": 5}'""",
            "decision: expected allow, ask, deny or block, not 5",
        ),
        ("""echo '{"desicion": "deny"}'""", "unknown field 'desicion' in the reply (did you mean decision?)"),
        ("sleep 30", "sleep 30: took longer than 1 s"),
    ],
)
def test_a_failure_is_logged_and_answered_as_on_error_says(project: Path, home: Path, run: str, said: str) -> None:
    assert answer(project, home, run, timeout=1) is None
    log = (home / ".local/state/hookkit/errors.log").read_text()
    assert said in log
    assert answer(project, home, run, "--on-error=deny", timeout=1)["permissionDecision"] == "deny"


def test_a_rule_for_after_the_tool_runs_then_and_only_then(project: Path, home: Path) -> None:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    rule = "[[rules]]\ntype = 'command'\nmatch = 'Write'\nrun = 'echo format it >&2; exit 2'\n"
    path.write_text(rule + "config = {event = 'PostToolUse'}\n")
    said = {}
    for name in ("PreToolUse", "PostToolUse", "PostToolUseFailure"):
        event = {"hook_event_name": name, "tool_name": "Write", "tool_input": {"file_path": "a"}, "cwd": str(project)}
        said[name] = Invocation("run", [], dict(os.environ)).answer(json.dumps(event).encode())
    block = '{"decision":"block","reason":"format it"}'
    assert said == {"PreToolUse": "", "PostToolUse": block, "PostToolUseFailure": block}


def test_a_child_that_it_leaves_behind_keeps_nobody_waiting(project: Path, home: Path) -> None:
    """The child holds the output open; it is gone, or forgotten, as soon as the program is."""
    began = time.monotonic()
    left = 'setsid sleep 30 & sleep 30 & echo "{\\"decision\\": \\"ask\\", \\"reason\\": \\"sure?\\"}"'
    assert answer(project, home, left, timeout=20) == decided("ask", "sure?")
    assert time.monotonic() - began < 15


def rules(home: Path, *programs: str) -> None:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    one = "[[rules]]\ntype = 'command'\nmatch = 'Bash'\nrun = {}\ntimeout = 20\n"
    path.write_text("\n".join(one.format(json.dumps(program)) for program in programs))


def run(command: str, cwd: Path, hook: str = "run") -> Any:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
    event |= {"cwd": str(cwd), "session_id": "s", "tool_use_id": "t"}
    text = Invocation(hook, [], dict(os.environ)).answer(json.dumps(event).encode())
    return json.loads(text).get("hookSpecificOutput") if text else None


DENY = "echo no >&2; exit 2"


@pytest.mark.parametrize(
    "programs", [(DENY, "exit 1"), ("exit 1", DENY), ("echo rubbish", DENY), (DENY, "kill -9 $$"), ("sleep 60", DENY)]
)
def test_a_deny_survives_the_failure_of_another_program(programs: tuple[str, ...], project: Path, home: Path) -> None:
    rules(home, *programs)
    began = time.monotonic()
    assert run("make x", project, "guard")["permissionDecisionReason"].startswith("no")
    assert time.monotonic() - began < 28


@pytest.mark.parametrize("program", ["echo rubbish", "exit 1"])
def test_an_ask_survives_a_failing_program_and_a_directory_that_is_gone(
    program: str, project: Path, home: Path
) -> None:
    rules(home, program)
    assert run("sudo rm -rf /tmp/x", project, "guard")["permissionDecision"] in ("ask", "deny")
    assert run("sudo rm -rf /tmp/x", project / "gone", "guard")["permissionDecision"] in ("ask", "deny")


def test_no_call_is_approved_while_a_check_of_it_failed(project: Path, home: Path) -> None:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    (project / "Makefile").write_text("test:\n\ttrue\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("[redirect]\nallow = 'always'\n")
    assert run("pytest -q", project)["permissionDecision"] == "allow"
    rules(home, "exit 1")
    path.write_text(path.read_text() + "[redirect]\nallow = 'always'\n")
    assert "permissionDecision" not in (run("pytest -q", project) or {})

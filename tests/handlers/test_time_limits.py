"""The time of all handlers of an event: below the agent's limit for the hook, which init raises for slow handlers."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookkit.pipeline import Invocation
from hookkit.system import user_programs

from .making import row

SLOW = "sleep 3.5; echo late words"


def ask(project: Path, *words: str) -> str:
    raw = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(project), "prompt": "hello"}
    return Invocation("run", [*words], dict(os.environ)).answer(json.dumps(raw).encode())


@pytest.mark.parametrize("event", [*user_programs.WIRED, "MessageDisplay", "Setup"])
def test_handlers_end_before_the_agent_ends_the_hook(event: str) -> None:
    assert user_programs.time_limit(event, {}) < user_programs.WIRED.get(event, user_programs.USUAL)


@pytest.mark.parametrize("seconds", [0.5, 2.4, 4, 24, 25.5, 60, 149, 151, 570, 900])
def test_a_limit_leaves_its_handlers_the_time_that_they_need(seconds: float) -> None:
    assert seconds <= user_programs.usable(user_programs.limit_for(seconds)) <= seconds + 1.7


def test_a_slow_handler_has_the_time_that_the_command_line_names(write: Callable[..., Path], project: Path) -> None:
    """A prompt usually has three seconds: the client ends the hook then, and loses every answer."""
    write(
        row(SLOW, "UserPromptSubmit", name="slow", timeout_sec=20),
        row("echo soon", "UserPromptSubmit", mode="parallel"),
    )
    assert "slow' (hookkit.toml, cancelled): took longer than 2" in ask(project)
    assert "late words" in ask(project, "--limit", "25")


def handlers(home: Path) -> dict[str, dict[str, Any]]:
    hooks = json.loads((home / ".claude" / "settings.json").read_text())["hooks"]
    return {event: groups[0]["hooks"][0] for event, groups in hooks.items()}


def test_init_gives_slow_handlers_a_longer_limit(
    write: Callable[..., Path], home: Path, project: Path, hookkit: Any
) -> None:
    write(
        row("true", name="a", timeout_sec=40),
        row("false", name="b", timeout_sec=20),
        row("true", "Stop", timeout_sec=40),
    )
    assert hookkit("init", "--agent", "claude", "--yes", cwd=project).returncode == 0
    found = handlers(home)
    assert found["PreToolUse"]["timeout"] == 73
    assert found["PreToolUse"]["args"] == ["run", "--limit", "73"]
    assert [found[event]["timeout"] for event in ("PostToolUse", "Stop")] == [30, 600]
    assert found["Stop"]["args"] == ["run"]
    assert b"already in" in hookkit("init", "--agent", "claude", "--yes", cwd=project).stdout


def test_doctor_tells_of_a_limit_that_is_too_short(
    write: Callable[..., Path], home: Path, project: Path, hookkit: Any
) -> None:
    hookkit("init", "--agent", "claude", "--yes", cwd=project)
    path = write(row("true", name="a", timeout_sec=60))
    said = hookkit("doctor", "--agent", "claude", "-o", "json", cwd=project).stdout
    found = [each for each in json.loads(said)["problems"] if each["id"] == "wiring.limit"]
    assert [each["message"] for each in found] == ["Claude Code: PreToolUse: handlers may take 60 s, and have 25 s"]
    hookkit("init", "--agent", "claude", "--yes", cwd=project)
    assert handlers(home)["PreToolUse"]["timeout"] == 73
    assert b"wiring.limit" not in hookkit("doctor", "--agent", "claude", "-o", "json", cwd=project).stdout
    assert b"timeout_sec: 60 s is over the 25 s" in hookkit("validate", str(path), cwd=project).stdout


def test_a_limit_over_the_usual_one_of_a_kind_counts(
    write: Callable[..., Path], home: Path, project: Path, hookkit: Any
) -> None:
    """15 minutes for a Stop are more than init usually gives; without a limit of its own, a command asks for none."""
    path = write(row("true", "Stop", timeout_sec=900), row("true", "PreToolUse"))
    assert b"timeout_sec: 900 s is over the 570 s" in hookkit("validate", str(path), cwd=project).stdout
    assert hookkit("init", "--agent", "claude", "--yes", cwd=project).returncode == 0
    assert [handlers(home)[event]["timeout"] for event in ("Stop", "PreToolUse")] == [931, 30]
    assert b"wiring.limit" not in hookkit("doctor", "--agent", "claude", "-o", "json", cwd=project).stdout


@pytest.mark.parametrize("at", ["timeout_sec = 5000\n[hooks.command]", "[hooks.command]\ntimeout = 5000"])
def test_a_limit_that_no_agent_can_give_is_named(at: str, home: Path, project: Path, hookkit: Any) -> None:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'[[hooks]]\nevent = "Stop"\n{at}\ncommand = "true"\n')
    said = hookkit("validate", str(path), cwd=project).stdout
    assert b"5000 s is over the 3570 s that all handlers of a Stop can have; write 3570 or less" in said
    hookkit("init", "--agent", "claude", "--yes", cwd=project)
    found = json.loads(hookkit("doctor", "--agent", "claude", "-o", "json", cwd=project).stdout)["problems"]
    fixes = [each["fix"] for each in found if each["id"] == "wiring.limit"]
    assert fixes == ["lower the limits of the handlers to 3570 s together"], "init cannot give more"

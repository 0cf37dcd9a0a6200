"""Handlers that go on past the reply: their result comes with the next event that can carry text."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .making import own, reply, row

Ask = Callable[..., Any]

UNTIL_GO = "n=0; until [ -e go ] || [ $n -gt 300 ]; do n=$((n + 1)); sleep 0.1; done; "  # half a minute at most


def results(home: Path) -> list[str]:
    directory = home / ".local/state/hookkit/later"
    return sorted(path.suffix for path in directory.iterdir()) if directory.exists() else []


def wait(home: Path) -> None:
    """Until every job has its result."""
    for _ in range(300):
        if results(home) and set(results(home)) == {".result"}:
            return
        time.sleep(0.1)
    raise AssertionError(results(home))


def test_an_async_handler_does_not_hold_the_reply_up(
    write: Callable[..., Path], ask: Ask, home: Path, project: Path
) -> None:
    write(row(UNTIL_GO + reply({"additionalContext": "all green"}), background=True, name="tests"))
    assert ask() == ""
    assert ".result" not in results(home), "the reply came before the end of the handler"
    (project / "go").touch()
    wait(home)
    write(row("true"))
    assert ask("CwdChanged") == "", "an event that carries no text leaves the result for the next one"
    assert own(ask()) == {"additionalContext": "all green"}
    assert ask() == ""


def test_a_rejection_that_comes_too_late_is_told(write: Callable[..., Path], ask: Ask, home: Path) -> None:
    write(row("echo broken build >&2; exit 2", "PostToolUse", background=True, name="build"))
    assert ask("PostToolUse", tool_name="Edit") == ""
    wait(home)
    told = "The handler 'build' ran on PostToolUse in the background and rejects it: broken build"
    assert own(ask("UserPromptSubmit", prompt="x")) == {"additionalContext": told}


def test_a_failure_in_the_background_is_told(write: Callable[..., Path], ask: Ask, home: Path) -> None:
    write(row("sleep 30", background=True, name="slow", timeout_sec=0.5))
    ask()
    wait(home)
    assert "'slow' (in the background, cancelled): took longer than 0.5 s" in ask("Stop")["systemMessage"]


def test_another_session_gets_nothing(write: Callable[..., Path], ask: Ask, home: Path) -> None:
    write(row(reply({"additionalContext": "mine"}), background=True))
    ask(session="a")
    wait(home)
    assert ask("UserPromptSubmit", session="b", prompt="x") == ""
    assert own(ask("UserPromptSubmit", session="a", prompt="x")) == {"additionalContext": "mine"}


def test_a_program_may_say_that_it_goes_on(write: Callable[..., Path], ask: Ask, home: Path, project: Path) -> None:
    promise = (
        f"""echo '{{"async": true, "asyncTimeout": 60000}}'; {UNTIL_GO}"""
        """echo '{"additionalContext": "done"}'; touch end"""
    )
    write(row(promise, name="promised"))
    assert ask() == ""
    assert not (project / "end").exists(), "the reply came before the end of the handler"
    (project / "go").touch()
    wait(home)
    assert (project / "end").exists()
    assert own(ask("UserPromptSubmit", prompt="x")) == {"additionalContext": "done"}


def test_a_program_that_goes_on_too_long_is_ended(
    write: Callable[..., Path], ask: Ask, home: Path, project: Path
) -> None:
    write(row("""echo '{"async": true, "asyncTimeout": 500}'; sleep 3; touch end""", name="promised"))
    ask()
    wait(home)
    assert "(in the background, cancelled): took longer than 0.5 s" in ask("Stop")["systemMessage"]
    assert not (project / "end").exists()

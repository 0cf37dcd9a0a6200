"""Functions of the user's, in this process."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import ask, write
from tests.engine.making import own

__all__ = ["ask", "write"]
Ask = Callable[..., Any]
CODE = """
from hookkit.model import Decision, Event

def no_secrets(event: Event):
    if ".env" in event.command:
        return Decision("deny", "Cannot write to sensitive files")

def as_reply(event):
    return {"Reject": {"reason": "as a reply"}}

def broken(event):
    raise KeyError("x")

def hangs(event):
    import time
    time.sleep(600)

def leaves(event):
    raise SystemExit(3)

def odd(event):
    return 5

def unknown(event):
    return Decision("perhaps")

def number(event):
    return Decision("deny", 5)

def thing(event):
    return Decision(updated_input={"command": object()})
"""


def row(function: str, more: str = "") -> str:
    return f'[[hooks]]\nevent = "PreToolUse"\nname = "f"\n{more}\n[hooks.inline]\nfunction = "{function}"\n'


def test_a_function_beside_the_settings_file_decides(write: Callable[..., Path], ask: Ask) -> None:
    path = write(row("checks.py:no_secrets"))
    (path.parent / "checks.py").write_text(CODE)
    assert ask() == ""
    assert (
        own(ask(tool_input={"command": "cp .env x"}))["permissionDecisionReason"] == "Cannot write to sensitive files"
    )
    assert not (path.parent / "__pycache__").exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("broken", "non_blocking_error): raised KeyError: 'x'"),
        ("hangs", "cancelled): took longer than 0.3 s"),
        ("leaves", "non_blocking_error): raised SystemExit: 3"),
        ("odd", "the reply is a number"),
        ("unknown", "verdict: expected allow, ask, defer or deny, not 'perhaps'"),
        ("missing", "checks.py has no function missing"),
        ("number", "reason: expected text, not 5"),
        ("thing", "the reply holds a value that JSON does not have"),
    ],
)
def test_a_function_that_fails_lets_the_call_go_on(write: Callable[..., Path], ask: Ask, name: str, said: str) -> None:
    path = write(row(f"checks.py:{name}", "timeout_sec = 0.3"))
    (path.parent / "checks.py").write_text(CODE)
    assert said in ask()["systemMessage"]


def test_a_function_may_return_a_reply(write: Callable[..., Path], ask: Ask) -> None:
    path = write(row("checks.py:as_reply"))
    (path.parent / "checks.py").write_text(CODE)
    assert own(ask())["permissionDecisionReason"] == "as a reply"


def test_a_changed_file_is_loaded_again(write: Callable[..., Path], ask: Ask) -> None:
    path = write(row("checks.py:f"))
    for reason in ("one", "and two"):
        (path.parent / "checks.py").write_text(f"def f(event):\n    return {{'Reject': {{'reason': '{reason}'}}}}\n")
        assert own(ask())["permissionDecisionReason"] == reason


def test_a_function_of_an_installed_package(
    write: Callable[..., Path], ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "installed_checks.py").write_text(CODE)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    write(row("installed_checks:as_reply"))
    assert own(ask())["permissionDecisionReason"] == "as a reply"
    write(row("no.such.package:f"))
    assert "cannot import no.such.package" in ask()["systemMessage"]

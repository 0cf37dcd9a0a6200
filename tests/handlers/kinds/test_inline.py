"""Functions of the user's, in this process."""

import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookkit.system import user_programs
from tests.handlers.conftest import ask, write
from tests.handlers.making import own

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
        ("broken", "failed): raised KeyError: 'x' (checks.py:"),
        ("hangs", "cancelled): took longer than 0.3 s"),
        ("leaves", "failed): raised SystemExit: 3 (checks.py:"),
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


DEEP = """
def inner(event):
    return event.tool_inputs

def check(event):
    return inner(event)
"""
RAISED = "raised AttributeError: 'Event' object has no attribute 'tool_inputs' (checks.py:3 in inner)"


def test_an_error_has_its_line_and_traceback_in_the_log_in_simulate_and_in_the_ledger(
    write: Callable[..., Path], ask: Ask, hookkit: Any, project: Path
) -> None:
    path = write(row("checks.py:check"))
    checks = path.parent / "checks.py"
    checks.write_text(DEEP)
    assert ask()["systemMessage"] == f"hookkit: the handler 'f' (hookkit.toml, failed): {RAISED}"
    steps = [f'File "{checks}", line 6, in check', "return inner(event)", f'File "{checks}", line 3, in inner']
    simulated = hookkit("simulate", "--tool", "Bash", "--args", "git status", cwd=project).stderr.decode()
    errors = hookkit("errors").stdout.decode()
    row_shown = json.loads(hookkit("ledger", "show", "1", "-o", "json").stdout)["handlers"][0]
    assert row_shown["problem"] == RAISED
    assert "✗ f failed · " in hookkit("ledger", "list").stdout.decode(), "also in the list, as on the page"
    for text in (simulated, errors, row_shown["trace"]):
        assert all(step in text for step in steps)
        assert "engine" not in text, "frames of hookkit say nothing to the author"
    (project / "rows.jsonl").write_text('{"id": "a row", "tool": "Bash", "args": "git status", "expect": "none"}\n')
    assert hookkit("simulate", "rows.jsonl", cwd=project).returncode == 1
    errors = hookkit("errors").stdout.decode()
    assert [line.split(" ")[1] for line in errors.splitlines() if line[:2] == "20"] == ["run", "simulate", "simulate"]


def test_doctor_counts_no_errors_of_simulations(write: Callable[..., Path], hookkit: Any, project: Path) -> None:
    path = write(row("checks.py:check"))
    (path.parent / "checks.py").write_text(DEEP)
    hookkit("simulate", "--tool", "Bash", "--args", "git status", cwd=project)
    assert "hooks hit" not in hookkit("doctor", cwd=project).stdout.decode()


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


SEQUENCE = """
import time
from hookkit.model import Decision

def add(word):
    def f(event):
        return Decision(updated_input={"command": event.command + word})
    return f

one, two = add(" one"), add(" two")

def hangs(event):
    time.sleep(600)

def naps(event):
    time.sleep(0.5)
    return {"additionalContext": event.name}
"""


def test_functions_in_sequence_see_each_others_rewrites_and_outlive_one_that_hangs(
    write: Callable[..., Path], ask: Ask
) -> None:
    rows = [row(f"checks.py:{name}", "timeout_sec = 0.3" if name == "hangs" else "") for name in ("one", "hangs")]
    path = write(*rows, row("checks.py:two"))
    (path.parent / "checks.py").write_text(SEQUENCE)
    answer = ask(tool_input={"command": "echo"})
    assert own(answer)["updatedInput"] == {"command": "echo one two"}
    assert "cancelled): took longer than 0.3 s" in answer["systemMessage"]


def test_functions_side_by_side_do_not_wait_for_a_slow_one(write: Callable[..., Path], ask: Ask) -> None:
    names = [f"naps{number}" for number in range(20)]
    path = write(*(row(f"checks.py:{name}", 'mode = "parallel"') for name in names))
    (path.parent / "checks.py").write_text(SEQUENCE + "\n".join(f"{name} = naps" for name in names))
    began = time.monotonic()
    assert own(ask())["additionalContext"].split() == ["PreToolUse"] * 20
    assert time.monotonic() - began < 8  # in sequence: 10 seconds


def test_no_thread_of_a_function_is_left_when_a_program_starts(
    write: Callable[..., Path], ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process with threads cannot fork: the supervisor of each program would need an interpreter of its own."""
    start, before, seen = user_programs.start, threading.active_count(), []

    def counted(*given: Any) -> Any:
        seen.append(threading.active_count() - before)
        return start(*given)

    monkeypatch.setattr(user_programs, "start", counted)
    command = '[[hooks]]\nevent = "PreToolUse"\n[hooks.command]\ncommand = "echo no >&2; exit 2"\n'
    path = write(row("checks.py:one"), row("checks.py:two", 'mode = "parallel"'), command)
    (path.parent / "checks.py").write_text(SEQUENCE)
    assert own(ask())["permissionDecisionReason"] == "no"
    assert seen == [0]

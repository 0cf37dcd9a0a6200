"""The data of the page: each handler of the user's by its name, with its outcome."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hookkit.server import views
from tests.handlers.conftest import ask, write
from tests.handlers.making import row

__all__ = ["ask", "write"]


def test_a_call_has_its_handlers_by_name(write: Callable[..., Path], ask: Callable[..., Any]) -> None:
    inline = '[[hooks]]\nevent = "PreToolUse"\nname = "raises"\n[hooks.inline]\nfunction = "checks.py:f"\n'
    path = write(row("true", name="fine"), inline, row("exit 2", name="no"))
    (path.parent / "checks.py").write_text("def f(event):\n    return 1 / 0\n")
    ask()
    environ = dict(os.environ)
    [line] = views.rows(environ, {})["rows"]
    assert line["failures"] == ["raises"]
    call = views.call(environ, line["id"])
    assert call is not None
    runs = call["events"][0]["handled"]
    assert [(run["name"], run["outcome"]) for run in runs] == [
        ("fine", "ran"),
        ("raises", "failed"),
        ("no", "stopped the call"),
    ]
    assert "line 2, in f" in runs[1]["trace"]


def test_the_handlers_view_names_runs_and_rests(write: Callable[..., Path], ask: Callable[..., Any]) -> None:
    write(row("exit 1", name="no-secrets"), row("true", name="fine"))
    for _ in range(4):
        ask()
    found = views.handlers(dict(os.environ))
    [rest] = found["resting"]
    assert (rest["handler"], rest["failures"]) == ("no-secrets", 3)
    by_name = {run["handler"]: run for run in found["runs"]}
    assert (by_name["fine"]["runs"], by_name["fine"]["failures"], by_name["fine"]["outcome"]) == (4, 0, "ran")
    assert (by_name["no-secrets"]["runs"], by_name["no-secrets"]["outcome"]) == (4, "cancelled")
    assert "did not run: it rests" in by_name["no-secrets"]["problem"]


def test_the_list_begins_with_calls_and_the_other_events_come_on_request(ask: Callable[..., Any]) -> None:
    for event in ("SessionStart", "Stop"):
        ask(event)
    ask(tool_input={"command": "ls"}, tool_use_id="a")
    ask(tool_input={"command": "rm -rf ~"}, tool_use_id="b")

    def listed(event: str) -> list[str]:
        return [row["tool"] or row["event"] for row in views.rows(dict(os.environ), {"event": event})["rows"]]

    assert listed("calls") == ["Bash", "Bash"]
    [did] = views.rows(dict(os.environ), {"event": "did"})["rows"]
    assert (did["subject"], did["verdict"]) == ("rm -rf ~", "deny")
    assert sorted(listed("")) == ["Bash", "Bash", "SessionStart", "Stop"]

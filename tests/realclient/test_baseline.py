"""The baseline of benchmarks/policy.py: the client's own rules are measured, and no measured command ever runs."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
COMMANDS = ["git status", "touch made", "rm -rf .."]


@pytest.fixture
def baseline(client: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setenv("HOOKKIT_CLIENT", str(client))
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("peers.client")


def test_calls_that_the_client_would_ask_about_are_told_from_calls_that_pass(
    baseline: ModuleType, tmp_path: Path
) -> None:
    answers = []
    for number, one in enumerate(baseline.baselines()):
        one.move_in(tmp_path / str(number))
        one.ask_all(COMMANDS)
        answers.append(one.answers)
    assert answers == [["", "ask", "ask"], ["", "", "ask"]]
    assert not list(tmp_path.rglob("made"))


def test_nothing_is_measured_where_a_permitted_command_really_runs(
    baseline: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(baseline, "WALL", 'shift 2; exec "$@"')
    monkeypatch.setattr(baseline.Client, "stand_in", lambda _: Path("/bin/bash"))
    one = baseline.baselines()[1]
    one.move_in(tmp_path)
    with pytest.raises(RuntimeError, match="really ran"):
        one.ask_all(["touch made"])
    assert not list(tmp_path.rglob("made"))


def test_a_session_without_its_end_has_no_answers(baseline: ModuleType) -> None:
    call = {"type": "tool_use", "id": "1"}
    result = {"type": "tool_result", "tool_use_id": "1", "is_error": False}
    stream = [
        {"type": kind, "message": {"content": [block]}} for kind, block in (("assistant", call), ("user", result))
    ]
    assert list(baseline.verdicts(stream)) == []
    assert list(baseline.verdicts([*stream, {"type": "result", "permission_denials": []}])) == [""]

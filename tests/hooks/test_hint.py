"""hint: which failure is which, told once, and quiet about everything else."""

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.hooks import hint
from hookkit.model import Event
from hookkit.pipeline import Invocation
from hookkit.prompts import hint_causes
from hookkit.prompts.hint_advice import ADVICE
from hookkit.settings.layers import Settings
from hookkit.system import clipping
from tests.conftest import HOOKKIT

# What programs and clients say when they fail, and what they print though they succeed; and what it is.
CAUSES = Path(__file__).parents[1] / "cases" / "hints" / "causes.jsonl"
SAID = [json.loads(line) for line in CAUSES.read_text().splitlines()]


@pytest.mark.parametrize("row", SAID, ids=lambda row: f"{row['cause'] or 'none'}-{row['tool']}")
def test_a_failure_is_known_by_its_words(row: dict[str, str]) -> None:
    """What a command prints that succeeded must be the failure itself, not text about one."""
    text = row.get("failed") or f"building\n{row['printed']}\ndone"
    assert (
        hint_causes.find(hint_causes.ToolResult(row["tool"], {}, text, is_failure="failed" in row), Settings({}))
        == row["cause"]
    )


def test_every_cause_has_a_next_step_and_a_failure_that_shows_it() -> None:
    names = [cause for cause, _, _, _ in hint_causes.CAUSES]
    assert names == [*ADVICE]
    assert set(names) <= {row["cause"] for row in SAID if "failed" in row}
    assert all(word == word.lower() for _, _, words, heads in hint_causes.CAUSES for word in (words, heads))


def answer(project: Path, **fields: Any) -> str:
    event = {"hook_event_name": "PostToolUseFailure", "cwd": str(project), **fields}
    call = Invocation("hint", [], dict(os.environ))
    reply = call.answer(json.dumps(event).encode())
    assert call.problems == []
    return str(json.loads(reply)["hookSpecificOutput"]["additionalContext"]) if reply else ""


def test_without_a_session_there_is_nothing_to_remember(project: Path) -> None:
    for _ in range(2):
        assert answer(project, tool_name="Bash", error="Exit code 137") == ADVICE["memory"]


def test_without_a_home_nothing_is_said(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be remembered would be said at every failure."""
    monkeypatch.setenv("HOME", "")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert answer(project, tool_name="Bash", error="Exit code 137", session_id="s") == ""


def test_a_session_and_a_tool_cannot_name_a_file_elsewhere(project: Path, home: Path) -> None:
    refused = "<tool_use_error>InputValidationError: x"
    calls = [{"tool_name": "../../x/y", "tool_input": {}, "tool_response": refused}]
    fields = {"hook_event_name": "PostToolBatch", "tool_calls": calls, "session_id": "../../../etc"}
    assert answer(project, **fields).startswith("../../x/y refused its input.")
    assert answer(project, **fields) == ""
    told = home / ".local/state/hookkit/told"
    assert [path.parent for path in home.rglob("*hint*")] == [told]


def test_a_hint_is_within_the_budget(project: Path) -> None:
    calls = [
        {
            "tool_name": "T" * 5000 + str(number),
            "tool_input": {},
            "tool_response": "<tool_use_error>InputValidationError",
        }
        for number in range(60)
    ]
    said = answer(project, hook_event_name="PostToolBatch", tool_calls=calls, session_id="s")
    assert clipping.length(said) < 1_000
    assert said.count("refused its input") == 3


def test_a_long_result_costs_no_more(project: Path) -> None:
    """The cause stands at the beginning or at the end; what lies between is not searched."""
    filler = "x y z " * 2_000_000
    start = time.process_time()
    result = hint_causes.ToolResult("Bash", {}, filler, is_failure=True)
    assert hint_causes.find(result, Settings({})) == ""
    assert time.process_time() - start < 0.2
    ends = hint_causes.ToolResult("Bash", {}, f"{filler}\nNo space left on device", is_failure=True)
    assert hint_causes.find(ends, Settings({})) == "disk-full"
    between = hint_causes.ToolResult("Bash", {}, f"{filler}\nNo space left on device\n{filler}", is_failure=True)
    assert hint_causes.find(between, Settings({})) == ""


def test_of_many_calls_at_once_one_is_told(project: Path) -> None:
    event = {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": "Exit code 137", "session_id": "s"}
    raw = json.dumps({**event, "cwd": str(project)}).encode()
    started = [subprocess.Popen([HOOKKIT, "hint"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(8)]
    replies = [process.communicate(raw)[0] for process in started]
    assert [process.returncode for process in started] == [0] * 8
    assert len([reply for reply in replies if reply]) == 1


WORDS = ("Exit code 127", "<tool_use_error>InputValidationError", "Bash", "missing required")
INSIDE = ("tool_name", "tool_input", "tool_response", "stdout", "text")
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(INSIDE), inner, max_size=4),
    max_leaves=8,
)
FIELDS = ("tool_name", "tool_input", "tool_response", "tool_calls", "error", "agent_id", "is_interrupt")


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(hint.EVENTS),
    fields=st.dictionaries(st.sampled_from(FIELDS), values),
    tool=st.sampled_from(["Bash", "mcp__a__b", "Edit", ""]),
)
def test_any_event_is_answered(name: str, fields: dict[str, Any], tool: str) -> None:
    decision = hint.run(Event(name, {"tool_name": tool, **fields}), Settings({}))
    assert decision is None or decision.context

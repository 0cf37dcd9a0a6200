"""What stands out in a session's calls."""

import pytest

from hookkit.agents.transcripts import ToolUse, flow


def call(name: str = "Bash", *, failed: bool = False, task: str = "", **fields: object) -> ToolUse:
    made = ToolUse(name, fields, "")
    made.failed = failed
    made.error = "Exit code 1" if failed else ""
    made.task = task
    return made


def bash(command: str, *, failed: bool = False) -> ToolUse:
    return call(command=command, failed=failed)


@pytest.mark.parametrize(
    ("command", "core"),
    [
        ("pytest -q", "pytest -q"),
        ("pytest  -q\n", "pytest -q"),
        ("pytest -q 2>&1 | tail -20", "pytest -q"),
        ("pytest -q 2>&1 | tail -20 | head", "pytest -q"),
        ("ls | grep x | head -3", "ls | grep x"),
        ("tail -f log", "tail -f log"),
        ("cd a && make test", "cd a && make test"),
    ],
)
def test_what_only_trims_the_output_does_not_make_another_command(command: str, core: str) -> None:
    assert flow.core(command) == core


def test_tools_commands_and_edits_are_counted_the_most_first() -> None:
    seen = flow.Flow([
        call("Edit", file_path="/a"), bash("ls", failed=True), bash("make"), bash("make | tail"), bash("make"),
        call("Edit", file_path="/b"), call("Write", file_path="/b"), call("Edit", file_path="/a", failed=True),
        call("Read", file_path="/a"),
    ])  # fmt: skip
    assert seen.tools == [("Bash", 4, 1), ("Edit", 3, 1), ("Write", 1, 0), ("Read", 1, 0)]
    assert seen.commands == [("make", 3), ("ls", 1)]
    assert seen.edits == [("/b", 2), ("/a", 1)]


def test_a_failure_counts_as_retried_when_the_same_thing_is_done_again() -> None:
    seen = flow.Flow([
        bash("a", failed=True), bash("b", failed=True), bash("b", failed=True), bash("a"), bash("c", failed=True),
        bash("d"), call("Edit", file_path="/x", failed=True), call("Edit", file_path="/x"), bash("d", failed=True),
    ])  # fmt: skip
    found = [(retry.tool, retry.what, retry.failures, len(retry.calls), retry.passed) for retry in seen.retries]
    assert found == [("", "b", 2, 2, False), ("", "a", 1, 2, True), ("Edit", "/x", 1, 2, True)]


def test_the_last_failure_is_the_newest_that_has_not_passed_since() -> None:
    calls = [bash("a", failed=True), bash("b", failed=True), bash("b"), call("Read", file_path="/x", failed=True)]
    assert flow.last_failure(calls) == (calls[0], False)
    assert flow.last_failure(calls[1:]) == (calls[1], True)
    assert flow.last_failure(calls[2:]) is None


def test_open_todos_are_those_of_the_last_list_that_was_taken() -> None:
    first = [{"content": "a", "status": "pending"}]
    second = [{"content": "b", "status": "completed"}, {"content": "c", "status": "in_progress"}]
    calls = [call("TodoWrite", todos=first), call("TodoWrite", todos=second), call("TodoWrite", todos=[], failed=True)]
    assert flow.todos(calls) == [("in_progress", "c")]


def test_open_tasks_follow_their_updates() -> None:
    calls = [
        call("TaskCreate", subject="A", task="1"), call("TaskCreate", subject="B"),
        call("TaskCreate", subject="C", task="3"),
        call("TaskUpdate", taskId="1", status="completed"), call("TaskUpdate", taskId=2, status="in_progress"),
        call("TaskUpdate", taskId="3", status="deleted", failed=True), call("TaskUpdate", taskId="9", status="pending"),
        call("TaskCreate", subject="D", failed=True),
    ]  # fmt: skip
    assert flow.tasks(calls) == [("2", "in_progress", "B"), ("3", "pending", "C")]


def test_the_latest_name_comes_first_and_once() -> None:
    assert flow.latest(["a", "b", "", "a", "c"]) == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("start", "end", "seconds"),
    [
        ("2026-11-16T09:00:00.000Z", "2026-11-17T10:00:01.500Z", 90_001),
        ("2026-11-16T09:00:00Z", "2026-11-16T08:00:00Z", 0),
        ("", "2026-11-16T08:00:00Z", 0),
        ("yesterday", "today", 0),
    ],
)
def test_a_span_that_cannot_be_told_is_none(start: str, end: str, seconds: int) -> None:
    assert flow.seconds(start, end) == seconds

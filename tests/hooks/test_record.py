"""Every event is a row: what was asked, what was said to it by whom, what came of it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from hookkit.ledger import lines, places
from hookkit.pipeline import Invocation

P = {"cwd": "/p", "session_id": "s1", "permission_mode": "default"}
BASH = {**P, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t1"}
AFTER = {**BASH, "hook_event_name": "PostToolUse"}
WRITE = {"file_path": "/p/a.txt", "content": "one\ntwo"}
ROW = {"v": 2, "session": "s1", "project": "/p", "cwd": "/p", "mode": "default"}
CALL = {**ROW, "event": "PreToolUse", "call": "t1", "tool": "Bash"}

# Events one after the other in one session, and the last one's row.
CASES: list[tuple[str, list[dict[str, Any]], dict[str, Any]]] = [
    (
        "a request", [{**BASH, "tool_input": {"command": "ls", "description": "List"}}],
        {**CALL, "input": {"command": "ls", "description": "List"}},
    ),
    (
        "a request that is denied", [{**BASH, "tool_input": {"command": "rm -rf /"}}],
        {**CALL, "verdict": "deny", "rule": "deny Delete(/)", "reason": "…", "hook": "guard", "stopped": "…",
         "input": {"command": "rm -rf /"}, "effects": [["deletes", "/"]]},
    ),
    (
        "what a command would do to files", [{**BASH, "tool_input": {"command": "cd x && rm -r build"}}],
        {**CALL, "input": {"command": "cd x && rm -r build"}, "effects": [["deletes", "/p/x/build"]]},
    ),
    (
        "an outcome knows its request",
        [{**BASH, "tool_input": {"command": "ls"}},
         {**AFTER, "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a"}, "duration_ms": 12}],
        {**CALL, "event": "PostToolUse", "ms": 12, "outcome": "done", "approved": "mode default", "waited": 0,
         "output": "a"},
    ),
    (
        "an outcome alone tells what ran", [{**AFTER, "tool_input": {"command": "ls"}, "tool_response": {}}],
        {**CALL, "event": "PostToolUse", "outcome": "done", "approved": "mode default", "input": {"command": "ls"}},
    ),
    (
        "an outcome with nothing but stderr",
        [{**BASH, "tool_input": {"command": "ls"}},
         {**AFTER, "tool_input": {"command": "ls"}, "tool_response": {"stderr": "no such file"}}],
        {**CALL, "event": "PostToolUse", "outcome": "done", "approved": "mode default", "waited": 0,
         "stderr": "no such file"},
    ),
    (
        "the outcome of a command as a plain text",
        [{**BASH, "tool_input": {"command": "ls"}},
         {**AFTER, "tool_input": {"command": "ls"}, "tool_response": "a b"}],
        {**CALL, "event": "PostToolUse", "outcome": "done", "approved": "mode default", "waited": 0, "output": "a b"},
    ),
    (
        "a person at the dialog let it pass",
        [{**BASH, "tool_input": {"command": "ls"}},
         {**P, "hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "ls"}},
         {**AFTER, "tool_input": {"command": "ls"}}],
        {**CALL, "event": "PostToolUse", "outcome": "done", "approved": "person", "waited": 0},
    ),
    (
        "a failure",
        [{**AFTER, "hook_event_name": "PostToolUseFailure", "tool_input": {"command": "x"}, "error": "Exit code 1"}],
        {**CALL, "event": "PostToolUseFailure", "outcome": "failed", "error": "Exit code 1",
         "approved": "mode default", "input": {"command": "x"}},
    ),
    (
        "what was written", [{**AFTER, "tool_name": "Write", "tool_input": WRITE, "tool_response": {"type": "create"}}],
        {**CALL, "event": "PostToolUse", "tool": "Write", "path": "/p/a.txt", "outcome": "done", "diff": "+one\n+two",
         "approved": "mode default", "input": WRITE},
    ),
    (
        "who asks", [{**BASH, "agent_type": "executor", "agent_id": "a7", "tool_input": {"command": "ls"}}],
        {**CALL, "actor": "agent:executor", "agent": "a7", "input": {"command": "ls"}},
    ),
    (
        "a prompt", [{**P, "hook_event_name": "UserPromptSubmit", "prompt": "hello"}],
        {**ROW, "event": "UserPromptSubmit", "more": {"prompt": "hello"}},
    ),
    (
        "the end", [{**P, "hook_event_name": "SessionEnd", "reason": "other"}],
        {**ROW, "event": "SessionEnd", "more": {"reason": "other"}},
    ),
]  # fmt: skip


def rows(environ: dict[str, str]) -> list[dict[str, Any]]:
    return [lines.row(line) or {} for path in places.paths(environ) for line in Path(path).read_bytes().splitlines()]


VARYING = {"waited": 0, "reason": "…", "stopped": "…"}


def plain(row: dict[str, Any]) -> dict[str, Any]:
    """Without fields that differ each time; reasons and ids of stopped calls vary too."""
    kept = {name: value for name, value in row.items() if name not in ("n", "w", "at", "same", "took", "policy")}
    return kept | {name: value for name, value in VARYING.items() if name in kept}


@pytest.mark.parametrize(("events", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_an_event_is_a_row(events: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    environ = dict(os.environ)
    for event in events:
        assert Invocation("run", [], environ).answer(json.dumps(event).encode()) is not None
    assert plain(rows(environ)[-1]) == expected
    assert [row["n"] for row in rows(environ)] == list(range(1, len(events) + 1))


@pytest.mark.parametrize("hook", ["run", "record"])
def test_alone_it_says_the_same_verdict(hook: str) -> None:
    environ = dict(os.environ)
    event = {**BASH, "tool_input": {"command": "rm -rf /"}}
    Invocation(hook, [], environ).answer(json.dumps(event).encode())
    (row,) = rows(environ)
    assert (row["verdict"], row["rule"], "took" in row) == ("deny", "deny Delete(/)", hook == "run")


def settings(home: Path, text: str) -> None:
    path = home / ".config/hookkit/hookkit.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)


def test_it_can_be_switched_off(home: Path) -> None:
    settings(home, "[ledger]\nenabled = false\n")
    Invocation("run", [], dict(os.environ)).answer(json.dumps({**BASH, "tool_input": {"command": "ls"}}).encode())
    assert places.paths(dict(os.environ)) == []


def test_a_rule_captures_where_it_is_off(home: Path) -> None:
    settings(
        home,
        "[ledger]\nenabled = false\n"
        '[[rules]]\ntype = "evidence_capture"\nmatch = "Write"\nconfig = { kind = "change" }\n',
    )
    for event in ({**AFTER, "tool_input": {"command": "ls"}}, {**AFTER, "tool_name": "Write", "tool_input": WRITE}):
        Invocation("run", [], dict(os.environ)).answer(json.dumps(event).encode())
    (row,) = rows(dict(os.environ))
    assert (row["tool"], row["kind"]) == ("Write", "change")
    assert [said["rule"] for said in row["evidence"]] == ["Write"]


def test_content_and_output_are_kept_as_the_settings_say(home: Path) -> None:
    settings(home, "[ledger]\ncontent = false\noutput = 3\n")
    event = {**AFTER, "tool_input": {"new_string": "x"}, "tool_response": {"stdout": "abcdef"}}
    Invocation("run", [], dict(os.environ)).answer(json.dumps(event).encode())
    (row,) = rows(dict(os.environ))
    assert ("diff" in row, row["output"]) == (False, "abc…")


@pytest.mark.parametrize("garbage", [b"not ours, t1 same\n", b"0" * 64 + b' {"n":2,"w":"s", broken\n'])
def test_a_spoilt_journal_does_not_cost_the_row(garbage: bytes) -> None:
    environ = dict(os.environ)
    Invocation("record", [], environ).answer(json.dumps({**BASH, "tool_input": {"command": "ls"}}).encode())
    (path,) = places.paths(environ)
    with open(path, "ab") as file:
        file.write(garbage)
    call = Invocation("record", [], environ)
    call.answer(json.dumps({**AFTER, "tool_input": {"command": "ls"}}).encode())
    assert call.problems == []
    last = [name for name in places.paths(environ) if not name.endswith(places.SPOILT)][-1]
    row = lines.row(Path(last).read_bytes().splitlines()[-1]) or {}
    assert (row["event"], row["approved"]) == ("PostToolUse", "mode default")

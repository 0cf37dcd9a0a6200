"""Claude Code's JSON: what it becomes, and what becomes it."""

import json
from typing import Any

import pytest

from hookkit.agents.claude import parse, render
from hookkit.events import EVENTS
from hookkit.model import Decision, Event, combine

# The client's union of events that may carry an object of their own.
WITH_OBJECT = {
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "UserPromptSubmit", "UserPromptExpansion",
    "SessionStart", "Setup", "PreModelSwitch", "PostModelSwitch", "SubagentStart", "SubagentStop", "Stop",
    "PermissionRequest", "PermissionDenied", "Notification", "Elicitation", "ElicitationResult", "CwdChanged",
    "FileChanged", "WorktreeCreate", "MessageDisplay",
}  # fmt: skip


def reply(name: str, decision: Decision) -> Any:
    text = render(Event(name, {}), decision)
    return json.loads(text) if text.startswith("{") else text


def test_there_is_a_row_for_each_of_the_clients_events() -> None:
    assert len(EVENTS) == 33
    assert set(EVENTS) >= WITH_OBJECT


@pytest.mark.parametrize("name", sorted(EVENTS))
@pytest.mark.parametrize("verdict", [None, "allow", "ask", "defer", "deny"])
def test_an_object_is_only_sent_where_the_client_has_one(name: str, verdict: str | None) -> None:
    said = Decision(verdict, "why", updated_input={}, context="c", message="m")
    answer = reply(name, said)
    if isinstance(answer, dict) and "hookSpecificOutput" in answer:
        assert name in WITH_OBJECT


@pytest.mark.parametrize(
    ("name", "verdict", "expected"),
    [
        ("PreToolUse", "defer", {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "defer",
                                                        "permissionDecisionReason": "why"}}),
        ("PreModelSwitch", "defer", ""),
        ("Stop", "ask", ""),
        ("Stop", "allow", ""),
        ("Stop", "deny", {"decision": "block", "reason": "why"}),
        ("SubagentStop", "ask", ""),
        ("PreCompact", "deny", {"decision": "block", "reason": "why"}),
        ("UserPromptSubmit", "deny", {"decision": "block", "reason": "why"}),
        ("TaskCompleted", "deny", {"decision": "block", "reason": "why"}),
        ("TeammateIdle", "deny", {"continue": False, "stopReason": "why"}),
        ("SessionEnd", "deny", ""),
        ("PermissionRequest", "ask", ""),
        ("PermissionRequest", "allow", {"hookSpecificOutput": {"hookEventName": "PermissionRequest",
                                                               "decision": {"behavior": "allow"}}}),
        ("PermissionRequest", "deny", {"hookSpecificOutput": {"hookEventName": "PermissionRequest",
                                                              "decision": {"behavior": "deny", "message": "why"}}}),
        ("Elicitation", "deny", {"hookSpecificOutput": {"hookEventName": "Elicitation", "action": "decline"}}),
        ("NoSuchEvent", "deny", ""),
    ],
)  # fmt: skip
def test_a_verdict_is_clamped_to_what_the_event_may_answer(name: str, verdict: str, expected: Any) -> None:
    assert reply(name, Decision(verdict, "why")) == expected


def test_precompact_gets_plain_text() -> None:
    """An object would fail the client's schema, and the text with it."""
    assert reply("PreCompact", Decision(context="keep this", message="unseen")) == "keep this"


def test_an_approved_permission_request_carries_the_rewrite() -> None:
    own = reply("PermissionRequest", Decision("allow", updated_input={"command": "x"}))["hookSpecificOutput"]
    assert own["decision"] == {"behavior": "allow", "updatedInput": {"command": "x"}}


def test_a_rewrite_without_a_verdict_leaves_the_decision_to_the_client() -> None:
    own = reply("PreToolUse", Decision(updated_input={"command": "x"}))["hookSpecificOutput"]
    assert own == {"hookEventName": "PreToolUse", "updatedInput": {"command": "x"}}


@pytest.mark.parametrize(
    ("cwd", "environ", "expected"),
    [
        ("/a/b", {}, ("/a/b", "/a/b")),
        ("/a/b", {"CLAUDE_PROJECT_DIR": "/a/"}, ("/a/b", "/a")),
        ("/ab", {"CLAUDE_PROJECT_DIR": "/a"}, ("/ab", "/ab")),
        ("relative", {}, ("/here", "/here")),
        ("/a\0b", {}, ("/here", "/here")),
        (5, {}, ("/here", "/here")),
    ],
)
def test_the_directory_is_absolute_and_the_project_contains_it(
    cwd: object, environ: dict[str, str], expected: tuple[str, str]
) -> None:
    event = parse({"cwd": cwd}, environ, "PreToolUse", "/here")
    assert (event.name, event.cwd, event.project) == ("PreToolUse", *expected)


BASH = {"stdout": "secret", "stderr": "", "interrupted": False}
READ: dict[str, Any] = {"type": "text", "file": {"filePath": "x", "content": "secret", "numLines": 1}}
GREP: dict[str, Any] = {"mode": "files_with_matches", "filenames": ["a", "b"], "numFiles": 2}
AGENT: dict[str, Any] = {"content": [{"type": "text", "text": "secret"}]}


@pytest.mark.parametrize(
    ("name", "tool", "response", "new", "sent"),
    [
        ("PostToolUse", "Bash", BASH, {**BASH, "stdout": "***"}, True),
        ("PostToolUse", "Bash", BASH, {"stdout": "***"}, False),
        ("PostToolUse", "Bash", BASH, {**BASH, "more": 1}, False),
        ("PostToolUse", "Bash", BASH, "***", False),
        ("PostToolUse", "Bash", BASH, {**BASH, "stdout": 5}, False),
        ("PostToolUse", "Read", READ, {**READ, "file": {**READ["file"], "content": "***"}}, True),
        ("PostToolUse", "Read", READ, {**READ, "file": "***"}, False),
        ("PostToolUse", "Read", READ, {**READ, "file": {"content": "***"}}, False),
        ("PostToolUse", "Grep", GREP, {**GREP, "filenames": ["***"]}, True),
        ("PostToolUse", "Grep", GREP, {**GREP, "filenames": []}, True),
        ("PostToolUse", "Grep", GREP, {**GREP, "filenames": ["***", 5]}, False),
        ("PostToolUse", "Agent", AGENT, {"content": [AGENT["content"][0]] * 2}, True),
        ("PostToolUse", "Agent", AGENT, {"content": ["***"]}, False),
        ("PostToolUse", "mcp__a__b", [{"type": "text", "text": "x"}], "***", True),
        ("PostToolUseFailure", "Bash", BASH, BASH, False),
        ("PreToolUse", "Bash", BASH, BASH, False),
    ],
    ids="same shape,a field less,a field more,text,a number for a text,a text inside,a text for an object,"
    "a field less inside,a text in a list,a shorter list,a number in a list,a longer list,a text in a list of objects,"
    "an MCP tool,a failure,before the call".split(","),
)
def test_a_new_output_has_the_shape_of_the_tools_own(
    name: str,
    tool: str,
    response: object,
    new: object,
    sent: bool,  # noqa: FBT001 - a column of the table
) -> None:
    """The client ignores any other shape."""
    said = Decision()
    said.updated_output = new
    text = render(Event(name, {"tool_name": tool, "tool_response": response}), combine([Decision(), said]))
    expected = {"hookSpecificOutput": {"hookEventName": name, "updatedToolOutput": new}}
    assert (json.loads(text) if text else None) == (expected if sent else None)


def test_a_question_about_a_rewritten_command_names_both() -> None:
    event = Event("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "pytest -q\nls"}})
    said = Decision("ask", "Sure?", updated_input={"command": "make test"})
    own = json.loads(render(event, said))["hookSpecificOutput"]
    assert own["permissionDecisionReason"] == 'Sure? (hookkit changed "pytest -q ls" to "make test")'


def test_a_dropped_rewrite_takes_its_message_along() -> None:
    rewrite = Decision("allow", updated_input={"command": "make test"}, context="ran", message="ran")
    both = combine([rewrite, Decision("deny", "No.", message="careful")])
    assert (both.verdict, both.message, both.context, both.updated_input) == ("deny", "careful", "", None)

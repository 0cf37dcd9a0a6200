"""What a handler's reply means, whatever its format."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.errors import HandlerError
from hookkit.handlers import replies

EMPTY: dict[str, Any] = {}


def said(reply: replies.Reply) -> dict[str, Any]:
    """The parts of the decision that are not empty."""
    decision = reply.decision
    if decision is None:
        return EMPTY
    names = (*decision.__slots__,)
    found = {name: getattr(decision, name) for name in names}
    return {name: value for name, value in found.items() if value not in (None, "", {}, False)} | (
        {"stop": decision.stop} if decision.stop is not None else {}
    )


def read(value: object, event: str = "PreToolUse") -> replies.Reply:
    return replies.read(json.dumps(value).encode(), event)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Continue", EMPTY),
        (None, EMPTY),
        ({}, EMPTY),
        ({"Continue": None}, EMPTY),
        ({"Reject": {"reason": "no"}}, {"verdict": "deny", "reason": "no"}),
        ({"ModifyInput": {"new_input": {"a": 1}}}, {"updated_input": {"a": 1}}),
        ({"ok": True}, EMPTY),
        ({"ok": False, "reason": "no"}, {"verdict": "deny", "reason": "no"}),
        ({"ok": False, "reason": "never", "impossible": True}, {"stop": "never"}),
        ({"decision": "allow"}, {"verdict": "allow"}),
        ({"decision": "approve"}, {"verdict": "allow"}),
        ({"decision": "block", "reason": "no"}, {"verdict": "deny", "reason": "no"}),
        ({"decision": "ask", "reason": "sure?"}, {"verdict": "ask", "reason": "sure?"}),
        ({"decision": "deny", "reason": "no", "modified_input": {"a": 1}}, {"verdict": "deny", "reason": "no"}),
        (
            {"decision": "allow", "modified_input": {"a": 1}, "evidence": {"kind": "x", "data": {}}},
            {"verdict": "allow", "updated_input": {"a": 1}, "evidence": {"kind": "x", "data": {}}},
        ),
        ({"continue": False, "stopReason": "enough"}, {"stop": "enough"}),
        ({"continue": False, "stop_reason": "enough"}, {"stop": "enough"}),
        ({"continue": True, "systemMessage": "hi", "suppressOutput": True}, {"message": "hi", "suppress": True}),
        (
            {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask",
                                    "permissionDecisionReason": "sure?", "updatedInput": {"a": 1},
                                    "additionalContext": "c"}},
            {"verdict": "ask", "reason": "sure?", "updated_input": {"a": 1}, "context": "c"},
        ),
        ({"updatedToolOutput": {"stdout": "x"}}, {"updated_output": {"stdout": "x"}}),
        ({"additional_context": "c", "updated_input": {"a": 1}}, {"context": "c", "updated_input": {"a": 1}}),
        ({"sessionTitle": "t"}, {"more": {"sessionTitle": "t"}}),
        ({"decision": {"behavior": "deny", "message": "no"}}, {"verdict": "deny", "reason": "no"}),
    ],
)  # fmt: skip
def test_a_reply_of_a_known_format_is_understood(value: object, expected: dict[str, Any]) -> None:
    assert said(read(value)) == expected


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (b'{"desicion": "deny"}', "unknown field 'desicion' in the reply (did you mean decision?)"),
        (b'{"decision": "maybe"}', "decision: expected allow, ask, deny or block, not 'maybe'"),
        (b'{"reason": 5}', "reason: expected text, not 5"),
        (b'{"ok": "yes"}', "ok: expected true or false"),
        (b'{"continue": "no"}', "continue: expected true or false, not 'no'"),
        (b'{"ModifyInput": {"new_input": "ls"}}', "ModifyInput.new_input: expected an object"),
        (b'{"hookSpecificOutput": 1}', "hookSpecificOutput: expected an object, not 1"),
        (b'{"hookSpecificOutput": {"hookEventName": "Stop"}}', "hookEventName: expected PreToolUse, not 'Stop'"),
        (b"[1]", 'the reply is a list; expected an object or "Continue"'),
        (b'"continue"', 'the reply is a JSON string; expected an object or "Continue"'),
        (b'{"decision": "deny"', "the reply is not JSON"),
        (b'{"reason": "\xff"}', "the reply is not UTF-8 at byte 12"),
        (b'{"updatedInput": {"timeout": NaN}}', "the reply holds a value that JSON does not have"),
    ],
)
def test_a_reply_that_is_none_of_the_formats_names_the_field(out: bytes, message: str) -> None:
    with pytest.raises(HandlerError) as error:
        replies.read(out, "PreToolUse")
    assert message in str(error.value)


def test_an_unknown_field_beside_a_verdict_is_named_and_the_verdict_holds() -> None:
    reply = read({"decision": "deny", "reason": "no", "sevrity": 3})
    assert said(reply) == {"verdict": "deny", "reason": "no"}
    assert reply.strange == ["sevrity"]


def test_plain_text_is_context_where_the_client_reads_plain_text() -> None:
    assert said(replies.read(b"remember the milk\n", "UserPromptSubmit")) == {"context": "remember the milk"}
    assert said(replies.read(b"\xff milk\n", "SessionStart")) == {"context": "\ufffd milk"}
    assert said(replies.read(b"remember the milk\n", "PreToolUse")) == EMPTY


def test_a_promise_may_be_the_first_line_of_many() -> None:
    assert read({"async": True}).later == replies.DEFAULT_LATER
    assert replies.read(b'{"async": true, "asyncTimeout": 2000}\nworking\n', "Stop").later == 2.0
    assert read({"async": False, "decision": "deny"}).later is None


NAMES = [*replies.FIELDS, *replies.SHAPES, "hookSpecificOutput", "x", "behavior", "reason", "new_input"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=8,
)


@settings(deadline=None)  # a busy machine
@given(JSON, st.sampled_from(["PreToolUse", "Stop", "PermissionRequest", "SessionStart", "Elicitation"]))
def test_any_json_is_a_reply_or_a_handlers_error(value: object, event: str) -> None:
    """And what is understood can be sent to the client."""
    from hookkit.agents import claude
    from hookkit.model import Event
    from tests.conftest import check_reply

    try:
        decision = read(value, event).decision
    except HandlerError:
        return
    if decision is not None:
        check_reply(event, claude.render(Event(event, {"tool_name": "Bash"}), decision))

"""A written row with a list of patterns: compiled to a rule for each pattern, and acting once for a call."""

from typing import Any

import pytest

from hookkit.model import Event
from hookkit.policy import rules
from hookkit.policy.call import Call
from hookkit.policy.judge import Judge, changed_input, decide
from hookkit.policy.rules import compile_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.rules import Policy

PATTERNS = ["Bash(foo *)", "Bash(* x)", "Bash(bar *)"]


def compiled(*rows: dict[str, Any]) -> "Policy":
    return compile_rules({"rules": list(rows), "policy.base": False})


def call(command: str) -> Call:
    return Call("Bash", {"command": command}, cwd="/p", project="/p", home="/h")


@pytest.mark.parametrize("kind", ["deny", "ask", "allow"])
def test_a_list_means_the_same_as_a_row_for_each_pattern(kind: str) -> None:
    more = {"type": kind, "reason": "No.", "unless": ["Bash(foo y)"]}
    listed = compiled({**more, "match": PATTERNS}, {"type": "ask", "match": "Write(a)"})
    assert listed == compiled(*({**more, "match": match} for match in PATTERNS), {"type": "ask", "match": "Write(a)"})
    verdict = decide(listed, call("bar"), "")
    assert (verdict.verdict, verdict.rule) == (kind, {**more, "match": "Bash(bar *)"})


@pytest.mark.parametrize("kind", ["command", "evidence_capture", "approval_gate"])
def test_a_row_acts_once_however_many_of_its_patterns_match(kind: str) -> None:
    row = {"type": kind, "run": "./ask", "config": {"event": "PreToolUse"}}
    judge = Judge(compiled({**row, "match": PATTERNS}, {**row, "match": "Bash(foo *)"}), {})
    event = Event("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "foo x"}, "cwd": "/p"})
    assert [rule["match"] for rule in judge.due(kind, event)] == ["Bash(foo *)", "Bash(foo *)"]
    assert judge.due(kind, event.with_input({"command": "ls"})) == []


def test_a_modify_rule_changes_a_call_once() -> None:
    row = {"type": "modify", "match": PATTERNS, "field": "command", "replace": "foo", "with": "foo foo"}
    assert changed_input(compiled(row), call("foo x"), "") == {"command": "foo foo x"}


def test_a_snapshot_keeps_the_rows() -> None:
    policy = compiled({"type": "command", "run": "./ask", "match": PATTERNS}, {"type": "command", "run": "./b"})
    kept = rules.loads(rules.dumps(policy).encode())
    assert kept["extra"]["command"] == [[0, 1, 2], [3]]
    assert list(kept["rules"]) == list(policy["rules"])


def test_a_snapshot_keeps_the_index() -> None:
    """A shelf is parsed when a call needs it, and is the same as before."""
    policy = rules.compile_rules({})
    index = rules.loads(rules.dumps(policy).encode())["index"]
    assert {shelf: index.get(shelf) for shelf in index} == policy["index"]
    assert {shelf: index[shelf] for shelf in index} == policy["index"]
    assert (index.get("NoSuchTool"), "NoSuchTool" in index) == (None, False)

"""How several hooks' answers become one."""

from itertools import permutations

import pytest

from hookkit.model import VERDICTS, Decision, Event, combine


@pytest.mark.parametrize("verdicts", [*permutations(VERDICTS, 2), *permutations(VERDICTS, 3)])
def test_the_strictest_verdict_wins_in_any_order(verdicts: tuple[str | None, ...]) -> None:
    result = combine([Decision(verdict, f"because {verdict}") for verdict in verdicts])
    strictest = max(verdicts, key=VERDICTS.index)
    assert (result.verdict, result.reason) == (strictest, f"because {strictest}")


def test_the_first_rewrite_stands() -> None:
    """Hooks run in the order of their row, so which one that is never depends on who was faster."""
    result = combine([Decision(updated_input={"command": "a"}), Decision(updated_input={"command": "b"})])
    assert result.updated_input == {"command": "a"}


def test_a_deny_takes_the_rewrite_with_it() -> None:
    result = combine([Decision("allow", updated_input={"command": "a"}), Decision("deny", "no")])
    assert (result.verdict, result.updated_input) == ("deny", None)


def test_the_policys_rule_stays_with_a_stricter_verdict_of_a_program() -> None:
    """A permit must not lift a question of the managed policy because a program has denied the call as well."""
    asked = Decision("ask", "rule")
    asked.policy_rule = {"type": "ask", "source": "/etc/hookkit/hookkit.toml"}
    for decisions in ([asked, Decision("deny", "program")], [Decision("deny", "program"), asked]):
        result = combine(decisions)
        assert (result.verdict, result.policy_rule) == ("deny", asked.policy_rule)


def test_texts_add_up() -> None:
    result = combine([Decision(context="a", message="x"), Decision(), Decision(context="b", message="y")])
    assert (result.context, result.message) == ("a\n\nb", "x\ny")


@pytest.mark.parametrize("value", [None, 5, [], {}, True])
def test_a_field_of_the_wrong_type_is_no_field(value: object) -> None:
    event = Event("PreToolUse", {"session_id": value, "tool_name": value, "tool_input": value, "prompt": value})
    assert (event.session_id, event.tool_name, event.prompt, event.command) == ("", "", "", "")


def test_a_reason_without_a_full_stop_gets_one_before_the_text_that_follows_it() -> None:
    kept = Decision()
    kept.aside = "It can be undone."
    for reason, wanted in (("read it first", "read it first."), ("Look!", "Look!"), ("Look.", "Look.")):
        assert combine([Decision("ask", reason), kept]).reason == f"{wanted} It can be undone."
    assert combine([Decision("ask", "read it first")]).reason == "read it first"

"""Rules of type modify: change a field of a call's input or output, by text or by pattern.

A changed input is judged again. A changed output keeps the shape of the tool's own output.
"""

from hookkit.policy.call import Call
from hookkit.policy.match import YES, matches
from hookkit.policy.pattern import parse
from hookkit.policy.rules import moments, of_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.policy.types import Policy, Rule


ALL = "*"  # the field that means every text of an output


def apply(policy: "Policy", call: Call, actor: str) -> dict[str, object] | None:
    """The input after all matching rules, in their order; None without a change."""
    changed = dict(call.tool_input)
    for rule in _due(policy, call, actor, "PreToolUse"):
        value = changed.get(rule["field"])
        if isinstance(value, str):
            changed[rule["field"]] = _change(rule, value)
    return changed if changed != call.tool_input else None


def output(policy: "Policy", call: Call, actor: str, response: object) -> object:
    """The tool's output after every rule for PostToolUse; None where nothing changes."""
    changed = response
    for rule in _due(policy, call, actor, "PostToolUse"):
        path = [] if rule["field"] == ALL else rule["field"].split(".")
        changed = _within(changed, path, rule)
    return changed if changed != response else None


def _due(policy: "Policy", call: Call, actor: str, event: str) -> "Iterator[Rule]":
    for rules in of_type(policy, "modify", actor):
        if event in moments(rules[0]) and any(matches(parse(rule["match"]), call).yes == YES for rule in rules):
            yield rules[0]


def _within(value: object, path: list[str], rule: "Rule") -> object:
    """The value with every text changed at the path; all items of a list are at the same path."""
    if isinstance(value, list):
        return [_within(item, path, rule) for item in value]
    if isinstance(value, dict):
        names = [path[0]] if path else list(value)
        return {**value, **{name: _within(value[name], path[1:], rule) for name in names if name in value}}
    return _change(rule, value) if isinstance(value, str) and not path else value


def _change(rule: "Rule", value: str) -> str:
    if "replace" in rule:
        return value.replace(rule["replace"], rule["with"])
    import re

    return re.sub(rule["regex"], rule["with"], value)

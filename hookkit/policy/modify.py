"""Rules of type modify: change a field of the input, by text or by pattern, before it is judged again."""

from hookkit.policy.call import Call
from hookkit.policy.match import YES, matches
from hookkit.policy.pattern import parse
from hookkit.policy.rules import of_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.types import Policy, Rule


def apply(policy: "Policy", call: Call, actor: str) -> dict[str, object] | None:
    """The input after every rule that is about the call, in their order; None where nothing changes."""
    changed = dict(call.tool_input)
    for rule in of_type(policy, "modify", actor):
        value = changed.get(rule["field"])
        if isinstance(value, str) and matches(parse(rule["match"]), call).yes == YES:
            changed[rule["field"]] = _change(rule, value)
    return changed if changed != call.tool_input else None


def _change(rule: "Rule", value: str) -> str:
    if "replace" in rule:
        return value.replace(rule["replace"], rule["with"])
    import re

    return re.sub(rule["regex"], rule["with"], value)

"""Rules of an effort: they deny or ask for as long as the effort is active."""

from hookkit.model import Decision, combine
from hookkit.work.store import facts
from hookkit.work.tracked_event import TrackedEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def judge(tracked: TrackedEvent) -> Decision | None:
    """Judges the call, and also the calls into which other hooks rewrote it."""
    if tracked.effort is None or not tracked.wants("rules"):
        return None
    rules = strict_rules(facts(tracked.effort["metadata"]))
    if not rules:
        return None
    from hookkit.policy.judge import Judge
    from hookkit.policy.rules import compile_rules

    engine = Judge(compile_rules({"rules": rules, "policy.base": False}), tracked.settings.environ)
    answers = [engine.answer(event) for event in (tracked.event, *tracked.event.rewritten())]
    decisions = [decision for decision in answers if decision is not None]
    return combine(decisions) if decisions else None


def strict_rules(metadata: "dict[str, Any]") -> "list[dict[str, Any]]":
    """The effort's valid rules of type deny or ask; `hookkit effort` accepts no others."""
    from hookkit.settings.rule_rows import wrong_pattern

    rows = metadata.get("guards")
    rules = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    rules = [
        {name: row.get(name) for name in ("type", "match", "reason") if row.get(name) is not None} for row in rules
    ]
    return [
        rule
        for rule in rules
        if all(isinstance(value, str) for value in rule.values())
        and rule.get("type") in ("deny", "ask")
        and "match" in rule
        and wrong_pattern(rule["match"]) is None
    ]

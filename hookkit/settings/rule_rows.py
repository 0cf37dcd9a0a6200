"""A row of `[[rules]]`: every mistake in it, beyond the kinds of its fields."""

from hookkit.documents.finding import VALUE, Defect
from hookkit.documents.kinds import shown_value, wrong
from hookkit.policy.rules import EVENTS, MOMENTS, STOPS, TYPES, VERDICTS, moment
from hookkit.settings.keys import STRICT
from hookkit.settings.rule_parts import wrong_condition, wrong_pattern, wrong_regex
from hookkit.system.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookkit.documents.kinds import Fields

NEEDS = {"modify": ("field", "with"), "command": ("run",)}
CALLS = ("PreToolUse", "PostToolUse")  # events at which a call can be modified: its input, or its output
LISTS = ("match", "unless")  # fields with lists of patterns: a wrong pattern costs this pattern alone
FIELDS: "Fields" = {"approvers": "texts", "condition": "any text"}  # of an approval gate's config


def defects(row: "dict[str, Any]", written: "set[str]") -> "Iterator[Defect]":
    """The mistakes, with paths from the row down. `row` has the fields of the right kind, `written` all names."""
    kind = row.get("type", "")
    if kind and kind not in TYPES:
        said = f"type: expected one of {', '.join(TYPES)}, not {kind!r}"
        yield Defect(("type",), said, lambda: did_you_mean(kind, TYPES, 0.6))
    if "match" not in written and kind in (*VERDICTS, *NEEDS) and moment(row) not in STOPS:
        yield Defect((), f"missing match: a rule of type {kind} needs a pattern")
    for name in NEEDS.get(kind, ()):
        if name not in written:
            yield Defect((), f"missing {name}: a rule of type {kind} needs it")
    if kind == "modify" and ("replace" in written) == ("regex" in written):
        yield Defect((), "a rule of type modify has either replace or regex")
    yield from patterns(row)
    if "regex" in row:
        said = wrong_regex(row["regex"], row.get("with", ""))
        yield from [Defect(("regex",), f"regex: {said}", at=VALUE)] if said else []
    yield from _config(kind, row.get("config", {}))


def patterns(row: "dict[str, Any]") -> "Iterator[Defect]":
    """Mistakes in the patterns of a rule and in its exceptions."""
    sources: dict[tuple[str | int, ...], str] = {}
    for name in LISTS:
        value = row.get(name, [])
        sources |= {(name,): value} if isinstance(value, str) else {(name, at): item for at, item in enumerate(value)}
    for path, source in sources.items():
        mistake = wrong_pattern(source)
        if mistake is not None:
            at, said, fix = mistake
            yield Defect(path, f"{path[0]}: {said}", fix, at)


def _config(kind: str, config: object) -> "Iterator[Defect]":
    """The parts of `config` that hookkit itself uses; other parts are for programs of the user."""
    if not isinstance(config, dict):
        return
    own = config.get("event") or "Stop"
    events = CALLS if kind == "modify" else (*EVENTS,)
    is_used = kind in (*MOMENTS, "command") or (kind == "modify" and "event" in config)
    if is_used and not (isinstance(own, str) and own in events):
        yield Defect(("config",), f"config.event: expected one of {', '.join(events)}, not {shown_value(own)}")
    if kind != "approval_gate":
        return
    for name, expected in FIELDS.items():
        said = wrong(expected, config[name]) if name in config else ""
        if said:
            yield Defect(("config", name), f"config.{name}: {said}", at=VALUE)
    condition = config.get("condition")
    mistake = wrong_condition(condition) if isinstance(condition, str) else None
    if mistake is not None:
        at, said, fix = mistake
        yield Defect(("config", "condition"), f"config.{said}", fix, at)


def holds_without(row: "dict[str, Any]", found: "list[Defect]") -> bool:
    """Whether a rule can do without its wrong parts: some patterns of a list, or a field of a deny or ask rule.

    Without the field such a rule only gets stricter.
    """
    if row.get("match") and without(row, found).get("match") == []:
        return False
    fields = [defect for defect in found if not _is_of_match_list(defect)]
    return not fields or (
        row.get("type") in STRICT and all(defect.path and defect.path[0] not in ("type", "match") for defect in fields)
    )


def _is_of_match_list(defect: "Defect") -> bool:
    return is_of_list(defect) and defect.path[0] == "match"


def is_of_list(defect: "Defect") -> bool:
    return len(defect.path) > 1 and defect.path[0] in LISTS


def without(row: "dict[str, Any]", found: "list[Defect]") -> "dict[str, Any]":
    """The rule without its wrong fields, and without the wrong patterns of its lists."""
    fields = {defect.path[0] for defect in found if defect.path and not is_of_list(defect)}
    kept = {name: value for name, value in row.items() if name not in fields}
    for name in LISTS:
        wrong_items = {defect.path[1] for defect in found if is_of_list(defect) and defect.path[0] == name}
        if wrong_items:
            kept[name] = [item for number, item in enumerate(row[name]) if number not in wrong_items]
    return kept

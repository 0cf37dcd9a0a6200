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
    """Mistakes in the pattern of a rule and in its exceptions."""
    sources: dict[tuple[str | int, ...], str] = {("match",): row["match"]} if "match" in row else {}
    sources |= {("unless", number): source for number, source in enumerate(row.get("unless", ()))}
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
    """Whether a rule can do without its wrong fields: a deny or ask rule then only gets stricter."""
    return row.get("type") in STRICT and all(
        defect.path and defect.path[0] not in ("type", "match") for defect in found
    )


def without(row: "dict[str, Any]", found: "list[Defect]") -> "dict[str, Any]":
    """The rule without its wrong fields, and without wrong exceptions."""
    wrong_exceptions = {defect.path[1] for defect in found if defect.path[:1] == ("unless",) and len(defect.path) > 1}
    gone = {defect.path[0] for defect in found if defect.path} - ({"unless"} if wrong_exceptions else set())
    kept = {name: value for name, value in row.items() if name not in gone}
    if wrong_exceptions:
        kept["unless"] = [item for number, item in enumerate(row["unless"]) if number not in wrong_exceptions]
    return kept

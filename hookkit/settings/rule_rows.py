"""A row of `[[rules]]`: every mistake in it, beyond the kinds of its fields."""

from hookkit.documents.finding import VALUE, Defect
from hookkit.documents.kinds import shown_value, wrong
from hookkit.policy.rules import EVENTS, MOMENTS, STOPS, TYPES, VERDICTS, moment
from hookkit.settings.rule_parts import wrong_condition, wrong_pattern, wrong_regex
from hookkit.system.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookkit.documents.kinds import Fields

NEEDS = {"modify": ("field", "with"), "command": ("run",)}
FIELDS: "Fields" = {"approvers": "texts", "condition": "any text"}  # of an approval gate's config


def defects(row: "dict[str, Any]", written: "set[str]") -> "Iterator[Defect]":
    """The mistakes, with paths from the row down. `row` has the fields of the right kind, `written` all names."""
    kind = row.get("type", "")
    if kind and kind not in TYPES:
        said = f"type: expected one of {', '.join(TYPES)}, not {kind!r}"
        yield Defect(("type",), said, did_you_mean(kind, TYPES, 0.6))
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
    if kind in (*MOMENTS, "command") and not (isinstance(own, str) and own in EVENTS):
        yield Defect(("config",), f"config.event: expected one of {', '.join(EVENTS)}, not {shown_value(own)}")
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

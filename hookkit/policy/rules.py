"""Rules as they are kept: checked, in their written order, with their index."""

from hookkit.policy.index import ANY, BARE, build, has_files
from hookkit.policy.pattern import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookkit.policy.index import Index

VERDICTS = ("deny", "ask", "allow")
ACTIVE = (*VERDICTS, "modify", "command")  # types that decide or change something
TYPES = (*VERDICTS, "modify", "command", "evidence_capture", "approval_gate", "genesis_enforcement")
# When a rule is asked, if it does not say so itself (`config.event`), and on which events that is.
MOMENTS = {"evidence_capture": "PostToolUse", "approval_gate": "Stop"}
EVENTS = {
    "PreToolUse": ("PreToolUse", "PermissionRequest"),
    "PostToolUse": ("PostToolUse", "PostToolUseFailure"),
    "Stop": ("Stop", "SubagentStop"),
    "SubagentStop": ("SubagentStop",),
    "TaskCompleted": ("TaskCompleted",),
}
STOPS = ("Stop", "SubagentStop", "TaskCompleted")
EXTRA = ("modify", "command", "evidence_capture", "approval_gate")  # what else can happen to a call, beside a verdict


def compile_rules(values: "dict[str, Any]") -> "dict[str, Any]":
    """All rules of all layers with their index, ready to be kept as JSON."""
    rows = list(values.get("rules", []))
    for actor, lists in values.get("actors", {}).items():
        for verdict in VERDICTS:
            rows += [
                {"type": verdict, "match": source, "actors": [actor], "source": f"actors.{actor}.{verdict}"}
                for source in lists.get(verdict, [])
            ]
    if values.get("policy.base", True):
        from hookkit.policy.base import RULES

        rows += [{**row, "source": "base"} for row in RULES]
    index = build([parse(row.get("match", ANY)) for row in rows])
    return {
        "rules": rows,
        "index": index,
        "extra": {kind: [at for at, row in enumerate(rows) if row["type"] == kind] for kind in EXTRA},
        "due": _due(rows),
        "watch": _watch(rows, index, values),
        "unattended": bool(values.get("policy.unattended", False)),
        "default": values.get("policy.default", "none"),
        "actor": values.get("policy.actor", ""),
        "wrappers": values.get("wrappers", []),
    }


def _watch(rows: "list[dict[str, Any]]", index: "Index", values: "dict[str, Any]") -> "dict[str, Any] | None":
    """What `quick` looks for: which programs have rules, with their second words if all rules name one, else None.

    Nothing where a rule is about every command, so that no command is far from all of them.
    """
    general = [number for shelf in (ANY, "Bash", f"Bash:{ANY}") for number in index.get(shelf, {}).get(BARE, ())]
    if any(_is_active(rows[number]) for number in general) or values.get("policy.default", "none") != "none":
        return None
    programs: dict[str, list[str] | None] = dict.fromkeys(_followed(values, with_files=has_files(index)))
    for first, second in _pairs(rows):
        known = programs.setdefault(first, [])
        vague = not second or "*" in second[:-1] or second == ANY
        programs[first] = None if known is None or vague else [*known, second]
    return programs


def _is_active(row: "dict[str, Any]") -> bool:
    return row["type"] in ACTIVE and "PreToolUse" in moments(row)


def _pairs(rows: "list[dict[str, Any]]") -> "Iterator[tuple[str, str]]":
    """Programs with what must stand behind them: of rules, and of wrappers that are two words."""
    from hookkit.shell.wrappers import WRAPPERS

    for row in rows:
        for stage in parse(row.get("match", ANY)).stages:
            yield stage.program, stage.globs[1] if len(stage.globs) > 1 else ""
    for name in WRAPPERS:
        first, _, second = name.partition(" ")
        if second:
            yield first, second


def _followed(values: "dict[str, Any]", *, with_files: bool) -> list[str]:
    """Programs that the engine looks into, whatever their words."""
    from hookkit.shell.builtins import BUILTINS
    from hookkit.shell.effects import EFFECTS
    from hookkit.shell.following import SHELLS
    from hookkit.shell.interpreters import INTERPRETERS
    from hookkit.shell.wrappers import WRAPPERS

    wrappers = [name for name in WRAPPERS if " " not in name] + [row["name"] for row in values.get("wrappers", [])]
    return [*SHELLS, *INTERPRETERS, *BUILTINS, *wrappers, *(EFFECTS if with_files else ())]


def of_type(policy: "dict[str, Any]", kind: str, actor: str) -> "list[dict[str, Any]]":
    """The rules of a type that gives no verdict, for this actor."""
    rules = [policy["rules"][number] for number in policy["extra"][kind]]
    return [rule for rule in rules if is_for(rule, actor)]


def moment(rule: "dict[str, Any]") -> str:
    """When a rule is asked, in its own word."""
    config = rule.get("config")
    own = config.get("event") if isinstance(config, dict) else None
    return str(own or MOMENTS.get(rule["type"], "PreToolUse"))


def moments(rule: "dict[str, Any]") -> tuple[str, ...]:
    """The events on which a rule is asked."""
    return EVENTS.get(moment(rule), ())


def _due(rows: "list[dict[str, Any]]") -> list[str]:
    """Which types of rules are asked on which events, so that a hook need not read them all to know that none is."""
    return sorted({f"{row['type']}:{event}" for row in rows if row["type"] in EXTRA for event in moments(row)})


def is_for(rule: "dict[str, Any]", actor: str) -> bool:
    """Whether the rule is about this actor; without a list it is about everyone."""
    actors = rule.get("actors")
    return not actors or actor in actors

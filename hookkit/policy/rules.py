"""Rules as they are kept: checked, in their written order, with their index."""

from hookkit.policy.index import ANY, build
from hookkit.policy.pattern import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

    from hookkit.policy.types import Policy, Rule

    Groups = list[tuple[Rule, list[str | None]]]  # the shared fields, and the pattern of each rule

VERDICTS = ("deny", "ask", "allow")
TYPES = (*VERDICTS, "modify", "command", "evidence_capture", "approval_gate", "genesis_enforcement")
# The default moment of a rule (`config.event` overrides it), and the events of each moment.
MOMENTS = {"evidence_capture": "PostToolUse", "approval_gate": "Stop"}
EVENTS = {
    "PreToolUse": ("PreToolUse", "PermissionRequest"),
    "PostToolUse": ("PostToolUse", "PostToolUseFailure"),
    "Stop": ("Stop", "SubagentStop"),
    "SubagentStop": ("SubagentStop",),
    "TaskCompleted": ("TaskCompleted",),
}
STOPS = ("Stop", "SubagentStop", "TaskCompleted")
EXTRA = ("modify", "command", "evidence_capture", "approval_gate")  # types without a verdict


def compile_rules(values: "dict[str, Any]", protected: "Collection[Rule]" = ()) -> "Policy":
    """All rules of all layers with their index, ready to be kept as JSON; `protected` are the rules of this machine."""
    from hookkit.policy import watch  # late: a snapshot has been compiled before
    from hookkit.programs import own

    written = [spread(row) for row in values.get("rules", ())]
    rows = [rule for rules in written for rule in rules]
    extra = _extra(written)
    for actor, lists in values.get("actors", {}).items():
        rows += [row for verdict in VERDICTS for row in _listed(actor, verdict, lists)]
    if values.get("policy.base", True):
        rows += [{**row, "source": "base"} for row in _shipped(values.get("policy.off", ()), protected)]
    index = build([parse(row.get("match", ANY)) for row in rows])
    programs = own.records(values)
    return {
        "rules": rows,
        "index": index,
        "extra": extra,
        "due": _due(rows),
        "watch": watch.build(rows, index, programs, default=values.get("policy.default", "none")),
        "unattended": bool(values.get("policy.unattended", False)),
        "default": values.get("policy.default", "none"),
        "actor": values.get("policy.actor", ""),
        "programs": programs,
        "tools": values.get("tools", []),
    }


def spread(row: "Mapping[str, Any]") -> "list[Rule]":
    """A rule for each pattern of a written row: `match` may be a list."""
    match = row.get("match")
    rules: Any = [{**row, "match": pattern} for pattern in match] if isinstance(match, list) else [row]
    return rules  # type: ignore[no-any-return]


def _extra(written: "list[list[Rule]]") -> "dict[str, list[list[int]]]":
    """The numbers of the rules of each type without a verdict, row by row: a row acts once, whatever its patterns."""
    extra: dict[str, list[list[int]]] = {kind: [] for kind in EXTRA}
    number = 0
    for rules in written:
        if rules[0]["type"] in EXTRA:
            extra[rules[0]["type"]].append([*range(number, number + len(rules))])
        number += len(rules)
    return extra


def _listed(actor: str, verdict: str, lists: "dict[str, Any]") -> "Iterator[Rule]":
    """The rules of one list of an actor. The actor's reason explains a deny or an ask."""
    reason = lists.get("reason", "") if verdict != "allow" else ""
    for source in lists.get(verdict, []):
        row: Rule = {"type": verdict, "match": source, "actors": [actor], "source": f"actors.{actor}.{verdict}"}
        yield {**row, "reason": reason} if reason else row


def _shipped(off: "Collection[str]", protected: "Collection[Rule]") -> "list[Rule]":
    """The shipped rules, except the switched-off names (`git.clean`) and groups (`git.*`)."""
    from hookkit.policy.base import RULES

    return [row for row in (*RULES, *protected) if not any(_is_meant(entry, row["name"]) for entry in off)]


def unknown_names(off: "Collection[str]") -> list[str]:
    """Entries of `policy.off` without a shipped rule of this name or group."""
    from hookkit.policy.base import RULES

    names = {"guard.protected", *(row["name"] for row in RULES)}
    return [entry for entry in off if not any(_is_meant(entry, name) for name in names)]


def _is_meant(entry: str, name: str) -> bool:
    return entry == name or (entry.endswith(".*") and name.startswith(entry[:-1]))


def of_type(policy: "Policy", kind: str, actor: str) -> "list[list[Rule]]":
    """The rules of a type that gives no verdict, for this actor; the rules of one written row together."""
    rows = [[policy["rules"][number] for number in numbers] for numbers in policy["extra"][kind]]
    return [rules for rules in rows if is_for(rules[0], actor)]


def moment(rule: "Mapping[str, object]") -> str:
    """When a rule is asked, in its own word."""
    config = rule.get("config")
    own = config.get("event") if isinstance(config, dict) else None
    return str(own or MOMENTS.get(str(rule["type"]), "PreToolUse"))


def moments(rule: "Rule") -> tuple[str, ...]:
    """The events on which a rule is asked."""
    return EVENTS.get(moment(rule), ())


def _due(rows: "list[Rule]") -> list[str]:
    """`type:event` of every rule without a verdict: a hook sees at once whether any rule is due."""
    return sorted({f"{row['type']}:{event}" for row in rows if row["type"] in EXTRA for event in moments(row)})


def is_for(rule: "Rule", actor: str) -> bool:
    """Whether the rule is for this actor; a rule without a list is for everyone."""
    actors = rule.get("actors")
    return not actors or actor in actors


def pack(rows: "list[Rule] | Rules") -> "Groups":
    """Rules for a snapshot: neighbours with the same fields beside `match` share them."""
    groups: Groups = []
    for row in rows:
        shared = row.copy()
        shared.pop("match", None)
        if not groups or groups[-1][0] != shared:
            groups.append((shared, []))
        groups[-1][1].append(row.get("match"))
    return groups


class Rules:
    """The rules of a snapshot. A call looks at a few rules; only these are put together, once each."""

    __slots__ = ("_made", "_packed")

    def __init__(self, groups: "Groups") -> None:
        self._packed = [(shared, match) for shared, matches in groups for match in matches]
        self._made: dict[int, Rule] = {}

    def __len__(self) -> int:
        return len(self._packed)

    def __getitem__(self, number: int) -> "Rule":
        made = self._made.get(number)
        if made is None:
            shared, match = self._packed[number]
            made = self._made[number] = shared.copy() if match is None else {**shared, "match": match}
        return made

    def __iter__(self) -> "Iterator[Rule]":
        return (self[number] for number in range(len(self._packed)))

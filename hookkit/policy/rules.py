"""Rules as they are kept: their shape, checked, in their written order, with their index."""

from hookkit.policy.index import ANY, build
from hookkit.policy.pattern import parse
from hookkit.system import jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from typing import Any, TypedDict

    from hookkit.policy.index import Index

    class _Typed(TypedDict):
        type: str  # deny, ask, allow, modify, command, …: one of TYPES

    # The functional form, because `with` is a keyword. Every field but the type may be absent.
    _Fields = TypedDict(
        "_Fields",
        {
            "name": str,  # of a shipped rule: git.force-push
            "match": str,  # the pattern, as in docs/grammar.md
            "reason": str,
            "instead": str,  # a command to run instead
            "unless": list[str],  # patterns of commands that the rule spares
            "actors": list[str],
            "source": str,  # the file, layer or list of the rule
            "field": str,  # modify: the field of the input
            "replace": str,
            "regex": str,
            "with": str,
            "run": str,  # command: the program
            "timeout": int,
            "config": dict[str, Any],
        },
        total=False,
    )

    class Rule(_Typed, _Fields):
        """One rule of a settings file, of an actor's list, or of the shipped policy."""

    class Policy(TypedDict):
        """All rules of all layers, ready for `judge.decide`."""

        rules: "list[Rule] | Rules"
        index: Index
        extra: dict[str, list[list[int]]]  # numbers of the rules of each type without a verdict, row by row
        due: list[str]  # `type:event` of these rules
        watch: dict[str, Any] | None  # programs for `quick`; None if a rule is about every command
        unattended: bool
        default: str
        actor: str
        programs: dict[str, dict[str, str]]  # the person's own records
        tools: list[dict[str, Any]]  # the effects of the person's own tools

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
REMOTE = "remote"  # among the types that are due: a gate that asks at the fleet's hub
EXTRA = ("modify", "command", "evidence_capture", "approval_gate")  # types without a verdict


def compile_rules(values: "dict[str, Any]", protected: "Collection[Rule]" = (), *, is_watched: bool = True) -> "Policy":
    """All rules of all layers with their index, ready to be kept as JSON; `protected` are the rules of this machine.

    Without `is_watched` the table of quick looks is left out: it takes longest, and only hooks read it.
    """
    from hookkit.policy import watch  # late: cached rules have been compiled before
    from hookkit.programs import compiling

    written = [spread(row) for row in values.get("rules", ())]
    rows = [rule for rules in written for rule in rules]
    extra = _extra(written)
    for actor, lists in values.get("actors", {}).items():
        rows += [row for verdict in VERDICTS for row in _listed(actor, verdict, lists)]
    if values.get("policy.base", True):
        rows += [{**row, "source": "base"} for row in _shipped(values.get("policy.off", ()), protected)]
    index = build([parse(row.get("match", ANY)) for row in rows])
    programs = compiling.records(values)
    return {
        "rules": rows,
        "index": index,
        "extra": extra,
        "due": _due(rows),
        "watch": watch.build(rows, index, programs, default=values.get("policy.default", "none"))
        if is_watched
        else None,
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
    extra = [row for row in rows if row["type"] in EXTRA]
    due = {f"{row['type']}:{event}" for row in extra for event in moments(row)}
    return sorted(due | {f"{REMOTE}:{event}" for row in extra if is_remote(row) for event in moments(row)})


def is_remote(rule: "Mapping[str, object]") -> bool:
    """Whether a gate asks at the fleet's hub, too: its hook may wait."""
    config = rule.get("config")
    return isinstance(config, dict) and config.get("remote") is True


def is_for(rule: "Rule", actor: str) -> bool:
    """Whether the rule is for this actor; a rule without a list is for everyone."""
    actors = rule.get("actors")
    return not actors or actor in actors


def dumps(policy: "Policy") -> str:
    """A policy as text: a line with all else, one for each shelf of the index, one for each group of rules."""
    groups = pack(policy.get("rules", []))
    index = policy.get("index", {})
    rest = {**policy, "rules": [len(matches) for _, matches in groups], "index": [*index]}
    return "\n".join(map(jsons.dumps, [rest, *(index[shelf] for shelf in index), *groups]))


def loads(text: bytes, shared: "Callable[[list[bytes]], list[bytes]] | None" = None) -> "Policy":
    """A policy from the cache. `shared` hands out lines that other policies in memory have, too."""
    first, *lines = text.split(b"\n")
    policy: Any = jsons.loads(first)
    lines = shared(lines) if shared is not None else lines
    count = len(policy["index"])
    policy["index"] = Shelves(zip(policy["index"], lines[:count], strict=True))
    policy["rules"] = Rules(policy["rules"], lines[count:])
    return policy  # type: ignore[no-any-return]


def pack(rows: "list[Rule] | Rules") -> "Groups":
    """Rules in groups: neighbours with the same fields beside `match` share them."""
    groups: Groups = []
    for row in rows:
        shared = row.copy()
        shared.pop("match", None)
        if not groups or groups[-1][0] != shared:
            groups.append((shared, []))
        groups[-1][1].append(row.get("match"))
    return groups


class Shelves(dict[str, "dict[str, list[int]] | bytes"]):
    """The index of a cached policy. A call looks at a few shelves; only these are parsed."""

    def __getitem__(self, name: str) -> "dict[str, list[int]]":
        shelf = super().__getitem__(name)
        if isinstance(shelf, bytes):
            shelf = self[name] = jsons.loads(shelf)
        return shelf

    def get(self, name: str, default: "Any" = None) -> "Any":
        return self[name] if name in self else default  # noqa: SIM401 - this is `get`


class Rules:
    """The rules of a cached policy. A call looks at a few rules; only these are parsed and put together, once each."""

    __slots__ = ("_ends", "_groups", "_lines", "_made")

    def __init__(self, counts: "list[int]", lines: list[bytes]) -> None:
        self._lines = lines
        self._ends: list[int] = []
        for count in counts:
            self._ends.append(len(self) + count)
        self._groups: dict[int, tuple[Rule, list[str | None]]] = {}
        self._made: dict[int, Rule] = {}

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, number: int) -> "Rule":
        return self._made.get(number) or self._rule(number, next(g for g, end in enumerate(self._ends) if number < end))

    def __iter__(self) -> "Iterator[Rule]":
        start = 0
        for group, end in enumerate(self._ends):
            yield from (self._made.get(number) or self._rule(number, group) for number in range(start, end))
            start = end

    def _rule(self, number: int, group: int) -> "Rule":
        if group not in self._groups:
            self._groups[group] = jsons.loads(self._lines[group])
        shared, matches = self._groups[group]
        match = matches[number - self._ends[group]]  # counted from the end of the group
        self._made[number] = rule = shared.copy() if match is None else {**shared, "match": match}
        return rule

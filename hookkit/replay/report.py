"""Counts of a replay: by verdict, by rule, and the changes between two policies, each with examples."""

from hookkit.masking import mask
from hookkit.model import VERDICTS
from hookkit.replay.player import NONE, Outcome
from hookkit.transcripts.past_calls import PastCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KINDS = ("deny", "ask", "allow", "rewrite", "defer", NONE)
EXAMPLES = 3
LONGEST = 200  # characters of an example
NAMED = "hookkit ["  # the start of a reason by a rule with a name
DENIED, ASKED = "newly-denied", "newly-asked"


class Group:
    """Calls with the same verdict by the same rule."""

    __slots__ = ("count", "examples", "rule", "verdict")

    def __init__(self, verdict: str, rule: str) -> None:
        self.verdict = verdict
        self.rule = rule
        self.count = 0
        self.examples: list[str] = []

    def add(self, call: PastCall) -> None:
        self.count += 1
        if len(self.examples) < EXAMPLES:
            text = shown(call)
            self.examples += [text] if text not in self.examples else []

    def as_dict(self) -> "dict[str, Any]":
        return {"verdict": self.verdict, "rule": self.rule, "count": self.count, "examples": self.examples}


class Report:
    def __init__(self, *, compares: bool) -> None:
        self.compares = compares
        self.calls = 0
        self.verdicts = dict.fromkeys(KINDS, 0)
        self.before = dict.fromkeys(KINDS, 0)
        self.groups: dict[tuple[str, str], Group] = {}
        self.changes: dict[tuple[str, str], Group] = {}
        self.agents: dict[str, int] = {}

    def add(self, call: PastCall, outcome: Outcome, other: Outcome | None) -> None:
        self.calls += 1
        self.agents[call.agent] = self.agents.get(call.agent, 0) + 1
        self.verdicts[outcome.kind] += 1
        if outcome.kind != NONE:
            self._group(self.groups, outcome.kind, named(outcome)).add(call)
        if other is None:
            return
        self.before[other.kind] += 1
        if (other.kind, other.rewritten) != (outcome.kind, outcome.rewritten):
            rule = named(outcome if _strength(outcome) >= _strength(other) else other)
            self._group(self.changes, f"{other.kind} → {outcome.kind}", rule).add(call)

    def _group(self, groups: "dict[tuple[str, str], Group]", verdict: str, rule: str) -> Group:
        return groups.setdefault((verdict, rule), Group(verdict, rule))

    def new(self, verdict: str) -> int:
        """How many calls have this verdict only under the new policy."""
        return sum(group.count for group in self.changes.values() if group.verdict.endswith(f"→ {verdict}"))

    def sorted(self, groups: "dict[tuple[str, str], Group]") -> list[Group]:
        return sorted(groups.values(), key=lambda group: (_place(group.verdict), -group.count, group.rule))

    def as_dict(self) -> "dict[str, Any]":
        found: dict[str, Any] = {
            "calls": self.calls,
            "agents": self.agents,
            "verdicts": self.verdicts,
            "rules": [group.as_dict() for group in self.sorted(self.groups)],
        }
        if self.compares:
            found["before"] = self.before
            found["changes"] = [group.as_dict() for group in self.sorted(self.changes)]
        return found


def _place(verdict: str) -> int:
    last = verdict.rpartition("→ ")[2]
    return KINDS.index(last) if last in KINDS else len(KINDS)


def _strength(outcome: Outcome) -> int:
    return VERDICTS.index(None if outcome.verdict == NONE else outcome.verdict)


def named(outcome: Outcome) -> str:
    """The rule's name and words; else the redirect's command or the start of the reason."""
    if outcome.rule:
        name = outcome.reason.removeprefix(NAMED).partition("]")[0] if outcome.reason.startswith(NAMED) else ""
        return f"{name}: {outcome.rule}" if name else outcome.rule
    if outcome.rewritten:
        return f"redirect to {outcome.rewritten.split(' && ')[-1][:60]}"
    return " ".join(outcome.reason.split()).partition(": ")[0][:80]


def shown(call: PastCall) -> str:
    """The call on a single line, without secrets."""
    for field in ("command", "file_path", "url", "path", "pattern", "query"):
        text = call.input.get(field)
        if isinstance(text, str) and text:
            line = " ".join(mask(text[: LONGEST * 4]).split())
            start = "" if field == "command" else f"{call.tool} "
            return start + (line if len(line) <= LONGEST else f"{line[:LONGEST]}…")
    return call.tool

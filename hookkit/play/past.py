"""Past calls of this machine, the verdicts of the live hooks on them, and the report on these.

The calls come from transcripts, and from the ledger where no transcript is left. Judging one leaves no evidence and no
marks, and runs no program of the user's own.
"""

import os
import time
from collections.abc import Iterator
from itertools import takewhile

from hookkit.agents.transcripts import past_calls
from hookkit.agents.transcripts.past_calls import PastCall
from hookkit.errors import ConfigError, HookkitError
from hookkit.hooks import guard, redirect
from hookkit.ledger import lines
from hookkit.model import VERDICTS, Decision, Event, combine
from hookkit.policy.judge import Judge
from hookkit.settings import compiling, layers
from hookkit.settings.layers import Settings
from hookkit.system import files, jsons
from hookkit.system.masking import mask
from hookkit.verdicts import approve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


LEDGER = "ledger"
MOST = 100_000  # cached verdicts for repeated calls
SHELL_TOOL, DESCRIPTION = "Bash", "description"  # the agent words each description anew
NONE = "none"


class History:
    """Calls since a time (milliseconds), of a single project or of all; `skipped` files could not be read."""

    def __init__(self, environ: dict[str, str], *, since: int = 0, project: str = "") -> None:
        self.environ = environ
        self.since = since
        self.project = os.path.realpath(project) if project else ""
        self.skipped: list[str] = []
        self.files = 0
        self._seen: set[str] = set()  # ids of calls, so the ledger adds only calls missing from transcripts

    def calls(self, paths: list[str], *, with_ledger: bool) -> Iterator[PastCall]:
        for place in paths:
            for path in past_calls.transcripts(place, self.since / 1000):
                self.files += 1
                try:
                    yield from filter(self._is_wanted, past_calls.read(path))
                except OSError as error:
                    self.skipped.append(f"{path}: {error.strerror or error}")
        if with_ledger:
            yield from filter(self._is_wanted, self._ledger())

    def _is_wanted(self, call: PastCall) -> bool:
        if call.id and call.id in self._seen:
            return False  # a resumed session repeats the calls of the session before
        if call.id:
            self._seen.add(call.id)
        if self.since and call.at and _milliseconds(call.at) < self.since:
            return False
        return not self.project or f"{os.path.realpath(call.cwd or '/')}/".startswith(f"{self.project}/")

    def _ledger(self) -> Iterator[PastCall]:
        calls = map(from_row, ledger_rows(self.environ, self.since, "PreToolUse"))
        yield from (call for call in calls if call is not None)


def ledger_rows(environ: dict[str, str], since: int, *events: str) -> "Iterator[dict[str, Any]]":
    """The ledger's rows since a time, of these events or of all."""
    from hookkit.ledger import places, queries, row_index  # late: SQLite

    if not os.path.exists(row_index.path_of(environ)) and not places.paths(environ):
        return
    filters = queries.Filters(since=since)
    if events:
        filters.columns["event"] = [*events]
    ledger = row_index.Ledger(environ)
    try:
        ledger.fold()
        for _, _, body in queries.rows(ledger.connection, filters):
            row = jsons.loads(body.encode("utf-8", "surrogatepass"))
            if isinstance(row, dict):
                yield lines.whole(row)
    finally:
        ledger.close()


def from_row(row: dict[str, object]) -> PastCall | None:
    tool, given, cwd = row.get("tool"), row.get("input"), row.get("cwd") or row.get("project")
    if not isinstance(tool, str) or not isinstance(given, dict) or not isinstance(cwd, str):
        return None
    session = row.get("session")
    call = PastCall(LEDGER, tool, given, cwd=cwd, session=session if isinstance(session, str) else "")
    call.client = str(row.get("client") or "claude")
    call.id = str(row.get("call") or "")
    return call


def _milliseconds(at: str) -> int:
    """An ISO time; an unreadable time counts as now, to keep its call."""
    from datetime import datetime

    try:
        return int(datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp() * 1000)
    except ValueError:
        return int(time.time() * 1000)


class Outcome:
    """`rule` names the rule, or the reason where no rule has a name; `rewritten` is the new command."""

    __slots__ = ("reason", "rewritten", "rule", "verdict")

    def __init__(self, decision: Decision) -> None:
        self.verdict = decision.verdict or NONE
        self.reason = decision.reason
        self.rule = decision.rule
        changed = decision.updated_input
        command = changed.get("command") if changed else None
        self.rewritten = command if isinstance(command, str) else "changed" if changed else ""

    @property
    def kind(self) -> str:
        return "rewrite" if self.rewritten and self.verdict in (NONE, "allow") else self.verdict


class Player:
    """A policy. Without a file, the policy in force in the directory of each call."""

    def __init__(self, environ: dict[str, str], path: str = "") -> None:
        self.environ = environ
        self._fixed = _settings(path, environ) if path else None
        self._judges: dict[str, tuple[Settings, Judge, tuple[str, ...]]] = {}
        self._known: dict[tuple[str, str, str, str], Outcome] = {}
        self._roots: dict[str, str] = {}  # directories with their repositories

    def outcome(self, call: PastCall) -> Outcome:
        root = self._root(call.cwd)
        settings, judge, ignored = self._settled(call.cwd, root)
        given = call.input
        if ignored and call.tool == SHELL_TOOL:
            given = {field: value for field, value in given.items() if field not in ignored or type(value) is not str}
        command = given.get("command") if len(given) == 1 else None
        text = f"={command}" if type(command) is str else jsons.dumps(given)  # JSON begins with a brace
        key = (call.client, call.tool, text, call.cwd)
        outcome = self._known.get(key)
        if outcome is None:
            outcome = Outcome(_decision(call, root, settings, judge))
            if len(self._known) < MOST:
                self._known[key] = outcome
        return outcome

    def _root(self, cwd: str) -> str:
        if cwd not in self._roots:
            self._roots[cwd] = files.repository(cwd) if cwd else ""
        return self._roots[cwd]

    def _settled(self, cwd: str, root: str) -> tuple[Settings, Judge, tuple[str, ...]]:
        """The settings, their judge, and the fields of a shell call that have no part in the verdict."""
        project = "" if self._fixed else root
        settled = self._judges.get(project)
        if settled is None:
            settings = self._fixed or layers.load(cwd, self.environ, root)
            ignored = () if _is_about_descriptions(settings) else (DESCRIPTION,)
            settled = self._judges[project] = (settings, Judge(settings.policy, settings.environ), ignored)
        return settled


def _is_about_descriptions(settings: Settings) -> bool:
    """Whether settings of the person may look at the description of a call; the shipped rules, the last, do not."""
    if settings.values.get("schemas") or settings.policy["tools"]:
        return True
    own = takewhile(lambda rule: rule.get("source") != "base", settings.policy["rules"])
    return any(DESCRIPTION in jsons.dumps(rule) for rule in own)


def _decision(call: PastCall, project: str, settings: Settings, judge: Judge) -> Decision:
    fields: dict[str, object] = {
        "tool_name": call.tool,
        "tool_input": call.input,
        "cwd": call.cwd,
        "tool_use_id": call.id or "past",
    }
    event = Event("PreToolUse", fields)
    event.project = project
    event.agent = call.client  # the tools of other agents have inputs of their own
    event.answers = []
    decisions = [opinion(event, settings, judge)]
    try:
        decisions.append(redirect.run(event, settings) if getattr(decisions[0], "verdict", "") != "deny" else None)
    except (HookkitError, OSError):
        decisions.append(None)
    first = [decision for decision in decisions if decision is not None]
    if not first:
        return Decision()
    changed = combine(first).updated_input
    if changed is not None:
        again = opinion(event.with_input(changed), settings, judge)
        if again is not None:
            again.judged = changed
            first.append(again)
    return combine(first)


def opinion(event: Event, settings: Settings, judge: Judge) -> Decision | None:
    """The guard's answer before a call, as in `hooks.guard`."""
    wrong = guard.misshapen(event, settings)
    if wrong:
        return Decision("deny", wrong)
    is_quiet = event.command and settings.is_quiet(event.command, event.cwd)
    decision = None if is_quiet else judge.answer(event)
    if decision is None and settings.values.get("policy.approve", "none") != "none":
        return approve.decision(event, judge, settings)
    return decision


def _settings(path: str, environ: dict[str, str]) -> Settings:
    """The settings of a file, read like the person's own settings; a mistake in the file is an error."""
    try:
        files.read(path, 1)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
    compiled = compiling.compile_layers([("user", path)], environ)
    if compiled["broken"]:
        raise ConfigError(compiled["broken"][0])
    return Settings(environ, compiled)


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
    """Of every call, or with `kinds` (rules and the kinds of incidents that they stop) of calls of these kinds."""

    def __init__(self, *, compares: bool, kinds: "dict[str, str] | None" = None) -> None:
        self.compares = compares
        self.kinds = kinds
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
        kind = self.kinds.get(rule_name(outcome), "") if self.kinds is not None else ""
        if outcome.kind != NONE and (kind or self.kinds is None):
            self._group(self.groups, outcome.kind, f"{kind}: {rule_name(outcome)}" if kind else named(outcome)).add(
                call
            )
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
        fields: dict[str, Any] = {
            "calls": self.calls,
            "agents": self.agents,
            "verdicts": self.verdicts,
            "rules": [group.as_dict() for group in self.sorted(self.groups)],
        }
        if self.compares:
            fields["before"] = self.before
            fields["changes"] = [group.as_dict() for group in self.sorted(self.changes)]
        return fields


def _place(verdict: str) -> int:
    last = verdict.rpartition("→ ")[2]
    return KINDS.index(last) if last in KINDS else len(KINDS)


def _strength(outcome: Outcome) -> int:
    return VERDICTS.index(None if outcome.verdict == NONE else outcome.verdict)


def rule_name(outcome: Outcome) -> str:
    return outcome.reason.removeprefix(NAMED).partition("]")[0] if outcome.reason.startswith(NAMED) else ""


def named(outcome: Outcome) -> str:
    """The rule's name and words; else the redirect's command or the start of the reason."""
    if outcome.rule:
        name = rule_name(outcome)
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

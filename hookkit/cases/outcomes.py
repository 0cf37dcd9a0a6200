"""Playing rows: through the same pipeline, policy and patterns as an agent's call, with what each hook took."""

import json
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Any, NamedTuple

from hookkit import registry
from hookkit.cases.rooms import Room
from hookkit.cases.rows import MISSING
from hookkit.hooks import guard
from hookkit.model import Decision, Event, combine
from hookkit.pipeline import LAST, Invocation
from hookkit.policy import match, pattern
from hookkit.policy.call import Call
from hookkit.policy.decide import Verdict
from hookkit.policy.judge import Judge
from hookkit.policy.rules import VERDICTS, is_for, moments
from hookkit.settings import layers
from hookkit.system import jsons

Trace = list[tuple[dict[str, Any], match.Result]]


class Ran(NamedTuple):
    """One hook of a call: what it said, or what went wrong in it, and how long it took."""

    hook: str
    event: Event
    decision: Decision | None
    problem: Exception | None
    ms: float


class Traced(Invocation):
    """The same call as an agent's, with what each hook said.

    Loading and compiling is not in a hook's time: a daemon does it once, a cold start has it from a snapshot.
    """

    def __init__(self, hook: str, words: list[str], environ: dict[str, str]) -> None:
        self.ran: list[Ran] = []
        super().__init__(hook, words, environ)

    @property
    def settings(self) -> layers.Settings:
        return layers.load(self.event.cwd, self.environ)

    def _run(self, name: str, event: Event, settings: layers.Settings, judged: dict[str, object] | None = None) -> None:
        if name == LAST:
            return  # what is only played leaves no evidence
        registry.find("hooks", name)
        _ = settings.policy if name == "guard" else None
        said, failed = len(self.decisions), len(self.problems)
        start = perf_counter()
        super()._run(name, event, settings, judged)
        ms = (perf_counter() - start) * 1000
        decision = self.decisions[said][1] if len(self.decisions) > said else None
        self.ran.append(Ran(name, event, decision, next(iter(self.problems[failed:]), None), ms))


class Outcome:
    """What one event of a row was answered, beside what was expected; `trace` is what each rule had to say."""

    def __init__(self, row: dict[str, Any], reply: Any, expected: Any, call: Traced | None = None) -> None:
        self.row = row
        self.id = str(row["id"])
        self.reply = reply
        self.raw: Any = reply  # as the agent would get it: a row's reply has {project} in it
        self.expected = expected
        self.hook = call.hook if call else ""
        self.event = call.event if call else Event("", {})
        self.decisions = call.decisions if call else []
        self.problems = call.problems if call else []
        self.ran = call.ran if call else []
        self.judge: Judge | None = None  # where rules had a say
        self.trace: Trace = []
        self.why = ""
        self.ms = 0.0

    @property
    def is_checked(self) -> bool:
        return self.expected is not MISSING

    @property
    def passed(self) -> bool:
        """A hook that broke has no opinion, and that must not pass for the one that was expected."""
        if self.problems and "--on-error" not in str(self.row.get("options", "")):
            return False
        return not self.is_checked or bool(self.reply == self.expected)


def play(row: dict[str, Any], room: Room | None = None) -> Iterator[Outcome]:
    """Run the row's events one after the other."""
    if room is None:
        with Room(row) as own:
            yield from play(row, own)
        return
    form = next((name for name in _PLAYERS if name in row), "")
    for step in row.get("steps", [row]):
        start = perf_counter()
        outcome = _PLAYERS[form](row, step, room)
        outcome.ms = (perf_counter() - start) * 1000
        yield outcome


def play_all(rows: Iterable[dict[str, Any]]) -> Iterator[Outcome]:
    """The same for many: calls and patterns that bring nothing share a room, which spares most of the time."""
    with Room({"files": {}}) as empty, Room({}) as here:
        for row in rows:
            brings = row.get("files") or row.get("links") or "environ" in row or "cwd" in row
            if brings or not ("tool" in row or "command" in row):
                yield from play(row)
            else:
                yield from play(row, empty if "files" in row or "pattern" in row else here)


def input_of(tool: str, args: Any) -> dict[str, Any]:
    """A tool's input: the object itself, or a text as what its patterns are about."""
    return args if isinstance(args, dict) else {pattern.SUBJECTS.get(tool, ("argument", ""))[0]: args}


def trace(event: Event, judge: Judge) -> Trace:
    """What each rule had to say of the event: the verdict's own trace, then the rules that give none."""
    verdict = judge.verdict(event) if event.name in guard.BEFORE and event.tool_name else Verdict()
    found: Trace = verdict.trace
    if verdict.verdict == "deny":
        return found  # stops at once
    actor, call = judge.actor(event), judge.call(event)
    for rule in judge.policy["rules"]:
        if rule["type"] not in VERDICTS and is_for(rule, actor) and event.name in moments(rule):
            found.append((rule, match.matches(pattern.parse(rule.get("match", "*")), call)))
    return found


def _answered(row: dict[str, Any], step: dict[str, Any], room: Room) -> Outcome:
    """An event, and the whole reply to it."""
    event = {"session_id": "simulated", "cwd": room.cwd, **room.fill(step["event"])}
    call = Traced(row.get("hook", "run"), list(row.get("options", [])), dict(room.environ))
    text = call.answer(jsons.dumps(event).encode())
    reply: Any = json.loads(text) if text.startswith("{") else text or None
    outcome = Outcome(row, room.unfill(reply), step.get("reply", MISSING), call)
    outcome.raw = reply
    if call.hook in ("run", "guard") and not call.problems:
        settings = call.settings
        events = [ran.event for ran in call.ran if ran.hook == "guard"] or [call.event]
        outcome.judge = Judge(settings.policy, settings.environ)
        outcome.trace = [part for event in events for part in trace(event, outcome.judge)]
    return outcome


def _judged(row: dict[str, Any], _: dict[str, Any], room: Room) -> Outcome:
    """A tool call, and what guard says of it; "unsure" is an ask or a deny for want of knowing."""
    tool = row.get("tool", "Bash")
    given = input_of(tool, row.get("args", row.get("command")))
    event = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given}
    options = ["--actor", row["actor"]] if "actor" in row else []
    outcome = _answered({**row, "hook": "guard", "options": options}, {"event": event}, room)
    outcome.row, outcome.expected = row, _QUIET.get(row.get("expect", ""), row.get("expect", MISSING))
    said = combine([ran.decision for ran in outcome.ran if ran.decision])
    outcome.why, outcome.reply = said.reason, said.verdict or "none"
    if outcome.expected == "unsure" and outcome.judge is not None:
        is_unsure = any(outcome.judge.verdict(ran.event).unsure for ran in outcome.ran)
        outcome.reply = "unsure" if is_unsure else outcome.reply
    return outcome


def _matched(row: dict[str, Any], _: dict[str, Any], room: Room) -> Outcome:
    """A pattern and a call. Where nobody can tell, saying so is right, and a plain match is, too."""
    tool = pattern.RENAMED.get(row["tool"], row["tool"])
    call = Call(
        tool, input_of(tool, room.fill(row["arg"])), cwd=room.cwd, project=room.project, home=room.environ["HOME"]
    )
    found = match.matches(pattern.parse(room.fill(row["pattern"])), call)
    reply = {match.YES: "match", match.NO: "no match", match.UNSURE: "unsure"}[found.yes]
    expected = MISSING if "match" not in row else "match" if row["match"] else "no match"
    if row.get("unsure") and found.yes:
        expected = reply
    outcome = Outcome(row, reply, expected)
    outcome.why = found.why
    return outcome


_QUIET = {"quiet": "none"}  # the same in the corpus that ships
_PLAYERS = {"pattern": _matched, "tool": _judged, "command": _judged, "event": _answered, "steps": _answered}

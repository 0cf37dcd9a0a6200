"""One event through the user's handlers: the rows that are meant, those that may run now, one merged answer."""

import os

from hookkit import events
from hookkit.handlers import limits
from hookkit.handlers.execution import Execution
from hookkit.handlers.handler import CANCELLED, ERROR, OUTCOMES, WITHIN, Handler, HandlerCall, HandlerRun
from hookkit.model import Decision, Event, combine
from hookkit.system import jsons, programs
from hookkit.system.programs import Deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings


LONGEST = 500  # characters of a subject: a regular expression must not run for ever on untrusted text
OLD = {"Agent": ("Task",), "TaskStop": ("KillShell", "KillBash")}  # RENAMED of policy/pattern.py, without its imports
PLAIN = frozenset("|,_- ")


def is_meant(row: "dict[str, Any]", event: Event, settings: "Settings") -> bool:
    if row["event"] != event.name or not _session(row, event):
        return False
    subject = subject_of(event)
    if row["matcher"] and not any(_matches(row, name) for name in _names(subject, event)):
        return False
    return not row["if"] or _is_about(row["if"], event, settings)


def _session(row: "dict[str, Any]", event: Event) -> bool:
    """A row that was added for one session or one project is for no other."""
    session, project = row.get("session"), row.get("project")
    return (not session or session == event.session_id) and (
        not project or f"{event.project}/".startswith(f"{project}/")
    )


def subject_of(event: Event) -> str:
    field = events.EVENTS.get(event.name, events.UNKNOWN).matcher
    return event.text(field)[:LONGEST] if field else ""


def _names(subject: str, event: Event) -> list[str]:
    """The tool by its name and by its older names."""
    return [subject, *OLD.get(subject, ())] if subject == event.tool_name else [subject]


def _matches(row: "dict[str, Any]", subject: str) -> bool:
    matcher: str = row["matcher"]
    return matches_client(matcher, subject) if row["dialect"] == "claude" else matches(matcher, subject)


def matches(matcher: str, subject: str) -> bool:
    """The five kinds of matcher: all, one of a list, a regular expression, the start of a name, the whole name."""
    if not matcher:
        return True
    if "|" in matcher:
        return subject in (part.strip() for part in matcher.split("|"))
    if matcher.startswith("^") or ".*" in matcher:
        return _search(matcher, subject)
    if matcher.endswith("*"):
        return subject.startswith(matcher[:-1])
    return matcher == subject


def matches_client(matcher: str, subject: str) -> bool:
    """Claude Code's own matchers: a list of names, or a regular expression."""
    if matcher in ("", "*"):
        return True
    if all(char.isalnum() or char in PLAIN for char in matcher):
        return subject in (part.strip() for part in matcher.replace(",", "|").split("|"))
    return _search(matcher, subject)


def _search(source: str, subject: str) -> bool:
    import re

    try:
        return re.search(source, subject) is not None
    except (re.error, RecursionError, OverflowError):
        return False


def _is_about(source: str, event: Event, settings: "Settings") -> bool:
    """A pattern that may or may not match counts as a match: the handler then decides."""
    from hookkit.errors import PatternError
    from hookkit.policy.judge import Judge
    from hookkit.policy.match import matches as has_match
    from hookkit.policy.pattern import parse

    try:
        pattern = parse(source)
    except PatternError:
        return False
    return bool(has_match(pattern, Judge(settings.policy, settings.environ).call(event)).yes)


WAKE = "Mend it, or wake it with: hookkit hook wake {!r}"


def answer(event: Event, settings: "Settings", rows: "list[dict[str, Any]]") -> Decision | None:
    start, is_denied = _before(event)
    handlers = _meant(event, settings, rows)
    if is_denied:
        handlers = [handler for handler in handlers if handler.is_policy]
    skipped: list[Decision] = []
    ready = [handler for handler in handlers if _may_run(handler, event, settings, skipped)]
    work = Execution(event, settings, start, Deadline(programs.time_for_programs(event.name, settings.environ)))
    decisions = [*skipped, *_background(event, settings, ready)]
    work.run([handler for handler in ready if not handler.row["async"]])
    ran = {run.handler.id for run in work.runs}
    for handler in ready:
        if handler.row["once"] and not handler.row["async"] and handler.id not in ran:
            limits.release(settings.environ, event.session_id, handler)  # a rejection before it stopped the sequence
    for run in work.runs:
        _keep(run, event, settings)
    decisions += [run.decision for run in work.runs if run.decision is not None]
    return _merged(decisions, start) if decisions else None


def _before(event: Event) -> "tuple[dict[str, object] | None, bool]":
    """The rewrite of the hooks before the handlers, and whether one of these hooks denied the call."""
    decisions = [earlier.decision for earlier in event.answers or () if earlier.decision is not None]
    final = combine(decisions)
    return final.updated_input, final.verdict == "deny"


def _background(event: Event, settings: "Settings", ready: list[Handler]) -> list[Decision]:
    """Start the handlers that go on past the reply; the results of earlier ones go out with this event."""
    from hookkit.handlers import later  # late: few handlers go on past the reply

    for handler in ready:
        if handler.row["async"]:
            later.start(HandlerCall(handler, event, settings))
    return later.collect(event, settings)


def _meant(event: Event, settings: "Settings", rows: "list[dict[str, Any]]") -> list[Handler]:
    """The handlers of the event; two rows with the same handler run once.

    A program of a handler that calls hookkit again runs no handlers: it would call itself without end.
    """
    handlers: dict[str, Handler] = {}
    if settings.environ.get(WITHIN):
        return []
    for row in rows:
        if is_meant(row, event, settings):
            handlers.setdefault(jsons.dumps([row["kind"], row["body"]]), Handler(row))
    return [*handlers.values()]


def _may_run(handler: Handler, event: Event, settings: "Settings", skipped: list[Decision]) -> bool:
    """Whether the handler runs now; `skipped` gets a message to the person for each handler at rest."""
    refusal = limits.refusal(handler, settings.environ)
    if refusal:
        _keep(HandlerRun(handler, ERROR, None, refusal), event, settings, counts=False)
        return False
    seconds = limits.resting(settings.environ, handler)
    if seconds:
        reason = f"did not run: it rests for {seconds / 60:.0f} more minutes after {limits.FAILURES} failures in a row"
        event.handled.append(HandlerRun(handler, CANCELLED, None, reason).row())
        skipped.append(Decision(message=f"hookkit: the handler {handler.name!r} {reason}. {WAKE.format(handler.name)}"))
        return False
    return not handler.row["once"] or limits.claim(settings.environ, event.session_id, handler)


def _keep(run: HandlerRun, event: Event, settings: "Settings", *, counts: bool = True) -> None:
    """Write the run down, tell of a problem, and count failures."""
    handler = run.handler
    event.handled.append(run.row())
    if run.is_failed and handler.row["once"]:
        limits.release(settings.environ, event.session_id, handler)
    counts = counts and handler.on_failure == "continue"  # a check that asks or rejects never rests
    rests = counts and limits.count(settings.environ, handler, is_failed=run.is_failed)
    if run.problem:
        end = f"; it rests for {limits.REST // 60} minutes. {WAKE.format(handler.name)}" if rests else ""
        place = os.path.basename(handler.row["source"])
        text = f"the handler {handler.name!r} ({place}, {OUTCOMES[run.outcome]}): {run.problem}{end}"
        text += f"\n{run.trace}" if run.trace else ""
        event.notes.append((f"handler-{handler.id}{'-rests' if rests else ''}", text))


def _merged(decisions: list[Decision], start: "dict[str, object] | None") -> Decision:
    result = combine(decisions)
    if result.updated_input is not None:
        result.onto = start
    else:
        result.judged = start
    return result

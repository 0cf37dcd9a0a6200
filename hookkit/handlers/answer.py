"""One event through the user's handlers: the rows that are meant, those that may run now, one merged answer.

A handler may go on past the reply. A process of hookkit's own waits for it, and keeps its result for the session. The
next event of the session that can carry text delivers the result: to the model as context, to the person as a message.
It is too late for a verdict, so a rejection is told as text.
"""

import os
import time

from hookkit import events
from hookkit.errors import HookkitError
from hookkit.handlers.execution import Execution, outcome, together
from hookkit.handlers.handler import (
    BLOCKING,
    CANCELLED,
    ERROR,
    FAILURES,
    OUTCOMES,
    REST,
    WITHIN,
    Handler,
    HandlerCall,
    HandlerRun,
)
from hookkit.model import Decision, Event, combine
from hookkit.system import files, jsons, user_programs
from hookkit.system.user_programs import Deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings
    from hookkit.system.user_programs import ProgramResult


LONGEST = 500  # characters of a subject: a regular expression must not run for ever on untrusted text
OLD = {"Agent": ("Task",), "TaskStop": ("KillShell", "KillBash")}  # RENAMED of policy/pattern.py, without its imports
PLAIN = frozenset("|,_- ")


def is_meant(row: "dict[str, Any]", event: Event, settings: "Settings") -> bool:
    """A row that was added for one session or one project is for no other."""
    if row["event"] != event.name or row.get("session", event.session_id) not in ("", None, event.session_id):
        return False
    if (project := row.get("project")) and not f"{event.project}/".startswith(f"{project}/"):
        return False
    match = matches_client if row["dialect"] == "claude" else matches
    if row["matcher"] and not any(match(row["matcher"], name) for name in _names(subject_of(event), event)):
        return False
    return not row["if"] or _is_about(row["if"], event, settings)


def subject_of(event: Event) -> str:
    field = events.EVENTS.get(event.name, events.UNKNOWN).matcher
    return event.text(field)[:LONGEST] if field else ""


def _names(subject: str, event: Event) -> list[str]:
    """The tool by its name and by its older names."""
    return [subject, *OLD.get(subject, ())] if subject == event.tool_name else [subject]


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
    work = Execution(event, settings, start, Deadline(user_programs.time_limit(event.name, settings.environ)))
    decisions = [*skipped, *_background(event, settings, ready)]
    work.run([handler for handler in ready if not handler.row["async"]])
    ran = {run.handler.id for run in work.runs}
    for handler in ready:
        if handler.row["once"] and not handler.row["async"] and handler.id not in ran:
            handler.release(settings.environ, event.session_id)  # a rejection before it stopped the sequence
    for run in work.runs:
        _keep(run, event, settings)
    decisions += [run.decision for run in work.runs if run.decision is not None]
    return _merged(decisions, start) if decisions else None


def _before(event: Event) -> "tuple[dict[str, object] | None, bool]":
    """The rewrite of the hooks before the handlers, and whether one of these hooks denied the call."""
    final = combine(event.earlier)
    return final.updated_input, final.verdict == "deny"


def _background(event: Event, settings: "Settings", ready: list[Handler]) -> list[Decision]:
    """Start the handlers that go on past the reply; the results of earlier ones go out with this event."""
    for handler in ready:
        if handler.row["async"]:
            _spawn(HandlerCall(handler, event, settings), {})
    return _collected(event, settings)


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
    refusal = handler.refusal(settings.environ)
    if refusal:
        _keep(HandlerRun(handler, ERROR, None, refusal), event, settings, counts=False)
        return False
    seconds = handler.resting(settings.environ)
    if seconds:
        reason = f"did not run: it rests for {seconds / 60:.0f} more minutes after {FAILURES} failures in a row"
        event.handled.append(HandlerRun(handler, CANCELLED, None, reason).row())
        skipped.append(Decision(message=f"hookkit: the handler {handler.name!r} {reason}. {WAKE.format(handler.name)}"))
        return False
    return not handler.row["once"] or handler.claim(settings.environ, event.session_id)


def _keep(run: HandlerRun, event: Event, settings: "Settings", *, counts: bool = True) -> None:
    """Write the run down, tell of a problem, and count failures."""
    handler = run.handler
    event.handled.append(run.row())
    if run.is_failed and handler.row["once"]:
        handler.release(settings.environ, event.session_id)
    counts = counts and handler.on_failure == "continue"  # a check that asks or rejects never rests
    rests = counts and handler.count(settings.environ, is_failed=run.is_failed)
    if run.problem:
        end = f"; it rests for {REST // 60} minutes. {WAKE.format(handler.name)}" if rests else ""
        file = os.path.basename(handler.row["source"])
        text = f"the handler {handler.name!r} ({file}, {OUTCOMES[run.outcome]}): {run.problem}{end}"
        text += f"\n{run.trace}" if run.trace else ""
        event.notes.append((f"handler-{handler.id}{'-rests' if rests else ''}", text))


def _merged(decisions: list[Decision], start: "dict[str, object] | None") -> Decision:
    result = combine(decisions)
    if result.updated_input is not None:
        result.onto = start
    else:
        result.judged = start
    return result


# -- handlers that go on past the reply --------------------------------------------------------------------------------


LIMIT = 1 << 20  # bytes of a job or a result
MOST = 50  # results delivered with one event
DAY = 86_400  # seconds before a result that no event asked for is deleted
JOB, RESULT = ".job", ".result"


def carry_on(call: HandlerCall, result: "ProgramResult", seconds: float) -> None:
    """A program that said {"async": true}: another process takes its pipes over."""
    call.handler.row["seconds"] = seconds
    descriptors = [descriptor for descriptor in result.left if descriptor >= 0]
    try:
        _spawn(call, {"left": list(result.left), "seconds": seconds}, descriptors)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _spawn(call: HandlerCall, more: "dict[str, Any]", descriptors: "list[int] | tuple[int, ...]" = ()) -> None:
    """Start the handler in a process of its own."""
    from hookkit.system import running

    directory = _directory(call.settings.environ)
    if not directory:
        raise HookkitError(f"{call.handler.name}: an async handler needs a home directory for its result")
    event = call.event
    job = {"row": call.handler.row, "fields": call.fields(), "cwd": event.cwd, "project": event.project, **more}
    name = f"{files.safe_name(event.session_id)}.{os.urandom(8).hex()}{JOB}"
    path = os.path.join(directory, name)
    files.write(path, jsons.dumps(job).encode())
    running.start_background("hookkit.handlers.answer", "run_later", [path], call.settings.environ, descriptors)


def run_later(path: str) -> None:
    """The process of one handler: run it, write down its result."""
    job = jsons.loads(files.read_own(path, LIMIT))
    from hookkit.settings import layers

    event = Event(str(job["fields"]["hook_event_name"]), job["fields"])
    event.cwd, event.project = job["cwd"], job["project"]
    settings = layers.load(event.cwd, dict(os.environ), event.project)
    call = HandlerCall(Handler(job["row"]), event, settings)
    run = _carried(call, job) if "left" in job else together([call], Deadline(call.handler.seconds))[0]
    if run.is_failed and call.handler.row["once"]:
        call.handler.release(settings.environ, event.session_id)
    call.handler.count(settings.environ, is_failed=run.is_failed)
    files.write(path.removesuffix(JOB) + RESULT, jsons.dumps(_result(run, event)).encode())
    os.unlink(path)


def _carried(call: HandlerCall, job: "dict[str, Any]") -> HandlerRun:
    """The rest of a program that is already running."""
    from hookkit.handlers.kinds import command
    from hookkit.system.running import take_over

    result = take_over(job["left"], job["seconds"])
    run = outcome(call, lambda: command.finish(call, result))
    run.ms = result.seconds * 1000
    return run


def _result(run: HandlerRun, event: Event) -> "dict[str, Any]":
    decision = run.decision or Decision()
    summary = {"context": decision.context, "message": decision.message}
    if run.outcome == BLOCKING:
        summary["rejected"] = decision.stop or decision.reason
    return {**run.row(), "event": event.name, **{name: text for name, text in summary.items() if text}}


def _collected(event: Event, settings: "Settings") -> list[Decision]:
    """The results that are ready, for an event that can carry them."""
    directory = os.path.join(files.state_dir(settings.environ) or "/nonexistent", "later")
    row = events.EVENTS.get(event.name, events.UNKNOWN)
    if row.context != events.FIELD or not event.session_id or not os.path.isdir(directory):
        return []
    mine = f"{files.safe_name(event.session_id)}."
    names = sorted(name for name in os.listdir(directory) if name.startswith(mine) and name.endswith(RESULT))
    decisions = [_taken(os.path.join(directory, name), event) for name in names[:MOST]]
    return [decision for decision in decisions if decision is not None]


def _taken(path: str, event: Event) -> Decision | None:
    """One result, for one caller only: who renames the file first has it."""
    own = f"{path}.{os.getpid()}"
    try:
        os.rename(path, own)
        value = jsons.loads(files.read_own(own, LIMIT))
        os.unlink(own)
    except (OSError, HookkitError):
        return None
    if not isinstance(value, dict):
        return None
    names = ("name", "kind", "outcome", "ms", "problem", "evidence")
    event.handled.append({**{name: value[name] for name in names if name in value}, "async": True})
    name = str(value.get("name", ""))
    if value.get("problem"):
        text = f"the handler {name!r} (in the background, {value.get('outcome')}): {value['problem']}"
        event.notes.append((f"later-{files.safe_name(name)}", text))
    if value.get("rejected"):
        text = f"The handler {name!r} ran on {value.get('event')} in the background and rejects it: {value['rejected']}"
        value["context"] = f"{text}\n{value.get('context', '')}".strip()
    decision = Decision(context=str(value.get("context", "")), message=str(value.get("message", "")))
    return decision if decision.context or decision.message else None


def _directory(environ: dict[str, str]) -> str:
    """The directory of jobs and results; old ones are deleted on the way."""
    state = files.state_dir(environ)
    if not state:
        return ""
    directory = files.private_dir(os.path.join(files.private_dir(state), "later"))
    now = time.time()
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.stat(follow_symlinks=False).st_mtime < now - DAY:
                os.unlink(entry.path)
    return directory

"""One event through the user's handlers: the rows that are meant, those that may run now, one merged answer."""

import os

from hookkit.engine import batch, limits, matching
from hookkit.engine.execution import Execution
from hookkit.engine.handler import CANCELLED, ERROR, WITHIN, Handler, HandlerCall, HandlerRun
from hookkit.model import Decision, Event, combine
from hookkit.settings import hook_rows
from hookkit.system import jsons, time_limits
from hookkit.system.programs import Deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings


def answer(event: Event, settings: "Settings", rows: "list[dict[str, Any]]") -> Decision | None:
    start, is_denied = _before(event)
    handlers = _meant(event, settings, rows)
    if is_denied:
        handlers = [handler for handler in handlers if handler.is_policy]
    ready = [handler for handler in handlers if _may_run(handler, event, settings)]
    work = Execution(event, settings, start, Deadline(time_limits.total(event.name, settings.environ)))
    decisions = _background(event, settings, ready)
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
    said = [each.decision for each in event.answers or () if each.decision is not None]
    final = combine(said)
    return final.updated_input, final.verdict == "deny"


def _background(event: Event, settings: "Settings", ready: list[Handler]) -> list[Decision]:
    """Start the handlers that go on past the reply; the results of earlier ones go out with this event."""
    from hookkit.engine import later  # late: few handlers go on past the reply

    for handler in ready:
        if handler.row["async"]:
            later.start(HandlerCall(handler, event, settings))
    return later.collect(event, settings)


def _meant(event: Event, settings: "Settings", rows: "list[dict[str, Any]]") -> list[Handler]:
    """The handlers of the event; two rows with the same handler run once.

    A program of a handler that calls hookkit again runs no handlers: it would call itself without end.
    """
    found: dict[str, Handler] = {}
    if settings.environ.get(WITHIN):
        return []
    for row in rows:
        if matching.is_meant(row, event, settings) and not hook_rows.is_hookkit(row):
            found.setdefault(jsons.dumps([row["kind"], row["body"]]), Handler(row))
    return [*found.values()]


def _may_run(handler: Handler, event: Event, settings: "Settings") -> bool:
    refusal = batch.refusal(handler, settings.environ)
    if refusal:
        _keep(HandlerRun(handler, ERROR, None, refusal), event, settings, counts=False)
        return False
    seconds = limits.resting(settings.environ, handler)
    if seconds:
        said = f"rests for {seconds / 60:.0f} more minutes after {limits.FAILURES} failures in a row"
        event.handled.append(HandlerRun(handler, CANCELLED, None, said).row())
        return False
    return not handler.row["once"] or limits.claim(settings.environ, event.session_id, handler)


def _keep(run: HandlerRun, event: Event, settings: "Settings", *, counts: bool = True) -> None:
    """Write the run down, tell of a problem, and count failures."""
    handler = run.handler
    event.handled.append(run.row())
    if run.is_failed and handler.row["once"]:
        limits.release(settings.environ, event.session_id, handler)
    rests = counts and limits.count(settings.environ, handler, is_failed=run.is_failed)
    if run.problem:
        end = f"; it rests for {limits.REST // 60} minutes" if rests else ""
        place = os.path.basename(handler.row["source"])
        text = f"the handler {handler.name!r} ({place}, {run.outcome}): {run.problem}{end}"
        event.notes.append((f"handler-{handler.id}{'-rests' if rests else ''}", text))


def _merged(decisions: list[Decision], start: "dict[str, object] | None") -> Decision:
    result = combine(decisions)
    if result.updated_input is not None:
        result.onto = start
    else:
        result.judged = start
    return result

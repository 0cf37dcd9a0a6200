"""Handlers that go on past the reply. A process of hookkit's own waits for each, and keeps its result for the session.

The next event of the session that can carry text delivers the result: to the model as context, to the person as a
message. It is too late for a verdict, so a rejection is told as text.
"""

import os
import time

from hookkit import events
from hookkit.errors import HookkitError
from hookkit.handlers import limits
from hookkit.handlers.handler import BLOCKING, Handler, HandlerCall, HandlerRun
from hookkit.model import Decision, Event
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.layers import Settings
    from hookkit.system.programs import ProgramResult

LIMIT = 1 << 20  # bytes of a job or a result
MOST = 50  # results delivered with one event
DAY = 86_400  # seconds before a result that no event asked for is deleted
JOB, RESULT = ".job", ".result"


def start(call: HandlerCall) -> None:
    """Start the handler in a process of its own."""
    _spawn(call, {})


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
    from hookkit.system import running

    directory = _directory(call.settings.environ)
    if not directory:
        raise HookkitError(f"{call.handler.name}: an async handler needs a home directory for its result")
    event = call.event
    job = {"row": call.handler.row, "fields": call.fields(), "cwd": event.cwd, "project": event.project, **more}
    name = f"{files.safe_name(event.session_id)}.{os.urandom(8).hex()}{JOB}"
    path = os.path.join(directory, name)
    files.write(path, jsons.dumps(job).encode())
    running.start_background("hookkit.handlers.later", "main", [path], call.settings.environ, descriptors)


def main(path: str) -> None:
    """The process of one handler: run it, write down its result."""
    job = jsons.loads(files.read_own(path, LIMIT))
    from hookkit.settings import layers

    event = Event(str(job["fields"]["hook_event_name"]), job["fields"])
    event.cwd, event.project = job["cwd"], job["project"]
    settings = layers.load(event.cwd, dict(os.environ), event.project)
    call = HandlerCall(Handler(job["row"]), event, settings)
    run = _carried(call, job) if "left" in job else _run(call)
    if run.is_failed and call.handler.row["once"]:
        limits.release(settings.environ, event.session_id, call.handler)
    limits.count(settings.environ, call.handler, is_failed=run.is_failed)
    files.write(path.removesuffix(JOB) + RESULT, jsons.dumps(_result(run, event)).encode())
    os.unlink(path)


def _run(call: HandlerCall) -> HandlerRun:
    from hookkit.handlers.execution import together
    from hookkit.system.programs import Deadline

    return together([call], Deadline(call.handler.seconds))[0]


def _carried(call: HandlerCall, job: "dict[str, Any]") -> HandlerRun:
    """The rest of a program that is already running."""
    from hookkit.handlers.execution import outcome
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


def collect(event: Event, settings: "Settings") -> list[Decision]:
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

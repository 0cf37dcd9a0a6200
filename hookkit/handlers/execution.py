"""Runs handlers: in sequence or side by side, each within its limit, all within one deadline for the event.

In sequence a handler sees the input as rewritten so far, and a rejection stops the rest. Side by side every handler
sees the same input; the first rejection in written order wins, else the first rewrite in written order.
"""

from hookkit import registry
from hookkit.errors import HandlerError, HandlerTimeoutError
from hookkit.handlers import replies, waiting
from hookkit.handlers.handler import BLOCKING, CANCELLED, ERROR, SUCCESS, Handler, HandlerCall, HandlerRun
from hookkit.model import Decision, Event
from hookkit.system.user_programs import Deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hookkit.handlers.replies import Reply
    from hookkit.settings.layers import Settings
    from hookkit.system.user_programs import ProgramResult, UserProgram

    Started = tuple[UserProgram, bytes]

FUNCTION = "inline"  # the kind of handler that mostly takes microseconds
NOT_ALLOWED = 'its rewrite was left out: rewrites = "policy" allows rewrites of managed handlers only'


class Execution:
    """The handlers of one event. `start` is the rewrite of hooks before them, `current` the input as it stands now."""

    def __init__(
        self, event: Event, settings: "Settings", start: "dict[str, object] | None", deadline: Deadline
    ) -> None:
        self.event = event
        self.settings = settings
        self.start = self.current = start
        self.deadline = deadline
        self.runs: list[HandlerRun] = []
        self.is_blocked = False

    def run(self, handlers: list[Handler]) -> None:
        for batch in batches(handlers):
            if is_line(batch):
                waiting.Turns(self._steps(batch)).run()
            else:
                self._take(together([self._call(handler) for handler in batch], self.deadline))
            if self.is_blocked:
                return

    def _call(self, handler: Handler) -> HandlerCall:
        event = self.event if self.current is None else self.event.with_input(self.current)
        return HandlerCall(handler, event, self.settings)

    def _steps(self, handlers: list[Handler]) -> "Iterator[waiting.Attempt]":
        """The functions of a sequence; each is made when the reply of the one before it is known."""
        module = registry.find("handlers/kinds", FUNCTION)
        for handler in handlers:
            call = self._call(handler)
            waiting.tell(handler.status)
            attempt = waiting.Attempt(lambda call=call: module.run(call))  # type: ignore[misc]
            attempt.seconds = min(handler.seconds, self.deadline.left())
            yield attempt
            run = _of_attempt(call, attempt, self.deadline)
            waiting.tell(handler.name, run)
            self._take([run])
            if self.is_blocked:
                return

    def _take(self, runs: list[HandlerRun]) -> None:
        for run in runs:
            self._absorb(run)
        rewrites = [run.decision.updated_input for run in runs if run.decision is not None]
        self.current = next((new for new in rewrites if new is not None), self.current)
        self.is_blocked = any(run.outcome == BLOCKING for run in runs)

    def _absorb(self, run: HandlerRun) -> None:
        self.runs.append(run)
        decision = run.decision
        if decision is None:
            return
        is_free = self.settings.values.get("rewrites") != "policy" or run.handler.is_policy
        if decision.updated_input is not None and not is_free:
            decision.updated_input, run.problem = None, NOT_ALLOWED
        decision.rule = decision.rule or f"hooks {run.handler.name}"
        if decision.updated_input is not None:
            decision.onto = self.current
        elif self.current is not self.start:
            decision.judged = self.current


def batches(handlers: list[Handler]) -> "Iterator[list[Handler]]":
    """Neighbours with `mode = "parallel"` run together, and so does a line of functions; any other handler alone."""
    batch: list[Handler] = []
    for handler in handlers:
        if batch and not _belongs(batch[-1], handler):
            yield batch
            batch = []
        batch.append(handler)
    if batch:
        yield batch


def _belongs(before: Handler, handler: Handler) -> bool:
    if before.is_parallel or handler.is_parallel:
        return before.is_parallel and handler.is_parallel
    return before.kind == handler.kind == FUNCTION


def is_line(batch: list[Handler]) -> bool:
    """Whether the handlers are functions in sequence."""
    return batch[0].kind == FUNCTION and (not batch[0].is_parallel or len(batch) == 1)


def together(calls: list[HandlerCall], deadline: Deadline) -> list[HandlerRun]:
    """The runs of handlers at the same time, in the order of the calls."""
    results: list[HandlerRun | None] = [None] * len(calls)
    try:
        for call in calls:
            waiting.tell(call.handler.status)
        _fill(results, calls, deadline)
    except KeyboardInterrupt:
        if waiting.listener is None:
            raise
    runs = [
        run or HandlerRun(call.handler, CANCELLED, None, "cancelled") for run, call in zip(results, calls, strict=True)
    ]
    for run in runs:
        waiting.tell(run.handler.name, run)
    return runs


def _fill(runs: "list[HandlerRun | None]", calls: list[HandlerCall], deadline: Deadline) -> None:
    """Programs start before threads: a process with threads cannot fork."""
    attempts, programs = _sorted(calls, runs)
    functions = [attempt for number, attempt in attempts.items() if calls[number].handler.kind == FUNCTION]
    others = [attempt for number, attempt in attempts.items() if calls[number].handler.kind != FUNCTION]
    if not programs:
        waiting.start(others)
        waiting.run_short(functions)
    else:
        from hookkit.system.running import RunningPrograms  # late: most handlers of a warm server are functions

        with RunningPrograms([*programs.values()], deadline) as running:
            waiting.start(others)
            waiting.run_short(functions)
            for number, result in zip(programs, running.results(), strict=True):
                runs[number] = _of_program(calls[number], result)
    for number, attempt in attempts.items():
        runs[number] = _of_attempt(calls[number], attempt, deadline)


def _sorted(
    calls: list[HandlerCall], runs: "list[HandlerRun | None]"
) -> "tuple[dict[int, waiting.Attempt], dict[int, Started]]":
    """Handlers that are programs apart from the others. A handler that cannot begin has its outcome at once."""
    attempts: dict[int, waiting.Attempt] = {}
    programs: dict[int, Started] = {}
    for number, call in enumerate(calls):
        module = registry.find("handlers/kinds", call.handler.kind)
        try:
            started = module.program(call) if hasattr(module, "program") else None
        except HandlerError as error:
            runs[number] = _failed(call, error)
            continue
        if started is not None:
            programs[number] = started
        else:
            attempts[number] = waiting.Attempt(lambda module=module, call=call: module.run(call))  # type: ignore[misc]
    return attempts, programs


def _of_program(call: HandlerCall, result: "ProgramResult") -> HandlerRun:
    module = registry.find("handlers/kinds", call.handler.kind)
    run = outcome(call, lambda: module.finish(call, result))
    run.ms = result.seconds * 1000
    if result.left:
        from hookkit.handlers import answer  # late: few handlers go on past the reply

        answer.carry_on(call, result, run.later or replies.DEFAULT_LATER)
    return run


def _of_attempt(call: HandlerCall, attempt: waiting.Attempt, deadline: Deadline) -> HandlerRun:
    limit = min(call.handler.seconds, deadline.left() + attempt.age())
    run = outcome(call, lambda: attempt.result(limit))
    run.ms = attempt.ms
    return run


def outcome(call: HandlerCall, work: "Callable[[], Reply]") -> HandlerRun:
    """What became of a handler's work."""
    handler = call.handler
    try:
        reply = work()
    except HandlerError as error:
        return _failed(call, error)
    decision = reply.decision
    if decision is not None and replies.is_empty(decision):
        decision = None
    is_rejected = decision is not None and (decision.verdict == "deny" or decision.stop is not None)
    run = HandlerRun(handler, BLOCKING if is_rejected else SUCCESS, decision)
    if reply.strange:
        run.problem = replies.unknown(reply.strange)
    if reply.later is not None:
        run.later = reply.later
    return run


def _failed(call: HandlerCall, error: HandlerError) -> HandlerRun:
    """A failure lets the call continue, asks or rejects, as `on_failure` says. A lack of time never rejects."""
    handler, message = call.handler, str(error)
    is_late = isinstance(error, HandlerTimeoutError)
    run = HandlerRun(handler, CANCELLED if is_late else ERROR, None, message)
    run.trace = error.trace
    reason = f"{handler.name} failed: {message}"
    if handler.on_failure == "ask":
        run.decision = Decision("ask", f"{reason}. Its check did not happen: look at the call yourself")
    elif handler.on_failure == "reject" and not is_late:
        run.outcome, run.decision = BLOCKING, Decision("deny", reason)
    return run

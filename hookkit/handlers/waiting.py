"""Handlers that are functions of this process. Each has a limit, so it runs in a thread that may be left behind.

A switch between threads costs more than a short function. So functions in sequence share one thread (`Turns`), and so
do functions side by side (`run_short`), until one of them takes longer than PATIENCE; then the others get a thread
each. Webhooks and models get a thread each at once (`start`).
"""

import os
import time

from hookkit.errors import HandlerError, HandlerTimeoutError
from hookkit.system.user_programs import LATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from threading import Thread
    from types import TracebackType

    from hookkit.handlers.handler import HandlerRun
    from hookkit.handlers.replies import Reply

    Listener = Callable[[str, "HandlerRun | None"], None]  # the name, and the run once it has ended


listener: "Listener | None" = None


def tell(name: str, run: "HandlerRun | None" = None) -> None:
    if listener is not None:
        listener(name, run)


PATIENCE = 0.005  # seconds
LONGEST, LONGEST_TRACE = 300, 1_200  # characters of an error and of its traceback
DEEPEST = 8  # steps of a traceback
PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


class _Caught:
    """Keeps the error of a thread for the thread that waits; a function of the user's may raise anything."""

    def __init__(self, keeper: "Attempt | Turns") -> None:
        self.keeper = keeper

    def __enter__(self) -> None:
        return

    def __exit__(self, _: object, error: BaseException | None, __: "TracebackType | None") -> bool:
        self.keeper.error = error or self.keeper.error
        return True


class Attempt:
    """One function and its reply. Nothing can end a thread: a function that is late is left behind.

    A hook's process exits after its reply and takes the thread along.
    """

    def __init__(self, work: "Callable[[], Reply]") -> None:
        from _thread import allocate_lock

        self.work = work
        self.seconds = 0.0  # the limit, in a line
        self.began = 0.0  # 0 while the function waits for its turn
        self.ms = 0.0
        self.problem = ""  # why the one who waited gave up
        self.reply: Reply | None = None
        self.error: BaseException | None = None
        self._taken, self._settled, self._running = allocate_lock(), allocate_lock(), allocate_lock()
        self._running.acquire()

    def run(self) -> bool:
        """Run the function, unless another thread does. Whether the one who waits has not given up before its end."""
        if not self._taken.acquire(blocking=False):
            return False
        self.began = time.monotonic()
        with _Caught(self):
            self.reply = self.work()
        ms = self.age() * 1000
        is_in_time = self._settled.acquire(blocking=False)
        self.ms = ms if is_in_time else self.ms
        self._running.release()
        return is_in_time

    def give_up(self, problem: str) -> bool:
        """Whether the function has not ended before: then its end means nothing any more."""
        if not self._settled.acquire(blocking=False):
            return False
        self.problem, self.ms = problem, self.age() * 1000
        return True

    def age(self) -> float:
        return time.monotonic() - self.began if self.began else 0.0

    def is_done(self, seconds: float) -> bool:
        """Whether the function has ended, within so many seconds from now."""
        if not self._running.acquire(timeout=max(0, seconds)):
            return False
        self._running.release()
        return True

    def result(self, seconds: float) -> "Reply":
        """The reply within so many seconds of the start. Raises HandlerError."""
        if not self.problem and not self.is_done(seconds - self.age()):
            self.give_up(late(seconds))
        if self.problem:
            raise HandlerTimeoutError(self.problem)
        if isinstance(self.error, HandlerError):
            raise self.error
        if self.error is not None or self.reply is None:
            raise _raised(self.error)
        return self.reply


def _raised(error: BaseException | None) -> HandlerError:
    """The error of a function, with the line of the user's file where it was raised, and its traceback."""
    if error is None:
        return HandlerError("ended without a reply")
    import traceback

    steps = traceback.extract_tb(error.__traceback__)
    own = [step for step in steps if not step.filename.startswith(PACKAGE)] or steps
    message = f"raised {type(error).__name__}: {error}"[:LONGEST]
    where = f" ({os.path.basename(own[-1].filename)}:{own[-1].lineno} in {own[-1].name})" if own else ""
    return HandlerError(message + where, "".join(traceback.format_list(own[-DEEPEST:]))[-LONGEST_TRACE:].rstrip())


def late(seconds: float) -> str:
    return f"{LATE} {round(seconds, 1):g} s"


def start(attempts: list[Attempt]) -> "list[Thread]":
    """A thread for each."""
    from threading import Thread

    threads = [Thread(target=attempt.run, daemon=True) for attempt in attempts]
    for thread in threads:
        thread.start()
    return threads


def run_short(attempts: list[Attempt]) -> None:
    """One thread for all, or for each its own once one of them is slow."""
    if not attempts:
        return
    from threading import Thread

    def work() -> None:
        for attempt in attempts:
            attempt.run()

    thread = Thread(target=work, daemon=True)
    thread.start()
    for number, attempt in enumerate(attempts):
        if not attempt.is_done(PATIENCE):
            start(attempts[number + 1 :])
            return
    thread.join()


class Turns:
    """Functions one after another in one thread, while the caller watches the time.

    `steps` gives the next attempt and takes in the last. A thread whose function is late is left behind, and a new
    thread goes on with the steps.
    """

    def __init__(self, steps: "Iterator[Attempt]") -> None:
        from _thread import allocate_lock

        self.steps = steps
        self.current: Attempt | None = None
        self.error: BaseException | None = None
        self.done = allocate_lock()
        self.done.acquire()

    def run(self) -> None:
        thread = self._start()
        while not self.done.acquire(blocking=False):
            problem = self._wait()
            if problem and self.current is not None and self.current.give_up(problem):
                thread = self._start()
        thread.join()
        if self.error is not None:
            raise self.error

    def _wait(self) -> str:
        """Why the function that runs is to be left behind; empty while it has time."""
        now = self.current
        try:
            if self.done.acquire(timeout=max(PATIENCE, now.seconds - now.age() if now is not None else 0)):
                self.done.release()
        except KeyboardInterrupt:
            if listener is None:
                raise
            return "cancelled"
        return late(now.seconds) if now is not None and now is self.current and now.age() >= now.seconds else ""

    def _start(self) -> "Thread":
        from threading import Thread

        thread = Thread(target=self._work, daemon=True)
        thread.start()
        return thread

    def _work(self) -> None:
        with _Caught(self):
            for attempt in self.steps:
                self.current = attempt
                if not attempt.run():
                    return
        self.done.release()

"""Work that is waited for: programs in one loop, other handlers in threads of their own."""

import time

from hookkit.errors import HandlerError, HandlerTimeoutError
from hookkit.system import programs as system
from hookkit.system.programs import Deadline, Program, ProgramResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from hookkit.engine.replies import Reply

    Started = tuple[Program, bytes]


def programs(started: "dict[int, Started]", deadline: Deadline) -> dict[int, ProgramResult]:
    if not started:
        return {}
    return dict(zip(started, system.run_together([*started.values()], deadline), strict=True))


class _Caught:
    """A function of the user's may raise anything; `Attempt.result` raises it again as an error of the handler."""

    def __init__(self, attempt: "Attempt") -> None:
        self.attempt = attempt

    def __enter__(self) -> None:
        return

    def __exit__(self, _: object, error: BaseException | None, __: "TracebackType | None") -> bool:
        self.attempt.error = error
        return True


class Attempt:
    """A function in a thread. Nothing can end a thread, so it is left behind when its time is over.

    A hook's process exits after its reply and takes the thread along.
    """

    def __init__(self, work: "Callable[[], Reply]") -> None:
        import threading

        self.work = work
        self.began = time.monotonic()
        self.ms = 0.0
        self.reply: Reply | None = None
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def age(self) -> float:
        return time.monotonic() - self.began

    def _run(self) -> None:
        with _Caught(self):
            self.reply = self.work()
        self.ms = self.age() * 1000

    def result(self, seconds: float) -> "Reply":
        """The reply within so many seconds of the start. Raises HandlerError."""
        self.thread.join(max(0, seconds - self.age()))
        if self.thread.is_alive():
            self.ms = self.age() * 1000
            raise HandlerTimeoutError(f"{system.LATE} {round(seconds, 1):g} s")
        if isinstance(self.error, HandlerError):
            raise self.error
        if self.error is not None or self.reply is None:
            raise HandlerError(f"raised {type(self.error).__name__}: {self.error}"[:300])
        return self.reply

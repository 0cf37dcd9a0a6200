"""Runs requests through the pipeline, in threads: a slow event never keeps another event waiting."""

import os
import time
from concurrent.futures import Future, ThreadPoolExecutor

from hookkit import pipeline, registry
from hookkit.daemon import wire
from hookkit.errors import ColdError
from hookkit.policy import pattern

THREADS = 32
MOST_PATTERNS = 100_000  # parsed patterns kept, of all projects together


class Answering:
    """`busy` counts the requests at work. With all threads at work, a new request is left to the cold command."""

    def __init__(self, threads: int = THREADS) -> None:
        self.threads = threads
        self.busy = 0
        self.answered = 0
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="hook")

    @property
    def is_full(self) -> bool:
        return self.busy >= self.threads

    def begin(self, asked: "Asked") -> "Future[bytes | None]":
        """Called by the loop alone, like `end`: so the counts need no lock."""
        self.busy += 1
        return self.pool.submit(asked.answer)

    def end(self) -> None:
        self.busy -= 1
        self.answered += 1
        if len(pattern._parsed) > MOST_PATTERNS:  # noqa: SLF001 - the cache is unbounded on purpose in a short process
            pattern._parsed.clear()  # noqa: SLF001


class Asked:
    """A request at work. After a deny, `reply_so_far` need not wait for hooks that hang."""

    def __init__(self, request: wire.Request) -> None:
        self.request = request
        self.call: pipeline.Invocation | None = None
        self.stopped: float | None = None

    def answer(self) -> bytes | None:
        """The bytes that the cold command would print; None if only the cold command can answer."""
        request = self.request
        if not is_hook(request.hook):
            return None
        here = request.here if b'"cwd"' in request.raw else _real(request.here)
        self.call = pipeline.Invocation(request.hook, request.words, request.environ, here)
        self.call.on_stop = self._stop
        try:
            return pipeline.reply(self.call, request.raw)
        except ColdError:
            return None

    def _stop(self) -> None:
        self.stopped = time.monotonic()

    def reply_so_far(self) -> bytes | None:
        """The reply of a deny, once the other hooks take too long; None before."""
        if self.call is None or self.stopped is None or time.monotonic() - self.stopped < pipeline.AFTERWARDS:
            return None
        return pipeline.encoded(self.call.reply())


def is_hook(name: str) -> bool:
    return name == "run" or registry.exists("hooks", name)


def _real(directory: str) -> str:
    """The directory as os.getcwd() would name it, for an event without a directory."""
    return os.path.realpath(directory) if os.path.isdir(directory) else ""

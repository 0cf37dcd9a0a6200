"""Runs requests through the pipeline, in the thread that calls: a slow event never keeps another event waiting."""

import os
import threading
import time

from hookkit import pipeline, registry
from hookkit.daemon import wire
from hookkit.errors import WARM, ColdError
from hookkit.policy import pattern

REHEARSAL = (
    b'{"hook_event_name": "PreToolUse", "session_id": "", "cwd": "/", "tool_name": "Bash",'
    b' "tool_input": {"command": "cd . && ls \\"$(pwd)\\" | sort > /dev/null"}}'
)
THREADS = 32  # requests at work at the same time
MOST_PATTERNS = 100_000  # parsed patterns kept, of all projects together


class Answering:
    """Counts the requests at work. Beyond the limit, a request is left to the cold command."""

    def __init__(self, most: int = THREADS) -> None:
        self.most = most
        self.busy = 0
        self.answered = 0
        self.lock = threading.Lock()

    def answer(self, asked: "Asked") -> bytes | None:
        """The bytes that the cold command would print; None if only the cold command can answer."""
        with self.lock:
            if self.busy >= self.most:
                return None
            self.busy += 1
        try:
            return asked.answer()
        finally:
            with self.lock:
                self.busy -= 1
                self.answered += 1
            if len(pattern._parsed) > MOST_PATTERNS:  # noqa: SLF001 - unbounded on purpose in a short process
                pattern._parsed.clear()  # noqa: SLF001


class Asked:
    """A request at work. After a deny, `reply_so_far` need not wait for hooks that hang."""

    def __init__(self, request: wire.Request) -> None:
        self.request = request
        self.call: pipeline.Invocation | None = None
        self.stopped: float | None = None

    def answer(self) -> bytes | None:
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


def rehearse(environ: dict[str, str]) -> None:
    """Judge a harmless line, so that the first real call does not wait for settings, rules and tables to be made."""
    Asked(wire.Request("guard", [], {**environ, WARM: "1"}, "/", REHEARSAL)).answer()


def is_hook(name: str) -> bool:
    return name == "run" or registry.exists("hooks", name)


def _real(directory: str) -> str:
    """The directory as os.getcwd() would name it, for an event without a directory."""
    return os.path.realpath(directory) if os.path.isdir(directory) else ""

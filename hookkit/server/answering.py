"""Runs requests through the pipeline, in the thread that calls: a slow event never keeps another event waiting."""

import os
import threading
import time

from hookkit import pipeline, registry
from hookkit.errors import WARM, ColdError
from hookkit.model import Event
from hookkit.policy import pattern
from hookkit.server import spool, wire
from hookkit.system import spooled

REHEARSAL = (
    b'{"hook_event_name": "PreToolUse", "session_id": "", "cwd": "/", "tool_name": "Bash",'
    b' "tool_input": {"command": "cd . && ls \\"$(pwd)\\" | sort > /dev/null"}}'
)
SLOW = 32  # requests that take long at the same time
TURN = 0.01  # seconds: a request that computes for longer no longer keeps the others waiting
PATIENCE = 0.05  # seconds: whoever has waited that long goes on without a turn
LONGEST_LINE = 4_000  # characters of a command line; a longer one may take so long that others would wait
MOST_PATTERNS = 100_000  # parsed patterns kept, of all projects together


class Turn:
    """The right to compute, and when it was taken; lost, if its request takes long."""

    __slots__ = ("is_held", "is_lost", "lock", "since")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.since = 0.0
        self.is_held = self.is_lost = False


class Answering:
    """One request computes at a time: several would only take the interpreter from each other, at each system call.

    A slow request goes on beside a new turn. Beyond `most` slow ones, a request is left to the cold command.
    """

    def __init__(self, most: int = SLOW) -> None:
        self.most = most
        self.busy = self.slow = 0
        self.answered = 0
        self.lock = threading.Lock()
        self.turn = Turn()

    def answer(self, asked: "Asked") -> bytes | None:
        """The bytes that the cold command would print; None if only the cold command can answer."""
        with self.lock:
            if self.slow >= self.most:
                return None
            self.busy += 1
        turn = self._take_turn()
        try:
            return asked.answer()
        finally:
            with self.lock:
                self.busy -= 1
                self.answered += 1
                self.slow -= turn.is_lost
                turn.is_held = False  # from now on nobody can take the turn away
            turn.lock.release()
            if len(pattern._parsed) > MOST_PATTERNS:  # noqa: SLF001 - unbounded on purpose in a short process
                pattern._parsed.clear()  # noqa: SLF001

    def _take_turn(self) -> Turn:
        end = time.monotonic() + PATIENCE
        while True:
            turn = self.turn
            if turn.lock.acquire(timeout=TURN):
                if turn is self.turn:
                    turn.since, turn.is_held = time.monotonic(), True
                    return turn
                turn.lock.release()  # of a slow request, which has ended
                continue
            now = time.monotonic()
            with self.lock:
                if turn is self.turn and turn.is_held and now - turn.since > TURN:
                    self._lose(turn)
                    self.turn = Turn()
                elif now > end:
                    own = Turn()
                    own.lock.acquire()
                    self._lose(own)
                    return own

    def _lose(self, turn: Turn) -> None:
        turn.is_lost = True
        self.slow += 1


class Asked:
    """A request at work. After a deny, `reply_so_far` need not wait for hooks that hang."""

    def __init__(self, request: wire.Request, *, is_remote: bool = False) -> None:
        self.request = request
        self.is_remote = is_remote
        self.call: pipeline.Invocation | None = None
        self.stopped: float | None = None

    def answer(self) -> bytes | None:
        request = self.request
        if not is_hook(request.hook):
            return None
        here = request.here if b'"cwd"' in request.raw else _real(request.here)
        self.call = pipeline.Invocation(request.hook, request.words, request.environ, here)
        self.call.on_stop, self.call.is_remote = self._stop, self.is_remote
        self.call.on_event = self._prepare
        try:
            return pipeline.reply(self.call, request.raw)
        except ColdError:
            return None

    def _prepare(self, event: Event, environ: dict[str, str]) -> None:
        """The stored events of the session count before this one. The others wait for the next look of the server."""
        if len(event.command) > LONGEST_LINE and not self.is_remote:
            raise ColdError  # a process of its own keeps nobody else waiting
        session = event.session_id
        if self.request.hook == "run" and session and spooled.names(spooled.directory(environ), session):
            spool.play(environ, session)

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

"""The talk with `hookkit-hook`, in the protocol of `wire`, on a socket that blocks."""

import contextlib
import hmac
import socket
import struct
import threading
import time

from hookkit.errors import HookkitError
from hookkit.server import wire
from hookkit.server.answering import Answering, Asked
from hookkit.server.code import Code
from hookkit.server.process import Door

SECONDS = 5.0  # for a shim to send its request, and to take the reply
BEAT = 1.0  # seconds of work before the first sign of life
CHUNK = 1 << 16


def limit(connection: socket.socket, seconds: float) -> None:
    """Bound each receive and each send, in the kernel: `settimeout` would cost a call of `poll` before each."""
    value = struct.pack("ll", int(seconds), int(seconds % 1 * 1e6))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, value)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, value)


def acknowledge(connection: socket.socket) -> None:
    """Acknowledge received bytes at once: bash writes an event in parts, a line each, and waits after each part."""
    if hasattr(socket, "TCP_QUICKACK"):  # Linux
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


class Waiting:
    """A shim that waits for its reply. The thread at work and the clock may both speak, but only one ends the talk."""

    def __init__(self, connection: socket.socket, asked: Asked) -> None:
        self.connection = connection
        self.asked = asked
        self.since = time.monotonic()
        self.is_over = False
        self.lock = threading.Lock()

    def end(self, reply: bytes | None) -> None:
        with self.lock:
            if not self.is_over:
                self.is_over = True
                self.connection.sendall(wire.COLD if reply is None else wire.framed(reply))

    def beat(self) -> None:
        """A sign of life; or the reply, if a deny stands and other hooks hang. Called by the clock, so never waits."""
        if time.monotonic() - self.since < BEAT:
            return
        late = self.asked.reply_so_far()
        with self.lock, contextlib.suppress(OSError):  # a full buffer: this shim does not listen
            if not self.is_over:
                self.is_over = late is not None
                self.connection.send(wire.ALIVE if late is None else wire.framed(late), socket.MSG_DONTWAIT)
                if late is not None:
                    self.connection.shutdown(socket.SHUT_RDWR)


class Shims:
    """What all talks share."""

    def __init__(self, door: Door, answering: Answering, code: Code) -> None:
        self.greeting = wire.GREETING + door.ask.encode() + b"\n"
        self.reply = door.reply.encode()
        self.answering = answering
        self.code = code
        self.waiting: set[Waiting] = set()

    def talk(self, connection: socket.socket, data: bytes) -> None:
        """Answer one request. `data` has its first bytes. Raises OSError for a shim that is gone or too slow."""
        length = len(self.greeting)  # bash sends it in one write: the rest of a part is not waited for
        if not hmac.compare_digest(data[:length], self.greeting):  # in constant time; without the secret, no byte
            return
        connection.sendall(self.reply)
        limit(connection, SECONDS)
        request = self._request(connection, data[length:])
        if request is not None:
            self._answer(connection, request)

    def _request(self, connection: socket.socket, data: bytes) -> wire.Request | None:
        """The request; None for bytes that are none."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            data += _more(connection)
            try:
                request = wire.parse(data)
            except HookkitError:
                return None
            if request is not None:
                return request
            acknowledge(connection)
        return None

    def _answer(self, connection: socket.socket, request: wire.Request) -> None:
        if self.code.is_replaced():
            connection.sendall(wire.COLD)
            return
        asked = Asked(request)
        waiting = Waiting(connection, asked)
        self.waiting.add(waiting)
        try:
            waiting.end(self.answering.answer(asked))
        finally:
            self.waiting.discard(waiting)

    def beat(self) -> None:
        for waiting in self.waiting.copy():
            waiting.beat()


def _more(connection: socket.socket) -> bytes:
    data = connection.recv(CHUNK)
    if not data:
        raise ConnectionResetError
    return data

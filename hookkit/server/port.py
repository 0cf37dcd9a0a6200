"""Takes connections. Each thread waits for one and answers it itself, so a request meets no other thread on its way.

A caller that says nothing, speaks slowly, or wants more than a plain hook would hold its thread. Such a connection goes
to the `Room`, where the event loop waits for all of them at once.
"""

import contextlib
import socket
import threading
import time
from collections.abc import Callable

from hookkit.server import http_hooks, wire
from hookkit.server.http_hooks import HttpHooks, Origins
from hookkit.server.shim import CHUNK, SECONDS, Shims, limit

HASTE = 0.01  # seconds for the first bytes of a caller
LINGER = 2.0  # seconds for the next bytes of a caller that has shown its secret
RESERVE = 4  # threads beyond those at work: one caller too many is told so at once
MOST = 1024  # connections; the room lets only a few strangers stay
PAUSE = 0.1  # seconds after a failed accept, when the process can open no more files

HandOver = Callable[[socket.socket, bytes, bool], None]  # the bytes so far, and whether the caller has shown its secret


class SlowError(Exception):
    """A thread must not go on with this connection."""

    def __init__(self, data: bytes, *, is_known: bool) -> None:
        super().__init__()
        self.data = data
        self.is_known = is_known


class Port:
    """The threads of the server, and what their connections share."""

    def __init__(self, listener: socket.socket, shims: Shims, hooks: HttpHooks, origins: Origins, threads: int) -> None:
        self.listener = listener
        self.shims = shims
        self.hooks = hooks
        self.origins = origins
        self.threads = threads
        self.held = 0  # threads that have a connection
        self.connections = 0
        self.lock = threading.Lock()
        self.is_closing = False

    def open(self, hand_over: HandOver) -> None:
        self.hand_over = hand_over
        for _ in range(self.threads + RESERVE):
            self._add_thread()

    def close(self) -> None:
        self.is_closing = True
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)  # wakes the threads on Linux; elsewhere `close` does
        self.listener.close()

    def _add_thread(self) -> None:
        threading.Thread(target=self._live, name="hook", daemon=True).start()

    def _live(self) -> None:
        """After an error that nobody foresaw, and that the log has, another thread takes the place of this one."""
        try:
            while not self.is_closing:
                self._take()
        finally:
            if not self.is_closing:
                self._add_thread()

    def _take(self) -> None:
        try:
            connection, _ = self.listener.accept()
        except OSError:
            if not self.is_closing:
                time.sleep(PAUSE)
            return
        with self.lock:
            self.connections += 1
            is_welcome = self.connections <= MOST and not self.is_closing
        if is_welcome:
            self.serve(connection, b"")
        else:
            self.drop(connection)

    def drop(self, connection: socket.socket) -> None:
        connection.close()
        self.forget()

    def forget(self) -> None:
        with self.lock:
            self.connections -= 1

    def serve(self, connection: socket.socket, data: bytes) -> None:
        """Answer the caller to the end, or hand the connection over. `data` has been received before."""
        with self.lock:
            self.held += 1
        slow: SlowError | None = None
        try:
            self._talk(connection, data)
        except SlowError as error:
            slow = error
        except OSError:
            pass  # the caller is gone
        finally:
            with self.lock:
                self.held -= 1
            if slow is None:
                self.drop(connection)
        if slow is not None:
            self.hand_over(connection, slow.data, slow.is_known)

    def _talk(self, connection: socket.socket, data: bytes) -> None:
        limit(connection, HASTE)
        data = data or _receive(connection, is_known=False)
        if data.startswith(wire.GREETING):
            self.shims.talk(connection, data)
        elif data:
            self._talk_http(connection, data)

    def _talk_http(self, connection: socket.socket, data: bytes) -> None:
        is_known = False
        while data:
            head = self._head(data, is_known=is_known)
            if not is_known:
                is_known = True
                limit(connection, LINGER)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            data = _whole(connection, data, head.end)
            reply = self.hooks.answer(head.hook, head.query, head.headers, data[head.start :])
            if reply is None:
                raise SlowError(data, is_known=True)
            connection.sendall(http_hooks.response(reply, http_hooks.kind(reply)))
            if head.is_last:
                return
            if self.held > self.threads // 2:
                raise SlowError(b"", is_known=True)  # an idle caller must not hold one of the last threads
            data = _receive(connection, is_known=True)

    def _head(self, data: bytes, *, is_known: bool) -> http_hooks.PlainRequest:
        try:
            head = http_hooks.PlainRequest(data)
        except http_hooks.NotPlainError:
            raise SlowError(data, is_known=is_known) from None
        if self.origins.are_ours(head.headers.items()) and self.hooks.is_known(head.headers):
            return head
        raise SlowError(data, is_known=False)


def _whole(connection: socket.socket, data: bytes, end: int) -> bytes:
    """The head and the body. A caller that sends more does not wait for its reply: uvicorn takes requests in a row."""
    last = time.monotonic() + SECONDS
    while len(data) < end:
        more = _receive(connection, data, is_known=True)
        if not more or time.monotonic() > last:
            raise ConnectionResetError
        data += more
    if len(data) > end:
        raise SlowError(data, is_known=True)
    return data


def _receive(connection: socket.socket, so_far: bytes = b"", *, is_known: bool) -> bytes:
    try:
        return connection.recv(CHUNK)
    except BlockingIOError:
        raise SlowError(so_far, is_known=is_known) from None

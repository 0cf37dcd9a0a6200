"""Takes connections. Each thread waits for one and answers it itself, so a request meets no other thread on its way.

A caller that says nothing, speaks slowly, or wants more than a plain hook would hold its thread. Such a connection goes
to the `WaitingRoom`, where the event loop waits for all of them at once.
"""

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from hookkit.server import http_hooks, wire
from hookkit.server.http_hooks import HttpHooks, Origins
from hookkit.server.shim import CHUNK, SECONDS, Shims, limit

HASTE = 0.01  # seconds for the first bytes of a caller
LINGER = 2.0  # seconds for the next bytes of a caller that has shown its secret
RESERVE = 4  # threads beyond those at work: one caller too many is told so at once
MOST = 1024  # connections; the room lets only a few strangers stay
PAUSE = 0.1  # seconds after a failed accept, when the process can open no more files
FIRST = 5.0  # seconds for the first bytes of a connection, and for a whole head
IDLE = 120.0  # seconds between two requests over one connection
STRANGERS = 128  # connections without a secret: one more, and the oldest of them has to leave

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

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


# -- where connections wait ------------------------------------------------------------------------------------------


class WaitingRoom:
    def __init__(self, port: Port, pool: "ThreadPoolExecutor", make_http: "Callable[[bytes], Http]") -> None:
        self.port = port
        self.pool = pool
        self.make_http = make_http
        self.loop = asyncio.get_running_loop()
        self.adopted: set[asyncio.Task[None]] = set()
        self.strangers: dict[Guest | Http, None] = {}  # the oldest first

    def take(self, connection: socket.socket, data: bytes, is_known: bool) -> None:  # noqa: FBT001 - a HandOver
        """Called by any thread."""
        try:
            self.loop.call_soon_threadsafe(self._place, connection, data, is_known)
        except RuntimeError:  # the server ends, and its loop has ended already
            self.port.drop(connection)

    def _place(self, connection: socket.socket, data: bytes, is_known: bool) -> None:  # noqa: FBT001
        connection.settimeout(0)
        if wire.GREETING.startswith(data):
            Guest(self, connection, data, is_known=is_known)
        else:
            task = self.loop.create_task(self._adopt(connection, data))
            self.adopted.add(task)
            task.add_done_callback(self.adopted.discard)

    async def _adopt(self, connection: socket.socket, data: bytes) -> None:
        try:
            await self.loop.connect_accepted_socket(lambda: self.make_http(data), connection)
        except OSError:
            self.port.drop(connection)

    def give_back(self, connection: socket.socket, data: bytes) -> None:
        connection.settimeout(None)
        self.pool.submit(self.port.serve, connection, data)

    def admit(self, stranger: "Guest | Http") -> None:
        """A caller with its secret must find a place, however many others say nothing."""
        self.strangers[stranger] = None
        if len(self.strangers) > STRANGERS:
            next(iter(self.strangers)).leave()


class Guest:
    """A connection whose next bytes are awaited."""

    def __init__(self, room: WaitingRoom, connection: socket.socket, data: bytes, *, is_known: bool) -> None:
        self.room = room
        self.connection = connection
        self.data = data
        self.is_known = is_known
        self.timer = room.loop.call_later(IDLE if is_known else FIRST, self.leave)
        room.loop.add_reader(connection, self._hear)
        if not is_known:
            room.admit(self)

    def _hear(self) -> None:
        try:
            more = self.connection.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            more = b""
        self.data += more
        if not more:
            self.leave()
        elif len(self.data) >= len(wire.GREETING) or not wire.GREETING.startswith(self.data):
            self._move_on()

    def _move_on(self) -> None:
        self._stand_up()
        if self.is_known or self.data.startswith(wire.GREETING):
            self.room.give_back(self.connection, self.data)
        else:
            self.room.take(self.connection, self.data, is_known=False)

    def leave(self) -> None:
        self._stand_up()
        self.room.port.drop(self.connection)

    def _stand_up(self) -> None:
        self.timer.cancel()
        self.room.strangers.pop(self, None)
        self.room.loop.remove_reader(self.connection)


class Http(H11Protocol):
    """Drops a client that does not send a whole head in time; `app` does the same for the body."""

    def __init__(self, room: WaitingRoom, data: bytes, *more: Any) -> None:
        super().__init__(*more)
        self.room = room
        self.data = data
        self.late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.room.admit(self)
        self.data_received(self.data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.room.strangers.pop(self, None)
        self.room.port.forget()
        if self.late is not None:
            self.late.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.late is None:
            self.late = self.loop.call_later(FIRST, self._drop)
        super().data_received(data)

    def _drop(self) -> None:
        if self.scope is None and not self.transport.is_closing():
            self.transport.abort()

    def leave(self) -> None:
        """Make room for another caller, unless this one has sent a whole head by now: `app` looks at its secret."""
        self.room.strangers.pop(self, None)
        self._drop()

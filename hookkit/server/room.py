"""Where connections wait that would hold a thread: silent ones, slow ones, and everything that uvicorn answers."""

import asyncio
import socket
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from hookkit.server import wire
from hookkit.server.port import Port
from hookkit.server.shim import CHUNK

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import ThreadPoolExecutor

SECONDS = 5.0  # for the first bytes of a connection, and for a whole head
IDLE = 120.0  # seconds between two requests over one connection
STRANGERS = 128  # connections without a secret: one more, and the oldest of them has to leave


class Room:
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

    def __init__(self, room: Room, connection: socket.socket, data: bytes, *, is_known: bool) -> None:
        self.room = room
        self.connection = connection
        self.data = data
        self.is_known = is_known
        self.timer = room.loop.call_later(IDLE if is_known else SECONDS, self.leave)
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

    def __init__(self, room: Room, data: bytes, *more: Any) -> None:
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
            self.late = self.loop.call_later(SECONDS, self._drop)
        super().data_received(data)

    def _drop(self) -> None:
        if self.scope is None and not self.transport.is_closing():
            self.transport.abort()

    def leave(self) -> None:
        """Make room for another caller, unless this one has sent a whole head by now: `app` looks at its secret."""
        self.room.strangers.pop(self, None)
        self._drop()

"""Takes connections. The first bytes tell the shim from a browser or a client that speaks HTTP."""

import asyncio
import hmac
import socket
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from hookkit.daemon import wire
from hookkit.daemon.answering import Answering, Asked
from hookkit.daemon.code import Code
from hookkit.daemon.door import Door
from hookkit.errors import HookkitError

SECONDS = 5.0  # for a client to send a whole request
BEAT = 1.0  # seconds between signs of life to a waiting shim
MOST = 512  # connections


def acknowledge(transport: asyncio.Transport) -> None:
    """Acknowledge received bytes at once: bash writes an event in parts, a line each, and waits after each part."""
    if hasattr(socket, "TCP_QUICKACK"):  # Linux
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


class Gate:
    """State shared by all connections. `is_closing` refuses new requests, while those at work are finished."""

    def __init__(self, door: Door, answering: Answering, code: Code) -> None:
        self.greeting = wire.GREETING + door.ask.encode() + b"\n"
        self.reply = door.reply.encode() + b"\n"
        self.answering = answering
        self.code = code
        self.pages = 0  # pages open in a browser
        self.is_closing = False
        self.connections = 0

    def protocol(self, config: Config, server_state: ServerState, app_state: dict[str, Any], _loop: Any = None) -> Any:
        """In place of uvicorn's own protocol class."""
        return Arrival(self, lambda: Http(self, config, server_state, app_state, _loop))


class Arrival(asyncio.Protocol):
    """A connection before its first bytes."""

    def __init__(self, gate: Gate, make_http: Any) -> None:
        self.gate = gate
        self.make_http = make_http
        self.held = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - for the type checker
        self.transport = transport
        self.gate.connections += 1
        acknowledge(transport)
        self.timer = asyncio.get_running_loop().call_later(SECONDS, transport.abort)
        if self.gate.is_closing or self.gate.connections > MOST:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self.timer.cancel()
        self.gate.connections -= 1

    def data_received(self, data: bytes) -> None:
        self.held += data
        head = self.held[: len(wire.GREETING)]
        if len(head) < len(wire.GREETING) and wire.GREETING.startswith(head):
            return
        self.timer.cancel()
        other = Shim(self.gate) if head == wire.GREETING else self.make_http()
        self.transport.set_protocol(other)
        other.connection_made(self.transport)
        other.data_received(self.held)


class Http(H11Protocol):
    """Drops a client that does not send a whole head in time; `app` does the same for the body."""

    def __init__(self, gate: Gate, *more: Any) -> None:
        super().__init__(*more)
        self.gate = gate
        self.late: asyncio.TimerHandle | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        self.gate.connections -= 1
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


class Shim(asyncio.Protocol):
    """A request of `hookkit-hook`, in the protocol of `wire`."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.data = b""
        self.is_known = False
        self.is_asked = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - for the type checker
        self.transport = transport
        self.loop = asyncio.get_running_loop()
        self.timer = self.loop.call_later(SECONDS, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self.timer.cancel()
        self.gate.connections -= 1

    def data_received(self, data: bytes) -> None:
        if self.is_asked:
            self.transport.abort()
            return
        self.data += data
        if not self.is_known:
            self._greet()
        if not self.is_known or not self.data:
            return
        try:
            request = wire.parse(self.data)
        except HookkitError:
            self.transport.abort()
            return
        if request is None:
            acknowledge(self.transport)
            return
        self.data = b""
        self._ask(request)

    def _greet(self) -> None:
        """The secret is compared in constant time. A stranger gets no byte."""
        length = len(self.gate.greeting)
        if len(self.data) < length:
            return
        if not hmac.compare_digest(self.data[:length], self.gate.greeting):
            self.transport.abort()
            return
        self.data = self.data[length:]
        self.is_known = True
        self.transport.write(self.gate.reply)

    def _ask(self, request: wire.Request) -> None:
        self.is_asked = True
        self.timer.cancel()
        answering = self.gate.answering
        if answering.is_full or self.gate.is_closing or self.gate.code.is_replaced():
            self._end(wire.COLD)
            return
        self.timer = self.loop.call_later(BEAT, self._beat)
        self.asked = Asked(request)
        future = answering.begin(self.asked)
        future.add_done_callback(lambda done: self.loop.call_soon_threadsafe(self._answered, done))

    def _beat(self) -> None:
        late = self.asked.reply_so_far()
        if late is not None:
            self._end(wire.framed(late))
            return
        self.transport.write(wire.ALIVE)
        self.timer = self.loop.call_later(BEAT, self._beat)

    def _answered(self, done: Any) -> None:
        self.gate.answering.end()
        problem = done.exception()
        reply = None if problem is not None else done.result()
        self._end(wire.COLD if reply is None else wire.framed(reply))

    def _end(self, data: bytes) -> None:
        self.timer.cancel()
        if not self.transport.is_closing():
            self.transport.write(data)
            self.transport.close()

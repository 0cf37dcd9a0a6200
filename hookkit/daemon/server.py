"""The server process: takes its lock, loads everything, opens its door, watches, and hands over after an upgrade."""

import asyncio
import contextlib
import fcntl
import gc
import logging
import os
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import uvicorn

from hookkit import __version__
from hookkit.daemon import app, code, door
from hookkit.daemon.answering import THREADS, Answering, rehearse
from hookkit.daemon.http_hooks import HttpHooks
from hookkit.daemon.incoming import Origins
from hookkit.daemon.port import Port
from hookkit.daemon.room import IDLE, Http, Room
from hookkit.daemon.shim import BEAT, Shims
from hookkit.errors import HookkitError
from hookkit.settings import snapshot
from hookkit.system import files

EVERY = 1.0  # seconds between two looks at the files
PATIENCE = 20.0  # seconds for requests at work, before the server ends
STABLE = 1.0  # seconds without a change, before the new code is started
BACKLOG = 1024
STACK = 16 << 20  # bytes of a thread: as much as the main thread of a cold command
SWITCH = 0.001  # seconds after which a long computation lets another thread run


class RunningError(HookkitError):
    """Another server of this user is at work."""


class Warm(uvicorn.Server):
    """Opens the port and the door, and watches until the end. Uvicorn gets its connections from the room."""

    def __init__(self, config: uvicorn.Config, keeper: "Keeper") -> None:
        super().__init__(config)
        self.keeper = keeper

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.keeper.open(Room(self.keeper.port, self.keeper.pool, self._http))
        self.tasks = [asyncio.create_task(self.keeper.watch(self)), asyncio.create_task(self.keeper.beat())]

    def _http(self, data: bytes) -> Http:
        return Http(self.keeper.port, data, self.config, self.server_state, self.lifespan.state)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for task in self.tasks:
            task.cancel()
        await self.keeper.close()
        await super().shutdown(sockets)


class Keeper:
    """The door, the idle time and the code of a server."""

    def __init__(self, environ: dict[str, str], listener: socket.socket, idle: float) -> None:
        self.environ = environ
        self.idle = idle
        self.code = code.Code()
        self.door = door.fresh(listener.getsockname()[1])
        self.token = _kept_token(environ)
        self.answering = Answering()
        self.hooks = HttpHooks(self)
        self.origins = Origins(self.door.port)
        self.shims = Shims(self.door, self.answering, self.code)
        self.port = Port(listener, self.shims, self.hooks, self.origins, THREADS)
        self.pool = ThreadPoolExecutor(THREADS, thread_name_prefix="slow")
        self.pages = 0  # pages open in a browser
        self.began = time.time()
        self.active = time.monotonic()
        self.counted = 0
        self.is_outdated = False

    def open(self, room: Room) -> None:
        self.port.open(room.take)
        self._put_door()
        self.pool.submit(rehearse, self.environ)

    def _put_door(self) -> None:
        door.put(self.environ, self.door)

    def status(self) -> dict[str, Any]:
        """The facts of the server, for the page and `serve --status`."""
        return {
            "version": __version__,
            "pid": self.door.pid,
            "port": self.door.port,
            "since": int(self.began * 1000),
            "answered": self.answering.answered,
            "busy": self.answering.busy,
            "pages": self.pages,
        }

    async def close(self) -> None:
        """No new requests; those at work are finished."""
        door.take_down(self.environ, self.door)
        self.port.close()
        end = time.monotonic() + PATIENCE
        while self.answering.busy and time.monotonic() < end:  # noqa: ASYNC110 - a count, and the end is near
            await asyncio.sleep(0.01)

    async def beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            self.shims.beat()

    async def watch(self, server: uvicorn.Server) -> None:
        while True:
            await asyncio.sleep(EVERY)
            with contextlib.suppress(OSError, HookkitError):  # a full disk: the next second may be better
                self._mend_door()
            is_used = self.answering.answered != self.counted or self.pages
            self.counted = self.answering.answered
            if is_used:
                self.active = time.monotonic()
            self.is_outdated = self.code.is_replaced() or (bool(is_used) and self.code.is_changed())
            if self.is_outdated or (self.idle and time.monotonic() - self.active > self.idle):
                server.should_exit = True
                return

    def _mend_door(self) -> None:
        """Write the door file again after a shim without an answer emptied the file, or a person deleted the file."""
        try:
            found = door.read(self.environ)
        except door.NoDoorError:
            self._put_door()
            return
        if found.ask != self.door.ask:
            self._put_door()


def run(environ: dict[str, str], *, idle: float = 0, port: int = 0) -> bool:
    """Serve until the end. True: the code has changed, and the caller has to start the new code."""
    with lock(environ):
        _prepare()
        listener = listen(environ, port)
        keeper = Keeper(environ, listener, idle)
        config = uvicorn.Config(
            app.make(keeper),
            http="h11", loop="asyncio", ws="none", lifespan="off", log_config=None, access_log=False,
            server_header=False, date_header=False, proxy_headers=False, timeout_keep_alive=int(IDLE),
            timeout_graceful_shutdown=2,
        )  # fmt: skip
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        Warm(config, keeper).run([])
    return keeper.is_outdated


def _prepare() -> None:
    threading.stack_size(STACK)
    sys.setswitchinterval(SWITCH)
    code.load_all()
    snapshot.held = {}
    gc.collect()
    gc.freeze()  # the collector need not look at the code again


def wait_until_stable() -> None:
    """An installer takes its time to write all files."""
    before = code.stamps()
    while True:
        time.sleep(STABLE)
        now = code.stamps()
        if now == before and now.get(os.path.join(code.PACKAGE, "__init__.py")):
            return
        before = now


@contextlib.contextmanager
def lock(environ: dict[str, str]) -> Any:
    """Allow a single server for each user. The lock ends with the process, even after a crash."""
    path = os.path.join(door.make_directory(environ), "lock")
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise RunningError("a server is already running. See: hookkit serve --status") from None
    try:
        yield
    finally:
        os.close(handle)


def listen(environ: dict[str, str], port: int) -> socket.socket:
    """The port of last time, so the address in a client's settings stays right; else any free port."""
    kept = os.path.join(door.make_directory(environ), "port")
    for wanted in (port or _kept_port(kept), 0):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", wanted))
        except OSError:
            listener.close()
            if port:
                raise HookkitError(f"port {port} is taken by another program") from None
            continue
        listener.listen(BACKLOG)
        files.write(kept, f"{listener.getsockname()[1]}\n".encode())
        return listener
    raise HookkitError("no free port on 127.0.0.1")


def _kept_port(path: str) -> int:
    try:
        text = files.read_own(path, 100).decode("ascii", "replace").strip()
    except OSError:
        return 0
    return int(text) if text.isdigit() and 0 < int(text) < 1 << 16 else 0


def _kept_token(environ: dict[str, str]) -> str:
    """The secret of the client's http hooks: kept, because the client's settings name the secret."""
    path = os.path.join(door.make_directory(environ), "token")
    try:
        text = files.read_own(path, 200).decode("ascii", "replace").strip()
    except OSError:
        text = ""
    if len(text) != 2 * door.SECRET:
        text = door.secret()
        files.write(path, f"{text}\n".encode())
    return text

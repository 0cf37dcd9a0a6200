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
from hookkit.errors import WARM, HookkitError
from hookkit.server import app, code, process, spool
from hookkit.server.answering import SLOW, Answering, rehearse
from hookkit.server.http_hooks import HttpHooks, Origins
from hookkit.server.port import IDLE, Http, Port, WaitingRoom
from hookkit.server.shim import BEAT, Shims
from hookkit.server.syncing import Syncing
from hookkit.settings import judging, layers
from hookkit.system import files, running

EVERY = 1.0  # seconds between two looks at the files
SOON = 0.02  # seconds between two looks at the spool, while agents are at work
AWAKE = 10.0  # seconds after the last answer
SYNC = 60.0  # seconds between two rounds with the fleet's hub
PATIENCE = 20.0  # seconds for requests at work, before the server ends
STABLE = 1.0  # seconds without a change, before the new code is started
OFTEN = 700  # objects between two searches for garbage: the parts of each parsed line refer to each other
GONE = 30.0  # seconds without hookkit's own files and without a change, before the server ends
BACKLOG = 1024
CLOSED = "closed"  # a file: the last server ended in order
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
        self.room = WaitingRoom(self.keeper.port, self.keeper.pool, self._http)
        self.keeper.open(self.room)
        keeper = self.keeper
        self.tasks = [asyncio.create_task(work) for work in (keeper.watch(self), keeper.beat(), keeper.drain())]

    def _http(self, data: bytes) -> Http:
        return Http(self.room, data, self.config, self.server_state, self.lifespan.state)

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
        self.door = process.fresh(listener.getsockname()[1])
        self.token = _kept_token(environ)
        self.answering = Answering()
        self.hooks = HttpHooks(self)
        self.origins = Origins(self.door.port)
        self.shims = Shims(self.door, self.answering, self.code)
        self.port = Port(listener, self.shims, self.hooks, self.origins, SLOW)
        self.pool = ThreadPoolExecutor(SLOW, thread_name_prefix="slow")
        self.syncing = Syncing(environ)
        self.pages = 0  # pages open in a browser
        self.began = time.time()
        self.active = time.monotonic()
        self.synced = time.monotonic()
        self.counted = 0
        self.is_outdated = False
        self.base = os.open(_base(environ), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def open(self, room: WaitingRoom) -> None:
        self.syncing.open()
        self.port.open(room.take)
        self._put_door()
        self._is_here()
        self.pool.submit(rehearse, self.environ)

    def _is_here(self) -> None:
        """Whoever misses this server later need not wait for a time that an earlier attempt has noted."""
        if process.on_demand(self.environ) == process.ON:
            process.set_on_demand(self.environ, process.ON)

    def _put_door(self) -> None:
        process.put(self.environ, self.door)

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
        process.take_down(self.environ, self.door)
        self.port.close()
        end = time.monotonic() + PATIENCE
        while self.answering.busy and time.monotonic() < end:  # noqa: ASYNC110 - a count, and the end is near
            await asyncio.sleep(0.01)
        self.syncing.close()
        if not self._is_homeless():
            with contextlib.suppress(OSError, HookkitError):
                files.write(os.path.join(process.make_directory(self.environ), CLOSED), b"")

    async def beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            self.shims.beat()

    async def watch(self, server: uvicorn.Server) -> None:
        while True:
            await asyncio.sleep(EVERY)
            if self._is_homeless():
                server.should_exit = True
                return
            with contextlib.suppress(OSError, HookkitError):  # a full disk: the next second may be better
                self._mend_door()
                self._sync_fleet()
            self.pool.submit(self._play_stored)
            is_used = self.answering.answered != self.counted or self.pages
            self.counted = self.answering.answered
            if is_used:
                self.active = time.monotonic()
            self.is_outdated = self.code.is_replaced() or (bool(is_used) and self.code.is_changed())
            if self.is_outdated or (self.idle and time.monotonic() - self.active > self.idle):
                server.should_exit = True
                return

    async def drain(self) -> None:
        """Stored events are played when they come: no later decision of their session has to play them first."""
        stamp = 0
        while True:
            await asyncio.sleep(SOON if time.monotonic() - self.active < AWAKE else EVERY)
            if (new := spool.stamp(self.environ)) != stamp:
                stamp = new
                await asyncio.get_running_loop().run_in_executor(self.pool, self._play_stored)

    def _is_homeless(self) -> bool:
        """Whether the home was deleted, as that of a test: the server must not go on in another of that name."""
        try:
            return not os.path.samestat(os.fstat(self.base), os.stat(_base(self.environ)))
        except OSError:
            return True

    def _play_stored(self) -> None:
        """Events that launchers have stored since the last look; a full disk may have room the next time."""
        with contextlib.suppress(OSError, HookkitError):  # an error must not end the looks that follow
            spool.play({**self.environ, WARM: "1"}, seconds=EVERY)

    def _sync_fleet(self) -> None:
        if time.monotonic() - self.synced > SYNC:
            self.synced = time.monotonic()
            settings = layers.load("/", self.environ)
            running.sync_fleet(self.environ, settings["fleet.to"], settings["fleet.policy"])

    def _mend_door(self) -> None:
        """Write the door file again after a shim without an answer emptied the file, or a person deleted the file."""
        try:
            current = process.read(self.environ)
        except process.NoDoorError:
            self._put_door()
            return
        if current.ask != self.door.ask:
            self._put_door()


def _base(environ: dict[str, str]) -> str:
    """The directory around hookkit's state, which outlives the state."""
    return os.path.dirname(files.state_dir(environ))


def run(environ: dict[str, str], *, idle: float = 0, port: int = 0) -> bool:
    """Serve until the end. True: the code has changed, and the caller has to start the new code."""
    if not os.path.isdir(files.home(environ)):
        raise HookkitError("the home directory does not exist")
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
    layers.memory = judging.Memory()
    gc.set_threshold(OFTEN)  # people's commands look more seldom
    gc.collect()
    gc.freeze()  # the collector need not look at the code again


def wait_until_stable() -> bool:
    """An installer takes its time to write all files. False: hookkit was removed."""
    before = code.stamps()
    end = time.monotonic() + GONE
    while time.monotonic() < end:
        time.sleep(STABLE)
        now = code.stamps()
        if now == before and now.get(os.path.join(code.PACKAGE, "__init__.py")):
            return True
        end = time.monotonic() + GONE if now != before else end
        before = now
    return False


@contextlib.contextmanager
def lock(environ: dict[str, str]) -> Any:
    """Allow a single server for each user. The lock ends with the process, even after a crash."""
    path = os.path.join(process.make_directory(environ), "lock")
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
    path, problem = os.path.join(process.make_directory(environ), "port"), ""
    for wanted in (port or _kept_port(path), 0):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", wanted))
        except OSError as error:
            problem = error.strerror or str(error)
            listener.close()
            if port:
                raise HookkitError(f"port {port} is taken by another program") from None
            continue
        listener.listen(BACKLOG)
        files.keep(path, f"{listener.getsockname()[1]}\n".encode(), 0o600)
        return listener
    raise HookkitError(f"no port on 127.0.0.1: {problem}. Hooks answer without the server")


def _kept_port(path: str) -> int:
    try:
        text = files.read_own(path, 100).decode("ascii", "replace").strip()
    except OSError:
        return 0
    return int(text) if text.isdigit() and 0 < int(text) < 1 << 16 else 0


def _kept_token(environ: dict[str, str]) -> str:
    """The secret of the client's http hooks: kept, because the client's settings name the secret.

    After an unclean end somebody else may have listened on the port, and clients may have sent the secret there.
    """
    directory = process.make_directory(environ)
    path, closed = os.path.join(directory, "token"), os.path.join(directory, CLOSED)
    try:
        text = files.read_own(path, 200).decode("ascii", "replace").strip()
        os.unlink(closed)
    except OSError:
        text = ""
    if len(text) != 2 * process.SECRET:
        text = process.secret()
        files.keep(path, f"{text}\n".encode(), 0o600)
    return text

"""Starting, stopping and asking the server, from another process. The door file says where it listens."""

import contextlib
import os
import signal
import socket
import stat
import subprocess
import time

from hookkit.errors import HookkitError
from hookkit.server import code, wire
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


FORMAT = "2"
FIELDS = 6
LONGEST = 4_096  # bytes of the file
SECRET = 24  # random bytes of a secret
DIRECTORY = "serve"


class NoDoorError(HookkitError):
    """No server has left its address, or the file is not ours."""


class Door:
    __slots__ = ("ask", "page", "pid", "port", "reply")

    def __init__(self, pid: int, port: int, ask: str, reply: str, page: str) -> None:
        self.pid = pid
        self.port = port
        self.ask = ask
        self.reply = reply
        self.page = page

    @property
    def line(self) -> bytes:
        return f"{FORMAT} {self.pid} {self.port} {self.ask} {self.reply} {self.page}\n".encode()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def fresh(port: int) -> Door:
    """A door with secrets of its own for this process."""
    return Door(os.getpid(), port, *(secret() for _ in range(3)))


def secret() -> str:
    return os.urandom(SECRET).hex()


def directory(environ: "dict[str, str]") -> str:
    state = files.state_dir(environ)
    return os.path.join(state, DIRECTORY) if state else ""


def path(environ: "dict[str, str]") -> str:
    place = directory(environ)
    return os.path.join(place, "door") if place else ""


def make_directory(environ: "dict[str, str]") -> str:
    """The directory of the server's files, closed to every other user."""
    place = directory(environ)
    if not place:
        raise NoDoorError("there is no home directory for the server's files")
    files.private_dir(os.path.dirname(place))
    files.private_dir(place)
    os.chmod(place, 0o700)
    return place


def put(environ: "dict[str, str]", door: Door) -> None:
    files.write(os.path.join(make_directory(environ), "door"), door.line)


def read(environ: "dict[str, str]") -> Door:
    """The door of the running server, or NoDoorError. Refuse a file readable or writable by others."""
    try:
        handle = os.open(path(environ), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise NoDoorError(f"no server has left its address ({error.strerror})") from None
    with open(handle, "rb") as file:
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode) or info.st_uid != os.geteuid() or info.st_mode & 0o077:
            raise NoDoorError(f"{path(environ)} is not a private file of ours")
        return parse(file.read(LONGEST))


def parse(raw: bytes) -> Door:
    words: list[Any] = raw.decode("ascii", "replace").split()
    if len(words) != FIELDS or words[0] != FORMAT or not (words[1].isdigit() and words[2].isdigit()):
        raise NoDoorError("the file of the server's address is not readable")
    return Door(int(words[1]), int(words[2]), *words[3:])


def take_down(environ: "dict[str, str]", door: Door) -> None:
    """Remove the file if the file is still this server's."""
    try:
        if read(environ).ask == door.ask:
            os.unlink(path(environ))
    except (NoDoorError, OSError):
        return


SECONDS = 15.0  # for a server to start or to stop
ANSWER = 2.0  # seconds for a sign of life
PAUSE = 0.02
MOST_LOG = 1 << 20  # bytes of the log before a new start
ON, OFF = "on", "off"
SPEAKER = "hookkit: "  # begins the line with the reason of an end


class StartError(HookkitError):
    """The server did not start; the message has the last line of its log."""


def is_alive(door: Door) -> bool:
    """Whether the server behind the door proves itself."""
    try:
        with socket.create_connection(("127.0.0.1", door.port), ANSWER) as connection:
            connection.sendall(wire.GREETING + door.ask.encode() + b"\n")
            return connection.recv(len(door.reply)) == door.reply.encode()
    except OSError:
        return False


def running(environ: dict[str, str]) -> Door | None:
    try:
        running_door = read(environ)
    except NoDoorError:
        return None
    return running_door if is_alive(running_door) else None


def start(environ: dict[str, str], words: list[str]) -> tuple[Door, bool]:
    """The server, and whether this call started the server. A new server has its own session and no terminal."""
    running_door = running(environ)
    if running_door is not None:
        return running_door, False
    if is_locked(environ):
        return _await_other(environ), False
    log = os.path.join(make_directory(environ), "log")
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(log, flags, 0o600), "ab") as file:
        if os.fstat(file.fileno()).st_size > MOST_LOG:
            file.truncate(0)
        process = subprocess.Popen(
            [*code.launcher(), "serve", *words],
            stdin=subprocess.DEVNULL, stdout=file, stderr=file, cwd="/", env=environ, start_new_session=True,
        )  # fmt: skip
    return _await(environ, process, log), True


def is_locked(environ: dict[str, str]) -> bool:
    """Whether a server holds its lock, in whatever namespace."""
    from hookkit.system import files

    try:
        handle = os.open(os.path.join(directory(environ), "lock"), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not files.lock(handle)
    finally:
        os.close(handle)


def _await_other(environ: dict[str, str]) -> Door:
    """The server that another process is starting. In a sandbox with a network of its own it is never reached."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        running_door = running(environ)
        if running_door is not None:
            return running_door
        time.sleep(0.2)
    raise StartError("a server is at work that cannot be reached from here")


def _await(environ: dict[str, str], process: "subprocess.Popen[bytes]", log: str) -> Door:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        running_door = running(environ)
        if running_door is not None:
            return running_door
        status = process.poll()
        if status and (status != 1 or not is_locked(environ)):
            break  # 1 with a lock: another server was faster
        time.sleep(PAUSE)
    with contextlib.suppress(OSError), open(log, "rb") as file:
        lines = file.read()[-2_000:].decode("utf-8", "replace").splitlines()
        reasons = [line.removeprefix(SPEAKER) for line in lines if line.startswith(SPEAKER)] or lines
        raise StartError(f"the server did not start: {reasons[-1] if reasons else 'no reason in its log'} ({log})")
    raise StartError("the server did not start")


def stop(environ: dict[str, str]) -> bool:
    """End the server; False if no server was running. Only a process proved to be the server is ended."""
    running_door = running(environ)
    if running_door is None:
        return False
    os.kill(running_door.pid, signal.SIGTERM)
    end = time.monotonic() + SECONDS + 10
    while time.monotonic() < end:
        try:
            os.kill(running_door.pid, 0)
        except ProcessLookupError:
            return True
        if not is_alive(running_door):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(running_door.pid, os.WNOHANG)  # a child of ours, in tests
        time.sleep(PAUSE)
    raise HookkitError(f"the server (process {running_door.pid}) still finishes its requests")


def on_demand(environ: dict[str, str]) -> str:
    """Whether the launcher starts a server when it finds none. After `on` the file may name the next attempt's time."""
    try:
        with open(os.path.join(directory(environ), "on-demand"), encoding="ascii", errors="replace") as file:
            return ON if file.readline(100).split()[:1] == [ON] else OFF
    except OSError:
        return OFF


def set_on_demand(environ: dict[str, str], word: str) -> None:
    from hookkit.system import files

    files.keep(os.path.join(make_directory(environ), "on-demand"), f"{word}\n".encode(), 0o600)

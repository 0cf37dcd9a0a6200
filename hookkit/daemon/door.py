"""The file that leads to the server: its process, its port and two secrets. The directory is 0700, the file 0600.

The shim proves itself with `ask`; the server proves itself with `reply` before the shim sends an event. A program of
another user can read neither, and a program that took the port of a dead server cannot answer.

    2 PID PORT ASK REPLY PAGE
"""

import os
import stat

from hookkit.errors import HookkitError
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

"""Starting, stopping and asking the server, from another process."""

import contextlib
import os
import signal
import socket
import subprocess
import time

from hookkit.daemon import code, door, wire
from hookkit.errors import HookkitError

SECONDS = 15.0  # for a server to start or to stop
ANSWER = 2.0  # seconds for a sign of life
PAUSE = 0.02
MOST_LOG = 1 << 20  # bytes of the log before a new start
ON, OFF, FAILED = "on", "off", "failed"


class StartError(HookkitError):
    """The server did not start; the message has the last line of its log."""


def is_alive(found: door.Door) -> bool:
    """Whether the server behind the door proves itself."""
    try:
        with socket.create_connection(("127.0.0.1", found.port), ANSWER) as connection:
            connection.sendall(wire.GREETING + found.ask.encode() + b"\n")
            return connection.recv(len(found.reply)) == found.reply.encode()
    except OSError:
        return False


def running(environ: dict[str, str]) -> door.Door | None:
    try:
        found = door.read(environ)
    except door.NoDoorError:
        return None
    return found if is_alive(found) else None


def start(environ: dict[str, str], words: list[str]) -> tuple[door.Door, bool]:
    """The server, and whether this call started the server. A new server has its own session and no terminal."""
    found = running(environ)
    if found is not None:
        return found, False
    log = os.path.join(door.make_directory(environ), "log")
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(log, flags, 0o600), "ab") as file:
        if os.fstat(file.fileno()).st_size > MOST_LOG:
            file.truncate(0)
        process = subprocess.Popen(
            [*code.launcher(), "serve", *words],
            stdin=subprocess.DEVNULL, stdout=file, stderr=file, cwd="/", env=environ, start_new_session=True,
        )  # fmt: skip
    return _await(environ, process, log), True


def _await(environ: dict[str, str], process: "subprocess.Popen[bytes]", log: str) -> door.Door:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        found = running(environ)
        if found is not None:
            return found
        if process.poll() not in (None, 0, 1):
            break  # 1: another server was faster
        time.sleep(PAUSE)
    with contextlib.suppress(OSError), open(log, "rb") as file:
        last = file.read()[-2_000:].decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise StartError(f"the server did not start: {last or 'no reason in its log'} ({log})")
    raise StartError("the server did not start")


def stop(environ: dict[str, str]) -> bool:
    """End the server; False if no server was running. Only a process proved to be the server is ended."""
    found = running(environ)
    if found is None:
        return False
    os.kill(found.pid, signal.SIGTERM)
    end = time.monotonic() + SECONDS + 10
    while time.monotonic() < end:
        try:
            os.kill(found.pid, 0)
        except ProcessLookupError:
            return True
        if not is_alive(found):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(found.pid, os.WNOHANG)  # a child of ours, in tests
        time.sleep(PAUSE)
    raise HookkitError(f"the server (process {found.pid}) still finishes its requests")


def on_demand(environ: dict[str, str]) -> str:
    """Whether the shim starts a server when it finds none: on, off, or failed at the last attempt."""
    try:
        with open(os.path.join(door.directory(environ), "on-demand"), encoding="ascii", errors="replace") as file:
            return file.readline(100).strip() or OFF
    except OSError:
        return OFF


def set_on_demand(environ: dict[str, str], word: str) -> None:
    from hookkit.system import files

    files.write(os.path.join(door.make_directory(environ), "on-demand"), f"{word}\n".encode())

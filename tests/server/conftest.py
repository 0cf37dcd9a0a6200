"""A real server in a process of its own, with a home and a state of its own."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hookkit.server import process, wire
from hookkit.system import agents
from tests.conftest import HOOKKIT

SHIM = str(Path(sys.executable).parent / "hookkit-hook")


class Server:
    """`environ` is that of a caller of the same user; `ask` speaks the shim's protocol over a socket."""

    def __init__(self, home: Path, *words: str) -> None:
        kept = {name: value for name, value in os.environ.items() if name not in agents.VARIABLES}
        kept = {name: value for name, value in kept.items() if not name.startswith(("CLAUDE", "XDG_", "HOOKKIT_"))}
        binaries = f"{Path(HOOKKIT).parent}:{os.environ.get('PATH', os.defpath)}"
        self.environ = {**kept, "HOME": str(home), "PATH": binaries}
        self.words = words
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> "Server":
        command = [HOOKKIT, "serve", *self.words]
        self.process = subprocess.Popen(command, env=self.environ, cwd="/", stdout=subprocess.DEVNULL)
        self.wait()
        return self

    def wait(self, *, running: bool = True) -> None:
        end = time.monotonic() + 60
        while (process.running(self.environ) is not None) is not running:
            assert time.monotonic() < end, "the server did not start or stop in time"
            time.sleep(0.02)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)

    @property
    def door(self) -> process.Door:
        return process.read(self.environ)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.door.port), 30)

    def ask(self, words: list[str], environ: dict[str, str], here: str, raw: bytes) -> bytes:
        """What the server says to the shim: "=" and the reply, or "cold"."""
        found = self.door
        with self.connect() as connection, connection.makefile("rb") as file:
            connection.sendall(wire.GREETING + found.ask.encode() + b"\n")
            assert file.read(len(found.reply)) == found.reply.encode()
            given = [f"{name}={environ[name]}" for name in wire.NAMES if name in environ]
            fields = [f"test-{os.urandom(4).hex()}", str(len(raw)), here, str(len(words)), *words, *given, "", ""]
            connection.sendall("\0".join(fields).encode("utf-8", "surrogateescape") + raw + b"\0")
            while (head := file.read(len(wire.ALIVE))) == wire.ALIVE:
                pass
            if head == wire.COLD:
                return b"cold"
            assert head[:1] == b"="
            reply = file.read()
            assert len(reply) == int(head[1:])
            return b"=" + reply

    def shim(self, *words: str, stdin: bytes, **more: Any) -> "subprocess.CompletedProcess[bytes]":
        more = {"env": self.environ, "capture_output": True, "timeout": 60, **more}
        return subprocess.run([SHIM, *words], input=stdin, check=False, **more)

    def cold(self, *words: str, stdin: bytes, **more: Any) -> "subprocess.CompletedProcess[bytes]":
        more = {"env": self.environ, "capture_output": True, "timeout": 60, **more}
        return subprocess.run([HOOKKIT, *words], input=stdin, check=False, **more)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("server-home")).start()
    yield made
    made.stop()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server that a test may end, stop or spoil."""
    (tmp_path / "own-home").mkdir()
    made = Server(tmp_path / "own-home").start()
    yield made
    made.stop()

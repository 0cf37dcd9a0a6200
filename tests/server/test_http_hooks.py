"""Clients send requests in parts, in rows, with long pauses and in forms of their own: each is answered the same."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, BinaryIO, cast

import pytest

from hookkit.server import port
from hookkit.server.http_hooks import HttpHooks
from tests.server.conftest import Server
from tests.server.test_auth import RAW, token

VERDICT = b'"permissionDecision":"deny"'
Speaking = Callable[[socket.socket, bytes, bytes], None]


def head_of(server: Server, body: bytes, *more: str, version: str = "1.1") -> bytes:
    lines = [f"POST /hooks/run HTTP/{version}", f"Host: 127.0.0.1:{server.door.port}",
             f"Authorization: Bearer {token(server)}", *more]  # fmt: skip
    if not any(line.startswith("Transfer-Encoding") for line in more):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode()


def response(file: BinaryIO) -> tuple[bytes, bytes]:
    """The first line of an answer, and its body."""
    first, length = file.readline().strip(), 0
    while line := file.readline().strip():
        name, _, value = line.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    return first, file.read(length)


def in_one(connection: socket.socket, head: bytes, body: bytes) -> None:
    connection.sendall(head + body)


def body_later(connection: socket.socket, head: bytes, body: bytes) -> None:
    connection.sendall(head)
    time.sleep(0.1)
    connection.sendall(body)


def in_crumbs(connection: socket.socket, head: bytes, body: bytes) -> None:
    for at in range(0, len(head), 20):
        connection.sendall(head[at : at + 20])
        time.sleep(0.02)
    connection.sendall(body)


def after_silence(connection: socket.socket, head: bytes, body: bytes) -> None:
    time.sleep(0.2)
    connection.sendall(head + body)


@pytest.mark.parametrize("speak", [in_one, body_later, in_crumbs, after_silence])
def test_the_parts_of_a_request_do_not_matter(server: Server, speak: Speaking) -> None:
    with server.connect() as connection, connection.makefile("rb") as file:
        for _ in range(3):
            speak(connection, head_of(server, RAW), RAW)
            first, body = response(file)
            assert first == b"HTTP/1.1 200 OK"
            assert VERDICT in body


def test_a_caller_that_rests_is_answered_afterwards(server: Server) -> None:
    with server.connect() as connection, connection.makefile("rb") as file:
        for pause in (0.0, port.LINGER + 1, port.LINGER + 1):
            time.sleep(pause)
            connection.sendall(head_of(server, RAW) + RAW)
            assert VERDICT in response(file)[1]


def test_requests_in_a_row_are_each_answered(server: Server) -> None:
    with server.connect() as connection, connection.makefile("rb") as file:
        connection.sendall((head_of(server, RAW) + RAW) * 3)
        assert [VERDICT in response(file)[1] for _ in range(3)] == [True] * 3


@pytest.mark.parametrize(
    ("more", "version"), [(("Connection: close",), "1.1"), ((), "1.0"), (("Connection: close", "X: é"), "1.1")]
)
def test_the_last_request_ends_the_connection(server: Server, more: tuple[str, ...], version: str) -> None:
    with server.connect() as connection, connection.makefile("rb") as file:
        connection.sendall(head_of(server, RAW, *more, version=version) + RAW)
        assert VERDICT in response(file)[1]
        assert file.read() == b""


def test_an_option_that_no_command_line_can_have_is_left_out() -> None:
    """The cold command may have to answer, with the options as its arguments."""
    hooks = HttpHooks(cast("Any", SimpleNamespace(answering=None, token="", environ={})))
    assert hooks._request("run", "actor=%00x&on-error=ask", {}, b"{}").words == ["--on-error=ask"]


def test_a_chunked_and_a_large_body(server: Server) -> None:
    large = json.dumps({**json.loads(RAW), "note": "x" * 3_000_000}).encode()
    chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (len(RAW), RAW)
    with server.connect() as connection, connection.makefile("rb") as file:
        connection.sendall(head_of(server, b"", "Transfer-Encoding: chunked") + chunked)
        assert VERDICT in response(file)[1]
        connection.sendall(head_of(server, large) + large)
        assert VERDICT in response(file)[1]


def test_more_callers_that_keep_their_connection_than_threads(server: Server) -> None:
    """Idle callers hold no thread that another needs, and each is answered again later."""
    callers = [server.connect() for _ in range(80)]
    try:
        for _ in range(2):
            for caller in callers:
                caller.sendall(head_of(server, RAW) + RAW)
            for caller in callers:
                with caller.makefile("rb") as file:
                    assert VERDICT in response(file)[1]
        assert VERDICT in server.shim("run", stdin=RAW, cwd="/usr").stdout
    finally:
        for caller in callers:
            caller.close()


@pytest.mark.parametrize("said", [b"", b"h", b"hookkit 2 ", b"POST /hooks/run HTTP/1.1\r\nX: "])
def test_strangers_that_dribble_hold_no_thread(server: Server, said: bytes) -> None:
    """While many callers without a secret send a byte now and then, a shim is answered by the server."""
    strangers = [server.connect() for _ in range(100)]
    is_over = threading.Event()

    def dribble() -> None:
        while not is_over.wait(0.005):
            for each in strangers:
                with contextlib.suppress(OSError):  # dropped by the server
                    each.sendall(said or b"h")

    thread = threading.Thread(target=dribble, daemon=True)
    thread.start()
    try:
        for _ in range(5):
            assert server.ask(["run"], server.environ, "/usr", RAW)[:1] == b"="
    finally:
        is_over.set()
        thread.join()
        for each in strangers:
            each.close()

"""Who may ask: without the right secret, from another user, or from a web page, nothing is answered or revealed."""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys

import pytest

from hookkit.daemon import door, port, room, wire
from tests.daemon.conftest import Server

EVENT = {"hook_event_name": "PreToolUse", "session_id": "http", "tool_name": "Bash", "tool_use_id": "h1",
         "tool_input": {"command": "rm -rf /"}, "cwd": "/usr"}  # fmt: skip
RAW = json.dumps(EVENT).encode()


def token(server: Server) -> str:
    with open(os.path.join(door.directory(server.environ), "token"), encoding="ascii") as file:
        return file.read().strip()


def call(server: Server, path: str, raw: bytes | None = None, **headers: str) -> tuple[int, bytes, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", server.door.port, timeout=30)
    try:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET" if raw is None else "POST", path, body=raw, headers=given)
        answer = connection.getresponse()
        return answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()}
    finally:
        connection.close()


def test_an_http_hook_is_answered_like_the_command(server: Server) -> None:
    status, said, headers = call(server, "/hooks/run", RAW, Authorization=f"Bearer {token(server)}")
    assert (status, headers["content-type"]) == (200, "application/json")
    assert said == server.cold("run", stdin=RAW, cwd="/usr").stdout


def test_an_http_hook_without_an_opinion_answers_nothing(server: Server) -> None:
    quiet = json.dumps({**EVENT, "tool_input": {"command": "ls"}}).encode()
    assert call(server, "/hooks/guard", quiet, Authorization=f"Bearer {token(server)}")[:2] == (200, b"")


def test_an_http_hook_takes_options_and_the_variables_of_its_session(server: Server) -> None:
    headers = {"Authorization": f"Bearer {token(server)}", "X_Hookkit_Env_AGENT_ID": "a7"}
    assert call(server, "/hooks/run?actor=agent:tester&on-error=ask", RAW, **headers)[0] == 200
    place = os.path.join(server.environ["HOME"], ".local/state/hookkit/ledger/open/http.log")
    with open(place, encoding="utf-8") as file:
        assert '"actor":"agent:tester"' in file.readlines()[-1]


@pytest.mark.parametrize("given", ["", "Bearer ", "Bearer wrong", "Basic x"])
def test_a_wrong_token_is_told_nothing(server: Server, given: str) -> None:
    status, said, headers = call(server, "/hooks/run", RAW, Authorization=given)
    assert (status, said) == (404, b"")
    assert "hookkit" not in str(headers).lower()
    assert "server" not in headers


@pytest.mark.parametrize(
    "path", ["/", "/hooks/run", "/status", "/x/data/rows", "/x/data/feed", "/x/", "/x/page.js", "/../door"]
)
def test_every_path_of_a_stranger_looks_the_same(server: Server, path: str) -> None:
    assert call(server, path)[:2] == (404, b"")


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:{port}"},
        {"Host": "127.0.0.1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
    ids=str,
)
def test_a_web_page_elsewhere_reaches_nothing_even_with_the_secrets(server: Server, headers: dict[str, str]) -> None:
    """DNS rebinding brings another Host; a page of another origin sends its Origin, or Sec-Fetch-Site."""
    found = server.door
    given = {name: value.format(port=found.port) for name, value in headers.items()}
    assert call(server, f"/{found.page}/data/rows", None, **given)[:2] == (404, b"")
    assert call(server, "/hooks/run", RAW, Authorization=f"Bearer {token(server)}", **given)[:2] == (404, b"")


def test_the_page_with_its_secret_is_closed_to_frames_and_foreign_scripts(server: Server) -> None:
    status, said, headers = call(server, f"/{server.door.page}/")
    assert status == 200
    assert b"page.js" in said
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert call(server, f"/{server.door.page}/../door")[0] == 404


def test_a_button_needs_our_own_origin(server: Server) -> None:
    assert call(server, f"/{server.door.page}/data/settle/12345678", b"{}")[0] == 404


@pytest.mark.parametrize("ask", ["", "0" * 48, "old"])
def test_the_shims_port_says_nothing_to_a_wrong_secret(server: Server, ask: str) -> None:
    with server.connect() as connection:
        connection.sendall(wire.GREETING + ask.encode() + b"\n" + b"x" * 60)
        assert heard(connection) == b""


def heard(connection: socket.socket) -> bytes:
    """All that the server says before it ends the connection; an end may arrive as a reset."""
    connection.settimeout(room.SECONDS + 20)
    with contextlib.suppress(ConnectionResetError):
        return connection.recv(100)
    return b""


@pytest.mark.parametrize("said", [b"", b"hook", b"GET /x HT", b"POST /hooks/run HTTP/1.1\r\nHost: x\r\n"])
def test_a_slow_client_is_dropped(server: Server, said: bytes) -> None:
    with server.connect() as connection:
        connection.sendall(said)
        assert heard(connection) == b""


def test_many_idle_connections_do_not_stop_the_server(server: Server) -> None:
    """Beyond its limit the server refuses; the shim then runs cold, and after the idle ones are dropped, warm again."""
    idle: list[socket.socket] = []
    try:
        idle += [socket.create_connection(("127.0.0.1", server.door.port), 5) for _ in range(port.MOST + 50)]
        assert b'"deny"' in server.shim("run", stdin=RAW, cwd="/usr").stdout
    finally:
        for connection in idle:
            connection.close()
    server.wait()


AS_ANOTHER = """
import os, sys
os.setgid(65534); os.setuid(65534)
try:
    open(sys.argv[1]).read()
except PermissionError:
    print("refused")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("name", ["door", "token", "log", "lock"])
def test_another_user_cannot_read_the_servers_files(server: Server, name: str) -> None:
    path = os.path.join(door.directory(server.environ), name)
    for directory in (os.path.dirname(path), os.path.dirname(os.path.dirname(path))):
        assert os.stat(directory).st_mode & 0o077 == 0
    done = subprocess.run(
        [sys.executable, "-c", AS_ANOTHER, path], capture_output=True, check=False, cwd="/", text=True
    )
    assert done.stdout == "refused\n"

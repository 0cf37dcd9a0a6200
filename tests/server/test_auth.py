"""Who may ask: without the right secret, from another user, or from a web page, nothing is answered or revealed."""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hookkit.server import port, process, wire
from hookkit.work.gates import approvals
from hookkit.work.gates.approvals import Proof
from tests.server.conftest import Server

EVENT = {"hook_event_name": "PreToolUse", "session_id": "http", "tool_name": "Bash", "tool_use_id": "h1",
         "tool_input": {"command": "rm -rf /"}, "cwd": "/usr"}  # fmt: skip
RAW = json.dumps(EVENT).encode()


def token(server: Server) -> str:
    with open(os.path.join(process.directory(server.environ), "token"), encoding="ascii") as file:
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


DIGEST = "0a1b2c3d" + "e" * 56
YES = json.dumps({"approve": DIGEST}).encode()
APPROVAL = {"digest": DIGEST, "project": "/p", "about": "A review.", "subject": "s", "approvers": []}


def pressed(server: Server, body: bytes) -> tuple[int, str]:
    """The reply to the button of an open approval, and the state of the approval afterwards."""
    [found] = approvals.every(server.environ) or [approvals.ask(server.environ, APPROVAL)]
    approvals.settle(server.environ, found, approvals.OPEN, Proof("", ""))
    origin = f"http://127.0.0.1:{server.door.port}"
    status = call(server, f"/{server.door.page}/data/settle/{found['id']}", body, Origin=origin)[0]
    return status, approvals.every(server.environ)[0]["state"]


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{}", b"garbage", b"true", b'{"deny":false}', b'{"deny": true}', b'{"approve":true}', b"[" * 500,
        b'{"approve":"0a1b2c3d"}', json.dumps({"approve": "f" * 64}).encode(), b"x" + YES,
        json.dumps({"approve": DIGEST, "deny": DIGEST}).encode(), YES + b" " * 2_000,
    ],
)  # fmt: skip
def test_only_an_exact_yes_to_what_was_shown_approves(server: Server, body: bytes) -> None:
    assert pressed(server, body) == (404, "open")


def test_a_button_settles_what_was_shown(server: Server) -> None:
    assert pressed(server, YES) == (200, "approved")
    assert pressed(server, json.dumps({"deny": DIGEST}).encode()) == (200, "denied")


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="only Linux tells who is at the other end")
def test_the_button_is_not_for_the_shell_of_an_agent(server: Server, tmp_path: Path) -> None:
    """The agent knows the address with its secret, and the digest."""
    [found] = approvals.every(server.environ) or [approvals.ask(server.environ, APPROVAL)]
    approvals.settle(server.environ, found, approvals.OPEN, Proof("", ""))
    (tmp_path / "claude").symlink_to(sys.executable)
    address = f"http://127.0.0.1:{server.door.port}"
    code = (
        "import sys, urllib.request as r; q = r.Request(sys.argv[1], sys.argv[2].encode(), {'Origin': sys.argv[3]});"
        "print(r.urlopen(q).status)"
    )
    words = [f"{address}/{server.door.page}/data/settle/{found['id']}", YES.decode(), address]
    done = subprocess.run([str(tmp_path / "claude"), "-c", code, *words], capture_output=True, text=True, check=False)
    assert "404" in done.stderr
    assert approvals.every(server.environ)[0]["state"] == "open"


@pytest.mark.parametrize("ask", ["", "0" * 48, "old"])
def test_the_shims_port_says_nothing_to_a_wrong_secret(server: Server, ask: str) -> None:
    with server.connect() as connection:
        connection.sendall(wire.GREETING + ask.encode() + b"\n" + b"x" * 60)
        assert heard(connection) == b""


def heard(connection: socket.socket) -> bytes:
    """All that the server says before it ends the connection; an end may arrive as a reset."""
    connection.settimeout(port.FIRST + 20)
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
    path = os.path.join(process.directory(server.environ), name)
    for directory in (os.path.dirname(path), os.path.dirname(os.path.dirname(path))):
        assert os.stat(directory).st_mode & 0o077 == 0
    done = subprocess.run(
        [sys.executable, "-c", AS_ANOTHER, path], capture_output=True, check=False, cwd="/", text=True
    )
    assert done.stdout == "refused\n"

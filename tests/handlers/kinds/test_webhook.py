"""Webhooks against a real server on loopback: statuses, redirects, slow bodies, TLS errors."""

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from hookkit.pipeline import Invocation

Seen = list[dict[str, Any]]


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: Seen = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *_: object) -> None:
        """Stay silent."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        seen = {"path": self.path, "body": json.loads(body), "key": self.headers.get("authorization")}
        self.server.seen.append({**seen, "method": self.command})
        getattr(self, f"do_{self.path.strip('/').split('/')[0]}")()

    do_PUT = do_POST  # noqa: N815 - the name is the library's

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(body))}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_deny(self) -> None:
        self.answer(200, b'{"Reject": {"reason": "not today"}}')

    def do_empty(self) -> None:
        self.answer(204)

    def do_broken(self) -> None:
        self.answer(500, b"oops")

    def do_near(self) -> None:
        self.answer(307, location="/deny")

    def do_far(self) -> None:
        self.answer(307, location="http://localhost:1/deny")

    def do_loop(self) -> None:
        self.answer(307, location="/loop")

    def do_long(self) -> None:
        self.answer(200, b"x" * 1_000_000)

    def do_slow(self) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            for _ in range(100):
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.1)
        except OSError:
            return


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


@pytest.fixture
def ask(home: Path, project: Path) -> Callable[..., Any]:
    def run(url: str, above: str = "", below: str = "") -> Any:
        path = home / ".config" / "hookkit" / "hookkit.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f'[[hooks]]\nevent = "PreToolUse"\nname = "w"\n{above}\n[hooks.webhook]\nurl = "{url}"\n{below}\n'
        )
        event = {"hook_event_name": "PreToolUse", "session_id": f"s{above}", "cwd": str(project), "tool_name": "Bash",
                 "tool_input": {"command": "git status"}, "tool_use_id": "t"}  # fmt: skip
        text = Invocation("run", [], dict(os.environ)).answer(json.dumps(event).encode())
        return json.loads(text) if text else None

    return run


def reason(answer: Any) -> str:
    own = answer["hookSpecificOutput"]
    assert own["permissionDecision"] == "deny"
    return str(own["permissionDecisionReason"])


def test_a_2xx_with_a_reply_decides(server: Server, ask: Callable[..., Any]) -> None:
    assert reason(ask(f"{server.url}/deny", below='method = "Put"')) == "not today"
    [seen] = server.seen
    assert (seen["method"], seen["body"]["tool_input"]) == ("PUT", {"command": "git status"})


def test_a_2xx_without_a_body_is_no_opinion(server: Server, ask: Callable[..., Any]) -> None:
    assert ask(f"{server.url}/empty") is None


def test_another_status_rejects_unless_the_row_says_continue(server: Server, ask: Callable[..., Any]) -> None:
    assert reason(ask(f"{server.url}/broken")) == "w failed: webhook failed: 500"
    said = ask(f"{server.url}/broken", above='on_failure = "continue"')
    assert "failed): webhook failed: 500" in said["systemMessage"]


def test_a_redirect_is_followed_on_the_same_host_alone(server: Server, ask: Callable[..., Any]) -> None:
    assert reason(ask(f"{server.url}/near")) == "not today"
    assert "a redirect to another host (localhost) is refused" in reason(ask(f"{server.url}/far"))
    assert "more than 5 redirects" in reason(ask(f"{server.url}/loop"))


def test_a_header_gets_only_the_variables_that_the_row_lists(
    server: Server, ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOOK_API_KEY", "k1")
    monkeypatch.setenv("OTHER", "k2")
    below = 'headers = { Authorization = "Bearer ${HOOK_API_KEY}$OTHER" }\nallowed_env = ["HOOK_API_KEY"]'
    ask(f"{server.url}/empty", below=below)
    ask(f"{server.url}/empty", below=below.partition("\n")[0])
    assert [seen["key"] for seen in server.seen] == ["Bearer k1", "Bearer"]


def test_a_slow_body_is_cancelled_at_the_limit(server: Server, ask: Callable[..., Any]) -> None:
    """Each byte comes in time, the whole does not."""
    began = time.monotonic()
    said = ask(f"{server.url}/slow", above="timeout_sec = 0.5")
    assert time.monotonic() - began < 5
    assert "cancelled): took longer than 0.5 s" in said["systemMessage"]


def test_a_long_answer_is_refused(server: Server, ask: Callable[..., Any]) -> None:
    assert "the answer is longer than 256 KB" in reason(ask(f"{server.url}/long"))


def test_a_server_that_is_not_there_or_speaks_no_tls_rejects(server: Server, ask: Callable[..., Any]) -> None:
    assert "webhook error: ConnectError" in reason(ask("http://127.0.0.1:9/x"))
    assert "webhook error: ConnectError" in reason(ask(server.url.replace("http:", "https:") + "/deny"))

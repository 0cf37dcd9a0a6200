"""Prompt and agent handlers against scripted servers of both APIs."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from hookkit.engine import batch
from tests.engine.conftest import ask, write
from tests.engine.making import denied, own

__all__ = ["ask", "write"]
Ask = Callable[..., Any]


class Server(HTTPServer):
    """Answers with one prepared message after the other, and keeps the requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[dict[str, Any]] = []
        self.seen: list[tuple[str, dict[str, Any], str]] = []


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *_: object) -> None:
        """Stay silent."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        key = self.headers.get("x-api-key") or self.headers.get("authorization") or ""
        self.server.seen.append((self.path, body, key))
        raw = json.dumps(self.server.answers.pop(0)).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def settings(server: Server, provider: str, kind: str, base: str = "") -> str:
    return (
        f'[llm]\nprovider = "{provider}"\nbase_url = "http://127.0.0.1:{server.server_port}{base}"\nkey_env = "KEY"\n'
        f'[[hooks]]\nevent = "PreToolUse"\nname = "m"\nbatch = true\n[hooks.{kind}]\nprompt = "Safe? $ARGUMENTS"\n'
        'model = "small"\n'
    )


def claude(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def openai(text: str) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": text}}]}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "k")


def test_a_prompt_asks_the_messages_api_with_the_documents_prompt_and_prefix(
    server: Server, write: Callable[..., Path], ask: Ask
) -> None:
    write(settings(server, "anthropic", "prompt"))
    server.answers = [claude('"ok": false, "reason": "no"}')]
    assert own(ask()) == denied("no")
    [(path, body, key)] = server.seen
    assert (path, key, body["model"]) == ("/v1/messages", "k", "small")
    assert body["system"] == 'Return only valid JSON: {"ok": true} or {"ok": false, "reason": "..."}'
    question, prefix = body["messages"]
    assert prefix == {"role": "assistant", "content": "{"}
    assert question["content"].startswith('Safe? {"hook_event_name":"PreToolUse"')


def test_a_prompt_asks_an_openai_compatible_server_for_a_schema(
    server: Server, write: Callable[..., Path], ask: Ask
) -> None:
    write(settings(server, "openai", "prompt", "/v1"))
    server.answers = [openai('{"ok": true}')]
    assert ask() == ""
    [(path, body, key)] = server.seen
    assert (path, key) == ("/v1/chat/completions", "Bearer k")
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["ok"]


def test_an_answer_without_a_verdict_lets_the_call_go_on(server: Server, write: Callable[..., Path], ask: Ask) -> None:
    write(settings(server, "anthropic", "prompt"))
    server.answers = [claude("I think so"), {"content": []}]
    assert "the model gave no verdict" in ask()["systemMessage"]
    assert "has no content" in ask(session="t")["systemMessage"]


def test_an_agent_reads_files_of_the_project_and_nothing_else(
    server: Server, write: Callable[..., Path], ask: Ask, project: Path
) -> None:
    (project / "notes.md").write_text("The heron is green.\n")
    write(settings(server, "anthropic", "agent"))

    def call(name: str, **given: str) -> dict[str, Any]:
        return {"content": [{"type": "tool_use", "id": name, "name": name, "input": given}]}

    server.answers = [
        call("Glob", pattern="*.md"),
        call("Grep", pattern="heron"),
        call("Read", file_path="notes.md"),
        call("Read", file_path="/etc/passwd"),
        call("Bash", command="ls"),
        claude('{"ok": false, "reason": "green"}'),
    ]
    assert own(ask()) == denied("green")
    results = [message["content"][0]["content"] for message in server.seen[-1][1]["messages"][2::2]]
    assert results == [
        "notes.md",
        "notes.md:1: The heron is green.",
        "The heron is green.\n",
        "this file is outside of the project",
        "there is no tool Bash",
    ]


def test_an_agent_over_an_openai_compatible_server(
    server: Server, write: Callable[..., Path], ask: Ask, project: Path
) -> None:
    (project / "notes.md").write_text("green")
    write(settings(server, "openai", "agent"))
    function = {"name": "Read", "arguments": '{"file_path": "notes.md"}'}
    tool = {"choices": [{"message": {"role": "assistant", "tool_calls": [{"id": "1", "function": function}]}}]}
    server.answers = [tool, openai('{"ok": false, "reason": "green"}')]
    assert own(ask()) == denied("green")
    assert server.seen[-1][1]["messages"][-1] == {"role": "tool", "tool_call_id": "1", "content": "green"}


def test_an_agent_ends_after_fifty_turns(server: Server, write: Callable[..., Path], ask: Ask) -> None:
    write(settings(server, "anthropic", "agent"))
    again = {"content": [{"type": "tool_use", "id": "1", "name": "Glob", "input": {"pattern": "*"}}]}
    server.answers = [again] * 60
    assert "the agent gave no verdict in 50 turns" in ask()["systemMessage"]
    assert len(server.seen) == 50


def test_a_model_never_asks_another(
    server: Server, write: Callable[..., Path], ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(batch.INSIDE, "1")
    write(settings(server, "anthropic", "prompt"))
    assert "do not run inside the model of another" in ask()["systemMessage"]
    assert server.seen == []


@pytest.mark.parametrize(
    ("environ", "is_batch"),
    [
        ({"CI": "true"}, True),
        ({"CLAUDE_CODE_SESSION_ATTENDED": "0"}, True),
        ({"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}, True),
        ({"CLAUDE_CODE_ENTRYPOINT": "cli"}, False),
        ({"CLAUDE_CODE_SESSION_ATTENDED": "1"}, False),
    ],
)
def test_a_batch_session_is_known_by_its_variables(environ: dict[str, str], *, is_batch: bool) -> None:
    assert batch.is_batch(environ) is is_batch

"""Prompt and agent handlers against scripted servers of both APIs."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from hookkit.handlers import handler
from tests.handlers.conftest import ask, write
from tests.handlers.making import denied, own

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
        answer = self.server.answers.pop(0)
        raw = json.dumps(answer).encode()
        self.send_response(answer.get("status", 200))
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


@pytest.mark.parametrize(
    "text",
    [
        '"ok": false, "reason": "no"}',
        '{"ok": false, "reason": "no"}',
        '\n{"ok": false, "reason": "no"}\n',
        'Here it is:\n```json\n{"ok": false, "reason": "no"}\n```\nDone.',
        'The event says {"ok": true}, but: {"ok": false, "reason": "no"}',
        '{"ok": false, "reason": "no"} {"ok": true}',
    ],
)
@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_a_verdict_is_found_in_every_form_that_models_give_it(
    provider: str, text: str, server: Server, write: Callable[..., Path], ask: Ask
) -> None:
    """The rest of a prefilled object, a whole object, one in a fence or in prose; a rejection wins over its echo."""
    write(settings(server, provider, "prompt"))
    server.answers = [claude(text) if provider == "anthropic" else openai(text if text[0] != '"' else "{" + text)]
    assert own(ask()) == denied("no")


def test_a_model_that_refuses_a_started_answer_is_asked_again_without(
    server: Server, write: Callable[..., Path], ask: Ask
) -> None:
    write(settings(server, "anthropic", "prompt"))
    refusal = {"status": 400, "error": {"type": "invalid_request_error", "message": "no prefill for this model"}}
    server.answers = [refusal, claude('{"ok": false, "reason": "no"}')]
    assert own(ask()) == denied("no")
    assert [len(body["messages"]) for _, body, _ in server.seen] == [2, 1]
    server.answers = [refusal, refusal]
    said = ask(session="t")["systemMessage"]
    assert "the model's server answered 400: no prefill for this model" in said


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ('"nudge": "Commit now."}', {"systemMessage": "Commit now."}),
        ('{"nudge": "Commit now."}', {"systemMessage": "Commit now."}),
        ('"pass": true}', ""),
        ('{"pass": true}', ""),
    ],
)
def test_a_stop_prompt_may_nudge_or_pass(
    text: str, reply: Any, server: Server, write: Callable[..., Path], ask: Ask
) -> None:
    """Haiku model returns {"nudge": "..."} or {"pass": true}."""
    write(settings(server, "anthropic", "prompt").replace("PreToolUse", "Stop"))
    server.answers = [claude(text)]
    assert ask("Stop") == reply


def test_a_prompt_gets_the_end_of_the_conversation_within_its_budget(
    server: Server, write: Callable[..., Path], ask: Ask, project: Path
) -> None:
    lines = [
        {"type": "user", "message": {"content": "old " * 900}},
        {"type": "user", "message": {"content": "Deploy it, the key is sk-ant-api03-" + "a" * 90}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "I will."}]}},
        {"type": "assistant", "isSidechain": True, "message": {"content": "aside"}},
        {"type": "user", "isMeta": True, "message": {"content": "meta"}},
    ]
    transcript = project / "t.jsonl"
    transcript.write_text("half a line\n" + "".join(json.dumps(line) + "\n" for line in lines))
    write(settings(server, "anthropic", "prompt").replace("[llm]\n", "[llm]\nhistory = 500\n"))
    server.answers = [claude('"ok": true}')]
    assert ask(transcript_path=str(transcript)) == ""
    content = server.seen[0][1]["messages"][0]["content"]
    told, _, asked = content.partition("\n\n")
    assert told.startswith("The end of the conversation so far:\nUser: Deploy it, the key is ")
    assert told.endswith("\nAssistant: I will.")
    assert "aaaaaaaa" not in told
    assert asked.startswith('Safe? {"hook_event_name":"PreToolUse"')


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
    monkeypatch.setenv(handler.INSIDE, "1")
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
    assert handler.is_batch(environ) is is_batch

"""A scripted model for every agent: the Responses API, chat completions and Gemini's API on one port.

``model.py SCRIPT RECORD PROGRAM [ARGUMENT ...]`` runs inside the wall that `tests.realclient.harness` builds: it raises
the loopback, answers with the turns of SCRIPT, writes every request to RECORD, and exits with the program's code.

A turn is a text, or ``{"shell": COMMAND}``: a call of the shell tool that the request offers.
"""

import json
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.realclient.stub import raise_loopback

PORT = 8931  # the namespace is fresh, so every port is free
# The shell tool of each agent, and its input for a command line.
SHELLS: dict[str, dict[str, Any]] = {
    "exec_command": {"cmd": "@"},
    "shell_command": {"command": "@"},
    "run_shell_command": {"command": "@", "description": "run it"},
    "bash": {"command": "@", "description": "run it"},
    "Bash": {"command": "@", "description": "run it"},
    "Execute": {"command": "@", "summary": "run it", "riskLevel": "low", "riskLevelReason": "harmless"},
    "run_commands": {"commands": ["@"]},
    "run_terminal_command": {"command": "@", "description": "run it"},
    "shell": {"command": "@"},
}


def offered(body: Any) -> Iterator[tuple[str, Any]]:
    """The tools in a request, in any of the three shapes: the name and the fields of each."""
    for tool in body.get("tools") or ():
        yield from offered({"tools": tool.get("tools")})
        for inner in (tool.get("function", tool), *tool.get("functionDeclarations", ())):
            schema = inner.get("parameters") or inner.get("parametersJsonSchema") or {}
            yield inner.get("name", ""), schema.get("properties") or {}


def filled(shape: Any, command: str) -> Any:
    if isinstance(shape, dict):
        return {name: filled(value, command) for name, value in shape.items()}
    return [filled(one, command) for one in shape] if isinstance(shape, list) else shape.replace("@", command)


class Script:
    def __init__(self, turns: list[Any], record: Path) -> None:
        self.turns, self.record, self.lock = turns, record, threading.Lock()

    def turn(self, body: Any) -> tuple[str, str, Any]:
        """The text, or the name and the input of a tool. A request without a shell is a chore of the agent."""
        tools = dict(offered(body))
        shell = next((name for name in SHELLS if name in tools), "")
        with self.lock:
            with self.record.open("a", encoding="utf-8") as record:
                record.write(json.dumps({"chore": not shell, "body": body}) + "\n")
            said = "ok" if not shell else self.turns.pop(0) if self.turns else "The script has ended."
        if isinstance(said, str):
            return said, "", {}
        given = filled(SHELLS[shell], said["shell"])
        return "", shell, {field: value for field, value in given.items() if field in tools[shell]}


def responses(text: str, tool: str, given: Any) -> list[Any]:
    """The Responses API, as one item in the stream."""
    head = {"id": f"resp_{uuid.uuid4().hex}", "object": "response", "model": "scripted", "status": "completed"}
    if tool:
        call = {"call_id": f"call_{uuid.uuid4().hex}", "name": tool, "arguments": json.dumps(given)}
        item: dict[str, Any] = {"type": "function_call", "id": f"fc_{uuid.uuid4().hex}", "status": "completed", **call}
    else:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        item = {"type": "message", "id": f"msg_{uuid.uuid4().hex}", "role": "assistant", "content": content}
    usage = {"input_tokens": 9, "output_tokens": 9, "total_tokens": 18}
    return [
        {"type": "response.created", "response": {**head, "status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {**head, "output": [item], "usage": usage}},
    ]


def chat(text: str, tool: str, given: Any) -> list[Any]:
    """Chat completions: the message, the end, the usage."""
    head = {"id": f"chat_{uuid.uuid4().hex}", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    delta: dict[str, Any] = {"role": "assistant", "content": text}
    if tool:
        function = {"name": tool, "arguments": json.dumps(given)}
        calls = [{"index": 0, "id": f"call_{uuid.uuid4().hex}", "type": "function", "function": function}]
        delta = {"role": "assistant", "tool_calls": calls}
    usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
    reason = "tool_calls" if tool else "stop"
    return [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        {**head, "choices": [], "usage": usage},
    ]


def whole_chat(chunks: list[Any]) -> Any:
    """The same without a stream."""
    delta = chunks[0]["choices"][0]["delta"]
    message = {"content": None, **delta}
    choice = {"index": 0, "message": message, "finish_reason": chunks[1]["choices"][0]["finish_reason"]}
    return {**chunks[2], "object": "chat.completion", "choices": [choice]}


def gemini(text: str, tool: str, given: Any) -> list[Any]:
    part = {"functionCall": {"id": uuid.uuid4().hex, "name": tool, "args": given}} if tool else {"text": text}
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 9, "totalTokenCount": 18}
    content = {"role": "model", "parts": [part]}
    return [{"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}]


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", PORT), Handler)
        self.script = script


class Handler(BaseHTTPRequestHandler):
    server: Server
    wbufsize = -1

    def log_message(self, *_: object) -> None:
        """Stay silent: stderr belongs to the agent."""

    def do_GET(self) -> None:
        models = [{"id": "scripted", "object": "model", "created": 1, "owned_by": "test"}]
        is_list = self.path.partition("?")[0].endswith("/models")
        self.reply(
            json.dumps({"object": "list", "data": models, "models": []} if is_list else {}), 200 if is_list else 404
        )

    def do_POST(self) -> None:
        body = json.loads(self.content() or b"{}")
        path = self.path.partition("?")[0]
        if path.endswith("/responses"):
            self.stream(responses(*self.server.script.turn(body)))
        elif path.endswith("/chat/completions"):
            chunks = chat(*self.server.script.turn(body))
            self.stream(chunks, "[DONE]") if body.get("stream") else self.reply(json.dumps(whole_chat(chunks)))
        elif path.endswith(":streamGenerateContent"):
            self.stream(gemini(*self.server.script.turn(body)))
        elif path.endswith(":generateContent"):
            self.reply(json.dumps(gemini(*self.server.script.turn(body))[0]))
        elif path.endswith(":countTokens"):
            self.reply('{"totalTokens": 9}')
        else:
            self.reply("{}", 404)

    def content(self) -> bytes:
        """The body; some agents send it in chunks."""
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0].strip() or b"0", 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        return b"".join(parts)

    def stream(self, events: list[Any], *last: str) -> None:
        lines = [*(json.dumps(event) for event in events), *last]
        names = [f"event: {event['type']}\n" if "type" in event else "" for event in events] + [""] * len(last)
        text = "".join(f"{name}data: {line}\n\n" for name, line in zip(names, lines, strict=True))
        self.reply(text, kind="text/event-stream")

    def reply(self, text: str, status: int = 200, kind: str = "application/json") -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def main(script: str, record: str, *program: str) -> int:
    raise_loopback()
    server = Server(Script(json.loads(Path(script).read_text(encoding="utf-8")), Path(record)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return subprocess.call(program, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

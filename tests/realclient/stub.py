"""The scripted Messages API: what the model says is fixed, so only the hooks decide what happens.

``stub.py SCRIPT RECORD CLIENT [ARGUMENT ...]`` runs inside the namespace that `harness` opens: it raises the
loopback, serves SCRIPT (a JSON list of turns) there, runs the client against itself, writes every request to
RECORD and exits with the client's code. The client's stdin and stdout are this program's own, so the harness
talks to the client through the wall without any network.

A turn is a text, or a tool call: ``{"name": "Bash", "input": {"command": "true"}}``. A turn in ``{"inside": TURN}`` is
for a sub-agent; without such turns, a sub-agent takes the next of all turns.
"""

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SIOCSIFFLAGS = 0x8914
IFF_UP = 0x1
SUMMARY = "<summary>The scripted summary.</summary>"
BLOCKED = "<block>yes</block><reason>The scripted classifier blocks all.</reason>"
USAGE = {"input_tokens": 100, "output_tokens": 20}


class Script:
    """The turns still to be said; the client asks from several threads."""

    def __init__(self, turns: list[Any], record: Path) -> None:
        self.turns = turns
        self.record = record
        self.lock = threading.Lock()

    def answer(self, body: dict[str, Any], *, inside: bool) -> Any:
        kind = kind_of(body)
        with self.lock:
            with self.record.open("a", encoding="utf-8") as record:
                record.write(json.dumps({"kind": kind, "body": body}) + "\n")
            if kind == "conversation":
                return self.next(inside=inside)
        return SUMMARY if kind == "summary" else chore(body)

    def next(self, *, inside: bool) -> Any:
        fit = [at for at, turn in enumerate(self.turns) if is_inside(turn) is inside]
        if not fit and (not inside or any(map(is_inside, self.turns)) or not self.turns):
            return "The script has ended."
        turn = self.turns.pop(fit[0] if fit else 0)
        return turn["inside"] if is_inside(turn) else turn


def is_inside(turn: Any) -> bool:
    return isinstance(turn, dict) and "inside" in turn


def chore(body: dict[str, Any]) -> str:
    """A page for WebFetch is read out, and auto mode's classifier blocks each call that it is asked about."""
    text = body["messages"][-1]["content"]
    text = text if isinstance(text, str) else "".join(str(block.get("text", "")) for block in text)
    if "<block>" in text:
        return BLOCKED
    return str(text.partition("Web page content:\n---\n")[2].partition("\n---\n")[0]) or "ok"


def kind_of(body: dict[str, Any]) -> str:
    """The client also asks for summaries and small chores: they must not use up the script's turns."""
    if "create a detailed summary of the conversation" in json.dumps(body["messages"][-1]):
        return "summary"
    return "conversation" if body.get("tools") else "chore"


def block(turn: Any) -> tuple[dict[str, Any], dict[str, Any], str]:
    """The one content block of a turn: how it starts, what fills it, and why the model stops after it."""
    if isinstance(turn, str):
        return {"type": "text", "text": ""}, {"type": "text_delta", "text": turn}, "end_turn"
    call = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex}", "name": turn["name"], "input": {}}
    return call, {"type": "input_json_delta", "partial_json": json.dumps(turn["input"])}, "tool_use"


def stream(turn: Any, model: str) -> bytes:
    """The turn as server-sent events, whole: the client cannot tell it from a fast model."""
    start, delta, reason = block(turn)
    message = {"id": f"msg_{uuid.uuid4().hex}", "type": "message", "role": "assistant", "model": model}
    empty: dict[str, Any] = {"content": [], "stop_reason": None, "stop_sequence": None, "usage": USAGE}
    stop = {"stop_reason": reason, "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message | empty},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": USAGE},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


def whole(turn: Any, model: str) -> bytes:
    """A text in one piece; only chores of the client ask for this."""
    message = {"id": f"msg_{uuid.uuid4().hex}", "type": "message", "role": "assistant", "model": model, "usage": USAGE}
    end = {"content": [{"type": "text", "text": turn}], "stop_reason": "end_turn", "stop_sequence": None}
    return json.dumps(message | end).encode()


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script


class Handler(BaseHTTPRequestHandler):
    server: Server
    # Head and body leave in one write: two would wait for each other's acknowledgement, 40 ms a call.
    wbufsize = -1

    def log_message(self, *_: object) -> None:
        """Stay silent: stderr belongs to the client."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if not self.path.startswith("/v1/messages?"):
            return self.send_error(404)
        inside = "x-claude-code-agent-id" in self.headers
        turn = self.server.script.answer(body, inside=inside)
        reply = stream(turn, body["model"]) if body.get("stream") else whole(turn, body["model"])
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if body.get("stream") else "application/json")
        self.end_headers()
        self.wfile.write(reply)
        return None


def raise_loopback() -> None:
    """A fresh namespace has its loopback down; the ioctl spares the tests the `ip` command."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def main(script: str, record: str, *client: str) -> int:
    raise_loopback()
    server = Server(Script(json.loads(Path(script).read_text(encoding="utf-8")), Path(record)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    return subprocess.call(client, env={**os.environ, "ANTHROPIC_BASE_URL": url})


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

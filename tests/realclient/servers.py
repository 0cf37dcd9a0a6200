"""Servers inside the wall: an MCP server on stdin and stdout, and a page over https for WebFetch.

``servers.py relay PORT SOCKET`` leads from a port to a socket whose other end is outside. ``servers.py mcp TEXT`` and
``servers.py page TEXT CERTIFICATE KEY``: both answer with the text. WebFetch takes no plain
http and no name without a dot, so the page stands at an address of the loopback.
"""

import contextlib
import json
import socket
import ssl
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

PORT = 9443  # the network behind the wall is the client's alone


def mcp(text: str) -> None:
    """`query` and `post_note` answer with blocks, `rows` with an object of its own; `db://notes` is a resource."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked:
            reply = {"jsonrpc": "2.0", "id": asked["id"], "result": result(asked["method"], asked.get("params"), text)}
            print(json.dumps(reply), flush=True)


def result(method: str, given: Any, text: str) -> dict[str, Any]:
    rows = {"type": "object", "properties": {"rows": {"type": "string"}}, "required": ["rows"]}
    takes = {"description": "Ask the database", "inputSchema": {"type": "object"}}
    if method == "initialize":
        able: dict[str, Any] = {"tools": {}, "resources": {}}
        server = {"name": "db", "version": "1"}
        return {"protocolVersion": given["protocolVersion"], "capabilities": able, "serverInfo": server}
    if method == "tools/list":
        plain = [{"name": name, **takes} for name in ("query", "post_note")]
        return {"tools": [*plain, {"name": "rows", **takes, "outputSchema": rows}]}
    if method == "tools/call" and given["name"] == "rows":
        found = {"rows": text}
        return {"content": [{"type": "text", "text": json.dumps(found)}], "structuredContent": found}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": text}]}
    if method == "resources/list":
        return {"resources": [{"uri": "db://notes", "name": "notes"}]}
    return {"contents": [{"uri": "db://notes", "mimeType": "text/plain", "text": text}]}


class Page(BaseHTTPRequestHandler):
    text = ""

    def log_message(self, *_: object) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(f"<html><body>{self.text}</body></html>".encode())


def page(text: str, certificate: str, key: str) -> None:
    Page.text = text
    server = HTTPServer(("127.0.0.1", PORT), Page)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.serve_forever()


def relay(listener: socket.socket, connect: Callable[[], socket.socket]) -> None:
    """Every connection goes on to a new connection of its own, in both directions, until the listener is closed."""
    while True:
        try:
            near = listener.accept()[0]
        except OSError:
            return
        far = connect()
        for source, sink in ((near, far), (far, near)):
            threading.Thread(target=pump, args=(source, sink), daemon=True).start()


def pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)


def to_socket(path: str) -> socket.socket:
    far = socket.socket(socket.AF_UNIX)
    far.connect(path)
    return far


if __name__ == "__main__":
    if sys.argv[1] == "mcp":
        mcp(sys.argv[2])
    elif sys.argv[1] == "relay":
        relay(socket.create_server(("127.0.0.1", int(sys.argv[2]))), lambda: to_socket(sys.argv[3]))
    else:
        page(*sys.argv[2:])

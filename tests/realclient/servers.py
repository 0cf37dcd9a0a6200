"""Servers inside the wall: an MCP server on stdin and stdout, and a page over https for WebFetch.

``servers.py mcp TEXT`` and ``servers.py page TEXT CERTIFICATE KEY``: both answer with the text. WebFetch takes no plain
http and no name without a dot, so the page stands at an address of the loopback.
"""

import json
import ssl
import sys
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


if __name__ == "__main__":
    if sys.argv[1] == "mcp":
        mcp(sys.argv[2])
    else:
        page(*sys.argv[2:])

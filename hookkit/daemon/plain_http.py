"""Reads the requests that clients of http hooks send, without h11: its general reader takes longer than the guard.

Only a whole, plain request is read here. Anything else (a chunked body, a repeated header, a request for the page) is
left to uvicorn.
"""

import re

LINE = re.compile(rb"POST /hooks/([a-z_]+)(?:\?([!-~]*))? HTTP/1\.1")
FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([ -~]*)")
END = b"\r\n\r\n"
NOT_PLAIN = frozenset((b"transfer-encoding", b"expect", b"upgrade"))
CONNECTION = (b"keep-alive", b"close")
MOST = 1 << 20  # bytes of a request
MOST_HEAD = 16 << 10


class Plain:
    """A request to a hook."""

    __slots__ = ("body", "data", "headers", "hook", "is_last", "query")

    def __init__(self, data: bytes, hook: str, query: str, headers: dict[bytes, bytes], body: bytes) -> None:
        self.data = data  # the whole request
        self.hook = hook
        self.query = query
        self.headers = headers
        self.body = body
        self.is_last = headers.get(b"connection", b"").lower() == b"close"


class NotPlainError(Exception):
    """A request for uvicorn."""


def read(data: bytes) -> Plain | None:
    """The request; None while a part is missing. Raises NotPlainError."""
    end = data.find(END, 0, MOST_HEAD)
    if end < 0:
        if len(data) >= MOST_HEAD or not data.startswith(b"POST /hooks/"):
            raise NotPlainError
        return None
    first, *rest = data[:end].split(b"\r\n")
    line = LINE.fullmatch(first)
    if line is None:
        raise NotPlainError
    headers = _headers(rest)
    length = headers.get(b"content-length", b"")
    if not length.isdigit() or int(length[:9]) > MOST:
        raise NotPlainError
    start, size = end + len(END), int(length[:9])
    if len(data) - start < size:
        return None
    if len(data) - start > size:
        raise NotPlainError
    return Plain(data, line[1].decode(), (line[2] or b"").decode(), headers, data[start:])


def _headers(lines: list[bytes]) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for each in lines:
        field = FIELD.fullmatch(each)
        name = field[1].lower() if field else b""
        if field is None or name in found or name in NOT_PLAIN:
            raise NotPlainError
        found[name] = field[2].rstrip()
    if found.get(b"connection", b"close").lower() not in CONNECTION:
        raise NotPlainError
    return found


def response(reply: bytes, kind: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(reply)}\r\n\r\n"
    return head.encode() + reply

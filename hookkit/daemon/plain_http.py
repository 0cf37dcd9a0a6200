"""Reads the requests that clients of http hooks send, without h11: its general reader takes longer than the guard.

Only a plain head that has arrived whole is read here. Anything else (a chunked body, a repeated header, a request for
the page) is left to uvicorn.
"""

import re

LINE = re.compile(rb"POST /hooks/([a-z_]+)(?:\?([!-~]*))? HTTP/1\.1")
FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([ -~]*)")
END = b"\r\n\r\n"
NOT_PLAIN = frozenset((b"transfer-encoding", b"expect", b"upgrade"))
CONNECTION = (b"keep-alive", b"close")
MOST_HEAD = 16 << 10  # bytes
MOST_BODY = 1 << 20


class NotPlainError(Exception):
    """A request for uvicorn."""


class PlainRequest:
    """The head of a request to a hook. The body lies between `start` and `end`."""

    __slots__ = ("end", "headers", "hook", "is_last", "query", "start")

    def __init__(self, data: bytes) -> None:
        """Raises NotPlainError."""
        stop = data.find(END, 0, MOST_HEAD)
        first, *rest = data[: max(stop, 0)].split(b"\r\n")
        line = LINE.fullmatch(first)
        if line is None:
            raise NotPlainError
        self.hook = line[1].decode()
        self.query = (line[2] or b"").decode()
        self.headers = _headers(rest)
        self.is_last = self.headers.get(b"connection", b"").lower() == b"close"
        self.start = stop + len(END)
        self.end = self.start + self._length()

    def _length(self) -> int:
        digits = self.headers.get(b"content-length", b"")
        if not digits.isdigit() or int(digits[:9]) > MOST_BODY:
            raise NotPlainError
        return int(digits[:9])


def _headers(lines: list[bytes]) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for line in lines:
        field = FIELD.fullmatch(line)
        name = field[1].lower() if field else b""
        if field is None or name in found or name in NOT_PLAIN:
            raise NotPlainError
        found[name] = field[2].rstrip()
    if found.get(b"connection", CONNECTION[0]).lower() not in CONNECTION:
        raise NotPlainError
    return found


def response(reply: bytes, kind: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(reply)}\r\n\r\n"
    return head.encode() + reply

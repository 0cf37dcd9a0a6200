"""The client's http hooks: the event is the body, the reply is the answer.

The client sends no environment, so the server's own is used; `X-Hookkit-Env-NAME` headers replace single variables. An
event that needs a program of the user is answered by the cold command, as a child of the server.
"""

import asyncio
import hmac
import re
import subprocess
import threading
from collections.abc import Iterable
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request

from hookkit.errors import WARM
from hookkit.ledger.journal import REQUEST
from hookkit.server import code, wire
from hookkit.server.answering import Asked, is_hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.server.serving import Keeper


MOST_BODY = 50 << 20  # bytes
SECONDS_TO_READ = 10.0  # for a client to send the body


def is_secret(given: str, secret: str) -> bool:
    """Compared in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


class Origins:
    """Refuses web pages of another origin: a name that leads here by DNS rebinding is not our name."""

    def __init__(self, port: int) -> None:
        self.hosts = {f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost")}
        self.origins = {b"http://" + host for host in self.hosts}

    def are_ours(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        hosts = 0
        for name, value in headers:
            if name == b"host":
                hosts += 1
                is_right = value in self.hosts
            elif name == b"origin":
                is_right = value in self.origins
            else:
                is_right = name != b"sec-fetch-site" or value in (b"none", b"same-origin")
            if not is_right:
                return False
        return hosts == 1


async def body(request: Request) -> bytes | None:
    """The body, within its limits of size and time; None for a client beyond them."""
    try:
        return await asyncio.wait_for(_collect(request), SECONDS_TO_READ)
    except (asyncio.TimeoutError, ClientDisconnect):  # its own class in Python 3.10
        return None


async def _collect(request: Request) -> bytes | None:
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BODY:
            return None
        parts.append(part)
    return b"".join(parts)


LINE = re.compile(rb"POST /hooks/([a-z_]+)(?:\?([!-~]*))? HTTP/1\.1")
FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([ -~]*)")
END = b"\r\n\r\n"
NOT_PLAIN = frozenset((b"transfer-encoding", b"expect", b"upgrade"))
CONNECTION = (b"keep-alive", b"close")
MOST_HEAD = 16 << 10  # bytes
MOST_PLAIN_BODY = 1 << 20


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
        if not digits.isdigit() or int(digits[:9]) > MOST_PLAIN_BODY:
            raise NotPlainError
        return int(digits[:9])


def _headers(lines: list[bytes]) -> dict[bytes, bytes]:
    headers: dict[bytes, bytes] = {}
    for line in lines:
        field = FIELD.fullmatch(line)
        name = field[1].lower() if field else b""
        if field is None or name in headers or name in NOT_PLAIN:
            raise NotPlainError
        headers[name] = field[2].rstrip()
    if headers.get(b"connection", CONNECTION[0]).lower() not in CONNECTION:
        raise NotPlainError
    return headers


def response(reply: bytes, kind: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(reply)}\r\n\r\n"
    return head.encode() + reply


OPTIONS = ("on-error", "actor")
# Variables that a request may replace: those that name its session, none that leads to settings or programs.
GIVEN = ("CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ATTENDED", "HOOKKIT_ACTOR", "AGENT_ID")
HEADERS = {f"x-hookkit-env-{name.replace('_', '-').lower()}".encode(): name for name in GIVEN}
NOT_INHERITED = (*GIVEN, REQUEST, WARM)
SECONDS = 600.0  # for the cold command
CHILDREN = 16  # cold commands at the same time


class HttpHooks:
    def __init__(self, keeper: "Keeper") -> None:
        self.answering = keeper.answering
        self.secret = f"Bearer {keeper.token}"
        self.environ = {name: value for name, value in keeper.environ.items() if name not in NOT_INHERITED}
        self.children = threading.Semaphore(CHILDREN)

    def is_known(self, headers: dict[bytes, bytes]) -> bool:
        return is_secret(headers.get(b"authorization", b"").decode("latin-1"), self.secret)

    def answer(self, hook: str, query: str, headers: dict[bytes, bytes], raw: bytes) -> bytes | None:
        """The reply; None if there is no such hook. Takes as long as the hooks take."""
        request = self._request(hook, query, headers, raw)
        reply = self.answering.answer(Asked(request, is_remote=True))
        return self._cold(request) if reply is None else reply

    def _request(self, hook: str, query: str, headers: dict[bytes, bytes], raw: bytes) -> wire.Request:
        environ = {**self.environ, WARM: "1"}
        for header, name in HEADERS.items():
            value = headers.get(header, b"").decode("latin-1")
            if value and not value.startswith("$"):  # without permission the client leaves $NAME unfilled
                environ[name] = value
        options = dict(parse_qsl(query, keep_blank_values=True)) if query else {}
        # An argument of the cold command cannot hold a null byte.
        words = [f"--{name}={options[name]}" for name in OPTIONS if "\0" not in options.get(name, "\0")]
        return wire.Request(hook, words, environ, "", raw)

    def _cold(self, asked: wire.Request) -> bytes | None:
        if not is_hook(asked.hook):
            return None
        environ = {name: value for name, value in asked.environ.items() if name != WARM}
        command = [*code.launcher(), asked.hook, *asked.words]
        with self.children:
            try:
                done = subprocess.run(
                    command, input=asked.raw, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                    cwd="/", env=environ, timeout=SECONDS, check=False,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                return b""
        return done.stdout


def kind(reply: bytes) -> str:
    """The media type of a reply."""
    return "application/json" if reply.startswith(b"{") else "text/plain; charset=utf-8"

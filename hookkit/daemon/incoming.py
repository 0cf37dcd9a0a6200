"""Checks for every HTTP request: the secret, where the request comes from, and the limits of the body."""

import asyncio
import hmac
from collections.abc import Iterable

from starlette.requests import ClientDisconnect, Request

MOST_BODY = 50 << 20  # bytes
SECONDS = 10.0  # for a client to send the body


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
        return await asyncio.wait_for(_collect(request), SECONDS)
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

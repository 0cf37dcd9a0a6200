"""Checks for every HTTP request: the secret, and the limits of the body."""

import asyncio
import hmac

from starlette.requests import ClientDisconnect, Request

MOST_BODY = 50 << 20  # bytes
SECONDS = 10.0  # for a client to send the body


def is_secret(given: str, secret: str) -> bool:
    """Compared in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


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

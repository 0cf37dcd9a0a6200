"""The hub as a machine or a person sees it: a few requests, each bounded, never through a redirect."""

import json
from typing import Any

import httpx

from hookkit import __version__
from hookkit.server.fleet.membership import FleetError

CONNECT, READ = 5.0, 30.0  # seconds
AGENT = {"user-agent": f"hookkit/{__version__}", "x-hookkit-fleet": "1"}
LARGEST = 64 << 20  # bytes of an answer
TOO_LARGE = (400, 413)
AGAIN = 429
REFUSED = (401, 403)


class LaterError(FleetError):
    """The hub cannot be reached or is busy: rows wait, and the next sync tries again."""

    def __init__(self, message: str, seconds: int = 0) -> None:
        super().__init__(message)
        self.seconds = seconds


class CutError(FleetError):
    """The hub did not get the whole body: something on the way cuts large ones."""


class Hub:
    def __init__(self, url: str, secret: str = "", transport: httpx.BaseTransport | None = None) -> None:
        headers = {**AGENT, "authorization": f"Bearer {secret}"} if secret else AGENT
        timeout = httpx.Timeout(READ, connect=CONNECT)
        self.url = url
        self.client = httpx.Client(headers=headers, timeout=timeout, transport=transport, follow_redirects=False)

    def close(self) -> None:
        self.client.close()

    def post(self, path: str, value: Any) -> dict[str, Any]:
        return self._answer(
            "POST", path, content=json.dumps(value).encode(), headers={"content-type": "application/json"}
        )

    def send(self, path: str, data: bytes) -> dict[str, Any]:
        return self._answer("POST", path, content=data, headers={"content-type": "application/gzip"})

    def get(self, path: str, **query: str) -> dict[str, Any]:
        return self._answer("GET", path, params=query)

    def _answer(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        """The answer, or an error that says whether to try again."""
        try:
            with self.client.stream(method, self.url + path, **more) as response:
                data = b""
                for chunk in response.iter_bytes():
                    data += chunk
                    if len(data) > LARGEST:
                        raise FleetError(f"{self.url}: the answer is larger than {LARGEST} bytes")
        except httpx.HTTPError as error:
            raise LaterError(f"{self.url} cannot be reached: {error or type(error).__name__}") from None
        value = _object(data)
        code = response.status_code
        if code == httpx.codes.OK and value is not None:
            return value
        complaint = str((value or {}).get("error", "")) or f"answer {code}"
        if code in TOO_LARGE:
            raise CutError(f"{self.url}: {complaint}")
        if code in REFUSED or code == httpx.codes.NOT_FOUND:
            raise FleetError(f"{self.url} refuses: {complaint}")
        wait = response.headers.get("retry-after", "")
        raise LaterError(f"{self.url}: {complaint}", int(wait) if wait.isdigit() else 0)


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None

"""The page: static files and its data, below a path with the secret of this server."""

import asyncio
import contextlib
import getpass
import json
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from hookkit.daemon import code, incoming, views
from hookkit.errors import HookkitError

if TYPE_CHECKING:
    from hookkit.daemon.server import Keeper

FILES = os.path.join(os.path.dirname(__file__), "files")
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
EVERY = 0.7  # seconds between two looks for new rows
MOST_PAGES = 16  # live feeds at the same time
MOST_HOURS = 24 * 30
WHY_SECONDS = 20.0
THREADS = 4


class Page:
    def __init__(self, keeper: "Keeper") -> None:
        self.keeper = keeper
        self.pool = ThreadPoolExecutor(THREADS, thread_name_prefix="page")
        self.files = {name: _file(name) for name in sorted(os.listdir(FILES)) if os.path.splitext(name)[1] in KINDS}

    def routes(self) -> list[Route]:
        data: dict[str, Callable[[Request], Any]] = {
            "rows": self._rows,
            "call/{id:int}": lambda request: views.call(self.keeper.environ, request.path_params["id"]),
            "numbers": self._numbers,
            "fleet": lambda _: views.fleet(self.keeper.environ),
            "waiting": lambda _: views.waiting(self.keeper.environ),
            "resting": lambda _: views.resting(self.keeper.environ),
            "status": lambda _: self.keeper.status(),
        }
        found = [Route(f"/{{secret}}/data/{path}", self._data(view)) for path, view in data.items()]
        return [
            *found,
            Route("/{secret}/data/feed", self.feed),
            Route("/{secret}/data/why/{id:int}", self.why),
            Route("/{secret}/data/settle/{id:str}", self.settle, methods=["POST"]),
            Route("/{secret}/{name:path}", self.file),
        ]

    def _is_known(self, request: Request) -> bool:
        return incoming.is_secret(request.path_params["secret"], self.keeper.door.page)

    async def file(self, request: Request) -> Response:
        name = request.path_params["name"] or "index.html"
        if not self._is_known(request) or name not in self.files:
            return Response(status_code=404)
        content, kind = self.files[name]
        return Response(content, media_type=kind)

    def _data(self, view: Callable[[Request], Any]) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            if not self._is_known(request):
                return Response(status_code=404)
            return await self._in_thread(view, request)

        return answer

    async def _in_thread(self, view: Callable[..., Any], *given: Any) -> Response:
        """A database in use, or a full disk, is told to the person at the page."""
        try:
            value = await asyncio.get_running_loop().run_in_executor(self.pool, view, *given)
        except (OSError, HookkitError) as error:
            return _json({"error": str(error)}, 503)
        return Response(status_code=404) if value is None else _json(value)

    def _rows(self, request: Request) -> Any:
        return views.rows(self.keeper.environ, dict(request.query_params))

    def _numbers(self, request: Request) -> Any:
        hours = request.query_params.get("hours", "24")
        return views.numbers(self.keeper.environ, min(max(int(hours), 1), MOST_HOURS) if hours.isdigit() else 24)

    async def feed(self, request: Request) -> Response:
        """New rows as server-sent events, as long as the page is open."""
        if not self._is_known(request) or self.keeper.pages >= MOST_PAGES:
            return Response(status_code=404)
        after = request.headers.get("last-event-id") or request.query_params.get("after", "0")
        return StreamingResponse(self._news(int(after) if after.isdigit() else 0), media_type="text/event-stream")

    async def _news(self, after: int) -> AsyncIterator[bytes]:
        self.keeper.pages += 1
        try:
            yield b"retry: 1000\n\n"
            while not self.keeper.port.is_closing:
                with contextlib.suppress(OSError, HookkitError):
                    loop = asyncio.get_running_loop()
                    found = await loop.run_in_executor(self.pool, views.news, self.keeper.environ, after)
                    after = found["last"]
                    if found["rows"]:
                        yield f"id: {after}\ndata: {json.dumps(found['rows'])}\n\n".encode()
                yield b": \n\n"  # finds out whether the page is still there
                await asyncio.sleep(EVERY)
        finally:
            self.keeper.pages -= 1

    async def why(self, request: Request) -> Response:
        """`hookkit why` about the call, in its directory, as a child process."""
        if not self._is_known(request):
            return Response(status_code=404)
        loop = asyncio.get_running_loop()
        number = request.path_params["id"]
        asked = await loop.run_in_executor(self.pool, _why_words, self.keeper.environ, number)
        if asked is None:
            return Response(status_code=404)
        words, cwd = asked
        child = await asyncio.create_subprocess_exec(
            *code.launcher(), *words,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            cwd=cwd, env=self.keeper.environ,
        )  # fmt: skip
        try:
            out, _ = await asyncio.wait_for(child.communicate(), WHY_SECONDS)
        except asyncio.TimeoutError:  # its own class in Python 3.10
            child.kill()
            return _json({"error": "hookkit why took too long"}, 503)
        if not out.strip().startswith(b"{"):
            return _json({"error": "hookkit why has no answer"}, 503)
        return Response(out, media_type="application/json")

    async def settle(self, request: Request) -> Response:
        """The button: needs our own origin, which a page elsewhere cannot have."""
        if not self._is_known(request) or request.headers.get("origin") is None:
            return Response(status_code=404)
        raw = await incoming.body(request)
        deny = raw == b'{"deny":true}'
        by = f"human:{_user()}"
        return await self._in_thread(
            lambda: views.settle(self.keeper.environ, request.path_params["id"], deny=deny, by=by)
        )


def _why_words(environ: dict[str, str], number: int) -> tuple[list[str], str] | None:
    """The words of `hookkit why` for a row of the ledger, and the call's directory."""
    found = views.call(environ, number)
    body = found["body"] if found else {}
    given, tool, cwd = body.get("input"), body.get("tool"), body.get("cwd")
    if not isinstance(given, dict) or not isinstance(tool, str):
        return None
    args = given["command"] if tool == "Bash" and isinstance(given.get("command"), str) else json.dumps(given)
    actor = ["--actor", body["actor"]] if isinstance(body.get("actor"), str) else []
    place = cwd if isinstance(cwd, str) and os.path.isdir(cwd) else "/"
    return ["why", "--tool", tool, "--output", "json", *actor, "--", args], place


def _json(value: Any, status: int = 200) -> Response:
    return Response(json.dumps(value), status_code=status, media_type="application/json")


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def _file(name: str) -> tuple[bytes, str]:
    with open(os.path.join(FILES, name), "rb") as file:
        return file.read(), KINDS[os.path.splitext(name)[1]]

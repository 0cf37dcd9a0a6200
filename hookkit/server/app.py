"""What uvicorn serves: the page, and requests to hooks that are large, slow or not plain. Each names its secret.

    POST /hooks/HOOK          Authorization: Bearer TOKEN: an event, answered like `hookkit HOOK`
    GET  /SECRET/…            the page, its files and its data

A caller without the secret gets 404 with no body for every path, so no answer reveals hookkit.
"""

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from hookkit.errors import HookkitError
from hookkit.server import code, http_hooks, views
from hookkit.system import agents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.server.serving import Keeper


LISTS = ("net/tcp", "net/tcp6")
MOST = 4_096  # processes that are looked at


def agent(port: int, proc: str = "/proc") -> str:
    """The agent among the parents of the process that connected from this local port; empty where none is found.

    A fence: without /proc, or for a process of another user, nothing can be said.
    """
    wanted = {f"socket:[{inode}]" for name in LISTS for inode in _inodes(f"{proc}/{name}", port)}
    pids = [name for name in os.listdir(proc) if name.isdigit()][:MOST] if wanted and os.path.isdir(proc) else []
    holders = (
        pid for pid in pids if int(pid) != os.getpid() and not wanted.isdisjoint(_open_files(f"{proc}/{pid}/fd"))
    )
    return next((name for pid in holders for name in agents.parents(proc, int(pid))), "")


def _inodes(path: str, port: int) -> list[str]:
    """The sockets of this machine with the local port."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            rows = [line.split() for line in file][1:]
    except OSError:
        return []
    return [row[9] for row in rows if len(row) > 9 and row[1].rpartition(":")[2] == f"{port:04X}"]  # noqa: PLR2004


def _open_files(folder: str) -> set[str]:
    try:
        return {os.readlink(f"{folder}/{name}") for name in os.listdir(folder)}
    except OSError:
        return set()


FILES = os.path.join(os.path.dirname(__file__), "files")
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
EVERY = 0.7  # seconds between two looks for new rows
MOST_PAGES = 16  # live feeds at the same time
MOST_HOURS = 24 * 30
WHY_SECONDS = 20.0
THREADS = 4
MOST_ANSWER = 1_000  # bytes of a button's answer


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
            "handlers": lambda _: views.handlers(self.keeper.environ),
            "status": lambda _: self.keeper.status(),
        }
        routes = [Route(f"/{{secret}}/data/{path}", self._data(view)) for path, view in data.items()]
        return [
            *routes,
            Route("/{secret}/data/feed", self.feed),
            Route("/{secret}/data/why/{id:int}", self.why),
            Route("/{secret}/data/settle/{id:str}", self.settle, methods=["POST"]),
            Route("/{secret}/{name:path}", self.file),
        ]

    def _is_known(self, request: Request) -> bool:
        return http_hooks.is_secret(request.path_params["secret"], self.keeper.door.page)

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
                    rows = await loop.run_in_executor(self.pool, views.news, self.keeper.environ, after)
                    after = rows["last"]
                    if rows["rows"]:
                        yield f"id: {after}\ndata: {json.dumps(rows['rows'])}\n\n".encode()
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
        """The button: needs our own origin, which a page elsewhere cannot have, and no agent at the other end."""
        if not self._is_known(request) or request.headers.get("origin") is None:
            return Response(status_code=404)
        raw = await http_hooks.body(request)
        return await self._in_thread(self._settled, request, raw or b"")

    def _settled(self, request: Request, raw: bytes) -> Any:
        try:
            answer = json.loads(raw) if len(raw) < MOST_ANSWER else None
        except ValueError:
            answer = None
        if answer is None or (request.client and agent(request.client.port)):
            return None
        return views.settle(self.keeper.environ, request.path_params["id"], answer)


def _why_words(environ: dict[str, str], number: int) -> tuple[list[str], str] | None:
    """The words of `hookkit why` for a row of the ledger, and the call's directory."""
    row = views.call(environ, number)
    body = row["body"] if row else {}
    given, tool, cwd = body.get("input"), body.get("tool"), body.get("cwd")
    if not isinstance(given, dict) or not isinstance(tool, str):
        return None
    args = given["command"] if tool == "Bash" and isinstance(given.get("command"), str) else json.dumps(given)
    actor = ["--actor", body["actor"]] if isinstance(body.get("actor"), str) else []
    folder = cwd if isinstance(cwd, str) and os.path.isdir(cwd) else "/"
    return ["why", "--tool", tool, "--output", "json", *actor, "--", args], folder


def _json(value: Any, status: int = 200) -> Response:
    return Response(json.dumps(value), status_code=status, media_type="application/json")


def _file(name: str) -> tuple[bytes, str]:
    with open(os.path.join(FILES, name), "rb") as file:
        return file.read(), KINDS[os.path.splitext(name)[1]]


# -- what is served ----------------------------------------------------------------------------------------------------


HOOKS = "/hooks/"
POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:;"
    b" base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"content-security-policy", POLICY),
]


class Fence:
    """Refuses requests from web pages of another origin; adds the headers of the page."""

    def __init__(self, app: ASGIApp, keeper: "Keeper") -> None:
        self.app = app
        self.hooks = keeper.hooks
        self.origins = keeper.origins
        self.pool = keeper.pool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self.origins.are_ours(scope["headers"]):
            await Response(status_code=404)(scope, receive, send)
            return
        if scope["path"].startswith(HOOKS) and scope["method"] == "POST":
            response = await self._hook(Request(scope, receive), scope["path"][len(HOOKS) :])
            await response(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        await self.app(scope, receive, send_with_headers)

    async def _hook(self, request: Request, hook: str) -> Response:
        headers = dict(request.scope["headers"])
        if not self.hooks.is_known(headers):
            return Response(status_code=404)
        raw = await http_hooks.body(request)
        if raw is None:
            return Response(status_code=413)
        query = request.scope["query_string"].decode("latin-1")
        reply = await asyncio.get_running_loop().run_in_executor(
            self.pool, self.hooks.answer, hook, query, headers, raw
        )
        if reply is None:
            return Response(status_code=404)
        return Response(reply, headers={"content-type": http_hooks.kind(reply)})


def make(keeper: "Keeper") -> ASGIApp:
    app = Starlette(routes=Page(keeper).routes(), exception_handlers={404: _nothing, 405: _nothing})
    app.router.redirect_slashes = False  # a redirect would reveal the server
    return Fence(app, keeper)


async def _nothing(_: Request, __: Exception) -> Response:
    return Response(status_code=404)

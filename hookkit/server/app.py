"""What uvicorn serves: the page, and requests to hooks that are large, slow or not plain. Each names its secret.

    POST /hooks/HOOK          Authorization: Bearer TOKEN: an event, answered like `hookkit HOOK`
    GET  /SECRET/…            the page, its files and its data

A caller without the secret gets 404 with no body for every path, so no answer reveals hookkit.
"""

import asyncio
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from hookkit.server import http_hooks, page

if TYPE_CHECKING:
    from hookkit.server.serving import Keeper

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
    app = Starlette(routes=page.Page(keeper).routes(), exception_handlers={404: _nothing, 405: _nothing})
    app.router.redirect_slashes = False  # a redirect would reveal the server
    return Fence(app, keeper)


async def _nothing(_: Request, __: Exception) -> Response:
    return Response(status_code=404)

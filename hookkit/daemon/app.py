"""Everything that speaks HTTP: the client's http hooks and the page. Each request names its secret.

    POST /hooks/HOOK          Authorization: Bearer TOKEN: an event, answered like `hookkit HOOK`
    GET  /SECRET/…            the page, its files and its data

A stranger gets 404 with no body for every path, so no answer reveals hookkit.
"""

from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from hookkit.daemon import http_hooks, page

if TYPE_CHECKING:
    from hookkit.daemon.server import Keeper

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
    """Refuses requests from web pages of another origin; adds the headers of the page.

    Hooks are answered here: on their way through the layers of Starlette they would take half as long again.
    """

    def __init__(self, app: ASGIApp, hooks: http_hooks.HttpHooks, port: int) -> None:
        self.app = app
        self.hooks = hooks
        self.hosts = {f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost")}
        self.origins = {b"http://" + host for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._is_local(scope):
            await Response(status_code=404)(scope, receive, send)
            return
        if scope["path"].startswith(HOOKS) and scope["method"] == "POST":
            request = Request(scope, receive)
            await (await self.hooks.answer(request, scope["path"][len(HOOKS) :]))(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        await self.app(scope, receive, send_with_headers)

    def _is_local(self, scope: Scope) -> bool:
        """A name that leads here by DNS rebinding is not our name; a page elsewhere has another origin."""
        given: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            given.setdefault(name, []).append(value)
        origin = given.get(b"origin", [])
        site = given.get(b"sec-fetch-site", [b"none"])
        return (
            len(given.get(b"host", [])) == 1
            and given[b"host"][0] in self.hosts
            and all(each in self.origins for each in origin)
            and all(each in (b"none", b"same-origin") for each in site)
        )


def make(keeper: "Keeper") -> ASGIApp:
    app = Starlette(routes=page.Page(keeper).routes(), exception_handlers={404: _nothing, 405: _nothing})
    app.router.redirect_slashes = False  # a redirect would reveal the server
    return Fence(app, http_hooks.HttpHooks(keeper), keeper.door.port)


async def _nothing(_: Request, __: Exception) -> Response:
    return Response(status_code=404)

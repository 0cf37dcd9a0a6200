"""The page: static files and its data, below a path that holds the secret of this server."""

from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

if TYPE_CHECKING:
    from hookkit.daemon.server import Keeper


class Page:
    def __init__(self, keeper: "Keeper", views: Any) -> None:
        self.keeper = keeper
        self.views = views

    def routes(self) -> list[Route]:
        return [Route("/{secret}/status", self.status)]

    async def status(self, _: Request) -> Response:
        return Response(status_code=404)

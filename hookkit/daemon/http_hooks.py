"""The client's http hooks: the event is the body, the reply is the answer.

The client sends no environment, so the server's own is used; `X-Hookkit-Env-NAME` headers replace single variables. An
event that needs a program of the user is answered by the cold command, as a child of the server.
"""

import asyncio
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from hookkit.daemon import code, incoming, wire
from hookkit.daemon.answering import Asked, is_hook
from hookkit.errors import WARM
from hookkit.ledger.journal import REQUEST

if TYPE_CHECKING:
    from hookkit.daemon.server import Keeper

OPTIONS = ("on-error", "actor")
HEADER = "x-hookkit-env-"
# Variables that a request may replace: those that name its session, none that leads to settings or programs.
GIVEN = ("CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ATTENDED", "HOOKKIT_ACTOR", "AGENT_ID")
NOT_INHERITED = (*GIVEN, REQUEST, WARM)
SECONDS = 600.0  # for the cold command
CHILDREN = 16  # cold commands at the same time


class HttpHooks:
    def __init__(self, keeper: "Keeper") -> None:
        self.keeper = keeper
        self.children = asyncio.Semaphore(CHILDREN)

    async def answer(self, request: Request, hook: str) -> Response:
        if not incoming.is_secret(request.headers.get("authorization", ""), f"Bearer {self.keeper.token}"):
            return Response(status_code=404)
        raw = await incoming.body(request)
        if raw is None:
            return Response(status_code=413)
        asked = self._request(request, hook, raw)
        answering = self.keeper.answering
        reply = None
        if not answering.is_full:
            try:
                reply = await asyncio.wrap_future(answering.begin(Asked(asked)))
            finally:
                answering.end()
        if reply is None:
            reply = await self._cold(asked)
        if reply is None:
            return Response(status_code=404)
        return Response(reply, media_type="application/json" if reply.startswith(b"{") else "text/plain")

    def _request(self, request: Request, hook: str, raw: bytes) -> wire.Request:
        environ = {name: value for name, value in self.keeper.environ.items() if name not in NOT_INHERITED}
        for name in GIVEN:
            value = request.headers.get(f"{HEADER}{name.replace('_', '-')}")
            if value and not value.startswith("$"):  # without permission the client leaves $NAME unfilled
                environ[name] = value
        words = [f"--{name}={request.query_params[name]}" for name in OPTIONS if name in request.query_params]
        return wire.Request(hook, words, {**environ, WARM: "1"}, "", raw)

    async def _cold(self, asked: wire.Request) -> bytes | None:
        if not is_hook(asked.hook):
            return None
        environ = {name: value for name, value in asked.environ.items() if name != WARM}
        async with self.children:
            child = await asyncio.create_subprocess_exec(
                *code.launcher(), asked.hook, *asked.words,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
                cwd="/", env=environ,
            )  # fmt: skip
            try:
                out, _ = await asyncio.wait_for(child.communicate(asked.raw), SECONDS)
            except asyncio.TimeoutError:  # its own class in Python 3.10
                child.kill()
                return b""
        return out

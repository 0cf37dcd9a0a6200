"""The client's http hooks: the event is the body, the reply is the answer.

The client sends no environment, so the server's own is used; `X-Hookkit-Env-NAME` headers replace single variables. An
event that needs a program of the user is answered by the cold command, as a child of the server.
"""

import subprocess
import threading
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from hookkit.daemon import code, incoming, wire
from hookkit.daemon.answering import Asked, is_hook
from hookkit.errors import WARM
from hookkit.ledger.journal import REQUEST

if TYPE_CHECKING:
    from hookkit.daemon.server import Keeper

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
        return incoming.is_secret(headers.get(b"authorization", b"").decode("latin-1"), self.secret)

    def answer(self, hook: str, query: str, headers: dict[bytes, bytes], raw: bytes) -> bytes | None:
        """The reply; None if there is no such hook. Takes as long as the hooks take."""
        request = self._request(hook, query, headers, raw)
        reply = self.answering.answer(Asked(request))
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

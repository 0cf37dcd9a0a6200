"""The hub's process: migrates, serves, and looks after its database once a minute."""

import asyncio
import logging
import os
import socket
from collections.abc import Callable
from typing import Any, NamedTuple

import httpx
import uvicorn

from hookkit.errors import HookkitError
from hookkit.server.fleet.hub import app, contents, machines, people
from hookkit.server.fleet.hub.postgres import HubError, Store
from hookkit.system import files, signatures

EVERY = 60.0  # seconds
PORT = 8787
PROXY = "HOOKKIT_HUB_PROXY"  # the secret of a proxy that signs people in
WEBHOOK = "HOOKKIT_HUB_WEBHOOK"
ADDRESS = "HOOKKIT_HUB_URL"  # where people open the hub's page, for links
OTLP = "HOOKKIT_HUB_OTLP"  # where rows go as OpenTelemetry, such as http://collector:4318


class HubOptions(NamedTuple):
    """How a hub is run."""

    dsn: str
    host: str = "127.0.0.1"
    port: int = PORT
    keep: int = 0  # days; 0 keeps all


class HubServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, store: Store, options: HubOptions, environ: dict[str, str]) -> None:
        super().__init__(config)
        self.store = store
        self.options = options
        self.webhook = environ.get(WEBHOOK, "")
        self.otlp = environ.get(OTLP, "")
        self.said: Callable[[str], object] = len

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.task = asyncio.create_task(self._look_after())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.task.cancel()
        await super().shutdown(sockets)

    async def _look_after(self) -> None:
        while True:
            await asyncio.get_running_loop().run_in_executor(None, self.tend)
            await asyncio.sleep(EVERY)

    def tend(self) -> None:
        """The duties of each minute. One that fails, as while the database is away, keeps no other from being done."""
        duties = (
            self.store.make_days,
            self._drop_days,
            lambda: machines.forget_old(self.store),
            lambda: people.end_silent(self.store),
            self._export,
            self._tell_changes,
        )
        for duty in duties:
            self._do(duty)

    def _do(self, duty: Callable[[], object]) -> None:
        try:
            duty()
        except HubError as error:
            self.said(str(error))

    def _drop_days(self) -> None:
        if self.options.keep:
            self.store.drop_days(self.options.keep)

    def _tell_changes(self) -> None:
        changes = machines.update(self.store)
        if changes and self.webhook and (problem := machines.post(self.webhook, machines.message(changes))):
            self.said(problem)

    def _export(self) -> None:
        """All that waits. A receiver that is away is tried again in a minute."""
        try:
            while self.otlp and contents.export_traces(self.store, self.otlp):
                continue
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            self.said(f"the OTLP receiver does not take rows: {error or type(error).__name__}")


def key_of(environ: dict[str, str]) -> str:
    """The file of the hub's own key, made at the first start."""
    state = files.state_dir(environ)
    if not state:
        raise HookkitError("there is no home directory for the hub's key: set XDG_STATE_HOME")
    path = os.path.join(files.private_dir(os.path.join(files.private_dir(state), "hub")), "key")
    if not os.path.lexists(path):
        signatures.make_key(path, "hookkit hub", environ)
    return path


def run(options: HubOptions, environ: dict[str, str], say: Callable[[str], Any]) -> None:
    store = Store(options.dsn)
    ran = store.migrate()
    if ran:
        say(f"Brought the database up to date: {', '.join(ran)}")
    webhook = environ.get(WEBHOOK, "")
    address = environ.get(ADDRESS, f"http://{options.host}:{options.port}").rstrip("/")

    def tell(requests: list[dict[str, Any]]) -> None:
        for request in requests if webhook else ():
            if problem := machines.post(webhook, people.request_message(request, address)):
                say(problem)

    served = app.Application(store, key_of(environ), environ.get(PROXY, ""), tell, say).served()
    config = uvicorn.Config(
        served, host=options.host, port=options.port, http="h11", ws="none", lifespan="off", log_config=None,
        access_log=False, server_header=False, proxy_headers=False, timeout_graceful_shutdown=5,
    )  # fmt: skip
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    hub = HubServer(config, store, options, environ)
    hub.said = say
    say(f"hookkit's hub listens on {options.host}:{options.port}; Ctrl-C ends it.")
    hub.run()

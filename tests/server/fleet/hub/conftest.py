import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from hookkit.server.fleet import membership, sync
from hookkit.server.fleet.batch import all_ends
from hookkit.server.fleet.hub import app, people
from hookkit.server.fleet.hub.postgres import Store
from hookkit.system import signatures
from tests.postgres import Postgres

PROXY = "proxy-secret"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    cluster = Postgres()
    yield cluster
    cluster.remove()


@pytest.fixture
def store(postgres: Postgres) -> Iterator[Store]:
    made = Store(postgres.database())
    made.migrate()
    yield made
    made.close()


class Served:
    """The hub's application on a real port."""

    def __init__(self, store: Store, directory: Path) -> None:
        signatures.make_key(str(directory / "hub-key"), "hub", dict(os.environ))
        self.key = " ".join((directory / "hub-key.pub").read_text().split()[:2])
        self.told: list[Any] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        application = app.Application(store, str(directory / "hub-key"), PROXY, self.told.extend).served()
        config = uvicorn.Config(application, lifespan="off", log_config=None, ws="none")
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, args=([self.listener],))
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def close(self) -> None:
        self.server.should_exit = True
        self.thread.join()
        self.listener.close()


class Fleet:
    """A hub, and machines that speak to it."""

    def __init__(self, store: Store, directory: Path) -> None:
        self.store = store
        self.directory = directory
        self.served = Served(store, directory)
        self.url = self.served.url
        self.count = 0

    def post(self, path: str, value: Any) -> httpx.Response:
        return httpx.post(self.url + path, json=value)

    def machine(self, team: str = "web", **given: Any) -> dict[str, str]:
        """The environment of a machine that has just joined."""
        self.count += 1
        environ = {**os.environ, "HOME": str(self.directory / f"m{self.count}"), "TMPDIR": str(self.directory)}
        os.mkdir(environ["HOME"])
        self.join(environ, team, **given)
        return environ

    def join(self, environ: dict[str, str], team: str = "web", **given: Any) -> None:
        machine, secret = os.urandom(8).hex(), os.urandom(32).hex()
        code = people.invite(self.store, team_name=team)
        said = {"code": code, "machine": machine, "secret": secret, **given}
        assert self.post("/fleet/join", said).status_code == 200
        membership.keep(environ, membership.BEFORE, all_ends(environ))
        kept = {"url": self.url, "machine": machine, "secret": secret, "team": team, "key": self.served.key}
        membership.keep(environ, membership.MACHINE, kept)

    def sync(self, environ: dict[str, str]) -> sync.Round:
        done = sync.run(environ)
        assert done is not None
        return done

    def person(self, name: str, role: str, team: str = "web") -> "Reader":
        code = people.invite(self.store, team_name=team, person=name, role=role)
        token = self.post("/fleet/join", {"code": code}).json()["token"]
        return Reader(self, token)


class Reader:
    def __init__(self, fleet: Fleet, token: str) -> None:
        self.fleet = fleet
        self.token = token

    def answer(self, id_: int, state: str, **headers: str) -> httpx.Response:
        given = {"authorization": f"Bearer {self.token}", "x-hookkit-fleet": "1", **headers}
        return httpx.post(f"{self.fleet.url}/answer/{id_}", params={"state": state}, headers=given)

    def verify(self) -> Any:
        """All pages as one."""
        whole, after = {"rows": 0, "faults": []}, 0
        while True:
            part = self.get("verify", after=after)
            whole = {name: whole[name] + part[name] for name in whole}
            if not (after := part["next"]):
                return whole

    def get(self, path: str, **query: Any) -> Any:
        headers = {"authorization": f"Bearer {self.token}"}
        answer = httpx.get(f"{self.fleet.url}/read/{path}", params=query, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
def fleet(store: Store, tmp_path: Path) -> Iterator[Fleet]:
    made = Fleet(store, tmp_path)
    yield made
    made.served.close()

"""Senders killed, PostgreSQL stopped hard, at any moment: every row arrives once, and all chains verify."""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hookkit.server.fleet import membership
from hookkit.server.fleet.hub.postgres import Store
from tests.ledger.making import request, write
from tests.postgres import Postgres
from tests.server.fleet.hub.conftest import Fleet

MACHINES, ROWS = 4, 150
SYNC = "from hookkit.server.fleet.sync import main; main()"


@pytest.fixture
def cluster() -> Iterator[Postgres]:
    """A cluster of its own: it is stopped hard."""
    made = Postgres()
    yield made
    made.remove()


@pytest.fixture
def store(cluster: Postgres) -> Iterator[Store]:
    made = Store(cluster.database())
    made.migrate()
    yield made
    made.close()


def start(environ: dict[str, str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", SYNC], env={**environ, "PYTHONPATH": str(Path.cwd())})


def test_every_row_once_whatever_is_killed(fleet: Fleet, cluster: Postgres) -> None:
    dice = random.Random(7)
    machines = [fleet.machine() for _ in range(MACHINES)]
    for number, environ in enumerate(machines):
        status = {"most": 20}  # many small requests: more moments to be killed at
        membership.keep(environ, membership.STATUS, status)
        write(environ, *(request(row, f"s{number}-{row % 3}") for row in range(1, ROWS + 1)))
    for round_ in range(4):
        running = [start(environ) for environ in machines]
        time.sleep(dice.uniform(0.3, 1.5))
        if round_ % 2:
            cluster.stop("immediate")
            cluster.start()
        for process in running:
            process.kill()
            process.wait()
    for environ in machines:
        membership.keep(
            environ, membership.STATUS, {**(membership.read(environ, membership.STATUS) or {}), "not_before": 0}
        )
        fleet.sync(environ)
    with fleet.store.owner() as connection:
        found = connection.execute("SELECT count(*) AS rows, count(DISTINCT (chain, n)) AS once FROM rows").fetchone()
        kinds = {row["kind"] for row in connection.execute("SELECT kind FROM findings")}
    assert found == {"rows": MACHINES * ROWS, "once": MACHINES * ROWS}
    assert kinds == set()
    assert fleet.person("sec", "security").verify() == {"rows": MACHINES * ROWS, "faults": []}

"""What a fleet costs: taking rows in, checking them, asking ten questions, and a laptop's day.

    python benchmarks/fleet.py [--rows N]

Rows are made as in benchmarks/ledger.py and sent by the real code to a real PostgreSQL (scripts/install-postgres),
which is gone afterwards. Ratios are to the local ledger in the same run: fold (journals into SQLite) and verify, in CPU
time (of this process and of PostgreSQL's; it needs Linux).
Questions are asked by each role; the least of three. Run it with the interpreter of the environment in which hookkit
is installed.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from ledger import Maker

from hookkit.ledger.row_index import Ledger
from hookkit.ledger.verifying import Verification
from hookkit.server.fleet import batch
from hookkit.server.fleet.batch import Unsent
from hookkit.server.fleet.hub import contents, ingest, machines, people, questions
from hookkit.server.fleet.hub.postgres import Store
from tests.postgres import Postgres

DAY = 4_400  # rows of a laptop's day
BATCH = 1_000
QUESTIONS: dict[str, Callable[[Store, people.Person], Any]] = {
    "who ran X": lambda store, person: questions.rows(store, person, {"text": "docker deploy"}),
    "denials by rule and team": lambda store, person: questions.stats(store, person, 7),
    "newest calls": lambda store, person: questions.rows(store, person, {}),
    "newest denials": lambda store, person: questions.rows(store, person, {"verdict": "deny"}),
    "unattended sessions": lambda store, person: questions.sessions(store, person, {"only": "unattended"}),
    "sessions that read a secret": lambda store, person: questions.sessions(store, person, {"only": "tainted"}),
    "one project": lambda store, person: questions.rows(store, person, {"project": "example.com/team/*"}),
    "one session": lambda store, person: questions.rows(store, person, {"session": "0"}),
    "one machine": lambda store, person: questions.rows(store, person, {"machine": "machine-3"}),
    "who approved": lambda store, person: questions.rows(store, person, {"approved": "person"}),
    "sessions of all machines": questions.agents,
    "who is silent, which policy": questions.machines,
}


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def cost(work: Callable[[], Any], backend: int = 0) -> float:
    """Seconds of CPU time, of this process and of PostgreSQL's: beside other load, time on the wall says little."""
    start = time.process_time() + cpu(backend)
    work()
    return time.process_time() + cpu(backend) - start


def cpu(pid: int) -> float:
    if not pid:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def batches(environ: dict[str, str]) -> list[bytes]:
    """All rows of a ledger, as they are sent."""
    unsent = Unsent(environ, {}, {})
    made = []
    for source in unsent.sources(()):
        for writer, run in source.runs.items():
            while (section := unsent.section(writer, run, BATCH)) is not None:
                made.append(batch.pack([section]))
                unsent.heads[writer] = (section.end, section.last)
    return made


def filled(directory: str, count: int) -> dict[str, str]:
    environ = {**os.environ, "HOME": directory}
    environ.pop("XDG_STATE_HOME", None)
    Maker(count).write(os.path.join(directory, ".local/state/hookkit/ledger/open"))
    return environ


def join(store: Store, number: int, team: str) -> machines.Machine:
    with store.owner() as connection:
        given = {"machine": f"machine-{number}-{'0' * 16}", "secret": "0" * 64, "owner": f"person-{number}@x"}
        return machines.join(store, connection, {"team": team, "person": "", "role": ""}, given)


def size(store: Store) -> int:
    """Bytes of the tables of rows and bodies, with their indexes."""
    with store.owner() as connection:
        connection.execute("SELECT 1")
        row = connection.execute(
            "SELECT sum(pg_total_relation_size(inhrelid))::bigint AS n FROM pg_inherits"
            " WHERE inhparent IN ('rows'::regclass, 'bodies'::regclass)"
        ).fetchone()
    return int((row or {})["n"])


def signed_in(store: Store, role: str, name: str) -> people.Person:
    with store.owner() as connection:
        return people.join(store, connection, {"person": name, "role": role, "team": "team-1"})[0]


def verified(store: Store, person: people.Person) -> list[dict[str, Any]]:
    parts = [contents.verify(store, person)]
    while parts[-1]["next"]:
        parts.append(contents.verify(store, person, parts[-1]["next"]))
    return parts


def run(count: int, postgres: Postgres) -> None:
    store = Store(postgres.database())
    store.migrate()
    with tempfile.TemporaryDirectory() as directory:
        environ = filled(directory, count)
        sent = batches(environ)
        ledger = Ledger(environ)
        fold = count / cost(ledger.fold)
        local = count / cost(lambda: Verification(ledger).run())
        ledger.close()
    members = [join(store, number, f"team-{number % 10}") for number in range(50)]
    with store.owner() as connection:
        backend = connection.info.backend_pid
    work = lambda: [ingest.take(store, members[at % 50].id, data) for at, data in enumerate(sent)]  # noqa: E731
    taken = count / cost(work, backend)
    with store.owner() as connection:
        connection.execute("ANALYZE")
    security = signed_in(store, "security", "sec@x")
    parts = verified(store, security)
    assert sum(part["rows"] for part in parts) >= count, f"{sum(part['rows'] for part in parts)} of {count} arrived"
    assert not any(part["faults"] for part in parts)
    checked = count / cost(lambda: verified(store, security), backend)
    print(f"rows                {count:>12,}")
    print(f"fold (local)        {fold:>12,.0f} rows/s")
    print(f"ingest              {taken:>12,.0f} rows/s   {taken / fold:.2f} x fold")
    print(f"verify (local)      {local:>12,.0f} rows/s")
    print(f"verify (hub)        {checked:>12,.0f} rows/s   {checked / local:.2f} x local")
    print(f"stored              {size(store) / count:>12,.0f} bytes a row")
    ask(
        store,
        {
            "security": security,
            "lead": signed_in(store, "lead", "lead@x"),
            "member": signed_in(store, "member", "person-3@x"),
        },
    )
    day(store)
    store.close()


def ask(store: Store, persons: dict[str, people.Person]) -> None:
    print(f"\n{'question, ms':<32}" + "".join(f"{role:>10}" for role in persons))
    for name, question in QUESTIONS.items():
        times = [min(seconds(lambda: question(store, person)) for _ in range(3)) for person in persons.values()]  # noqa: B023
        print(f"{name:<32}" + "".join(f"{each * 1000:>10.1f}" for each in times))


def day(store: Store) -> None:
    with tempfile.TemporaryDirectory() as directory:
        environ = filled(directory, DAY)
        machine = join(store, 999, "team-1")
        sent: list[bytes] = []
        packing = seconds(lambda: sent.extend(batches(environ)))
        taking = seconds(lambda: [ingest.take(store, machine.id, data) for data in sent])
    print(f"\na laptop's day      {DAY:,} rows, {sum(map(len, sent)) / 1000:,.0f} KB, {packing + taking:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    count = parser.parse_args().rows
    postgres = Postgres()
    try:
        run(count, postgres)
    finally:
        postgres.remove()


if __name__ == "__main__":
    main()

"""Machines: joining, saying how they are, leaving. A machine is known by its secret, never by what its rows say."""

import hmac
import os
from collections.abc import Iterator
from typing import Any

import httpx
from psycopg.types.json import Jsonb

from hookkit.server.fleet.hub import people
from hookkit.server.fleet.hub.ingest import call_number, items, text_for_database, word
from hookkit.server.fleet.hub.people import NotAllowedError, hashed
from hookkit.server.fleet.hub.postgres import Connection, Store
from hookkit.server.fleet.membership import witness_token

LATE = 72  # hours without contact
SKEW = 300_000  # ms
BROKEN = ("rewritten", "cut", "damaged")
STATES = (
    # state           condition on the columns of `machines`
    ("left", "gone IS NOT NULL"),
    ("removed", "revoked IS NOT NULL"),
    ("chain broken", "EXISTS (SELECT 1 FROM findings f WHERE f.machine = m.id AND f.kind = ANY(%(broken)s))"),
    ("late", "seen < now() - %(late)s * interval '1 hour' AND NOT is_ephemeral"),
    ("clock wrong", f"abs(skew) > {SKEW}"),
    ("hooks silent", "coalesce(health->'silent', '0') > '0' OR m.id IN (SELECT machine FROM unseen)"),
    ("policy old", "health->'policy_old' = 'true'"),
)  # fmt: skip
CASES = " ".join(f"WHEN {condition} THEN '{state}'" for state, condition in STATES)
UPDATE = f"""UPDATE machines t SET state = x.new, since = now() FROM (
  SELECT m.id, m.state AS old, CASE {CASES} ELSE 'fine' END AS new FROM machines m FOR UPDATE
) x WHERE x.id = t.id AND x.old <> x.new RETURNING t.name, t.team, t.owner, t.host, x.old, x.new"""  # noqa: S608 - our own words
SECONDS = 10.0


def update(store: Store, late: int = LATE) -> list[dict[str, Any]]:
    """Work the states out again; gives the machines whose state has changed."""
    with store.owner() as connection:
        return connection.execute(UPDATE.encode(), {"late": late, "broken": [*BROKEN]}).fetchall()


def message(changes: list[dict[str, Any]]) -> dict[str, Any]:
    parts = [
        f"{row['name']} ({row['host'] or row['owner'] or row['team']}): {row['old']} → {row['new']}" for row in changes
    ]
    return {"text": "hookkit: " + "; ".join(parts), "machines": changes}


def post(webhook: str, value: dict[str, Any]) -> str:
    """Post to the webhook; gives the problem, if there is one. A webhook that fails loses a message, no state."""
    try:
        answer = httpx.post(webhook, json=value, timeout=SECONDS)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return f"the webhook cannot be reached: {error or type(error).__name__}"
    return "" if answer.is_success else f"the webhook answers {answer.status_code}"


NAME = 64
TEXT = 200
HEADS = 20_000  # chains in a report
COPIED = "copied"


class Machine:
    __slots__ = ("id", "name", "team")

    def __init__(self, row: dict[str, Any]) -> None:
        self.id: int = row["id"]
        self.name: str = row["name"]
        self.team: str = row["team"]


def join(store: Store, connection: Connection, invitation: dict[str, Any], given: dict[str, Any]) -> Machine:
    """A new machine of the code's team. The owner is the person of the code, or who the machine says it is."""
    name, secret = word(given.get("machine"), NAME), word(given.get("secret"), TEXT)
    if len(name) < 16 or len(secret) < 32:  # noqa: PLR2004 - less is no random id
        raise NotAllowedError("a machine needs an id and a secret")
    owner = invitation["person"] or word(given.get("owner"), TEXT)
    owned = connection.execute("SELECT db_role FROM people WHERE name = %s", (owner,)).fetchone() if owner else None
    row = connection.execute(
        "INSERT INTO machines (name, secret, team, team_role, owner, owner_role, host, version, is_ephemeral)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING id, name, team",
        (name, hashed(secret), invitation["team"], people.team(store, connection, invitation["team"]), owner,
         owned["db_role"] if owned else None, word(given.get("host"), TEXT), word(given.get("version"), TEXT),
         given.get("ephemeral") is True),
    ).fetchone()  # fmt: skip
    if row is None:
        raise NotAllowedError("this machine's id is known already")
    return Machine(row)


def known(store: Store, name: str, secret: str) -> Machine | None:
    """The machine with this secret; a machine that was revoked, or has left, is refused in words."""
    with store.owner() as connection:
        row = connection.execute(
            "SELECT id, name, team, gone, revoked FROM machines WHERE name = %s AND secret = %s", (name, hashed(secret))
        ).fetchone()
    if row is None:
        return None
    if row["revoked"] is not None:
        raise NotAllowedError("this machine was removed from the fleet by an admin: hookkit fleet leave")
    if row["gone"] is not None:
        raise NotAllowedError("this machine has left the fleet: join again")
    return Machine(row)


def report(store: Store, machine: Machine, given: dict[str, Any]) -> dict[str, Any]:
    """How the machine is. Gives its next turn, and the head of every chain that is not where the machine says."""
    with store.acting(store.ingest) as connection:
        query = (
            "SELECT turn, turn_before, (extract(epoch FROM now()) * 1000)::bigint AS now FROM machines WHERE id = %s"
        )
        row = connection.execute(f"{query} FOR UPDATE".encode(), (machine.id,)).fetchone() or {}
        turn = word(given.get("turn"), NAME)
        if turn not in (row["turn"], row["turn_before"]):
            return {"copied": True}
        new = os.urandom(16).hex()
        clock = given.get("clock")
        skew = int(clock) - row["now"] if isinstance(clock, int) and abs(clock) < 2**53 else 0
        connection.execute(
            "UPDATE machines SET turn = %s, turn_before = %s, seen = now(), skew = %s, health = %s, policy = %s,"
            " version = %s WHERE id = %s",
            (new, turn, skew, Jsonb(_plain(given.get("health"))), word(given.get("policy"), TEXT),
             word(given.get("version"), TEXT), machine.id),
        )  # fmt: skip
        query = "SELECT 1 FROM findings WHERE machine = %s AND kind = %s"
        has_copy = connection.execute(query, (machine.id, COPIED)).fetchone() is not None
        is_sure = turn == row["turn"] and not has_copy
        heads = _compare(connection, machine, given.get("heads"), is_sure=is_sure)
    return {"turn": new, "now": row["now"], "heads": heads}


def copied(store: Store, machine: Machine) -> dict[str, str]:
    """Two machines have one secret: an image was copied, or a backup restored. This one gets a name of its own."""
    name, secret = os.urandom(8).hex(), os.urandom(people.SECRET).hex()
    with store.owner() as connection:
        made = connection.execute(
            "INSERT INTO machines (name, secret, team, team_role, owner, owner_role, host, version, is_ephemeral)"
            " SELECT %s, %s, team, team_role, owner, owner_role, host, version, is_ephemeral FROM machines"
            " WHERE id = %s RETURNING id", (name, hashed(secret), machine.id)
        ).fetchone() or {}  # fmt: skip
        for number, other in ((machine.id, name), (made["id"], machine.name)):
            connection.execute(
                "INSERT INTO findings (machine, kind, what) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                (number, COPIED, f"a copy of this machine is {other}: an image was copied, or a backup restored"),
            )
    return {"machine": name, "secret": secret}


def heads(store: Store, machine: Machine) -> dict[str, list[Any]]:
    """The head of every chain of a machine that has lost its own list."""
    with store.acting(store.ingest) as connection:
        rows = connection.execute(
            "SELECT DISTINCT ON (writer) writer, n, hash FROM chains WHERE machine = %s ORDER BY writer, branch DESC",
            (machine.id,),
        )
        return {row["writer"]: [row["n"], row["hash"]] for row in rows}


def leave(store: Store, machine: Machine) -> None:
    with store.acting(store.ingest) as connection:
        connection.execute("UPDATE machines SET gone = now() WHERE id = %s", (machine.id,))


def _compare(connection: Connection, machine: Machine, given: Any, *, is_sure: bool) -> dict[str, list[Any]]:
    """Heads that differ. A chain that ends before its head was cut, unless a copy of the machine sent the rest."""
    if not isinstance(given, dict) or len(given) > HEADS:
        return {}
    rows = connection.execute(
        "SELECT DISTINCT ON (writer) writer, n, hash FROM chains WHERE machine = %s AND writer = ANY(%s)"
        " ORDER BY writer, branch DESC", (machine.id, [word(writer, 300) for writer in given])
    ).fetchall()  # fmt: skip
    other = {}
    for row in rows:
        head = given.get(row["writer"])
        n, hash_ = head if isinstance(head, list) and len(head) == 2 else (0, "")  # noqa: PLR2004 - number and hash
        if n == row["n"] and hash_ == row["hash"]:
            continue
        other[row["writer"]] = [row["n"], row["hash"]]
        if is_sure and isinstance(n, int) and n < row["n"]:
            what = f"the machine has rows up to {n}, but sent rows up to {row['n']}"
            connection.execute(
                "INSERT INTO findings (machine, writer, n, kind, what) VALUES (%s, %s, %s, 'cut', %s)"
                " ON CONFLICT DO NOTHING", (machine.id, row["writer"], n, what)
            )  # fmt: skip
    return other


# What a machine tells of itself, and the type of each: the states of all machines are worked out in one statement.
HEALTH = {"silent": int, "gaps": int, "overruled": int, "policy_old": bool, "all_projects": bool, "unknown": str}


def _plain(health: Any) -> dict[str, Any]:
    """The known facts of the right type; whatever else a machine sends is left out."""
    given = health if isinstance(health, dict) else {}
    plain = {name: given[name] for name, kind in HEALTH.items() if type(given.get(name)) is kind}
    return {
        name: word(value, TEXT) if isinstance(value, str) else value
        for name, value in plain.items()
        if isinstance(value, str) or abs(value) < 2**31
    }


RECORDS = 10_000  # of a request
KEPT = ("tool_result",)  # events
DAYS = 30


def known_sessions(store: Store, name: str, token: str) -> Machine | None:
    """The machine whose witness has this token: it can tell of calls, and do nothing else in the machine's name."""
    with store.owner() as connection:
        row = connection.execute(
            "SELECT id, name, team, secret FROM machines WHERE name = %s AND gone IS NULL AND revoked IS NULL", (name,)
        ).fetchone()
    is_right = row is not None and hmac.compare_digest(witness_token(bytes(row["secret"])).encode(), token.encode())
    return Machine(row) if row is not None and is_right else None


def take(store: Store, machine: Machine, logs: dict[str, Any]) -> int:
    """Keep what matters of a request; gives how many records were kept."""
    rows = [(machine.id, *row) for row in _calls(logs)]
    with store.acting(store.ingest) as connection:
        connection.cursor().executemany(
            "INSERT INTO witness (machine, session, call, event) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING", rows
        )
    return len(rows)


def forget_old(store: Store) -> None:
    with store.owner() as connection:
        connection.execute("DELETE FROM witness WHERE at < now() - %s * interval '1 day'", (DAYS,))


def _calls(logs: dict[str, Any]) -> Iterator[tuple[str, int, str]]:
    for record in _records(logs):
        facts = _facts(record)
        session, call = text_for_database(facts.get("session.id")), call_number(facts.get("tool_use_id"))
        event = str(facts.get("event.name", "")).removeprefix("claude_code.")
        if event in KEPT and session and call is not None:
            yield session, call, event


def _records(logs: dict[str, Any]) -> list[dict[str, Any]]:
    records = [logs]
    for level in ("resourceLogs", "scopeLogs", "logRecords"):
        records = [item for value in records for item in items(value.get(level)) if isinstance(item, dict)][:RECORDS]
    return records


def _facts(record: dict[str, Any]) -> dict[str, str]:
    facts = {}
    for pair in items(record.get("attributes")):
        value = pair.get("value") if isinstance(pair, dict) else None
        if isinstance(value, dict) and isinstance(value.get("stringValue"), str):
            facts[str(pair.get("key"))] = value["stringValue"]
    return facts

"""People and their roles, and the codes that let machines and people in.

A member sees their own machines, a lead those of a team, security and admins all. An approver sees what there is to
approve. Each person is a role of the database, so that PostgreSQL itself decides what they see.
"""

import os
from base64 import b32encode
from hashlib import sha256
from typing import Any

from hookkit.errors import HookkitError
from hookkit.server.fleet.hub.store import Connection, Store

ROLES = ("member", "lead", "security", "approver", "admin")
SEE_ALL = ("security", "admin")
SECRET = 32  # bytes
CODE = 15  # bytes: 24 characters to type


class NotAllowedError(HookkitError):
    """Somebody may not do this."""


class Person:
    __slots__ = ("db_role", "id", "name", "role", "team")

    def __init__(self, row: dict[str, Any]) -> None:
        self.id: int = row["id"]
        self.name: str = row["name"]
        self.role: str = row["role"]
        self.team: str = row["team"] or ""
        self.db_role: str = row["db_role"]


def hashed(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "replace")).digest()


def team(store: Store, connection: Connection, name: str) -> str:
    """The database role of a team, made at its first use."""
    known = connection.execute("SELECT db_role FROM teams WHERE name = %s", (name,)).fetchone()
    if known is not None:
        return str(known["db_role"])
    role = store.make_role(connection, f"{store.prefix}_team_{hashed(name).hex()[:12]}")
    connection.execute("INSERT INTO teams (name, db_role) VALUES (%s, %s)", (name, role))
    return role


def invite(store: Store, *, team_name: str, person: str = "", role: str = "", days: int = 7, uses: int = 1) -> str:
    """A code for a team's machines, or for a person with a role."""
    if role and role not in ROLES:
        raise HookkitError(f"no role {role!r}: write one of {', '.join(ROLES)}")
    if role and not person:
        raise HookkitError("a role belongs to a person: add --person NAME")
    code = b32encode(os.urandom(CODE)).decode().lower()
    with store.owner() as connection:
        team(store, connection, team_name)
        connection.execute(
            "INSERT INTO invites (code, team, person, role, expires, uses)"
            " VALUES (%s, %s, %s, %s, now() + %s * interval '1 day', %s)",
            (hashed(code), team_name, person, role, days, uses),
        )
    return code


def invited(connection: Connection, code: str, *, is_used: bool) -> dict[str, Any]:
    """What a code is good for; with `is_used`, once less afterwards."""
    valid = "code = %s AND expires > now() AND uses > 0"
    query = f"UPDATE invites SET uses = uses - 1 WHERE {valid} RETURNING team, person, role"  # noqa: S608 - our own words
    if not is_used:
        query = f"SELECT team, person, role FROM invites WHERE {valid}"  # noqa: S608
    row = connection.execute(query.encode(), (hashed(code),)).fetchone()
    if row is None:
        raise NotAllowedError("this code is not known, or was used, or is too old: ask for another one")
    return row


def join(store: Store, connection: Connection, invitation: dict[str, Any]) -> tuple[Person, str]:
    """Let a person in, with a new token. With another role or team, all their old tokens are void."""
    token = os.urandom(SECRET).hex()
    db_role = store.make_role(
        connection, f"{store.prefix}_p_{hashed(invitation['person']).hex()[:12]}", within=store.reader
    )
    known = _known(connection, "SELECT * FROM people WHERE name = %s", invitation["person"])
    row = connection.execute(
        "INSERT INTO people (name, role, team, db_role) VALUES (%s, %s, %s, %s) ON CONFLICT (name) DO UPDATE"
        " SET role = excluded.role, team = excluded.team RETURNING *",
        (invitation["person"], invitation["role"], invitation["team"], db_role),
    ).fetchone()
    person = Person(row or {})
    if known is not None and (known.role, known.team) != (person.role, person.team):
        connection.execute("DELETE FROM tokens WHERE person = %s", (person.id,))
    connection.execute("INSERT INTO tokens (token, person) VALUES (%s, %s)", (hashed(token), person.id))
    _grant(store, connection, person)
    connection.execute("UPDATE machines SET owner_role = %s WHERE owner = %s", (db_role, person.name))
    return person, token


def _grant(store: Store, connection: Connection, person: Person) -> None:
    """Exactly the memberships of the present role: an earlier, wider one is taken away."""
    teams = {row["name"]: row["db_role"] for row in connection.execute("SELECT name, db_role FROM teams")}
    wanted = {store.all} if person.role in SEE_ALL else set()
    if person.role == "lead" and person.team:
        wanted.add(teams[person.team])
    wanted |= {store.approver} if person.role == "approver" else set()
    for role in (store.all, store.approver, *teams.values()):
        verb, word = ("GRANT", "TO") if role in wanted else ("REVOKE", "FROM")
        connection.execute(f'{verb} "{role}" {word} "{person.db_role}"'.encode())


def known(store: Store, token: str) -> Person | None:
    with store.owner() as connection:
        query = "SELECT p.* FROM people p JOIN tokens t ON t.person = p.id WHERE t.token = %s"
        return _known(connection, query, hashed(token))


def named(store: Store, name: str) -> Person | None:
    """For a proxy that has signed the person in."""
    with store.owner() as connection:
        return _known(connection, "SELECT * FROM people WHERE name = %s", name)


def _known(connection: Connection, query: str, value: str | bytes) -> Person | None:
    row = connection.execute(query.encode(), (value,)).fetchone()
    return Person(row) if row is not None else None

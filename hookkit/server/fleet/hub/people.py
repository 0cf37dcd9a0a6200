"""People and their roles, and the codes that let machines and people in.

A member sees their own machines, a lead those of a team, security and admins all. An approver sees what there is to
approve. Each person is a role of the database, so that PostgreSQL itself decides what they see.

An approval is answered by a signed-in approver who is not the requester. The answer is signed with the hub's key, and
bound to machine, request and input. Nobody's silence becomes a yes: a request without an answer ends as `silence`.
"""

import json
import os
import time
from base64 import b32encode
from hashlib import sha256
from typing import Any

from hookkit.errors import HookkitError
from hookkit.server.fleet.hub.ingest import items, text_for_database, word
from hookkit.server.fleet.hub.postgres import Connection, Store
from hookkit.system import signatures
from hookkit.work.gates.remote import NAMESPACE, STAMP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.server.fleet.hub.machines import Machine

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
    row = connection.execute("SELECT db_role FROM teams WHERE name = %s", (name,)).fetchone()
    if row is not None:
        return str(row["db_role"])
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
    before = _known(connection, "SELECT * FROM people WHERE name = %s", invitation["person"])
    row = connection.execute(
        "INSERT INTO people (name, role, team, db_role) VALUES (%s, %s, %s, %s) ON CONFLICT (name) DO UPDATE"
        " SET role = excluded.role, team = excluded.team RETURNING *",
        (invitation["person"], invitation["role"], invitation["team"], db_role),
    ).fetchone()
    person = Person(row or {})
    if before is not None and (before.role, before.team) != (person.role, person.team):
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


# -- approvals that machines ask for -----------------------------------------------------------------------------------


MAY_ANSWER = ("approver", "admin")
OPEN, YES, NO = "open", "approved", "denied"
MOST = 50  # requests of one question
MOST_OPEN = 200  # of one machine
LONGEST = 3_600  # seconds for which a request stays open
LASTS = 600  # seconds for which an answer counts
SIZES = {"digest": 64, "about": 500, "call": 50_000, "project": 200, "session": 200, "person": 200}
LISTED = """SELECT id, about, call, project, session, person, host, team, owner, approvers, state, by,
  (extract(epoch FROM asked) * 1000)::bigint AS asked, (extract(epoch FROM expires) * 1000)::bigint AS expires,
  (extract(epoch FROM answered) * 1000)::bigint AS answered FROM approvals"""
Row = dict[str, Any]


def take_requests(store: Store, machine: "Machine", given: Row) -> tuple[dict[str, Row | None], list[Row]]:
    """Note the requests of a machine. Gives the answers so far, by request, and the requests that are new."""
    asks = [ask for ask in items(given.get("asks"))[:MOST] if isinstance(ask, dict) and word(ask.get("request"), 64)]
    with store.acting(store.ingest) as connection:
        new = [row for ask in asks if (row := _note(connection, machine, ask)) is not None]
        answered = connection.execute(
            "SELECT request, answer, signature FROM approvals WHERE machine = %s AND request = ANY(%s)"
            " AND signature <> ''", (machine.id, [word(ask.get("request"), 64) for ask in asks])
        ).fetchall()  # fmt: skip
    return {row["request"]: {"text": row["answer"], "signature": row["signature"]} for row in answered}, new


def _note(connection: Connection, machine: "Machine", ask: Row) -> Row | None:
    """The request as it is shown, if it is new. Host, team and owner are what the hub knows of the machine."""
    texts = {name: word(ask.get(name), longest) for name, longest in SIZES.items()}
    names = [text for name in items(ask.get("approvers"))[:MOST] if (text := text_for_database(name)) is not None]
    seconds = ask.get("seconds")
    lasts = min(max(seconds, 0), LONGEST) if isinstance(seconds, int) else 0
    return connection.execute(
        "INSERT INTO approvals (machine, request, digest, about, call, project, session, person, approvers, expires,"
        " host, team, owner) SELECT id, %s, %s, %s, %s, %s, %s, %s, %s, now() + %s * interval '1 second', host, team,"
        " owner FROM machines WHERE id = %s AND"
        " (SELECT count(*) FROM approvals WHERE machine = %s AND state = 'open') < %s"
        " ON CONFLICT (machine, request) DO NOTHING RETURNING id, about, call, project, person, host, team, owner",
        (word(ask.get("request"), 64), *texts.values(), names, lasts, machine.id, machine.id, MOST_OPEN),
    ).fetchone()  # fmt: skip


def list_requests(store: Store, person: Person, *, everything: bool) -> list[Row]:
    """Open requests, oldest first, or all of them, newest first; each with whether this person may answer."""
    chosen = "ORDER BY id DESC" if everything else "WHERE state = 'open' AND expires > now() ORDER BY id"
    with store.acting(person.db_role) as connection:
        rows = connection.execute(f"{LISTED} {chosen} LIMIT 200".encode()).fetchall()
    return [{**row, "yours": row["state"] == OPEN and not _refusal(row, person)} for row in rows]


def answer_request(store: Store, person: Person, id_: int, state: str, key: str) -> Row:
    """Answer a request once; NotAllowedError says why this person cannot. `key` is the file of the hub's key."""
    with store.owner() as connection:
        row = connection.execute(
            "SELECT a.*, m.name AS machine_name, expires > now() AS in_time FROM approvals a"
            " JOIN machines m ON m.id = a.machine WHERE a.id = %s FOR UPDATE OF a", (id_,)
        ).fetchone()  # fmt: skip
        if row is None or state not in (YES, NO):
            raise NotAllowedError("there is no such request")
        if row["state"] != OPEN or not row["in_time"]:
            raise NotAllowedError(f"this request was {row['state'] if row['state'] != OPEN else 'open for too long'}")
        if refusal := _refusal(row, person):
            raise NotAllowedError(refusal)
        text = _text(row, person, state)
        signature = signatures.sign(text.encode(), key, NAMESPACE, dict(os.environ))
        connection.execute(
            "UPDATE approvals SET state = %s, by = %s, answered = now(), answer = %s, signature = %s WHERE id = %s",
            (state, person.name, text, signature, id_),
        )
    return {"id": id_, "state": state, "by": person.name}


def _text(row: Row, person: Person, state: str) -> str:
    bound = {"machine": row["machine_name"], "request": row["request"], "digest": row["digest"]}
    expires = time.strftime(STAMP, time.gmtime(time.time() + LASTS))
    return json.dumps({**bound, "state": state, "by": person.name, "expires": expires}, sort_keys=True)


def _refusal(row: Row, person: Person) -> str:
    """Why this person may not answer this request; empty if they may."""
    if person.role not in MAY_ANSWER:
        return "only people with the role approver or admin can answer"
    if person.name.casefold() in (row["owner"].casefold(), row["person"].casefold()):
        return "nobody answers their own request: another approver has to"
    if row["approvers"] and person.name not in [name.removeprefix("human:") for name in row["approvers"]]:
        return f"this request is for {' or '.join(row['approvers'])}"
    return ""


def end_silent(store: Store) -> None:
    with store.owner() as connection:
        connection.execute("UPDATE approvals SET state = 'silence' WHERE state = 'open' AND expires <= now()")


def request_message(row: Row, url: str) -> Row:
    """For the webhook: what, who, where, and a link. Nothing in it decides: a chat account is no proof."""
    who = row["person"] or row["owner"] or "somebody"
    call = " ".join(row["call"].split())[:200]
    text = f"hookkit: {who} needs an approval on {row['host'] or 'a machine'} ({row['team']}, {row['project']}):"
    link = f"{url}/#approval-{row['id']}"
    about = f"{text} {row['about']} {call}".replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return {"text": f"{about} {link}", "approval": {**row, "link": link}}

"""Approvals that machines ask for, answered by a signed-in approver who is not the requester.

An answer is signed with the hub's key, and bound to machine, request and input. Nobody's silence becomes a yes: a
request without an answer ends as `silence`.
"""

import json
import os
import time
from typing import Any

from hookkit.server.fleet.hub.ingest import text_for_database
from hookkit.server.fleet.hub.machines import Machine
from hookkit.server.fleet.hub.people import NotAllowedError, Person
from hookkit.server.fleet.hub.store import Connection, Store
from hookkit.system import signatures
from hookkit.work.gates.remote import NAMESPACE, STAMP

MAY_ANSWER = ("approver", "admin")
OPEN, YES, NO, SILENCE = "open", "approved", "denied", "silence"
MOST = 50  # requests of one question
MOST_OPEN = 200  # of one machine
LONGEST = 3_600  # seconds for which a request stays open
LASTS = 600  # seconds for which an answer counts
SIZES = {"digest": 64, "about": 500, "call": 50_000, "project": 200, "session": 200, "person": 200}
LISTED = """SELECT id, about, call, project, session, person, host, team, owner, approvers, state, by,
  (extract(epoch FROM asked) * 1000)::bigint AS asked, (extract(epoch FROM expires) * 1000)::bigint AS expires,
  (extract(epoch FROM answered) * 1000)::bigint AS answered FROM approvals"""
Row = dict[str, Any]


def take(store: Store, machine: Machine, given: Row) -> tuple[dict[str, Row | None], list[Row]]:
    """Note the requests of a machine. Gives the answers so far, by request, and the requests that are new."""
    asks = [ask for ask in _list(given.get("asks"))[:MOST] if isinstance(ask, dict) and _word(ask, "request", 64)]
    with store.acting(store.ingest) as connection:
        new = [row for ask in asks if (row := _note(connection, machine, ask)) is not None]
        answered = connection.execute(
            "SELECT request, answer, signature FROM approvals WHERE machine = %s AND request = ANY(%s)"
            " AND signature <> ''", (machine.id, [_word(ask, "request", 64) for ask in asks])
        ).fetchall()  # fmt: skip
    return {row["request"]: {"text": row["answer"], "signature": row["signature"]} for row in answered}, new


def _note(connection: Connection, machine: Machine, ask: Row) -> Row | None:
    """The request as it is shown, if it is new. Host, team and owner are what the hub knows of the machine."""
    texts = {name: _word(ask, name, longest) for name, longest in SIZES.items()}
    names = [text for name in _list(ask.get("approvers"))[:MOST] if (text := text_for_database(name)) is not None]
    seconds = ask.get("seconds")
    lasts = min(max(seconds, 0), LONGEST) if isinstance(seconds, int) else 0
    return connection.execute(
        "INSERT INTO approvals (machine, request, digest, about, call, project, session, person, approvers, expires,"
        " host, team, owner) SELECT id, %s, %s, %s, %s, %s, %s, %s, %s, now() + %s * interval '1 second', host, team,"
        " owner FROM machines WHERE id = %s AND"
        " (SELECT count(*) FROM approvals WHERE machine = %s AND state = 'open') < %s"
        " ON CONFLICT (machine, request) DO NOTHING RETURNING id, about, call, project, person, host, team, owner",
        (_word(ask, "request", 64), *texts.values(), names, lasts, machine.id, machine.id, MOST_OPEN),
    ).fetchone()  # fmt: skip


def listed(store: Store, person: Person, *, everything: bool) -> list[Row]:
    """Open requests, oldest first, or all of them, newest first; each with whether this person may answer."""
    chosen = "ORDER BY id DESC" if everything else "WHERE state = 'open' AND expires > now() ORDER BY id"
    with store.acting(person.db_role) as connection:
        rows = connection.execute(f"{LISTED} {chosen} LIMIT 200".encode()).fetchall()
    return [{**row, "yours": row["state"] == OPEN and not _refusal(row, person)} for row in rows]


def answer(store: Store, person: Person, id_: int, state: str, key: str) -> Row:
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


def message(row: Row, url: str) -> Row:
    """For the webhook: what, who, where, and a link. Nothing in it decides: a chat account is no proof."""
    who = row["person"] or row["owner"] or "somebody"
    call = " ".join(row["call"].split())[:200]
    text = f"hookkit: {who} needs an approval on {row['host'] or 'a machine'} ({row['team']}, {row['project']}):"
    link = f"{url}/#approval-{row['id']}"
    about = f"{text} {row['about']} {call}".replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return {"text": f"{about} {link}", "approval": {**row, "link": link}}


def _word(given: Row, name: str, longest: int) -> str:
    return text_for_database(given.get(name), longest) or ""


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []

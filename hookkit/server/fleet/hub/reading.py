"""Questions to the hub, each asked as the database role of the person: PostgreSQL leaves out what they may not see."""

import time
from typing import Any

from hookkit.ledger import lines
from hookkit.ledger.tables import ENDINGS, REQUEST
from hookkit.ledger.tables import fields as parsed
from hookkit.server.fleet import batch
from hookkit.server.fleet.hub.ingest import PREFIX, unpacked
from hookkit.server.fleet.hub.people import Person
from hookkit.server.fleet.hub.store import Connection, Store

MOST = 1_000  # rows of an answer
SHIFT = 24  # bits of a row's number within its id: chain << 24 | n
DAY = 86_400  # seconds
STATUSES = ("error", "attention", "working", "done")
WAITS = ("PermissionRequest", "Notification")
FOLDED = ("PostToolBatch", "PermissionRequest")
CANDIDATES = 20_000  # rows of a search by words that are looked at
Row = dict[str, Any]
# Filters, and the condition of each. `%s` is the value.
FILTERS = {
    "event": "r.event LIKE %s",
    "tool": "r.tool LIKE %s",
    "verdict": "r.verdict = %s",
    "rule": "r.rule = %s",
    "approved": "r.approved LIKE %s",
    "session": "r.session = ANY (ARRAY(SELECT id FROM sessions WHERE name LIKE %s || '%%'))",
    "project": "r.session = ANY (ARRAY(SELECT id FROM sessions WHERE project LIKE %s))",
    "person": "r.session = ANY (ARRAY(SELECT id FROM sessions WHERE person LIKE %s))",
    "machine": "r.machine = ANY (ARRAY(SELECT id FROM machines WHERE name LIKE %s || '%%'))",
    "team": "r.machine = ANY (ARRAY(SELECT id FROM machines WHERE team = %s))",
    "since": "r.at >= %s",
}
PATTERNS = ("event", "tool", "project", "person", "approved")
SELECT = """SELECT r.*, m.name AS machine_name, m.team, m.host, s.name AS session_name, s.person, s.project
  FROM rows r JOIN machines m ON m.id = r.machine LEFT JOIN sessions s ON s.id = r.session"""
SUMS = "sum(x.rows)::bigint AS rows FROM sums x JOIN machines m ON m.id = x.machine WHERE x.day > current_date - %s"
FOUND = "(r.chain, r.n) IN (SELECT * FROM unnest(%s::int[], %s::int[]))"


def rows(store: Store, person: Person, given: dict[str, str], *, by_call: bool = True) -> Row:
    """The newest rows that match, newest first; with `by_call` a call and its outcome are one row."""
    limit = min(_number(given.get("limit"), 50), MOST)
    where, values = _conditions(given)
    if by_call and "event" not in given:
        where.append("NOT (r.event = ANY(%s) AND r.call IS NOT NULL)")
        values.append([*ENDINGS, *FOLDED])
    if given.get("text"):
        chains, numbers = _with_words(store, person, given["text"])
        where.append(FOUND)
        values += [chains, numbers]
    if before := _number(given.get("before"), 0):
        where.append("(r.at, r.chain, r.n) < (SELECT at, chain, n FROM rows WHERE chain = %s AND n = %s LIMIT 1)")
        values += _split(before)
    chosen = f" WHERE {' AND '.join(where)}" if where else ""
    query = f"{SELECT}{chosen} ORDER BY r.at DESC, r.chain DESC, r.n DESC LIMIT %s"
    with store.acting(person.db_role) as connection:
        entries = connection.execute(query.encode(), [*values, limit + 1]).fetchall()
        outcomes = _outcomes(connection, entries) if by_call else {}
    listed = [line(row, outcomes.get((row["session"], row["call"]))) for row in entries[:limit]]
    return {"rows": listed, "more": len(entries) > limit}


def _conditions(given: dict[str, str]) -> tuple[list[str], list[Any]]:
    where, values = [], []
    for name, condition in FILTERS.items():
        value: Any = given.get(name)
        if not value:
            continue
        if name == "verdict" and value == "none":
            where.append("r.verdict IS NULL")
            continue
        where.append(condition)
        values.append(_number(value, 0) if name == "since" else _pattern(value) if name in PATTERNS else value)
    return where, values


def _pattern(text: str) -> str:
    """`mcp__*` as PostgreSQL writes it."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_").replace("*", "%")


def _with_words(store: Store, person: Person, text: str) -> tuple[list[int], list[int]]:
    """Rows with all these words. Row-level security takes the index of words away, because its operator may tell of
    hidden rows; so the hub searches itself, among the machines that this person sees.
    """
    with store.acting(person.db_role) as connection:
        machines = [row["id"] for row in connection.execute("SELECT id FROM machines")]
    with store.owner() as connection:
        matches = connection.execute(
            "SELECT chain, n FROM rows WHERE to_tsvector('simple', about) @@ plainto_tsquery('simple', %s)"
            " AND about IS NOT NULL AND machine = ANY(%s) ORDER BY at DESC LIMIT %s", (text[:200], machines, CANDIDATES)
        ).fetchall()  # fmt: skip
    return [row["chain"] for row in matches], [row["n"] for row in matches]


def _outcomes(connection: Connection, rows: list[Row]) -> dict[tuple[Any, Any], Row]:
    calls = [row["call"] for row in rows if row["call"] is not None and row["event"] == REQUEST]
    query = "SELECT * FROM rows WHERE call = ANY(%s) AND event <> 'PreToolUse' AND event = ANY(%s)"
    rows_ = connection.execute(query, (calls, [*ENDINGS])) if calls else ()
    return {(row["session"], row["call"]): row for row in rows_}


def line(row: Row, outcome: Row | None) -> Row:
    """A row of a list: the fields of the local ledger's rows, and where it comes from."""
    last = outcome or {}
    command = {"command": row["about"]} if row["about"] else {}
    body = {
        "at": row["at"], "event": row["event"], "tool": row["tool"], "verdict": row["verdict"], "rule": row["rule"],
        "session": row["session_name"], "outcome": row["outcome"], "ms": row["ms"], "approved": row["approved"],
        "input": command,
    }  # fmt: skip
    ended = {name: last[name] for name in ("at", "event", "outcome", "ms", "approved", "verdict") if last.get(name)}
    return {
        "id": row["chain"] << SHIFT | row["n"],
        "machine": row["machine_name"], "host": row["host"], "team": row["team"], "person": row["person"],
        "project": row["project"], "body": {name: value for name, value in body.items() if value not in (None, {})},
        "ended": ended,
    }  # fmt: skip


def _split(number: int) -> list[int]:
    return [number >> SHIFT, number & ((1 << SHIFT) - 1)]


def one(store: Store, person: Person, number: int) -> Row | None:
    """All fields of a row. Content is read here, so the read is noted."""
    chain, n = _split(number)
    if chain >= 2**31:
        return None
    with store.acting(person.db_role) as connection:
        row = connection.execute(f"{SELECT} WHERE r.chain = %s AND r.n = %s".encode(), (chain, n)).fetchone()
        piece = connection.execute(
            "SELECT first, before, data FROM bodies WHERE chain = %s AND first <= %s AND last >= %s", (chain, n, n)
        ).fetchone()
    if row is None or piece is None:
        return None
    texts = unpacked(piece["data"])
    hashes = dict(batch.numbered(piece["first"], piece["before"], texts))
    body = parsed(lines.flat(PREFIX + texts[n - piece["first"]]).decode("utf-8", "replace"))
    note(store, person, f"row {number} of {row['machine_name']}")
    return {**line(row, None), "body": body, "hash": hashes[n]}


def machines(store: Store, person: Person) -> list[Row]:
    with store.acting(person.db_role) as connection:
        return connection.execute(
            "SELECT name, team, owner, host, version, is_ephemeral, state, policy, skew, health,"
            " (extract(epoch FROM seen) * 1000)::bigint AS seen, (extract(epoch FROM since) * 1000)::bigint AS since,"
            " (SELECT coalesce(sum(n - start + 1), 0)::bigint FROM chains c WHERE c.machine = machines.id) AS rows"
            " FROM machines ORDER BY (state = 'fine'), since DESC, name LIMIT 10000"
        ).fetchall()  # fmt: skip


def findings(store: Store, person: Person) -> list[Row]:
    """What the hub found as rows came in, and sessions without rows."""
    with store.acting(person.db_role) as connection:
        noted = connection.execute(
            "SELECT f.kind, f.what, f.writer, f.n, m.name AS machine, (extract(epoch FROM f.at) * 1000)::bigint AS at"
            " FROM findings f JOIN machines m ON m.id = f.machine ORDER BY f.id DESC LIMIT 500"
        ).fetchall()  # fmt: skip
    return [*unseen(store, person), *noted]


def unseen(store: Store, person: Person) -> list[Row]:
    """Sessions whose agent told of tool calls, and that have no row: hooks were off."""
    with store.acting(person.db_role) as connection:
        names = {row["id"]: row["name"] for row in connection.execute("SELECT id, name FROM machines")}
    with store.owner() as connection:
        rows = connection.execute(
            "SELECT machine, session, calls, (extract(epoch FROM at) * 1000)::bigint AS at FROM unseen"
            " WHERE machine = ANY(%s) ORDER BY at DESC LIMIT 500", ([*names],)
        ).fetchall()  # fmt: skip
    return [
        {"machine": names[row["machine"]], "kind": "hooks silent", "writer": row["session"], "n": 0, "at": row["at"],
         "what": f"{row['calls']} tool calls of session {row['session']}, and no row"}
        for row in rows
    ]  # fmt: skip


def sessions(store: Store, person: Person, given: dict[str, str]) -> Row:
    """The newest sessions: all, those without a person, or those that read a secret."""
    chosen = {"unattended": "NOT s.is_attended", "tainted": "s.is_tainted"}.get(given.get("only", ""), "true")
    since = (time.time() - _number(given.get("days"), 3_650) * DAY) * 1000
    with store.acting(person.db_role) as connection:
        rows = connection.execute(
            f"SELECT s.name AS session, s.person, s.project, s.hookkit, s.client, s.is_attended, s.is_tainted,"  # noqa: S608
            f" s.is_held, s.began, m.name AS machine, m.team FROM sessions s JOIN machines m ON m.id = s.machine"
            f" WHERE {chosen} AND s.began >= %s ORDER BY s.began DESC LIMIT 500".encode(), (since,)
        ).fetchall()  # fmt: skip
    return {"sessions": rows}


def agents(store: Store, person: Person) -> list[Row]:
    """Sessions with a row of the last day, with their last row; those that need a person first."""
    with store.acting(person.db_role) as connection:
        rows = connection.execute(
            "SELECT s.name AS session, s.person, s.project, m.name AS machine, m.host, m.team, r.at, r.event, r.tool,"
            " r.verdict, r.outcome, r.about FROM sessions s JOIN machines m ON m.id = s.machine CROSS JOIN LATERAL"
            " (SELECT * FROM rows WHERE session = s.id ORDER BY at DESC LIMIT 1) r"
            " WHERE s.began > %s AND r.at > %s ORDER BY r.at DESC LIMIT 500",
            ((time.time() - 7 * DAY) * 1000, (time.time() - DAY) * 1000),
        ).fetchall()
    listed = [{**row, "status": _status(row)} for row in rows]
    return sorted(listed, key=lambda row: STATUSES.index(row["status"]))


def _status(row: Row) -> str:
    if row["event"] == "SessionEnd":
        return "done"
    if row["event"] in WAITS or row["verdict"] == "ask":
        return "attention"
    return "error" if row["event"] == "StopFailure" else "done" if row["event"] == "Stop" else "working"


def stats(store: Store, person: Person, days: int) -> Row:
    """Totals from the sums of each day: no row is looked at."""
    with store.acting(person.db_role) as connection:
        rules = connection.execute(
            f"SELECT x.rule, x.verdict, m.team, {SUMS} AND x.verdict IN ('deny', 'ask')"
            " GROUP BY 1, 2, 3 ORDER BY 4 DESC LIMIT 100".encode(),
            (days,),
        ).fetchall()
        daily = connection.execute(
            f"SELECT x.day::text AS day, m.team, {SUMS} GROUP BY 1, 2 ORDER BY 1 DESC LIMIT 500".encode(),
            (days,),
        ).fetchall()  # fmt: skip
        policies = connection.execute(
            "SELECT policy, count(*)::bigint AS machines FROM machines WHERE gone IS NULL GROUP BY 1 ORDER BY 2 DESC"
        ).fetchall()
    return {"rules": rules, "days": daily, "policies": policies}


def verify(store: Store, person: Person) -> Row:
    """Work out every hash that the hub holds again, chain by chain."""
    faults: list[Row] = []
    count, chain, end = 0, 0, (0, "")
    query = """SELECT b.chain, b.first, b.before, b.after, b.data, c.writer, m.name AS machine
      FROM bodies b JOIN chains c ON c.id = b.chain JOIN machines m ON m.id = b.machine ORDER BY b.chain, b.first"""
    with store.acting(person.db_role) as connection, connection.cursor("verify") as cursor:
        cursor.itersize = 200
        for piece in cursor.execute(query.encode()):
            texts = unpacked(piece["data"])
            numbered = batch.numbered(piece["first"], piece["before"], texts)
            is_next = piece["chain"] == chain and piece["first"] == end[0] + 1
            place = {"machine": piece["machine"], "writer": piece["writer"], "n": piece["first"]}
            if numbered[-1][1] != piece["after"]:
                faults.append({**place, "what": "rows were changed at the hub, or did not fit when they came"})
            elif is_next and not piece["before"].startswith(batch.ITSELF) and piece["before"] != end[1]:
                faults.append({**place, "what": "does not continue the rows before it"})
            elif not all(batch.checked(text)[1] for text in texts):
                faults.append({**place, "what": "content was changed at the hub"})
            chain, end = piece["chain"], (numbered[-1][0], piece["after"])
            count += len(texts)
    return {"rows": count, "faults": faults[:MOST]}


def note(store: Store, person: Person, what: str) -> None:
    with store.owner() as connection:
        connection.execute(
            "INSERT INTO reads (person, what) VALUES (%s, %s)", (person.name, what[:500].replace("\0", ""))
        )


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else otherwise  # noqa: PLR2004

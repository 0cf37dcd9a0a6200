"""Questions to the hub, each asked as the database role of the person: PostgreSQL leaves out what they may not see."""

import time
from typing import Any

from hookkit.ledger.tables import ENDINGS, REQUEST
from hookkit.server.fleet.hub.ingest import LAST, SHIFT
from hookkit.server.fleet.hub.people import SEE_ALL, Person
from hookkit.server.fleet.hub.postgres import Connection, Store

MOST = 1_000  # rows of an answer
DAY = 86_400  # seconds
STATUSES = ("error", "attention", "working", "done")
WAITS = ("PermissionRequest", "Notification")
FOLDED = ("PostToolBatch", "PermissionRequest")
Row = dict[str, Any]
# Filters, and the condition of each. `%s` is the value.
FILTERS = {
    "event": "r.event LIKE %s",
    "tool": "r.tool LIKE %s",
    "verdict": "r.verdict = %s",
    "rule": "r.rule LIKE %s",
    "approved": "r.approved LIKE %s",
    "since": "r.at >= %s",
}
# Filters by what sessions and machines are called. Their ids are looked up first: PostgreSQL then knows how few rows
# there are, and does not look for them among all rows, newest first.
NAMED = {
    "session": ("r.session", "SELECT id FROM sessions WHERE name LIKE %s || '%%'"),
    "project": ("r.session", "SELECT id FROM sessions WHERE project LIKE %s"),
    "person": ("r.session", "SELECT id FROM sessions WHERE person ILIKE ANY (%s)"),
    "machine": ("r.machine", "SELECT id FROM machines WHERE name LIKE %s || '%%'"),
    "team": ("r.machine", "SELECT id FROM machines WHERE team = %s"),
}
IDS = 10_000  # where there are more, PostgreSQL looks them up itself
RECENT = 5_000  # rows in which words are looked for one by one
EACH = 1_000  # so many sessions are asked for their newest rows one by one
PATTERNS = ("event", "tool", "rule", "project", "person", "approved")
# The rows are chosen before anything is joined to them.
SELECT = """SELECT r.*, m.name AS machine_name, m.team, m.host, s.name AS session_name, s.person, s.project
  FROM ({}) r JOIN machines m ON m.id = r.machine LEFT JOIN sessions s ON s.id = r.session"""
ORDER = " ORDER BY r.at DESC, r.chain DESC, r.n DESC"
NEWEST = f"SELECT * FROM rows r{{}}{ORDER} LIMIT %s"  # noqa: S608 - our own words
OF_EACH = f"SELECT r.* FROM unnest(%s::int[]) one(id) CROSS JOIN LATERAL ({NEWEST}) r{ORDER} LIMIT %s"  # noqa: S608
SUMS = "sum(x.rows)::bigint AS rows FROM sums x JOIN machines m ON m.id = x.machine WHERE x.day > current_date - %s"
WORDS = "to_tsvector('simple', r.about) @@ plainto_tsquery('simple', %s) AND r.about IS NOT NULL"


class Conditions:
    """The WHERE of a list of rows; with `sessions`, a few sessions whose rows they are."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.values: list[Any] = []
        self.sessions: list[int] | None = None

    def add(self, text: str, *values: Any) -> None:
        self.texts.append(text)
        self.values += values

    def newest(self, limit: int) -> tuple[str, list[Any]]:
        """The query for the newest rows, and its values."""
        texts = self.texts if self.sessions is None else [*self.texts, "r.session = one.id"]
        where = f" WHERE {' AND '.join(texts)}" if texts else ""
        if self.sessions is None:
            return NEWEST.format(where), [*self.values, limit]
        return OF_EACH.format(where), [self.sessions, *self.values, limit, limit]


def rows(store: Store, person: Person, given: dict[str, str], *, by_call: bool = True) -> Row:
    """The newest rows that match, newest first; with `by_call` a call and its outcome are one row."""
    limit = min(number(given.get("limit"), 50), MOST)
    where = _plain_conditions(given)
    if by_call and not given.get("event") and not given.get("approved"):
        where.add("NOT (r.event = ANY(%s) AND r.call IS NOT NULL)", [*ENDINGS, *FOLDED])
    if before := number(given.get("before"), 0):
        last = "(SELECT at, chain, n FROM rows WHERE chain = %s AND n = %s LIMIT 1)"
        where.add(f"(r.at, r.chain, r.n) < {last}", *split(before))
    with store.acting(person.db_role) as connection:
        _add_names(connection, where, given)
        if (text := given.get("text", "")) or person.role not in SEE_ALL:
            where.add("r.machine = ANY(%s)", [row["id"] for row in connection.execute("SELECT id FROM machines")])
    # Row-level security takes the index of words away, because its operator may tell of hidden rows. So the hub
    # searches for words itself, among the machines that this person sees.
    with store.owner() if text else store.acting(person.db_role) as connection:
        entries = _with_words(connection, where, text, limit + 1) if text else _newest(connection, where, limit + 1)
        outcomes = _outcomes(connection, entries) if by_call else {}
        if given.get("approved"):
            _add_requests(connection, entries)
    listed = [line(row, outcomes.get((row["session"], row["call"]))) for row in entries[:limit]]
    return {"rows": listed, "more": len(entries) > limit}


def _newest(connection: Connection, where: Conditions, limit: int) -> list[Row]:
    query, values = where.newest(limit)
    return connection.execute(f"{SELECT.format(query)}{ORDER}".encode(), values).fetchall()


def _with_words(connection: Connection, where: Conditions, text: str, limit: int) -> list[Row]:
    """Words that many rows have are found among the newest ones; for others the index of words has few rows."""
    query, values = where.newest(RECENT)
    recent = SELECT.format(f"SELECT * FROM ({query}) r WHERE {WORDS}{ORDER} LIMIT %s")  # noqa: S608 - our own words
    entries = connection.execute(f"{recent}{ORDER}".encode(), [*values, text, limit]).fetchall()
    if len(entries) == limit:
        return entries
    where.add(WORDS, text)
    return _newest(connection, where, limit)


def _plain_conditions(given: dict[str, str]) -> Conditions:
    where = Conditions()
    for name, condition in FILTERS.items():
        value = given.get(name, "")
        if name == "verdict" and value == "none":
            where.add("r.verdict IS NULL")
        elif name in PATTERNS and "*" in value:
            where.add(condition, _pattern(value))
        elif value:
            where.add(condition.replace("LIKE", "="), number(value, 0) if name == "since" else value)
    return where


def _add_names(connection: Connection, where: Conditions, given: dict[str, str]) -> None:
    for name, (column, query) in NAMED.items():
        if text := given.get(name, ""):
            value: Any = names(text) if name == "person" else _pattern(text) if name in PATTERNS else text
            ids = [row["id"] for row in connection.execute(f"{query} LIMIT {IDS + 1}".encode(), (value,))]
            if len(ids) > IDS:
                where.add(f"{column} = ANY (ARRAY({query}))", value)
            elif column == "r.session" and len(ids) <= EACH and where.sessions is None:
                where.sessions = ids
            else:
                where.add(f"{column} = ANY (%s)", ids)


def names(text: str) -> list[str]:
    """A person is found by `Ann Example <ann@example.com>`, by the name or by the address."""
    pattern = _pattern(text)
    return [pattern, f"{pattern} <%", f"%<{pattern}>"]


def _pattern(text: str) -> str:
    """`mcp__*` as PostgreSQL writes it."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_").replace("*", "%")


def _outcomes(connection: Connection, rows: list[Row]) -> dict[tuple[Any, Any], Row]:
    calls = [row["call"] for row in rows if row["call"] is not None and row["event"] == REQUEST]
    query = "SELECT * FROM rows WHERE call = ANY(%s) AND event <> 'PreToolUse' AND event = ANY(%s)"
    rows_ = connection.execute(query, (calls, [*ENDINGS])) if calls else ()
    return {(row["session"], row["call"]): row for row in rows_}


def _add_requests(connection: Connection, outcomes: list[Row]) -> None:
    """An outcome says who approved; its request says what."""
    sessions, calls = ([row[name] for row in outcomes] for name in ("session", "call"))
    query = (
        "SELECT session, call, about, verdict, rule FROM rows WHERE session = ANY(%s) AND at >= %s AND call = ANY(%s)"
        " AND event = 'PreToolUse'"
    )
    first = min((row["at"] for row in outcomes), default=0) - DAY * 1000
    requests = {(row["session"], row["call"]): row for row in connection.execute(query, (sessions, first, calls))}
    for row in outcomes:
        asked = requests.get((row["session"], row["call"]), {})
        row.update({name: row[name] or asked.get(name) for name in ("about", "verdict", "rule")})


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


def split(number: int) -> list[int]:
    return [number >> SHIFT, number & LAST]


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
    since = (time.time() - number(given.get("days"), 3_650) * DAY) * 1000
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


def number(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else otherwise  # noqa: PLR2004

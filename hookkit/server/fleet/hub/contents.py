"""The texts of rows at the hub: a row whole, all of them for an export, their hashes again, their erasure.

Content is read here, so each read is noted.
"""

import os
import time
import zlib

from hookkit.ledger import lines
from hookkit.ledger.tables import fields as parsed
from hookkit.server.fleet import batch
from hookkit.server.fleet.hub.ingest import LEVEL, PREFIX, unpacked
from hookkit.server.fleet.hub.people import Person
from hookkit.server.fleet.hub.postgres import Connection, Store
from hookkit.server.fleet.hub.questions import MOST, SELECT, Row, line, names, rows, split
from hookkit.server.fleet.telemetry import Batch, post

HOLDING = """SELECT DISTINCT ON (b.chain, b.first) b.chain, b.first, b.before, b.data FROM bodies b
  JOIN unnest(%s::int[], %s::bigint[]) k(chain, n) ON b.chain = k.chain AND b.first <= k.n AND b.last >= k.n"""
PIECES = """SELECT b.chain, b.first, b.before, b.after, b.data, c.writer, m.name AS machine FROM bodies b
  JOIN chains c ON c.id = b.chain JOIN machines m ON m.id = b.machine WHERE b.chain > %s ORDER BY b.chain, b.first"""
ERASURE = (  # beside the texts
    "UPDATE rows SET about = NULL WHERE session = ANY(%s)",
    """UPDATE approvals a SET call = '', person = '' FROM sessions s
      WHERE s.id = ANY(%s) AND a.machine = s.machine AND a.session = s.name""",
    "UPDATE sessions SET person = '', project = '' WHERE id = ANY(%s)",
)
CHECKED = 200_000  # rows of a request to verify: a few seconds


def one(store: Store, person: Person, number: int) -> Row | None:
    """All fields of a row."""
    chain, n = split(number)
    if chain >= 2**31:
        return None
    with store.acting(person.db_role) as connection:
        query = SELECT.format("SELECT * FROM rows WHERE chain = %s AND n = %s")
        row = connection.execute(query.encode(), (chain, n)).fetchone()
        texts = _texts(connection, [number])
    if row is None or number not in texts:
        return None
    _note(store, person, f"row {number} of {row['machine_name']}")
    return {**line(row, None), **texts[number]}


def export(store: Store, person: Person, given: dict[str, str]) -> Row:
    """Rows as in a list, newest first, with all their fields and their hashes."""
    page = rows(store, person, given, by_call=False)
    with store.acting(person.db_role) as connection:
        texts = _texts(connection, [row["id"] for row in page["rows"]])
    words = " ".join(f"{name}={value}" for name, value in given.items() if value)
    _note(store, person, f"{len(texts)} rows exported: {words}")
    return {**page, "rows": [{**row, **texts.get(row["id"], {})} for row in page["rows"]]}


def _texts(connection: Connection, numbers: list[int]) -> dict[int, Row]:
    """The fields and the hash of rows, by their ids."""
    keys = {(chain, n): number for number in numbers for chain, n in [split(number)]}
    texts: dict[int, Row] = {}
    for piece in connection.execute(HOLDING, ([chain for chain, _ in keys], [n for _, n in keys])):
        plain = unpacked(piece["data"])
        for text, (n, digest) in zip(plain, batch.numbered(piece["first"], piece["before"], plain), strict=True):
            if number := keys.get((piece["chain"], n)):
                body = parsed(lines.flat(PREFIX + text).decode("utf-8", "replace"))
                texts[number] = {"body": body, "hash": digest}
    return texts


def verify(store: Store, person: Person, after: int = 0) -> Row:
    """Work out the hashes that the hub holds again, chain by chain behind a chain; `next` is where to continue."""
    faults: list[Row] = []
    count, chain, end, is_more = 0, 0, (0, ""), False
    with store.acting(person.db_role) as connection, connection.cursor("verify") as cursor:
        cursor.itersize = 200
        for piece in cursor.execute(PIECES.encode(), (after,)):
            is_more = piece["chain"] != chain and count >= CHECKED
            if is_more:
                break
            texts = unpacked(piece["data"])
            numbered = batch.numbered(piece["first"], piece["before"], texts)
            is_next = piece["chain"] == chain and piece["first"] == end[0] + 1
            where = {"machine": piece["machine"], "writer": piece["writer"], "n": piece["first"]}
            if numbered[-1][1] != piece["after"]:
                faults.append({**where, "what": "rows were changed at the hub, or did not fit when they came"})
            elif is_next and not piece["before"].startswith(batch.ITSELF) and piece["before"] != end[1]:
                faults.append({**where, "what": "does not continue the rows before it"})
            elif not all(batch.checked(text)[1] for text in texts):
                faults.append({**where, "what": "content was changed at the hub"})
            chain, end = piece["chain"], (numbered[-1][0], piece["after"])
            count += len(texts)
    return {"rows": count, "faults": faults[:MOST], "next": chain if is_more else 0}


def _note(store: Store, person: Person, what: str) -> None:
    with store.owner() as connection:
        connection.execute(
            "INSERT INTO reads (person, what) VALUES (%s, %s)", (person.name, what[:500].replace("\0", ""))
        )


def erase(store: Store, *, person: str = "", session: str = "") -> int:
    """Erase what rows say beside their chained text, of a person or a session; gives how many rows. The digests of the
    parts stay, so the chains still verify.
    """
    with store.owner() as connection:
        connection.execute("SET LOCAL statement_timeout = 0")
        query = "SELECT id FROM sessions WHERE (name = %s AND name <> '') OR person ILIKE ANY (%s)"
        ids = [row["id"] for row in connection.execute(query, (session, names(person) if person else []))]
        keys = "SELECT chain, array_agg(n) AS numbers FROM rows WHERE session = ANY(%s) GROUP BY 1"
        chains = {row["chain"]: {*row["numbers"]} for row in connection.execute(keys, (ids,))}
        for chain, numbers in chains.items():
            _erase_texts(connection, chain, numbers)
        for change in ERASURE:
            connection.execute(change.encode(), (ids,))
    return sum(map(len, chains.values()))


def _erase_texts(connection: Connection, chain: int, numbers: set[int]) -> None:
    now = int(time.time() * 1000)
    pieces = connection.execute("SELECT day, first, data FROM bodies WHERE chain = %s", (chain,)).fetchall()
    for piece in pieces:
        texts = [
            lines.erase(PREFIX + text, now)[len(PREFIX) :] if n in numbers else text
            for n, text in enumerate(unpacked(piece["data"]), piece["first"])
        ]
        connection.execute(
            "UPDATE bodies SET data = %s WHERE day = %s AND chain = %s AND first = %s",
            (zlib.compress(b"\n".join(texts), LEVEL), piece["day"], chain, piece["first"]),
        )


# -- rows as OpenTelemetry ---------------------------------------------------------------------------------------------


BODIES = 40  # bodies of a request


def export_traces(store: Store, endpoint: str) -> int:
    """Send rows that were not sent yet; gives how many. Raises httpx.HTTPError if the receiver does not take them."""
    with store.owner() as connection:
        pieces = connection.execute(
            "SELECT b.first, b.last, b.data, c.id AS chain, c.writer, c.exported, m.name, m.host, m.team FROM bodies b"
            " JOIN chains c ON c.id = b.chain JOIN machines m ON m.id = c.machine WHERE c.exported < c.n"
            " AND b.last > c.exported ORDER BY c.id, b.first LIMIT %s", (BODIES,)
        ).fetchall()  # fmt: skip
        batches: dict[str, Batch] = {}
        for piece in pieces:
            batch = batches.setdefault(piece["name"], Batch(piece))
            for n, text in enumerate(unpacked(piece["data"]), piece["first"]):
                row = parsed(lines.flat(PREFIX + text).decode("utf-8", "replace"))
                if n > piece["exported"]:
                    batch.add(piece["writer"], n, row)
                else:
                    batch.remember(row)
        post(endpoint, [*batches.values()], dict(os.environ))
        for piece in pieces:
            connection.execute(
                "UPDATE chains SET exported = greatest(exported, %s) WHERE id = %s", (piece["last"], piece["chain"])
            )
    return sum(piece["last"] - max(piece["exported"], piece["first"] - 1) for piece in pieces)

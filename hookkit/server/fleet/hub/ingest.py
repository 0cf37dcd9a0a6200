"""Taking rows in: every hash is checked against the head of its chain, then rows and new head go in together.

The head of a chain is the only watermark. A section that begins right behind a head moves it; everything else changes
nothing, and the machine is told the head. So a batch sent twice adds no row, and two hubs may work on one database.
"""

import time
import zlib
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from hookkit.ledger import lines
from hookkit.ledger.tables import Entry
from hookkit.server.fleet import batch
from hookkit.server.fleet.batch import BRANCH, BROKEN, GAP, Section
from hookkit.server.fleet.hub.postgres import Connection, Store, partition, today_of

SEGMENT = 256  # rows of a compressed body
ABOUT = 300  # characters
NAME = 200
AHEAD = 86_400_000  # ms that a machine's clock may be ahead of the hub's
LEVEL = 3  # of compression: half the time of 6, a few bytes a row more
BIGGEST = 2**31 - 1
SHIFT = 24  # bits of a row's number within its id at the hub: chain << 24 | n
LAST = (1 << SHIFT) - 1  # the largest number of a row in an id; no honest chain is longer
COLUMNS = ("day", "at", "call", "chain", "n", "machine", "session", "ms", "event", "tool", "verdict", "rule", "outcome",
           "approved", "about")  # fmt: skip
SESSION = COLUMNS.index("session")
PREFIX = b" " * 65  # where a line of a journal has its hash


@dataclass
class Chain:
    """A chain as the hub knows it: its head."""

    id: int
    writer: str
    branch: int
    n: int
    hash: str


class Ingest:
    """One batch of one machine, in one transaction."""

    def __init__(self, connection: Connection, machine: int, known: set[tuple[int, str]] | None = None) -> None:
        self.connection = connection
        self.machine = machine
        self.known = known or set()  # numbers and hashes of rows that a rewritten chain has in common with the old one
        self.day = today_of(connection)
        self.now = int(time.time() * 1000)
        self.chains: dict[str, list[Chain]] = {}
        self.moved: dict[int, Chain] = {}
        self.rows: list[tuple[Any, ...]] = []
        self.bodies: list[tuple[Any, ...]] = []
        self.sessions: dict[str, list[Any]] = {}  # facts of each session, in the order of the columns
        self.counts: Counter[tuple[str, str]] = Counter()

    def take(self, sections: list[Section]) -> dict[str, list[Any]]:
        """The head of each chain afterwards, by its writer: number, hash, and whether the section was taken."""
        self._lock({section.writer for section in sections})
        heads: dict[str, list[Any]] = {}
        for section in sections:
            taken = self._section(section)
            last = self.chains[section.writer][-1:]
            heads[section.writer] = [last[0].n, last[0].hash, taken] if last else [0, "", taken]
        self._write()
        return heads

    def _lock(self, writers: set[str]) -> None:
        """In the order of their ids, so that two batches never wait for each other."""
        self.chains = {writer: [] for writer in writers}
        rows = self.connection.execute(
            "SELECT id, writer, branch, n, hash FROM chains WHERE machine = %s AND writer = ANY(%s)"
            " ORDER BY id FOR UPDATE",
            (self.machine, sorted(writers)),
        )
        for row in rows:
            self.chains[row["writer"]].append(Chain(**row))

    # -- a section -----------------------------------------------------------------------------------------------------

    def _section(self, section: Section) -> str:
        """`taken`, or why not: `behind` (it does not begin behind a head) or `damaged` (hashes do not come out)."""
        hashes = [hash_ for _, hash_ in batch.numbered(section.first, section.before, section.rows)]
        if hashes[-1] != section.last and section.how != BROKEN:
            return "damaged"
        chain = self._chain(section)
        if chain is None:
            return "behind"
        if section.how == BROKEN:
            self._find(section, "damaged", f"rows {section.first} to {section.end} do not fit their hashes")
        self._keep(section, chain, hashes)
        chain.n, chain.hash = section.end, section.last
        self.moved[chain.id] = chain
        return "taken"

    def _chain(self, section: Section) -> Chain | None:
        """The chain that the section continues, or a new one; None if it does not fit."""
        chains = self.chains[section.writer]
        for chain in chains:
            if (chain.n, chain.hash) == (section.first - 1, section.before):
                return chain
        if not chains or section.how == BRANCH:
            if chains:
                self._find(
                    section, "rewritten", f"row {section.first} or a later one is not the row that was sent before"
                )
            return self._new(section, len(chains))
        if section.how == GAP and section.first - 1 > chains[-1].n:
            missing = section.first - 1 - chains[-1].n
            self._find(section, "gap", f"{missing} rows before row {section.first} were deleted before they were sent")
            return chains[-1]
        return None

    def _new(self, section: Section, branch: int) -> Chain | None:
        made = self.connection.execute(
            "INSERT INTO chains (machine, writer, branch, start, n, hash) VALUES (%s, %s, %s, %s, %s, %s)"
            " ON CONFLICT DO NOTHING RETURNING id, writer, branch, n, hash",
            (self.machine, section.writer, branch, section.first, section.first - 1, section.before),
        ).fetchone()
        if made is None:
            return None  # another request was faster: the machine tries again
        self.chains[section.writer].append(Chain(**made))
        return self.chains[section.writer][-1]

    def _find(self, section: Section, kind: str, what: str) -> None:
        self.connection.execute(
            "INSERT INTO findings (machine, writer, n, kind, what) VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
            (self.machine, section.writer, section.first, kind, what),
        )

    # -- rows ----------------------------------------------------------------------------------------------------------

    def _keep(self, section: Section, chain: Chain, hashes: list[str]) -> None:
        given = [batch.checked(row) for row in section.rows]
        if not all(is_right for _, is_right in given):
            self._find(section, "damaged", "a row came with content that does not fit its digest; it was not kept")
        hashes = [section.before, *hashes]
        for start in range(0, len(given), SEGMENT):
            some = [row for row, _ in given[start : start + SEGMENT]]
            first = section.first + start
            packed = zlib.compress(b"\n".join(some), LEVEL)
            ends = (hashes[start], hashes[start + len(some)])
            self.bodies.append((self.day, self.machine, chain.id, first, first + len(some) - 1, *ends, packed))
        for n, (row, _) in enumerate(given, section.first):
            if (n, hashes[n - section.first + 1]) not in self.known:
                self._row(chain, n, row)

    def _row(self, chain: Chain, n: int, row: bytes) -> None:
        body = lines.flat(PREFIX + row).decode("utf-8", "replace")
        entry = Entry(0, "", body)
        fields = entry.body
        verdict, rule, event = (text_for_database(fields.get(name)) for name in ("verdict", "rule", "event"))
        session = self._session(fields)
        self.counts[(verdict or "", rule or "")] += 1
        self.rows.append((
            self.day, self._at(fields), call_number(fields.get("call")), chain.id, min(n, LAST),
            self.machine, session, _number(fields.get("ms"), BIGGEST) if "ms" in fields else None, event or "",
            text_for_database(fields.get("tool")), verdict, rule, text_for_database(fields.get("outcome")),
            text_for_database(fields.get("approved")), text_for_database(_about(entry), ABOUT),
        ))  # fmt: skip

    def _at(self, fields: dict[str, Any]) -> int:
        """When the row was written. A time far ahead of the hub's would stand before all others for years: then it is
        the time of arrival. The text keeps what the machine said.
        """
        at = _number(fields.get("at"), 2**53)
        return at if at <= self.now + AHEAD else self.now

    def _session(self, fields: dict[str, Any]) -> str | None:
        """The name of the row's session; what the row tells of it is noted."""
        name = text_for_database(fields.get("session"))
        if not name:
            return None
        facts_of_session = self.sessions.get(name)
        if facts_of_session is None:
            facts_of_session = self.sessions[name] = ["", "", "", "", None, False, self._at(fields)]
        if isinstance(who := fields.get("who"), dict):
            facts = [word(who.get(field)) for field in ("person", "remote", "hookkit", "client")]
            facts_of_session[:4] = [new or old for new, old in zip(facts, facts_of_session, strict=False)]
            facts_of_session[4] = who["attended"] if isinstance(who.get("attended"), bool) else facts_of_session[4]
        facts_of_session[5] = facts_of_session[5] or fields.get("tainted") is True
        return name

    def _numbers_of_sessions(self) -> dict[str | None, int]:
        """Each session's id in the database, by its name: all in one statement, in one order for all batches."""
        names = sorted(self.sessions)
        columns = list(zip(*(self.sessions[name] for name in names), strict=True)) or [()] * 7
        rows = self.connection.execute(
            """INSERT INTO sessions AS s
               (machine, name, person, project, hookkit, client, is_attended, is_tainted, began)
               SELECT %s, * FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::bool[],
                 %s::bool[], %s::bigint[]) ON CONFLICT (machine, name) DO UPDATE SET
               person = coalesce(nullif(excluded.person, ''), s.person),
               project = coalesce(nullif(excluded.project, ''), s.project),
               hookkit = coalesce(nullif(excluded.hookkit, ''), s.hookkit),
               client = coalesce(nullif(excluded.client, ''), s.client),
               is_attended = coalesce(excluded.is_attended, s.is_attended),
               is_tainted = s.is_tainted OR excluded.is_tainted RETURNING name, id""",
            (self.machine, names, *map(list, columns)),
        )
        return {row["name"]: int(row["id"]) for row in rows}

    def _write(self) -> None:
        cursor = self.connection.cursor()
        cursor.executemany(
            "UPDATE chains SET n = %s, hash = %s WHERE id = %s",
            [(chain.n, chain.hash, number) for number, chain in sorted(self.moved.items())],
        )
        if self.sessions:
            numbers = self._numbers_of_sessions()
            self.rows = [(*row[:SESSION], numbers.get(row[SESSION]), *row[SESSION + 1 :]) for row in self.rows]
        for table, columns, values in (
            ("rows", COLUMNS, self.rows),
            ("bodies", ("day", "machine", "chain", "first", "last", "before", "after", "data"), self.bodies),
        ):
            name = partition(table, self.day)
            with cursor.copy(f"COPY {name} ({', '.join(columns)}) FROM STDIN".encode()) as copy:
                for value in values:
                    copy.write_row(value)
        add = """INSERT INTO sums AS s (day, machine, verdict, rule, rows) VALUES (%s, %s, %s, %s, %s)
          ON CONFLICT (day, machine, verdict, rule) DO UPDATE SET rows = s.rows + excluded.rows"""
        cursor.executemany(add, [(self.day, self.machine, *key, count) for key, count in sorted(self.counts.items())])


def take(store: Store, machine: int, data: bytes) -> dict[str, list[Any]]:
    """Check and keep a batch; gives the head of each of its chains."""
    sections = batch.unpack(data)
    rewritten = [section.writer for section in sections if section.how == BRANCH]
    shared = _in_other_branches(store, machine, rewritten) if rewritten else set()
    with store.acting(store.ingest) as connection:
        return Ingest(connection, machine, shared).take(sections)


def _in_other_branches(store: Store, machine: int, writers: list[str]) -> set[tuple[int, str]]:
    """Rows that a rewritten chain has in common with the old one are not kept twice."""
    with store.owner() as connection:
        pieces = connection.execute(
            "SELECT b.first, b.before, b.data FROM bodies b JOIN chains c ON c.id = b.chain"
            " WHERE c.machine = %s AND c.writer = ANY(%s)", (machine, writers)
        ).fetchall()  # fmt: skip
    return {row for piece in pieces for row in batch.numbered(piece["first"], piece["before"], unpacked(piece["data"]))}


def _about(entry: Entry) -> str:
    """What a call is about, for lists and the search: never content, whose reads are noted."""
    body = entry.body
    given = body.get("input")
    if isinstance(given, dict) and not lines.NAMING.issuperset(given):
        body = {**body, "input": {name: value for name, value in given.items() if name in lines.NAMING}}
    entry.body = {**body, "more": None} if "more" in body else body
    return entry.subject


def unpacked(data: bytes) -> list[bytes]:
    return zlib.decompressobj().decompress(data, batch.LARGEST).split(b"\n")


def call_number(call: Any) -> int | None:
    """A number for the client's id of a call: short enough for an index."""
    if not isinstance(call, str) or not call:
        return None
    return int.from_bytes(sha256(call.encode("utf-8", "surrogatepass")).digest()[:8], "big", signed=True)


def text_for_database(value: Any, longest: int = NAME) -> str | None:
    """A text that PostgreSQL takes: without NUL and lone surrogates."""
    if not isinstance(value, str) or not value:
        return None
    if value.isascii() and value.isprintable():  # nearly always
        return value[:longest]
    return value[:longest].replace("\0", "�").encode("utf-8", "replace").decode("utf-8", "replace")


def word(value: Any, longest: int = NAME) -> str:
    return text_for_database(value, longest) or ""


def items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: Any, biggest: int) -> int:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < biggest
    return int(value) if is_number else 0

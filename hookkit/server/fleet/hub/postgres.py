"""PostgreSQL: connections, migrations, the partitions of each day, and the database roles of this hub.

All work is done in transactions as a role: ingest can add rows and never read them, a person reads as a role of their
own. The role of the connection itself owns the tables, and makes partitions and roles.
"""

import contextlib
import os
import re
import select
import threading
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from hookkit.errors import HookkitError

try:
    import psycopg
    from psycopg import sql
    from psycopg.conninfo import conninfo_to_dict
    from psycopg.rows import dict_row
except ImportError:
    raise HookkitError("the hub needs psycopg: pip install 'hookkit[hub]'") from None

MIGRATIONS = os.path.join(os.path.dirname(__file__), "migrations")
LOCK = 0x686F6F6B  # of PostgreSQL's advisory locks: one hub migrates at a time
AHEAD = 2  # days whose partitions are made before they begin
PARTED = ("rows", "bodies")
HELD = date(1999, 1, 1)  # the day of rows on hold
CONNECT = 5  # seconds
STATEMENT = "30s"  # a question may take
Connection = psycopg.Connection[dict[str, Any]]


class HubError(HookkitError):
    """The hub cannot answer now: its database is away, or refuses. The machine keeps its rows and tries again."""


def _checked(dsn: str) -> str:
    """The message leaves the address out: it may hold a password."""
    try:
        conninfo_to_dict(dsn)
    except (psycopg.ProgrammingError, UnicodeError):
        raise HookkitError("--hub: not the address of a database; expected postgresql://USER@HOST/NAME") from None
    return dsn


class Store:
    """One database; each thread has a connection of its own, made again after a failure."""

    def __init__(self, dsn: str) -> None:
        self.dsn = _checked(dsn)
        self.local = threading.local()
        self.made: list[Connection] = []  # of all threads
        with self.owner() as connection:
            row = connection.execute("SELECT current_database() AS name, current_schema() AS schema").fetchone()
        database = row or {}
        self.schema = str(database.get("schema") or "public")
        self.prefix = "hk_" + re.sub(r"[^a-z0-9_]", "_", str(database.get("name", "")).lower())[:20]
        names = ("ingest", "reader", "all", "approver")
        self.ingest, self.reader, self.all, self.approver = (f"{self.prefix}_{name}" for name in names)

    # -- transactions --------------------------------------------------------------------------------------------------

    def _connection(self) -> Connection:
        connection: Connection | None = getattr(self.local, "connection", None)
        if connection is not None and not connection.closed and _is_stale(connection):
            connection.close()
        if connection is None or connection.closed:
            connection = psycopg.connect(
                self.dsn, autocommit=True, connect_timeout=CONNECT, row_factory=dict_row, application_name="hookkit hub"
            )
            # A plan for any values would not know how many rows a machine or a word has.
            connection.execute(f"SET statement_timeout = '{STATEMENT}'; SET plan_cache_mode = force_custom_plan")
            self.local.connection = connection
            self.made = [known for known in self.made if not known.closed] + [connection]
        return connection

    @contextlib.contextmanager
    def owner(self) -> Iterator[Connection]:
        """A transaction as the owner of the tables."""
        try:
            connection = self._connection()
            with connection.transaction():
                yield connection
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            self.forget()
            raise HubError(f"the database does not answer: {str(error).strip()}") from None
        except psycopg.Error as error:
            raise HubError(f"the database refuses: {str(error).strip()}") from error

    @contextlib.contextmanager
    def acting(self, role: str) -> Iterator[Connection]:
        """A transaction with the rights of a role, and no others."""
        with self.owner() as connection:
            connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(role)))
            yield connection

    def close(self) -> None:
        for connection in self.made:
            connection.close()

    def forget(self) -> None:
        """Close a connection of this thread that is of no use any more."""
        connection: Connection | None = getattr(self.local, "connection", None)
        if connection is not None:
            connection.close()
            self.local.connection = None

    # -- schema --------------------------------------------------------------------------------------------------------

    def migrate(self) -> list[str]:
        """Bring the schema up to date; gives the migrations that ran. A newer schema than ours is refused."""
        names = sorted(name for name in os.listdir(MIGRATIONS) if name.endswith(".sql"))
        with self.owner() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            connection.execute(
                "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, at timestamptz DEFAULT now())"
            )
            done = {row["name"] for row in connection.execute("SELECT name FROM migrations")}
            if done - set(names):
                raise HookkitError(f"the database is of a newer hookkit ({max(done)}); update hookkit on the hub")
            for name in (self.ingest, self.reader, self.all, self.approver):
                self.make_role(connection, name)
            missing = [name for name in names if name not in done]
            for name in missing:
                with open(os.path.join(MIGRATIONS, name), encoding="utf-8") as file:
                    connection.execute(self._filled(file.read()))
                connection.execute("INSERT INTO migrations (name) VALUES (%s)", (name,))
        self.make_days()
        return missing

    def _filled(self, text: str) -> sql.Composed:
        names = {name: sql.Identifier(value) for name, value in self._names().items()}
        texts = {f"{name}_text": sql.Literal(value) for name, value in self._names().items()}
        return sql.SQL(text.replace("'{}'", "'{{}}'")).format(**names, **texts)

    def _names(self) -> dict[str, str]:
        return {"ingest": self.ingest, "reader": self.reader, "all": self.all, "schema": self.schema,
                "approver": self.approver}  # fmt: skip

    def make_role(self, connection: Connection, name: str, *, within: str = "") -> str:
        """A role that nobody can log in as; the hub acts as it."""
        if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (name,)).fetchone() is None:
            connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(name)))
            connection.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(sql.Identifier(name)))
        if within:
            connection.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(within), sql.Identifier(name)))
        return name

    # -- days ----------------------------------------------------------------------------------------------------------

    def make_days(self) -> None:
        """Partitions for today and the next days. Ingest writes into the partition: it may add, and not read."""
        with self.owner() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            today = today_of(connection)
            for day in (today + timedelta(days=ahead) for ahead in range(AHEAD + 1)):
                for table in PARTED:
                    self._make_day(connection, table, day)

    def _make_day(self, connection: Connection, table: str, day: date) -> None:
        name = partition(table, day)
        if connection.execute("SELECT to_regclass(%s) AS found", (name,)).fetchone() != {"found": None}:
            return
        connection.execute(
            sql.SQL("CREATE TABLE {} PARTITION OF {} FOR VALUES FROM ({}) TO ({})").format(
                sql.Identifier(name), sql.Identifier(table), sql.Literal(day), sql.Literal(day + timedelta(days=1))
            )
        )
        connection.execute(
            sql.SQL("GRANT INSERT ON {} TO {}").format(sql.Identifier(name), sql.Identifier(self.ingest))
        )

    def drop_days(self, keep: int) -> list[str]:
        """Drop whole days before the last `keep` ones; rows of sessions on hold move to a partition of their own."""
        dropped = []
        with self.owner() as connection:
            oldest = today_of(connection) - timedelta(days=keep)
            for table in PARTED:
                for name in self._days(connection, table):
                    if date.fromisoformat(name[len(table) + 1 :]) >= oldest:
                        continue
                    self._hold(connection, table, name)
                    connection.execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(name)))
                    dropped.append(name)
        if dropped:
            self._forget(oldest)
        return dropped

    def _forget(self, oldest: date) -> None:
        """What else is known of dropped days, and rows that are not on hold any more. Heads of chains stay."""
        with self.owner() as connection:
            connection.execute("SET LOCAL statement_timeout = 0")
            connection.execute("DELETE FROM rows_held WHERE session NOT IN (SELECT id FROM sessions WHERE is_held)")
            connection.execute("DELETE FROM bodies_held WHERE chain NOT IN (SELECT chain FROM rows_held)")
            connection.execute("DELETE FROM sums WHERE day < %s", (oldest,))
            connection.execute("DELETE FROM approvals WHERE asked < %s", (oldest,))
            connection.execute(
                "DELETE FROM sessions s WHERE NOT is_held AND began < extract(epoch FROM %s::timestamptz) * 1000"
                " AND NOT EXISTS (SELECT 1 FROM rows WHERE session = s.id)", (oldest,)
            )  # fmt: skip

    def _days(self, connection: Connection, table: str) -> list[str]:
        rows = connection.execute(
            "SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
            " WHERE i.inhparent = %s::regclass ORDER BY 1", (table,)
        )  # fmt: skip
        names = [row["name"] for row in rows]
        return [name for name in names if name[len(table) + 1 :].isdigit()]

    def _hold(self, connection: Connection, table: str, name: str) -> None:
        own = sql.Identifier(name)
        columns = [row["column_name"] for row in connection.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_name = %s AND column_name <> 'day'"
            " ORDER BY ordinal_position", (table,)
        )]  # fmt: skip
        listed = sql.SQL(", ").join(map(sql.Identifier, columns))
        held = sql.SQL("session IN (SELECT id FROM sessions WHERE is_held)")
        if table == "bodies":
            held = sql.SQL(
                "chain IN (SELECT DISTINCT chain FROM rows r JOIN sessions s ON s.id = r.session WHERE s.is_held)"
            )
        connection.execute(
            sql.SQL("INSERT INTO {} (day, {}) SELECT {}, {} FROM {} WHERE {}").format(
                sql.Identifier(table), listed, sql.Literal(HELD), listed, own, held
            )
        )


def _is_stale(connection: Connection) -> bool:
    """Whether the database has closed an idle connection, as after its restart: nothing else is there to read."""
    return bool(select.select([connection.fileno()], [], [], 0)[0])


def partition(table: str, day: date) -> str:
    return f"{table}_{day:%Y%m%d}"


def today_of(connection: Connection) -> date:
    row = connection.execute("SELECT (now() AT TIME ZONE 'UTC')::date AS today").fetchone()
    day: date = (row or {})["today"]
    return day

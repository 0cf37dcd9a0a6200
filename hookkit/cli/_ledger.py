"""The ledger for a person: opening it, and the filters of `list`, `tail` and `export`."""

import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from sqlite3 import Connection
from typing import Annotated, Any

from hookkit.cli._command import Option
from hookkit.cli._console import progress, stop, warn
from hookkit.errors import HookkitError
from hookkit.events import EVENTS
from hookkit.ledger import health, reading
from hookkit.ledger.reading import Filters
from hookkit.ledger.store import Ledger, path_of
from hookkit.server import spool
from hookkit.system import database
from hookkit.system.suggestions import did_you_mean

WAIT = 2.0  # seconds for the lock of another process
PATIENCE = 30.0  # seconds for stored events
HIGHEST = 2**62  # row numbers above this do not fit into the database
UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
DATES = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M")
VERDICTS = ("none", "allow", "ask", "deny", "defer")
COLUMNS = ("event", "tool", "verdict", "actor", "session", "project", "kind")
OF_FLEETS = ("machine", "person", "team", "rule", "approved")
# Columns whose values only the ledger knows: a value without a row gets a warning that lists the known values.
OPEN_ENDED = ("kind", "tool", "actor")
SHOWN = 20  # values in this warning
Since = Annotated[str, Option(metavar="TIME", help="Only after this: 30m, 2h, 3d, or a date.")]


def fix(error: Exception) -> str:
    """The error with its remedy."""
    cure = next(
        (words for kind, words in health.FIXES.items() if type(error) is kind), health.FIXES[database.StateError]
    )
    return f"{error}. Fix: {cure}"


@contextmanager
def opened() -> Iterator[tuple[Connection, Ledger | None]]:
    """The ledger with all waiting rows taken in; where that fails, the rows it has, and a warning on stderr."""
    environ = dict(os.environ)
    spool.play(environ, seconds=PATIENCE)
    try:
        ledger = Ledger(environ, wait=WAIT)
    except (database.StateError, OSError) as error:
        if isinstance(error, (database.NewerError, database.DamagedError)):
            stop(fix(error))
        with _only_read(path_of(environ), error) as connection:
            yield connection, None
        return
    try:
        with progress("taking in rows") as tell:
            ledger.fold(tell=tell)
    except database.StateError as error:
        warn(f"some rows are not taken in yet: {fix(error)}")
    try:
        with database.said(ledger.path):
            yield ledger.connection, ledger
    except database.StateError as error:
        stop(fix(error))
    finally:
        ledger.close()


@contextmanager
def _from_journals(error: Exception) -> Iterator[Connection]:
    """The rows of the journals, in a database that is gone afterwards, while the state cannot be written."""
    with tempfile.TemporaryDirectory(prefix="hookkit-") as directory:
        try:
            ledger = Ledger(dict(os.environ), path=os.path.join(directory, "ledger", "index.db"))
            if not ledger.fold():
                ledger.close()
                stop(fix(error))
        except (database.StateError, OSError):
            stop(fix(error))
        warn(f"only the rows that journals still hold: {fix(error)}")
        try:
            yield ledger.connection
        finally:
            ledger.close()


@contextmanager
def _only_read(path: str, error: Exception) -> Iterator[Connection]:
    try:
        connection = database.open_to_read(path)
    except HookkitError:
        with _from_journals(error) as rows:
            yield rows
        return
    warn(f"only the rows that the database already holds: {fix(error)}")
    try:
        with database.said(path):
            yield connection
    except database.StateError as trouble:
        stop(fix(trouble))
    finally:
        connection.close()


# -- filters ---------------------------------------------------------------------------------------------------------


class Selection:
    """The filters as typed; each field is an option."""

    event: Annotated[str, Option(metavar="NAME", help="Only this event, such as Stop.")] = ""
    tool: Annotated[str, Option(metavar="NAME", help="Only this tool; * is a wildcard, as in mcp__*.")] = ""
    verdict: Annotated[str, Option(metavar="NAME", help="Only this answer: none, allow, ask, deny, defer.")] = ""
    actor: Annotated[str, Option(metavar="NAME", help="Only this actor, such as agent:executor.")] = ""
    session: Annotated[str, Option(metavar="ID", help="Only this session; the start of its id is enough.")] = ""
    project: Annotated[
        str, Option(metavar="DIR", help="Only the project in this directory; with --fleet, of this git remote.")
    ] = ""
    kind: Annotated[str, Option(metavar="NAME", help="Only evidence of this kind.")] = ""
    since: Since = ""
    text: Annotated[str, Option(metavar="WORDS", help="Only these words, in a command, path or message.")] = ""
    unfinished: Annotated[bool, Option("--unfinished", help="Only calls whose result was not seen.")] = False
    fleet: Annotated[bool, Option("--fleet", help="Read from your fleet's hub.")] = False
    machine: Annotated[str, Option(metavar="ID", help="With --fleet: only this machine.")] = ""
    person: Annotated[str, Option(metavar="NAME", help="With --fleet: only this person; * is a wildcard.")] = ""
    team: Annotated[str, Option(metavar="NAME", help="With --fleet: only this team.")] = ""
    rule: Annotated[str, Option(metavar="NAME", help="With --fleet: only this rule; * is a wildcard.")] = ""
    approved: Annotated[
        str, Option(metavar="BY", help="With --fleet: only calls approved by person, rule, 'hook *' or 'mode *'.")
    ] = ""

    def __init__(self, **given: Any) -> None:
        vars(self).update(given)

    def __bool__(self) -> bool:
        return any(value for name, value in vars(self).items() if name != "fleet")

    def filters(self, connection: Connection) -> Filters:
        if broken := next((text for text in map(str, vars(self).values()) if not _is_unicode(text)), ""):
            stop(f"{broken}: not UTF-8")
        if given := [name for name in OF_FLEETS if getattr(self, name)]:
            stop(f"--{given[0]} needs --fleet")
        filters = Filters(since=moment(self.since), text=self.text, unfinished=self.unfinished)
        for column in COLUMNS:
            wanted = getattr(self, column)
            if not wanted:
                continue
            _check(connection, column, wanted)
            if (column, wanted) == ("verdict", "none"):
                filters.silent = True
                continue
            value = os.path.abspath(wanted) if column == "project" and "*" not in wanted else wanted
            filters.columns[column] = reading.values(connection, column, value) or [value]
        return filters


def _is_unicode(text: str) -> bool:
    """A byte outside UTF-8 reaches Python as half a character, and the database would refuse the text."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def moment(text: str) -> int:
    """`2h`, `3d` or a date, in milliseconds since 1970; an empty text is 0."""
    if not text:
        return 0
    if match := re.fullmatch(r"(\d{1,6})([smhdw])", text):
        return int((time.time() - int(match[1]) * UNITS[match[2]]) * 1000)
    for form in DATES:
        try:
            return int(time.mktime(time.strptime(text, form)) * 1000)
        except (ValueError, OverflowError):  # noqa: PERF203 - four forms
            continue
    return stop(f"--since {text}: write 30m, 2h, 3d, 1w, or a date as in 2026-01-31 or 2026-01-31T12:00")


def _check(connection: Connection, column: str, wanted: str) -> None:
    """A word that can never match is a mistake; a word that no row has yet is worth a warning."""
    if column == "verdict" and wanted not in VERDICTS:
        stop(f"--verdict {wanted}: there is no such verdict; write one of {', '.join(VERDICTS)}")
    if column not in ("event", *OPEN_ENDED) or "*" in wanted or reading.has(connection, column, wanted):
        return
    if column in OPEN_ENDED:
        known = reading.values(connection, column, "*")
        more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
        there = f"there are: {', '.join(known[:SHOWN])}{more}" if known else "no row has one"
        warn(f"--{column} {wanted}: no row has this {column}; {there}")
    elif wanted not in EVENTS:
        meant = did_you_mean(wanted, tuple(EVENTS)) or f"write one of {', '.join(EVENTS)}"
        stop(f"--event {wanted}: there is no such event; {meant}")

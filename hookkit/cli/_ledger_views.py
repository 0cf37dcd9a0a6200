"""Looking into the ledger: list, show, stats, tail and export."""

import time
from sqlite3 import Connection

from hookkit.cli import _ledger_charts, _ledger_export
from hookkit.cli._console import Text, console, echo_json, fail, note, stop
from hookkit.cli._ledger import HIGHEST, fix, opened
from hookkit.cli._ledger_filters import Selection, moment
from hookkit.cli._ledger_rows import LISTED, TAILED, Listing, card, facts, when
from hookkit.ledger import reading, stats
from hookkit.ledger.entry import Entry
from hookkit.ledger.health import counted
from hookkit.system import database

POLL = 0.5  # seconds between two looks at the journals


def show_list(wanted: Selection, limit: int, before: int, *, as_json: bool) -> None:
    with opened() as (connection, _):
        found = reading.find(connection, wanted.filters(connection), limit + 1, min(before, HIGHEST))
    more = found[limit - 1].anchor if len(found) > limit else 0
    if as_json:
        echo_json({"rows": [facts(entry) for entry in found[:limit]], "before": more or None})
        return
    out = console()
    if not found:
        out.print(Text("No rows.", "dim"))
        return
    listing = Listing(LISTED, out)
    body = listing.of(found[:limit])
    for line in (listing.header(), *body):
        out.print(line, soft_wrap=True)
    if more:
        note(f"There are more: add --before {more}")


def show_repeated(limit: int, since: str, *, as_json: bool) -> None:
    with opened() as (connection, _):
        found = reading.repeated(connection, moment(since), limit)
    if as_json:
        echo_json({"rows": [{**facts(entry), "first": first} for entry, first in found]})
        return
    out = console()
    if not found:
        out.print(Text("No side effect was repeated.", "dim"))
        return
    listing = Listing(LISTED, out)
    for line in (listing.header(), *listing.of([entry for entry, _ in found])):
        out.print(line, soft_wrap=True)


def show_one(number: int, *, as_json: bool) -> None:
    with opened() as (connection, _):
        entry = reading.one(connection, number) if number <= HIGHEST else None
    if entry is None:
        fail(f"there is no row {number}. See: hookkit ledger list")
    if as_json:
        echo_json(facts(entry))
    else:
        console().print(card(entry))


def show_stats(since: str, *, as_json: bool) -> None:
    start = moment(since)
    with opened() as (connection, _):
        (total,) = connection.execute("SELECT count(*) FROM entries WHERE at >= ?", (start,)).fetchone()
        found = stats.of(connection, start)
    if as_json:
        echo_json({"rows": total, **found})
        return
    out = console()
    _ledger_charts.show(out, found)
    span = f" since {when(start, '%Y-%m-%d %H:%M')}" if start else ""
    out.print(Text(f"{counted(total, 'row') if total else 'No rows'}{span}", "dim"))


def tail(wanted: Selection, count: int, *, follow: bool, as_json: bool) -> None:
    printed = _Tail(as_json=as_json)
    with opened() as (connection, ledger):
        filters = wanted.filters(connection)
        (seen,) = connection.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()
        printed.print(reading.latest(connection, filters, count))
        try:
            while follow and ledger is not None:
                time.sleep(POLL)
                ledger.fold()
                seen = printed.follow(connection, seen, filters)
        except KeyboardInterrupt:
            return
        except database.StateError as error:
            stop(fix(error))


class _Tail:
    """Rows as they come in, each under the one before."""

    def __init__(self, *, as_json: bool) -> None:
        self.out = console()
        self.listing = Listing(TAILED, self.out)
        self.as_json = as_json

    def print(self, entries: list[Entry]) -> None:
        if self.as_json:
            for entry in entries:
                echo_json(facts(entry), indent=None)  # a line for each row, as the stream has no end
            return
        for line in self.listing.of(entries):
            self.out.print(line, soft_wrap=True)

    def follow(self, connection: Connection, seen: int, filters: reading.Filters) -> int:
        """Print the rows after number `seen`; the number of the newest row that was looked at."""
        (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()
        while rows := reading.after(connection, seen, 1_000, filters):
            self.print(rows)
            seen = rows[-1].id
        return max(seen, int(last))


def export(wanted: Selection, form: str, to: str) -> None:
    if form == "sqlite" and (not to or wanted):
        stop("a copy of the database is whole and goes to a file: --format sqlite --to FILE, without filters")
    with opened() as (connection, _):
        count = _ledger_export.export(connection, form, wanted.filters(connection), to)
    if to:
        note(f"{counted(count, 'row')} to {to}")

"""Looking into the ledger: list, show, stats, tail and export, and taking care of it."""

import time
from collections.abc import Iterator
from sqlite3 import Connection
from typing import Annotated

from hookkit.cli import _ledger_care
from hookkit.cli._command import Argument, Option, Subcommands, formats
from hookkit.cli._console import Output, Stream, fail, note, stop
from hookkit.cli._ledger import HIGHEST, Selection, Since, fix, moment, opened
from hookkit.cli._ledger_rows import LISTED, TAILED, Listing, card, charts, facts, when
from hookkit.cli._view import Text, Wide
from hookkit.ledger import reading
from hookkit.ledger.health import counted
from hookkit.ledger.stats import statistics as calculate
from hookkit.ledger.tables import Entry
from hookkit.system import database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.cli._view import View


CALLS = "*ToolUse*"  # the events of tool calls
POLL = 0.5  # seconds between two looks at the journals
DID = {"deny": "stopped", "ask": "asked about", "allow": "approved"}
NONE = "No rows. Calls of your agents appear here; is hookkit connected? See: hookkit status"
Fleet = Annotated[bool, Option("--fleet", help="Read from your fleet's hub.")]
NONE_DID = "hookkit has let every call pass. Without --did, all calls are listed."

command = Subcommands(
    """Look into the ledger: every tool call with its verdict, outcome and duration, and every other event.

    Example: hookkit ledger list --verdict deny --since 2d
    """
)


@command.command("list")
def list_(
    *,
    wanted: Selection,
    limit: Annotated[int, Option("--limit", "-n", least=1, most=10_000, help="How many rows.")] = 50,
    before: Annotated[int, Option(metavar="ID", help="Continue after this row, the last of a page.")] = 0,
    did: Annotated[bool, Option("--did", help="Only where hookkit stopped, asked, approved or changed.")] = False,
    everything: Annotated[bool, Option("--all", help="Also events without a call, such as Stop.")] = False,
) -> Output:
    """List the newest tool calls; with --all or a filter also the other events.

    Example: hookkit ledger list --tool Bash --text "git push" --since 3d
    """
    is_usual = not everything and not wanted
    if is_usual:
        wanted.event = CALLS if not wanted.fleet else "PreToolUse"
    if wanted.fleet:
        from hookkit.cli import _ledger_fleet  # late: httpx is for those who read a fleet

        return _ledger_fleet.list_rows(wanted, limit, before, did=did)
    with opened() as (connection, _):
        entries = _entries(connection, wanted.filters(connection), limit + 1, min(before, HIGHEST), did=did)
    more = entries[limit - 1].anchor if len(entries) > limit else 0
    value = {"rows": [facts(entry) for entry in entries[:limit]], "before": more or None}

    def view() -> "View":
        if more:
            note(f"There are more: add --before {more}")
        head = [_summary(entries[:limit])] if is_usual and entries and not did else []
        return [*head, *_table(entries[:limit], NONE_DID if did else NONE if is_usual else "No rows.")]

    return Output(value, view)


def _entries(connection: Connection, filters: reading.Filters, limit: int, before: int, *, did: bool) -> list[Entry]:
    """The newest rows; with `did`, those in which hookkit did something, of the newest rows."""
    if not did:
        return reading.find(connection, filters, limit, before)
    return [entry for entry in reading.find(connection, filters, reading.LOOKED_AT, before) if entry.has_acted][:limit]


def _summary(entries: list[Entry]) -> Wide:
    """What hookkit did in these calls, before the calls themselves."""
    verdicts = [str(entry.get("verdict") or "") for entry in entries]
    counts = [(verdicts.count(name), word) for name, word in DID.items()]
    counts.append((sum(bool(entry.body.get("changed")) for entry in entries), "changed"))
    done = ", ".join(f"{word} {count}" for count, word in counts if count)
    calls = counted(len(entries), "call")
    if not done:
        return Wide(
            f"hookkit let all of the last {calls} pass." if len(entries) > 1 else "hookkit let the call pass.", "dim"
        )
    return Wide(Text.assemble((f"Of the last {calls}, hookkit {done}.", "bold"), ("  --did lists these alone", "dim")))


def _table(entries: list[Entry], nothing: str) -> "list[View]":
    if not entries:
        return [Text(nothing, "dim")]
    listing = Listing(LISTED)
    lines = listing.lines(entries)
    return [listing.header(), *lines]


@command.command()
def show(number: Annotated[int, Argument(metavar="ID")], *, fleet: Fleet = False) -> Output:
    """Show all facts of a single call or event.

    Example: hookkit ledger show 42
    """
    if fleet:
        from hookkit.cli import _ledger_fleet

        return _ledger_fleet.show(number)
    with opened() as (connection, _):
        entry = reading.one(connection, number) if number <= HIGHEST else None
    if entry is None:
        fail(f"there is no row {number}. See: hookkit ledger list")
    return Output(facts(entry), card(entry))


@command.command()
def stats(*, since: Since = "7d", fleet: Fleet = False) -> Output:
    """Show the rules that denied most, the slowest hooks, the tools that fail, and the calls of each day.

    Example: hookkit ledger stats --since 30d
    """
    if fleet:
        from hookkit.cli import _ledger_fleet

        return _ledger_fleet.stats(since)
    start = moment(since)
    with opened() as (connection, _):
        (total,) = connection.execute("SELECT count(*) FROM entries WHERE at >= ?", (start,)).fetchone()
        sums = calculate(connection, start)
    span = f" since {when(start, '%Y-%m-%d %H:%M')}" if start else ""
    nothing = f"No rows{span}. Calls of your agents appear here; is hookkit connected? See: hookkit status"
    rows = Wide(f"{counted(total, 'row')}{span}" if total else nothing, "dim")
    return Output({"rows": total, **sums}, lambda: [*charts(sums), rows])


@command.command()
def tail(
    *,
    wanted: Selection,
    count: Annotated[int, Option("--last", "-n", least=0, help="How many of the newest rows to begin with.")] = 10,
    follow: Annotated[bool, Option("--follow", "-f", help="Wait for more.")] = False,
) -> Stream:
    """Print the newest rows as they come in, the oldest first; an outcome is a row of its own here.

    Example: hookkit ledger tail -f --tool Bash
    """
    if wanted.fleet:
        from hookkit.cli import _ledger_fleet

        return _ledger_fleet.tail(wanted, count, follow=follow)
    return Stream(_batches(wanted, count, follow=follow), facts, Listing(TAILED).lines)


@command.command()
@formats()
def export(
    *,
    wanted: Selection,
    form: Annotated[
        str, Option("--format", "-f", choices=("jsonl", "csv", "sqlite"), help="The format to write.")
    ] = "jsonl",
    to: Annotated[str, Option("--to", metavar="FILE", help="A new file; the default is stdout.")] = "",
) -> None:
    """Write every row as it is stored: JSON lines with their hashes, CSV, or a copy of the database.

    Example: hookkit ledger export --format csv --since 30d --to calls.csv
    """
    _export(wanted, form, to)


@command.command()
def verify(
    *,
    anchor: Annotated[
        str, Option("--anchor", metavar="SOURCE", help="Also check anchors: a file, or `note` for git notes.")
    ] = "",
    fleet: Fleet = False,
) -> Output:
    """Check that no row was changed, removed or moved since it was written; name each row that was.

    Exits 1 if something was found.

    Example: hookkit ledger verify --anchor ~/backup/anchors
    """
    if fleet:
        from hookkit.cli import _ledger_fleet

        return _ledger_fleet.verify()
    return _ledger_care.verify(anchor)


@command.command()
def anchor(
    *,
    file: Annotated[str, Option("--file", metavar="FILE", help="Add the line to this file, elsewhere.")] = "",
    program: Annotated[
        str, Option("--command", metavar="COMMAND", help="Give the line to this command, on stdin.")
    ] = "",
) -> Output:
    """Write one line about all rows to a place that a later rewrite of the ledger does not reach.

    Without an option the line becomes a git note (refs/notes/hookkit) of the commit that is checked out here.

    Example: hookkit ledger anchor --command 'ssh backup "cat >> anchors"'
    """
    return _ledger_care.anchor(file=file, command=program)


@command.command()
def repeated(
    *,
    limit: Annotated[int, Option("--limit", "-n", least=1, most=10_000, help="How many rows.")] = 50,
    since: Since = "30d",
) -> Output:
    """List the calls whose side effect an earlier call of the same session already had.

    Example: hookkit ledger repeated --since 2d
    """
    with opened() as (connection, _):
        rows = reading.repeated(connection, moment(since), limit)
    value = {"rows": [{**facts(entry), "first": first} for entry, first in rows]}
    return Output(value, lambda: _table([entry for entry, _ in rows], "No side effect was repeated."))


@command.command()
def prune(
    *,
    days: Annotated[int | None, Option(least=0, most=1_000_000, help="Keep this many days; 0 keeps all.")] = None,
    megabytes: Annotated[int | None, Option(least=0, most=1_000_000, help="Keep this much; 0 has no limit.")] = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Only count the rows that would go.")] = False,
) -> Output:
    """Delete the oldest rows now, by age and by size, with the limits of the settings or of these options.

    Example: hookkit ledger prune --days 90 --dry-run
    """
    return _ledger_care.prune(days, megabytes, dry_run=dry_run)


@command.command()
def status() -> Output:
    """Show the size of the ledger, the rows that wait to be taken in, and problems with their fix.

    Exits 1 if something is wrong.

    Example: hookkit ledger status
    """
    return _ledger_care.status()


@command.command()
def repair(
    *,
    force: Annotated[bool, Option("--force", help="Make the index anew even if it looks whole.")] = False,
) -> Output:
    """Make a damaged index anew from the journals and the sealed segments; the old file is kept beside it.

    Example: hookkit ledger repair
    """
    return _ledger_care.repair(force=force)


@command.command()
def erase(
    *,
    session: Annotated[str, Option(metavar="ID", help="Rows of this session; the start of its id is enough.")] = "",
    text: Annotated[str, Option(metavar="TEXT", help="Rows with this text, such as a leaked secret.")] = "",
    yes: Annotated[bool, Option("--yes", "-y", help="Erase now; otherwise rows are only counted.")] = False,
) -> Output:
    """Erase the content of rows for good: commands, prompts, outputs, diffs. The rows themselves stay.

    Time, tool, verdict and rule of a row stay, and so does its place in the chain: `hookkit ledger verify` still
    holds, and says how many rows were erased, and when.

    Example: hookkit ledger erase --text "$LEAKED_PASSWORD" --yes
    """
    return _ledger_care.erase(session, text, yes=yes)


def _batches(wanted: Selection, count: int, *, follow: bool) -> Iterator[list[Entry]]:
    """The newest rows, then those that come in."""
    with opened() as (connection, ledger):
        filters = wanted.filters(connection)
        (seen,) = connection.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()
        yield reading.latest(connection, filters, count)
        try:
            while follow and ledger is not None:
                time.sleep(POLL)
                ledger.fold()
                (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()
                while rows := reading.after(connection, seen, 1_000, filters):
                    yield rows
                    seen = rows[-1].id
                seen = max(seen, int(last))
        except KeyboardInterrupt:
            return
        except database.StateError as error:
            stop(fix(error))


def _export(wanted: Selection, form: str, to: str) -> None:
    if wanted.fleet:
        from hookkit.cli import _ledger_fleet

        _ledger_fleet.export(wanted, form, to)
        return
    from hookkit.cli import _ledger_export  # late: only the export needs it

    if form == "sqlite" and (not to or wanted):
        stop("a copy of the database is whole and goes to a file: --format sqlite --to FILE, without filters")
    with opened() as (connection, _):
        count = _ledger_export.export(connection, form, wanted.filters(connection), to)
    if to:
        note(f"{counted(count, 'row')} to {to}")

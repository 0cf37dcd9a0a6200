"""Looking into the ledger: list, show, stats, tail and export, and taking care of it."""

import time
from collections.abc import Iterator
from datetime import date, timedelta
from sqlite3 import Connection
from typing import Annotated, Any

from hookkit.cli import _ledger_care
from hookkit.cli._command import Argument, Option, Subcommands, formats
from hookkit.cli._console import Output, Stream, fail, is_terminal, note, plural, screen_size, stop
from hookkit.cli._here import moment, when
from hookkit.cli._ledger import HIGHEST, LISTED, TAILED, Fleet, Listing, Selection, Since, card, facts, fix, opened
from hookkit.cli._view import Text, View, Wide, one_line, width
from hookkit.ledger import queries
from hookkit.ledger.queries import statistics as calculate
from hookkit.ledger.tables import Entry
from hookkit.system import database

CALLS = "*ToolUse*"  # the events of tool calls
POLL = 0.5  # seconds between two looks at the journals
DID = {"deny": "stopped", "ask": "asked about", "allow": "approved"}
NONE = "No rows. Calls of your agents appear here; is hookkit connected? See: hookkit status"
WIDEST, NARROWEST = 30, 8  # columns of the longest bar
LONGEST = 100  # characters of a name on a wide screen
EIGHTHS = " ▏▎▍▌▋▊▉"
SPAN = 60  # days; over a longer time, days without a call are left out
Bar = tuple[str, float, str]  # a name, a value, and the words after the bar
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
        from hookkit.cli import _fleet  # late: httpx is for those who read a fleet

        return _fleet.list_rows(wanted, limit, before, did=did)
    with opened() as (connection, _):
        entries = _entries(connection, wanted.filters(connection), limit + 1, min(before, HIGHEST), did=did)
    more = entries[limit - 1].anchor if len(entries) > limit else 0
    value = {"rows": [facts(entry) for entry in entries[:limit]], "before": more or None}

    def view() -> View:
        if more:
            note(f"There are more: add --before {more}")
        head = [_summary(entries[:limit])] if is_usual and entries and not did else []
        return [*head, *_table(entries[:limit], NONE_DID if did else NONE if is_usual else "No rows.")]

    return Output(value, view)


def _entries(connection: Connection, filters: queries.Filters, limit: int, before: int, *, did: bool) -> list[Entry]:
    """The newest rows; with `did`, those in which hookkit did something, of the newest rows."""
    if not did:
        return queries.find(connection, filters, limit, before)
    return [entry for entry in queries.find(connection, filters, queries.LOOKED_AT, before) if entry.has_acted][:limit]


def _summary(entries: list[Entry]) -> Wide:
    """What hookkit did in these calls, before the calls themselves."""
    verdicts = [str(entry.get("verdict") or "") for entry in entries]
    counts = [(verdicts.count(name), word) for name, word in DID.items()]
    counts.append((sum(bool(entry.body.get("changed")) for entry in entries), "changed"))
    done = ", ".join(f"{word} {count}" for count, word in counts if count)
    calls = plural(len(entries), "call")
    if not done:
        return Wide(
            f"hookkit let all of the last {calls} pass." if len(entries) > 1 else "hookkit let the call pass.", "dim"
        )
    return Wide(Text.assemble((f"Of the last {calls}, hookkit {done}.", "bold"), ("  --did lists these alone", "dim")))


def _table(entries: list[Entry], nothing: str) -> list[View]:
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
        from hookkit.cli import _fleet

        return _fleet.show(number)
    with opened() as (connection, _):
        entry = queries.one(connection, number) if number <= HIGHEST else None
    if entry is None:
        fail(f"there is no row {number}. See: hookkit ledger list")
    return Output(facts(entry), card(entry))


@command.command()
def stats(*, since: Since = "7d", fleet: Fleet = False) -> Output:
    """Show the rules that denied most, the slowest hooks, the tools that fail, and the calls of each day.

    Example: hookkit ledger stats --since 30d
    """
    if fleet:
        from hookkit.cli import _fleet

        return _fleet.stats(since)
    start = moment(since)
    with opened() as (connection, _):
        (total,) = connection.execute("SELECT count(*) FROM entries WHERE at >= ?", (start,)).fetchone()
        sums = calculate(connection, start)
    span = f" since {when(start, '%Y-%m-%d %H:%M')}" if start else ""
    nothing = f"No rows{span}. Calls of your agents appear here; is hookkit connected? See: hookkit status"
    rows = Wide(f"{plural(total, 'row')}{span}" if total else nothing, "dim")
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
        from hookkit.cli import _fleet

        return _fleet.tail(wanted, count, follow=follow)
    return Stream(_batches(wanted, count, follow=follow), facts, Listing(TAILED).lines)


def _batches(wanted: Selection, count: int, *, follow: bool) -> Iterator[list[Entry]]:
    """The newest rows, then those that come in."""
    with opened() as (connection, ledger):
        filters = wanted.filters(connection)
        (seen,) = connection.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()
        yield queries.latest(connection, filters, count)
        try:
            while follow and ledger is not None:
                time.sleep(POLL)
                ledger.fold()
                (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()
                while rows := queries.after(connection, seen, 1_000, filters):
                    yield rows
                    seen = rows[-1].id
                seen = max(seen, int(last))
        except KeyboardInterrupt:
            return
        except database.StateError as error:
            stop(fix(error))


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
        rows = queries.repeated(connection, moment(since), limit)
    value = {"rows": [{**facts(entry), "first": first} for entry, first in rows]}
    return Output(value, lambda: _table([entry for entry, _ in rows], "No side effect was repeated."))


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
    if wanted.fleet:
        from hookkit.cli import _fleet

        _fleet.export(wanted, form, to)
        return
    from hookkit.cli import _ledger_export  # late: only the export needs it

    if form == "sqlite" and (not to or wanted):
        stop("a copy of the database is whole and goes to a file: --format sqlite --to FILE, without filters")
    with opened() as (connection, _):
        count = _ledger_export.export(connection, form, wanted.filters(connection), to)
    if to:
        note(f"{plural(count, 'row')} to {to}")


command.functions.update(_ledger_care.COMMANDS)


# -- charts ----------------------------------------------------------------------------------------------------------


def bar(value: float, most: float, wide: int = WIDEST) -> str:
    """A bar in eighths of a character; the smallest value above zero is still visible."""
    if not value or not most:
        return ""
    eighths = max(1, round(value / most * wide * 8))
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def charts(counts: dict[str, Any]) -> list[Wide]:
    return [
        *_chart("calls a day", [(day, count, f"{count:,}") for day, count in _days(counts["days"]).items()]),
        *_chart("verdicts", [(name, count, f"{count:,}") for name, count in counts["verdicts"].items()]),
        *_chart("denied most", [(_rule(row), row["count"], f"{row['count']:,}") for row in counts["denied"]]),
        *_chart("failures, of the calls of a tool", [_failures(row) for row in counts["tools"]], most=1),
        *_chart("slowest hooks, mean ms", [_hook(row) for row in counts["hooks"]]),
    ]


def _days(counts: dict[str, int]) -> dict[str, int]:
    """The counts with the days without a call in between, so that a gap is visible."""
    if not counts:
        return {}
    first, last = (date.fromisoformat(day) for day in (min(counts), max(counts)))
    if (last - first).days > SPAN:
        return counts
    days = ((first + timedelta(days=after)).isoformat() for after in range((last - first).days + 1))
    return {day: counts.get(day, 0) for day in days}


def _rule(row: dict[str, Any]) -> str:
    """A rule mostly names its tool; a rule about many tools is shown with each of them."""
    rule, tool = row["rule"], row["tool"]
    if not rule:
        return f"{tool}: a gate or a handler" if tool else "a gate or a handler"
    return f"{rule} on {tool}" if tool and not rule.startswith(tool) else str(rule)


def _failures(row: dict[str, Any]) -> Bar:
    share = row["failed"] / row["calls"]
    return row["tool"] or "no tool", share, f"{share:.1%} of {row['calls']:,}"


def _hook(row: dict[str, Any]) -> Bar:
    failed = f", {row['failed']:,} failed" if row["failed"] else ""
    times = f"{row['mean_ms']:.2f}, at most {row['most_ms']:.2f}"
    return row["hook"], row["mean_ms"], f"{times}, {plural(row['runs'], 'run')}{failed}"


def _chart(title: str, rows: list[Bar], most: float = 0) -> list[Wide]:
    """On a narrow screen bars get shorter first, then names; the words after a bar are never cut."""
    if not rows:
        return []
    names = [one_line(name.replace("\n", " ")) for name, _, _ in rows]
    room = (screen_size()[0] if is_terminal() else 1_000) - max(len(text) for _, _, text in rows) - len("  " * 3)
    longest = min(max(map(width, names)), max(NARROWEST, room - NARROWEST), LONGEST)
    wide = max(NARROWEST, min(WIDEST, room - longest))
    most = most or max(value for _, value, _ in rows)
    lines = [Wide(title, "bold")]
    for name, (_, value, text) in zip(names, rows, strict=True):
        drawn = bar(value, most, wide)
        start = Text.assemble("  ", Text(name).fit(longest).filled(longest), "  ")
        fill = " " * (wide - len(drawn))
        lines.append(Wide(Text.assemble(start, (drawn, "cyan"), f"{fill}  ", (text, "dim"))))
    return [*lines, Wide("")]

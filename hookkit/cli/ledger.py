import json
import time
from enum import Enum
from sqlite3 import Connection
from typing import Annotated

import typer
from rich.text import Text

from hookkit.cli import _ledger, _ledger_charts, _ledger_export
from hookkit.cli._ledger import Output, Printed, filters_of, fix, opened, progress
from hookkit.cli._ledger_care import prune, repair, status, verify
from hookkit.cli._ledger_rows import LISTED, TAILED, Lines, card, facts, when
from hookkit.cli._output import HIGHEST, console, echo_json, stop
from hookkit.ledger import reading, stats
from hookkit.ledger.entry import Entry
from hookkit.ledger.health import counted
from hookkit.system import database

HELP = """Look into the ledger: every tool call with its verdict, outcome and duration, and every other event.

Example: hookkit ledger list --verdict deny --since 2d
"""
POLL = 0.5  # seconds between two looks at the journals

command = typer.Typer(help=HELP, pretty_exceptions_enable=False)
command.__doc__ = HELP  # as every command has one


class Format(str, Enum):
    jsonl = "jsonl"
    csv = "csv"
    sqlite = "sqlite"


Event = Annotated[str, typer.Option(help="Only this event, as in Stop.")]
Tool = Annotated[str, typer.Option(help="Only this tool; mcp__* stands for many.")]
Verdict = Annotated[str, typer.Option(help="Only what hookkit answered so: none, allow, ask, deny or defer.")]
Actor = Annotated[str, typer.Option(help="Only this actor, as in agent:executor.")]
Session = Annotated[str, typer.Option(help="Only this session; the beginning of its id is enough.")]
Project = Annotated[str, typer.Option(help="Only this project's directory.")]
Kind = Annotated[str, typer.Option(help="Only evidence of this kind.")]
Since = Annotated[str, typer.Option(help="Only after this: 30m, 2h, 3d, or a date.")]
Words = Annotated[str, typer.Option("--text", help="Only with these words in command, path, error, reason or prompt.")]
Unfinished = Annotated[bool, typer.Option("--unfinished", help="Only calls that never came to an end.")]


@command.callback(invoke_without_command=True)
def _help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@command.command("list")
def list_(  # noqa: PLR0913, PLR0917 - a command's options
    event: Event = "",
    tool: Tool = "",
    verdict: Verdict = "",
    actor: Actor = "",
    session: Session = "",
    project: Project = "",
    kind: Kind = "",
    since: Since = "",
    text: Words = "",
    unfinished: Unfinished = False,  # noqa: FBT002
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="How many rows.")] = 50,
    before: Annotated[int, typer.Option(max=HIGHEST, help="Go on after this row, the last of the page before.")] = 0,
    output: Printed = Output.table,
) -> None:
    """List the newest rows: one a tool call, one for every other event.

    Example: hookkit ledger list --tool Bash --text "git push" --since 3d
    """
    columns = {"event": event, "tool": tool, "verdict": verdict, "actor": actor, "session": session,
               "project": project, "kind": kind}  # fmt: skip
    with opened() as (connection, _):
        filters = filters_of(connection, since, text, columns, unfinished=unfinished)
        found = reading.find(connection, filters, limit + 1, before)
    more = found[limit - 1].anchor if len(found) > limit else 0
    if output is Output.json:
        echo_json({"rows": [facts(entry) for entry in found[:limit]], "before": more or None})
        return
    out = console()
    if not found:
        out.print(Text("No rows.", "dim"))
        return
    lines = Lines(LISTED, out)
    body = lines.of(found[:limit])
    for line in (lines.header(), *body):
        out.print(line, soft_wrap=True)
    if more:
        console(stderr=True).print(Text(f"There are more: add --before {more}", "dim"))


@command.command()
def show(number: Annotated[int, typer.Argument(metavar="ID", max=HIGHEST)], output: Printed = Output.table) -> None:
    """Show all that is known of one call or event.

    Example: hookkit ledger show 42
    """
    with opened() as (connection, _):
        entry = reading.one(connection, number)
    if entry is None:
        stop(f"there is no row {number}. See: hookkit ledger list")
    if output is Output.json:
        echo_json(facts(entry))
    else:
        console().print(card(entry))


@command.command("stats")
def stats_(since: Since = "7d", output: Printed = Output.table) -> None:
    """Show what was denied most, which hooks are slow, which tools fail, and the calls of each day.

    Example: hookkit ledger stats --since 30d
    """
    start = _ledger.moment(since)
    with opened() as (connection, _):
        (total,) = connection.execute("SELECT count(*) FROM entries WHERE at >= ?", (start,)).fetchone()
        with progress("adding up", total) as tell:
            found = stats.of(connection, start, tell)
    if output is Output.json:
        echo_json({"rows": total, **found})
        return
    out = console()
    _ledger_charts.show(out, found)
    span = f" since {when(start, '%Y-%m-%d %H:%M')}" if start else ""
    out.print(Text(f"{counted(total, 'row') if total else 'No rows'}{span}", "dim"))


@command.command()
def tail(  # noqa: PLR0913, PLR0917 - a command's options
    event: Event = "",
    tool: Tool = "",
    verdict: Verdict = "",
    actor: Actor = "",
    session: Session = "",
    project: Project = "",
    kind: Kind = "",
    since: Since = "",
    text: Words = "",
    unfinished: Unfinished = False,  # noqa: FBT002
    count: Annotated[int, typer.Option("--last", "-n", min=0, help="How many of the newest to begin with.")] = 10,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Wait for more.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """Print the newest rows as they come in, oldest first; an outcome is a row of its own here.

    Example: hookkit ledger tail -f --tool Bash
    """
    columns = {"event": event, "tool": tool, "verdict": verdict, "actor": actor, "session": session,
               "project": project, "kind": kind}  # fmt: skip
    printed = _Tail(output)
    with opened() as (connection, ledger):
        filters = filters_of(connection, since, text, columns, unfinished=unfinished)
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
    """Rows as they come, under those before."""

    def __init__(self, output: Output) -> None:
        self.out = console()
        self.lines = Lines(TAILED, self.out)
        self.is_json = output is Output.json

    def print(self, entries: list[Entry]) -> None:
        if self.is_json:
            for entry in entries:
                typer.echo(json.dumps(facts(entry)))  # a line each, as it goes on and on
            return
        for line in self.lines.of(entries):
            self.out.print(line, soft_wrap=True)

    def follow(self, connection: Connection, seen: int, filters: reading.Filters) -> int:
        """The number of the last row that was there to be looked at."""
        (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()
        while rows := reading.after(connection, seen, 1_000, filters):
            self.print(rows)
            seen = rows[-1].id
        return max(seen, int(last))


@command.command()
def export(  # noqa: PLR0913, PLR0917 - a command's options
    form: Annotated[Format, typer.Option("--format", "-f", help="What to write.")] = Format.jsonl,
    to: Annotated[str, typer.Option("--to", help="A new file; without one it goes to stdout.")] = "",
    event: Event = "",
    tool: Tool = "",
    verdict: Verdict = "",
    actor: Actor = "",
    session: Session = "",
    project: Project = "",
    kind: Kind = "",
    since: Since = "",
    text: Words = "",
    unfinished: Unfinished = False,  # noqa: FBT002
) -> None:
    """Write rows out as they are, each by itself: JSON lines with their hashes, CSV, or a copy of the database.

    Example: hookkit ledger export --format csv --since 30d --to calls.csv
    """
    columns = {"event": event, "tool": tool, "verdict": verdict, "actor": actor, "session": session,
               "project": project, "kind": kind}  # fmt: skip
    if form is Format.sqlite and (not to or any((*columns.values(), since, text, unfinished))):
        stop("a copy of the database is whole and goes to a file: --format sqlite --to FILE, without filters")
    with opened() as (connection, _):
        filters = filters_of(connection, since, text, columns, unfinished=unfinished)
        count = _ledger_export.write(connection, form.value, filters, to)
    if to:
        console(stderr=True).print(Text(f"{counted(count, 'row')} to {to}", "dim"), soft_wrap=True)


for _care in (verify, prune, status, repair):
    command.command()(_care)

import time
from enum import Enum
from typing import Annotated, Any

import typer
from rich.text import Text

from hookkit.cli import _ledger, _ledger_charts, _ledger_export
from hookkit.cli._ledger import Output, Printed, card, facts, filters_of, fix, opened, progress, table, when
from hookkit.cli._ledger_care import prune, repair, status, verify
from hookkit.cli._output import console, echo_json, stop
from hookkit.state import db, reading, stats

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
Verdict = Annotated[str, typer.Option(help="Only what hookkit answered so: allow, ask, deny.")]
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
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many rows.")] = 50,
    before: Annotated[int, typer.Option(help="Go on after this row, the last of the page before.")] = 0,
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
    out.print(table(found[:limit], out.width))
    if more:
        out.print(Text(f"There are more: add --before {more}", "dim"))


@command.command()
def show(number: Annotated[int, typer.Argument(metavar="ID")], output: Printed = Output.table) -> None:
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
    with opened() as (connection, _):
        start = _ledger.moment(since)
        (total,) = connection.execute("SELECT count(*) FROM entries WHERE at >= ?", (start,)).fetchone()
        with progress("adding up", total) as tell:
            found = stats.of(connection, start, tell)
    if output is Output.json:
        echo_json({"rows": total, **found})
        return
    out = console()
    _ledger_charts.show(out, found)
    out.print(Text(f"{total:,} rows" + (f" since {when(start, '%Y-%m-%d %H:%M')}" if start else ""), "dim"))


@command.command()
def tail(
    count: Annotated[int, typer.Option("--last", "-n", min=0, help="How many of the newest to begin with.")] = 10,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Wait for more.")] = False,  # noqa: FBT002
) -> None:
    """Print the newest rows as they come in, oldest first; an outcome is a row of its own here.

    Example: hookkit ledger tail -f
    """
    with opened() as (connection, ledger):
        (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()
        seen = max(0, last - count)
        try:
            while True:
                seen = _print_after(connection, seen)
                if not follow or ledger is None:
                    break
                time.sleep(POLL)
                ledger.fold()
        except KeyboardInterrupt:
            return
        except db.StateError as error:
            stop(fix(error))


def _print_after(connection: Any, seen: int) -> int:
    out = console()
    while rows := list(reading.after(connection, seen, 1_000)):
        for entry in rows:
            body = entry.body
            parts = [when(body.get("at")), str(body.get("event")), str(body.get("tool") or ""),
                     str(body.get("verdict") or body.get("outcome") or ""), entry.subject]  # fmt: skip
            out.print("  ".join(part for part in parts if part), markup=False, no_wrap=True, overflow="ellipsis")
        seen = rows[-1].id
    return seen


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
        console(stderr=True).print(Text(f"{count:,} rows to {to}", "dim"))


for _care in (verify, prune, status, repair):
    command.command()(_care)

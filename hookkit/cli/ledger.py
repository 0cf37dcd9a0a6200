from enum import Enum
from typing import Annotated

import typer

from hookkit.cli import _ledger_anchor, _ledger_care, _ledger_views
from hookkit.cli._ledger_filters import Selection, Since, filtered
from hookkit.cli._options import Output, Printed, group

command = group(
    """Look into the ledger: every tool call with its verdict, outcome and duration, and every other event.

    Example: hookkit ledger list --verdict deny --since 2d
    """
)


CALLS = "*ToolUse*"  # the events of tool calls


class Format(str, Enum):
    jsonl = "jsonl"
    csv = "csv"
    sqlite = "sqlite"


@command.command("list")
@filtered
def list_(
    wanted: Selection,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="How many rows.")] = 50,
    before: Annotated[int, typer.Option(metavar="ID", help="Continue after this row, the last of a page.")] = 0,
    everything: Annotated[bool, typer.Option("--all", help="Also events without a call, such as Stop.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """List the newest tool calls; with --all or a filter also the other events.

    Example: hookkit ledger list --tool Bash --text "git push" --since 3d
    """
    if not everything and not wanted:
        wanted.event = CALLS
    _ledger_views.show_list(wanted, limit, before, as_json=output is Output.json)


@command.command()
def show(number: Annotated[int, typer.Argument(metavar="ID")], output: Printed = Output.table) -> None:
    """Show all facts of a single call or event.

    Example: hookkit ledger show 42
    """
    _ledger_views.show_one(number, as_json=output is Output.json)


@command.command()
def stats(since: Since = "7d", output: Printed = Output.table) -> None:
    """Show the rules that denied most, the slowest hooks, the tools that fail, and the calls of each day.

    Example: hookkit ledger stats --since 30d
    """
    _ledger_views.show_stats(since, as_json=output is Output.json)


@command.command()
@filtered
def tail(
    wanted: Selection,
    count: Annotated[int, typer.Option("--last", "-n", min=0, help="How many of the newest rows to begin with.")] = 10,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Wait for more.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """Print the newest rows as they come in, the oldest first; an outcome is a row of its own here.

    Example: hookkit ledger tail -f --tool Bash
    """
    _ledger_views.tail(wanted, count, follow=follow, as_json=output is Output.json)


@command.command()
@filtered
def export(
    wanted: Selection,
    form: Annotated[Format, typer.Option("--format", "-f", help="The format to write.")] = Format.jsonl,
    to: Annotated[str, typer.Option("--to", metavar="FILE", help="A new file; the default is stdout.")] = "",
) -> None:
    """Write every row as it is stored: JSON lines with their hashes, CSV, or a copy of the database.

    Example: hookkit ledger export --format csv --since 30d --to calls.csv
    """
    _ledger_views.export(wanted, form.value, to)


@command.command()
def verify(
    anchor: Annotated[
        str, typer.Option("--anchor", metavar="SOURCE", help="Also check anchors: a file, or `note` for git notes.")
    ] = "",
    output: Printed = Output.table,
) -> None:
    """Check that no row was changed, removed or moved since it was written; name each row that was.

    Exits 1 if something was found.

    Example: hookkit ledger verify --anchor ~/backup/anchors
    """
    _ledger_care.verify(anchor, as_json=output is Output.json)


@command.command()
def anchor(
    file: Annotated[str, typer.Option("--file", metavar="FILE", help="Add the line to this file, elsewhere.")] = "",
    program: Annotated[
        str, typer.Option("--command", metavar="COMMAND", help="Give the line to this command, on stdin.")
    ] = "",
    output: Printed = Output.table,
) -> None:
    """Write one line about all rows to a place that a later rewrite of the ledger does not reach.

    Without an option the line becomes a git note (refs/notes/hookkit) of the commit that is checked out here.

    Example: hookkit ledger anchor --command 'ssh backup "cat >> anchors"'
    """
    _ledger_anchor.anchor(file=file, command=program, as_json=output is Output.json)


@command.command()
def repeated(
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="How many rows.")] = 50,
    since: Since = "30d",
    output: Printed = Output.table,
) -> None:
    """List the calls whose side effect an earlier call of the same session already had.

    Example: hookkit ledger repeated --since 2d
    """
    _ledger_views.show_repeated(limit, since, as_json=output is Output.json)


@command.command()
def prune(
    days: Annotated[int | None, typer.Option(min=0, max=1_000_000, help="Keep this many days; 0 keeps all.")] = None,
    megabytes: Annotated[int | None, typer.Option(min=0, max=1_000_000, help="Keep this much; 0 has no limit.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count the rows that would go.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """Delete the oldest rows now, by age and by size, with the limits of the settings or of these options.

    Example: hookkit ledger prune --days 90 --dry-run
    """
    _ledger_care.prune(days, megabytes, dry_run=dry_run, as_json=output is Output.json)


@command.command()
def status(output: Printed = Output.table) -> None:
    """Show the size of the ledger, the rows that wait to be taken in, and problems with their fix.

    Exits 1 if something is wrong.

    Example: hookkit ledger status
    """
    _ledger_care.status(as_json=output is Output.json)


@command.command()
def repair(
    force: Annotated[bool, typer.Option("--force", help="Make the index anew even if it looks whole.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """Make a damaged index anew from the journals and the sealed segments; the old file is kept beside it.

    Example: hookkit ledger repair
    """
    _ledger_care.repair(force=force, as_json=output is Output.json)


@command.command()
def erase(
    session: Annotated[
        str, typer.Option(metavar="ID", help="Rows of this session; the start of its id is enough.")
    ] = "",
    text: Annotated[str, typer.Option(metavar="TEXT", help="Rows with this text, such as a leaked secret.")] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Erase now; otherwise rows are only counted.")] = False,  # noqa: FBT002
    output: Printed = Output.table,
) -> None:
    """Erase the content of rows for good: commands, prompts, outputs, diffs. The rows themselves stay.

    Time, tool, verdict and rule of a row stay, and so does its place in the chain: `hookkit ledger verify` still
    holds, and says how many rows were erased, and when.

    Example: hookkit ledger erase --text "$LEAKED_PASSWORD" --yes
    """
    _ledger_care.erase(session, text, yes=yes, as_json=output is Output.json)

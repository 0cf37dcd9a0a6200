"""The commands that look after the ledger: is it what was written, is it well, and what to do if not."""

import os
import time
from typing import Annotated, Any

import typer
from rich.text import Text

from hookkit.cli._ledger import Output, Printed, fix, opened, progress
from hookkit.cli._ledger_rows import when
from hookkit.cli._output import Here, console, echo_json, stop
from hookkit.errors import ConfigError
from hookkit.ledger import chain, health, reading
from hookkit.ledger.evidence import setting
from hookkit.ledger.health import counted
from hookkit.ledger.repair import repair as rebuild
from hookkit.ledger.store import path_of
from hookkit.system import database

WHOLE = """The ledger is not damaged: SQLite finds nothing wrong with it.
With --force it is made anew all the same; rows that were changed or taken out are then had again from their journals,
as far as these are still there."""
AGAIN = "What is still in a journal can be had again from there: hookkit ledger repair --force"


def verify(output: Printed = Output.table) -> None:
    """Check that no row was changed, taken out or moved since it was written; name each that was.

    Exits 1 if something was found.

    Example: hookkit ledger verify
    """
    with opened() as (connection, ledger):
        if ledger is None:
            stop("the ledger cannot be checked as long as it cannot be opened")
        chains = chain.Chains(ledger)
        (total,) = connection.execute("SELECT count(*) FROM entries").fetchone()
        with progress("verifying", total) as tell:
            findings = chains.verify(tell)
        named = [_named(connection, finding) for finding in findings]
    if output is Output.json:
        echo_json({"rows": chains.rows, "chains": len(chains.ends), "findings": named})
    else:
        out = console()
        for row in named:
            place = " ".join(f"{key} {row[key]}" for key in ("row", "writer", "n", "at", "tool") if row[key])
            out.print(Text.assemble((row["what"], "red"), (f"  {place}" if place else "")), soft_wrap=True)
        said = f"{counted(chains.rows, 'row')} in {counted(len(chains.ends), 'chain')}"
        found = counted(len(named), "finding") if named else "nothing was changed"
        out.print(Text(f"{said}: {found}", "bold"))
        if any(finding.writer in chains.kept for finding in findings):
            out.print(Text(AGAIN, "dim"), soft_wrap=True)
    raise typer.Exit(1 if named else 0)


def _named(connection: Any, finding: chain.ChainFault) -> dict[str, Any]:
    entry = reading.one(connection, finding.id) if finding.id else None
    body = entry.body if entry is not None else {}
    return {
        "what": finding.what, "row": finding.id or None, "writer": finding.writer, "n": finding.n or None,
        "at": when(body["at"], "%Y-%m-%dT%H:%M:%S") if "at" in body else None, "tool": body.get("tool"),
    }  # fmt: skip


def prune(
    days: Annotated[int | None, typer.Option(min=0, max=1_000_000, help="Keep this many days; 0 keeps all.")] = None,
    megabytes: Annotated[int | None, typer.Option(min=0, max=1_000_000, help="Keep this much; 0 has no limit.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how many rows would go.")] = False,  # noqa: FBT002
) -> None:
    """Let go of the oldest rows now, by age and by size, as the settings say or as you do; no more than needed.

    Example: hookkit ledger prune --days 90 --dry-run
    """
    now, kept = time.time(), _kept(days, megabytes)
    with opened() as (connection, ledger):
        if ledger is None:
            stop("nothing can be let go as long as the ledger cannot be opened")
        (rows,) = connection.execute("SELECT count(*) FROM entries").fetchone()
        if dry_run:
            gone, is_certain = ledger.preview(**kept, now=now)
            size, about = _megabytes(ledger.size()), "" if is_certain else "about "
            console().print(f"Of {counted(rows, 'row')} in {size}, {about}{gone:,} would be let go.")
            return
        with progress("letting go", 0) as tell:
            gone = ledger.prune(**kept, now=now, tell=tell)
        ledger.retire(now)
        left = f"{counted(rows - gone, 'row')} in {_megabytes(ledger.size())} left"
    console().print(f"{counted(gone, 'row')} let go; {left}.")


def _kept(days: int | None, megabytes: int | None) -> dict[str, int]:
    """What was said, or else what the settings say."""
    try:
        settings = Here().settings
    except ConfigError as error:
        stop(error)
    given = {"days": days, "megabytes": megabytes}
    return {name: setting(settings, name) if value is None else value for name, value in given.items()}


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


def status(output: Printed = Output.table) -> None:
    """Say how much is in the ledger, what waits to be taken in, what is wrong and how to fix it.

    Exits 1 if something is wrong.

    Example: hookkit ledger status
    """
    found = health.Health(dict(os.environ))
    wrong = any(trouble.is_wrong for trouble in found.troubles)
    if output is Output.json:
        troubles = [{"what": it.what, "text": it.text, "fix": it.fix, "wrong": it.is_wrong} for it in found.troubles]
        echo_json({"path": found.path, **found.numbers, "troubles": troubles})
        raise typer.Exit(1 if wrong else 0)
    _tell(found)
    raise typer.Exit(1 if wrong else 0)


def _tell(found: health.Health) -> None:
    out = console()
    numbers = found.numbers
    out.print(found.path, markup=False, soft_wrap=True)
    if "rows" in numbers:
        span = (
            f", {when(numbers['oldest'], '%Y-%m-%d')} to {when(numbers['newest'], '%Y-%m-%d')}"
            if numbers["rows"]
            else ""
        )
        size = _megabytes(numbers["bytes"])
        out.print(f"{counted(numbers['rows'], 'row')}, {size}{span}; {numbers['unfinished']:,} unfinished")
        waiting = f"{counted(numbers['waiting_bytes'], 'byte')} to take in from {numbers['waiting_journals']:,}"
        out.print(f"{waiting} of {counted(numbers['journals'], 'journal')}")
    for trouble in found.troubles:
        out.print(
            Text.assemble((f"{trouble.what}: ", "red" if trouble.is_wrong else "yellow"), trouble.text), soft_wrap=True
        )
        out.print(Text(f"  fix: {trouble.fix}", "dim"), soft_wrap=True)


def repair(
    force: Annotated[bool, typer.Option("--force", help="Make it anew even if it looks whole.")] = False,  # noqa: FBT002
) -> None:
    """Make a damaged ledger anew, from the journals and from what can still be read; the old one is kept beside it.

    Example: hookkit ledger repair
    """
    environ = dict(os.environ)
    if not force and not health.damage_of(path_of(environ)):
        console().print(WHOLE, soft_wrap=True)
        return
    try:
        with progress("taking in rows", 0) as tell:
            done = rebuild(environ, tell)
    except (database.StateError, OSError) as error:
        stop(fix(error))
    out = console()
    out.print(f"The old one is {done.aside}", markup=False, soft_wrap=True)
    out.print(f"{counted(done.folded, 'row')} from journals, {done.salvaged:,} only from the old one.")
    if done.has_new_ids:
        out.print("The rows have new ids: with those that they had they would be out of order.")
    if done.findings:
        lost = f" {counted(done.lost, 'place')} of the old one could not be read." if done.lost else ""
        out.print(f"Not all is as it was written.{lost} See what is wrong: hookkit ledger verify", soft_wrap=True)

"""The commands that look after the ledger: is it what was written, is it well, and what to do if not."""

import os
import time
from typing import Annotated, Any

import typer
from rich.text import Text

from hookkit.cli._ledger import Output, Printed, fix, opened, progress, when
from hookkit.cli._output import Here, console, echo_json, stop
from hookkit.errors import ConfigError
from hookkit.evidence import setting
from hookkit.state import chain, db, health, reading
from hookkit.state.ledger import path_of
from hookkit.state.repair import repair as rebuild


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
        said = f"{chains.rows:,} rows in {len(chains.ends):,} chains"
        out.print(Text(f"{said}: {len(named)} findings" if named else f"{said}: nothing was changed", "bold"))
    raise typer.Exit(1 if named else 0)


def _named(connection: Any, finding: chain.Finding) -> dict[str, Any]:
    entry = reading.one(connection, finding.id) if finding.id else None
    body = entry.body if entry is not None else {}
    return {
        "what": finding.what, "row": finding.id or None, "writer": finding.writer, "n": finding.n or None,
        "at": when(body["at"], "%Y-%m-%dT%H:%M:%S") if "at" in body else None, "tool": body.get("tool"),
    }  # fmt: skip


def prune(
    days: Annotated[int | None, typer.Option(min=0, help="Keep this many days; 0 keeps all.")] = None,
    megabytes: Annotated[int | None, typer.Option(min=0, help="Keep this much; 0 has no limit.")] = None,
) -> None:
    """Let go of the oldest rows now, by age and by size, as the settings say or as you do.

    Example: hookkit ledger prune --days 90
    """
    try:
        settings = Here().settings
    except ConfigError as error:
        stop(error)
    now = time.time()
    with opened() as (_, ledger):
        if ledger is None:
            stop("nothing can be let go as long as the ledger cannot be opened")
        gone = ledger.prune(
            days=setting(settings, "days") if days is None else days,
            megabytes=setting(settings, "megabytes") if megabytes is None else megabytes,
            now=now,
        )
        ledger.retire(now)
    console().print(f"{gone:,} rows let go.")


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
        out.print(
            f"{numbers['rows']:,} rows, {numbers['bytes'] / 1e6:,.1f} MB{span}; {numbers['unfinished']:,} unfinished"
        )
        out.print(
            f"{numbers['waiting_journals']} of {numbers['journals']} journals have"
            f" {numbers['waiting_bytes']:,} bytes to take in"
        )
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
        console().print("The ledger is not damaged. With --force it is made anew all the same.")
        return
    try:
        with progress("taking in rows", 0) as tell:
            done = rebuild(environ, tell)
    except (db.StateError, OSError) as error:
        stop(fix(error))
    out = console()
    out.print(f"The old one is {done.aside}", markup=False, soft_wrap=True)
    lost = f"; {done.lost:,} places could not be read" if done.lost else ""
    out.print(f"{done.folded:,} rows from journals, {done.salvaged:,} from the old one{lost}.")
    out.print("See what is missing: hookkit ledger verify")

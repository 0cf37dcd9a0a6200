"""Taking care of the ledger: verify, prune, status and repair."""

import os
import time
from typing import Any

import typer

from hookkit.cli import _ledger_anchor
from hookkit.cli._console import Text, console, echo_json, progress, report, stop
from hookkit.cli._here import here
from hookkit.cli._ledger import fix, opened
from hookkit.cli._ledger_rows import when
from hookkit.ledger import chain, health, reading
from hookkit.ledger.evidence import setting
from hookkit.ledger.health import counted
from hookkit.ledger.repair import repair as rebuild
from hookkit.ledger.store import path_of
from hookkit.system import database

WHOLE = """The ledger is not damaged: SQLite finds nothing wrong with it.
--force makes it anew all the same. Rows that were changed or removed are then restored from their journals, as far as
the journals still exist."""
AGAIN = "Rows that are still in a journal can be restored from there: hookkit ledger repair --force"


def verify(anchor: str, *, as_json: bool) -> None:
    with opened() as (connection, ledger):
        if ledger is None:
            stop("the ledger cannot be checked as long as it cannot be opened")
        chains = chain.Chains(ledger)
        (total,) = connection.execute("SELECT count(*) FROM entries").fetchone()
        with progress("verifying", total) as tell:
            findings = chains.verify(tell)
        findings += [chain.ChainFault(said) for said in _ledger_anchor.findings(ledger, anchor)] if anchor else []
        named = [_named(connection, finding) for finding in findings]
    if as_json:
        echo_json({"rows": chains.rows, "chains": len(chains.ends), "findings": named})
    else:
        _tell_findings(named, chains, can_restore=any(finding.writer in chains.kept for finding in findings))
    raise typer.Exit(1 if named else 0)


def _named(connection: Any, finding: chain.ChainFault) -> dict[str, Any]:
    entry = reading.one(connection, finding.id) if finding.id else None
    body = entry.body if entry is not None else {}
    return {
        "what": finding.what, "row": finding.id or None, "writer": finding.writer, "n": finding.n or None,
        "at": when(body["at"], "%Y-%m-%dT%H:%M:%S") if "at" in body else None, "tool": body.get("tool"),
    }  # fmt: skip


def _tell_findings(named: list[dict[str, Any]], chains: chain.Chains, *, can_restore: bool) -> None:
    out = console()
    for row in named:
        place = " ".join(f"{key} {row[key]}" for key in ("row", "writer", "n", "at", "tool") if row[key])
        out.print(Text.assemble((row["what"], "red"), (f"  {place}" if place else "")), soft_wrap=True)
    said = f"{counted(chains.rows, 'row')} in {counted(len(chains.ends), 'chain')}"
    found = counted(len(named), "finding") if named else "nothing was changed"
    out.print(Text(f"{said}: {found}", "bold"))
    if can_restore:
        out.print(Text(AGAIN, "dim"), soft_wrap=True)


def prune(days: int | None, megabytes: int | None, *, dry_run: bool, as_json: bool) -> None:
    now, kept = time.time(), _kept(days, megabytes)
    with opened() as (connection, ledger):
        if ledger is None:
            stop("no row can be deleted as long as the ledger cannot be opened")
        (rows,) = connection.execute("SELECT count(*) FROM entries").fetchone()
        if dry_run:
            gone, is_certain = ledger.preview(**kept, now=now)
            about = "" if is_certain else "about "
            message = f"Of {counted(rows, 'row')} in {_megabytes(ledger.size())}, {about}{gone:,} would be deleted."
            report(message, {"rows": rows, "would_delete": gone, "is_certain": is_certain}, as_json=as_json)
            return
        with progress("deleting") as tell:
            gone = ledger.prune(**kept, now=now, tell=tell)
        ledger.retire(now)
        size = ledger.size()
    message = f"{counted(gone, 'row')} deleted; {counted(rows - gone, 'row')} in {_megabytes(size)} left."
    report(message, {"deleted": gone, "rows": rows - gone, "bytes": size}, as_json=as_json)


def _kept(days: int | None, megabytes: int | None) -> dict[str, int]:
    """The limits from the command line, or else from the settings."""
    settings = here().settings
    given = {"days": days, "megabytes": megabytes}
    return {name: setting(settings, name) if value is None else value for name, value in given.items()}


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


def status(*, as_json: bool) -> None:
    found = health.Health(dict(os.environ))
    if as_json:
        troubles = [
            {"what": each.what, "text": each.text, "fix": each.fix, "wrong": each.is_wrong} for each in found.troubles
        ]
        echo_json({"path": found.path, **found.numbers, "troubles": troubles})
    else:
        _tell_health(found)
    raise typer.Exit(1 if any(trouble.is_wrong for trouble in found.troubles) else 0)


def _tell_health(found: health.Health) -> None:
    out = console()
    numbers = found.numbers
    out.print(found.path, soft_wrap=True)
    if "rows" in numbers:
        first, last = (when(numbers[name], "%Y-%m-%d") for name in ("oldest", "newest"))
        span = f", {first} to {last}" if numbers["rows"] else ""
        size = _megabytes(numbers["bytes"])
        out.print(f"{counted(numbers['rows'], 'row')}, {size}{span}; {numbers['unfinished']:,} unfinished")
        waiting = f"{counted(numbers['waiting_bytes'], 'byte')} to take in from {numbers['waiting_journals']:,}"
        out.print(f"{waiting} of {counted(numbers['journals'], 'journal')}")
    for trouble in found.troubles:
        style = "red" if trouble.is_wrong else "yellow"
        out.print(Text.assemble((f"{trouble.what}: ", style), trouble.text), soft_wrap=True)
        out.print(Text(f"  fix: {trouble.fix}", "dim"), soft_wrap=True)


def repair(*, force: bool, as_json: bool) -> None:
    environ = dict(os.environ)
    if not force and not health.damage_of(path_of(environ)):
        report(WHOLE, {"repaired": False}, as_json=as_json)
        return
    try:
        with progress("taking in rows") as tell:
            done = rebuild(environ, tell)
    except (database.StateError, OSError) as error:
        stop(fix(error))
    lines = [
        f"The old ledger is kept as {done.aside}",
        f"{counted(done.folded, 'row')} from journals, {done.salvaged:,} only from the old one.",
    ]
    if done.has_new_ids:
        lines.append("The rows have new ids: with their old ids they would be out of order.")
    if done.findings:
        lost = f" {counted(done.lost, 'place')} of the old one could not be read." if done.lost else ""
        lines.append(f"Not all is as it was written.{lost} See what is wrong: hookkit ledger verify")
    numbers = {"from_journals": done.folded, "from_old": done.salvaged, "lost": done.lost}
    value = {"repaired": True, "old": done.aside, **numbers, "has_new_ids": done.has_new_ids}
    report("\n".join(lines), value, as_json=as_json)

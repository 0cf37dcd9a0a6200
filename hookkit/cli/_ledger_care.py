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
from hookkit.ledger import health, verifying
from hookkit.ledger.erasing import Erasure
from hookkit.ledger.evidence import setting
from hookkit.ledger.health import counted
from hookkit.ledger.segments import SegmentError
from hookkit.ledger.store import ASIDE, path_of, rebuild
from hookkit.system import database

WHOLE = """The index is not damaged: SQLite finds nothing wrong with it.
--force makes it anew all the same. No row can be lost by that: they are in the journals and the sealed segments."""


def verify(anchor: str, *, as_json: bool) -> None:
    with opened() as (connection, ledger):
        if ledger is None:
            stop("the ledger cannot be checked as long as it cannot be opened")
        verification = verifying.Verification(ledger)
        (total,) = connection.execute("SELECT count(*) FROM entries").fetchone()
        with progress("verifying", total) as tell:
            findings = verification.run(tell)
        said, notes = _ledger_anchor.findings(ledger, anchor) if anchor else ([], [])
        findings += [verifying.Fault(text) for text in said]
        named = [_named(connection, finding) for finding in findings]
    if as_json:
        erased = {when(at, "%Y-%m-%dT%H:%M:%S"): count for at, count in verification.erased.items()}
        numbers = {"rows": verification.rows, "chains": verification.chains}
        echo_json({**numbers, "erased": erased, "findings": named, "notes": notes})
    else:
        _tell_findings(named, verification, notes)
    raise typer.Exit(1 if named else 0)


def _named(connection: Any, finding: verifying.Fault) -> dict[str, Any]:
    sql = "SELECT id, at, tool FROM entries WHERE w = ? AND n = ?"
    row = connection.execute(sql, (finding.writer, finding.n)).fetchone() if finding.writer else None
    number, at, tool = row or (None, None, None)
    return {
        "what": finding.what, "row": number, "writer": finding.writer, "n": finding.n or None,
        "at": when(at, "%Y-%m-%dT%H:%M:%S") if at is not None else None, "tool": tool,
    }  # fmt: skip


def _tell_findings(named: list[dict[str, Any]], verification: verifying.Verification, notes: list[str]) -> None:
    out = console()
    for row in named:
        place = " ".join(f"{key} {row[key]}" for key in ("row", "writer", "n", "at", "tool") if row[key])
        out.print(Text.assemble((row["what"], "red"), (f"  {place}" if place else "")), soft_wrap=True)
    for text in notes:
        out.print(Text(text, "yellow"), soft_wrap=True)
    for at, count in sorted(verification.erased.items()):
        out.print(f"{counted(count, 'row')} without content, erased on {when(at, '%Y-%m-%d %H:%M:%S')}")
    said = f"{counted(verification.rows, 'row')} in {counted(verification.chains, 'chain')}"
    found = counted(len(named), "finding") if named else "nothing was changed"
    out.print(Text(f"{said}: {found}", "bold"))


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
    path = path_of(environ)
    if not force and not health.damage_of(path):
        report(WHOLE, {"repaired": False}, as_json=as_json)
        return
    try:
        with progress("reading rows") as tell:
            kept = ASIDE + time.strftime("%Y%m%d-%H%M%S")
            count = rebuild(environ, tell, kept=kept)
    except (database.StateError, OSError) as error:
        stop(fix(error))
    said = f"The index is made anew: {counted(count, 'row')}, which may have other ids. The old one is {path}{kept}"
    report(said, {"repaired": True, "rows": count, "old": path + kept}, as_json=as_json)


def erase(session: str, text: str, *, yes: bool, as_json: bool) -> None:
    if not session and not text:
        stop("name what to erase: --session ID, --text TEXT, or both")
    erasure = Erasure(dict(os.environ), session=session, text=text)
    with opened() as (_, ledger):  # rows of an earlier version are moved over first
        if ledger is None:
            stop("nothing can be erased as long as the ledger cannot be opened")
    try:
        if not yes:
            count = erasure.count()
            said = f"The content of {counted(count, 'row')} would be erased, for good. Add --yes to do it."
            report(f"{said}{_left(erasure)}", {"would_erase": count, "stays": sorted(erasure.left)}, as_json=as_json)
            return
        with progress("reading rows") as tell:
            count = erasure.run(tell)
    except (database.StateError, OSError, SegmentError) as error:
        stop(fix(error))
    said = f"The content of {counted(count, 'row')} is erased. The rows stay, and hookkit ledger verify says so."
    report(f"{said}{_left(erasure)}", {"erased": count, "stays": sorted(erasure.left)}, as_json=as_json)


def _left(erasure: Erasure) -> str:
    if not erasure.left:
        return ""
    return f"\nThe text is also in fields that cannot be erased: {', '.join(sorted(erasure.left))}."

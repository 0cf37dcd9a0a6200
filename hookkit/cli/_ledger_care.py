"""Taking care of the ledger: verify, anchor, prune, status, repair and erase."""

import os
import subprocess
import time
from typing import Annotated, Any

from hookkit.cli._command import Option
from hookkit.cli._console import Output, fail, plural, progress, stop
from hookkit.cli._here import when
from hookkit.cli._ledger import Fleet, fix, opened
from hookkit.cli._view import Text, Wide
from hookkit.ledger import health, register, verifying
from hookkit.ledger.erasing import Erasure
from hookkit.ledger.evidence import setting
from hookkit.ledger.row_index import ASIDE, Ledger, path_of
from hookkit.ledger.segments import SegmentError
from hookkit.ledger.upkeep import rebuild
from hookkit.settings import layers
from hookkit.system import database, files

NOTE = "note"
REF = "hookkit"
LIMIT = 16 << 20  # bytes of a file with anchors
SECONDS = 30
WHOLE = """The index is not damaged: SQLite finds nothing wrong with it.
--force makes it anew all the same. No row can be lost by that: they are in the journals and the sealed segments."""


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
        from hookkit.cli import _fleet

        return _fleet.verify()
    with opened() as (connection, ledger):
        if ledger is None:
            stop("the ledger cannot be checked as long as it cannot be opened")
        verification = verifying.Verification(ledger)
        (total,) = connection.execute("SELECT count(*) FROM entries").fetchone()
        with progress("verifying", total) as tell:
            findings = verification.run(tell)
        wrong, notes = anchor_findings(ledger, anchor) if anchor else ([], [])
        findings += [verifying.Fault(text) for text in wrong]
        named = [_finding_row(connection, finding) for finding in findings]
    erased = {when(at, "%Y-%m-%dT%H:%M:%S"): count for at, count in verification.erased.items()}
    numbers = {"rows": verification.rows, "chains": verification.chains}
    value = {**numbers, "erased": erased, "findings": named, "notes": notes}
    return Output(value, _findings(named, verification, notes), 1 if named else 0)


def _finding_row(connection: Any, finding: verifying.Fault) -> dict[str, Any]:
    sql = "SELECT id, at, tool FROM entries WHERE w = ? AND n = ?"
    row = connection.execute(sql, (finding.writer, finding.n)).fetchone() if finding.writer else None
    number, at, tool = row or (None, None, None)
    return {
        "what": finding.what, "row": number, "writer": finding.writer, "n": finding.n or None,
        "at": when(at, "%Y-%m-%dT%H:%M:%S") if at is not None else None, "tool": tool,
    }  # fmt: skip


def _findings(named: list[dict[str, Any]], verification: verifying.Verification, notes: list[str]) -> list[Wide]:
    lines = []
    for row in named:
        place = " ".join(f"{key} {row[key]}" for key in ("row", "writer", "n", "at", "tool") if row[key])
        lines.append(Wide(Text.assemble((row["what"], "red"), f"  {place}" if place else "")))
    lines += [Wide(text, "yellow") for text in notes]
    for at, count in sorted(verification.erased.items()):
        lines.append(Wide(f"{plural(count, 'row')} without content, erased on {when(at, '%Y-%m-%d %H:%M:%S')}"))
    total = f"{plural(verification.rows, 'row')} in {plural(verification.chains, 'chain')}"
    result = plural(len(named), "finding") if named else "nothing was changed"
    return [*lines, Wide(f"{total}: {result}", "bold")]


def prune(
    *,
    days: Annotated[int | None, Option(least=0, most=1_000_000, help="Keep this many days; 0 keeps all.")] = None,
    megabytes: Annotated[int | None, Option(least=0, most=1_000_000, help="Keep this much; 0 has no limit.")] = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Only count the rows that would go.")] = False,
) -> Output:
    """Delete the oldest rows now, by age and by size, with the limits of the settings or of these options.

    Example: hookkit ledger prune --days 90 --dry-run
    """
    now, limits = time.time(), _limits(days, megabytes)
    with opened() as (connection, ledger):
        if ledger is None:
            stop("no row can be deleted as long as the ledger cannot be opened")
        (rows,) = connection.execute("SELECT count(*) FROM entries").fetchone()
        if dry_run:
            gone, is_certain = ledger.preview(**limits, now=now)
            about = "" if is_certain else "about "
            message = f"Of {plural(rows, 'row')} in {_megabytes(ledger.size())}, {about}{gone:,} would be deleted."
            return Output({"rows": rows, "would_delete": gone, "is_certain": is_certain}, message)
        with progress("deleting") as tell:
            gone = ledger.prune(**limits, now=now, tell=tell)
        size = ledger.size()
    message = f"{plural(gone, 'row')} deleted; {plural(rows - gone, 'row')} in {_megabytes(size)} left."
    return Output({"deleted": gone, "rows": rows - gone, "bytes": size}, message)


def _limits(days: int | None, megabytes: int | None) -> dict[str, int]:
    """The limits from the command line, or else from the settings."""
    settings = layers.load(os.getcwd(), dict(os.environ))
    given = {"days": days, "megabytes": megabytes}
    return {name: setting(settings, name) if value is None else value for name, value in given.items()}


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


def status() -> Output:
    """Show the size of the ledger, the rows that wait to be taken in, and problems with their fix.

    Exits 1 if something is wrong.

    Example: hookkit ledger status
    """
    state = health.Health(dict(os.environ))
    troubles = [
        {"what": finding.what, "text": finding.text, "fix": finding.fix, "wrong": finding.is_wrong}
        for finding in state.troubles
    ]
    code = 1 if any(trouble.is_wrong for trouble in state.troubles) else 0
    return Output({"path": state.path, **state.numbers, "troubles": troubles}, _health(state), code)


def _health(state: health.Health) -> list[Wide]:
    numbers = state.numbers
    lines = [Wide(state.path)]
    if "rows" in numbers:
        first, last = (when(numbers[name], "%Y-%m-%d") for name in ("oldest", "newest"))
        span = f", {first} to {last}" if numbers["rows"] else ""
        size = _megabytes(numbers["bytes"])
        unseen = f"{plural(numbers['unfinished'], 'call')} without a result"
        lines.append(Wide(f"{plural(numbers['rows'], 'row')}, {size}{span}; {unseen}"))
        waiting = f"{plural(numbers['waiting_bytes'], 'byte')} to take in from {numbers['waiting_journals']:,}"
        lines.append(Wide(f"{waiting} of {plural(numbers['journals'], 'journal')}"))
    for trouble in state.troubles:
        style = "red" if trouble.is_wrong else "yellow"
        lines.append(Wide(Text.assemble((f"{trouble.what}: ", style), trouble.text)))
        lines.append(Wide(f"  fix: {trouble.fix}", "dim"))
    return lines


def repair(
    *,
    force: Annotated[bool, Option("--force", help="Make the index anew even if it looks whole.")] = False,
) -> Output:
    """Make a damaged index anew from the journals and the sealed segments; the old file is kept beside it.

    Example: hookkit ledger repair
    """
    environ = dict(os.environ)
    path = path_of(environ)
    if not force and not health.damage_of(path):
        return Output({"repaired": False}, WHOLE)
    try:
        with progress("reading rows") as tell:
            aside = ASIDE + time.strftime("%Y%m%d-%H%M%S")
            count = rebuild(environ, tell, aside=aside)
    except (database.StateError, OSError) as error:
        stop(fix(error))
    message = f"The index is made anew: {plural(count, 'row')}, which may have other ids. The old one is {path}{aside}"
    return Output({"repaired": True, "rows": count, "old": path + aside}, message)


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
    if not session and not text:
        stop("name what to erase: --session ID, --text TEXT, or both")
    erasure = Erasure(dict(os.environ), session=session, text=text)
    with opened() as (_, ledger):  # rows of an earlier version are moved over first
        if ledger is None:
            stop("nothing can be erased as long as the ledger cannot be opened")
    try:
        if not yes:
            count = erasure.count()
            message = f"The content of {plural(count, 'row')} would be erased, for good. Add --yes to do it."
            return Output({"would_erase": count, "stays": sorted(erasure.left)}, f"{message}{_left(erasure)}")
        with progress("reading rows") as tell:
            count = erasure.run(tell)
    except (database.StateError, OSError, SegmentError) as error:
        stop(fix(error))
    message = f"The content of {plural(count, 'row')} is erased. The rows stay, and hookkit ledger verify says so."
    return Output({"erased": count, "stays": sorted(erasure.left)}, f"{message}{_left(erasure)}")


def _left(erasure: Erasure) -> str:
    if not erasure.left:
        return ""
    return f"\nThe text is also in fields that cannot be erased: {', '.join(sorted(erasure.left))}."


# -- anchors ---------------------------------------------------------------------------------------------------------


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
    if file and program:
        stop("write one of --file and --command")
    with opened() as (_, ledger):
        if ledger is None:
            stop("the ledger cannot be anchored as long as it cannot be opened")
        line = register.make_anchor(ledger)
    if file:
        _append(file, line)
    elif program:
        _pipe(program, line)
    else:
        _git("notes", f"--ref={REF}", "append", "-m", line, "HEAD")
    to = file or program or f"git note refs/notes/{REF} of HEAD"
    return Output({"anchor": line, "to": to}, f"{line}\nwritten to {to}")


def _append(path: str, line: str) -> None:
    """Anchors beside the ledger would be rewritten with it."""
    state = files.state_dir(dict(os.environ))
    if state and files.inside(os.path.dirname(os.path.abspath(path)), state):
        stop(f"{path}: is beside the ledger; name a file elsewhere, best on another machine or disk")
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
        with open(handle, "ab") as target:
            target.write(f"{line}\n".encode())
            files.sync(target.fileno())
    except OSError as error:
        stop(f"{path}: {error.strerror}")


def _pipe(command: str, line: str) -> None:
    """The line is on stdin: nothing of it is put into the command."""
    try:
        done = subprocess.run(["/bin/sh", "-c", command], input=f"{line}\n".encode(), check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        fail(f"{command}: took longer than {SECONDS} s")
    if done.returncode:
        fail(f"{command}: exited with {done.returncode}; the anchor was not written")


def _git(*words: str) -> str:
    try:
        done = subprocess.run(["git", *words], capture_output=True, text=True, check=False, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        stop(f"git {words[0]}: {error}")
    if done.returncode:
        complaint = done.stderr.strip().rstrip(".") or done.returncode
        stop(f"git {' '.join(words[:3])}: {complaint}. Name a file instead: --file")
    return done.stdout


def anchor_findings(ledger: Ledger, source: str) -> tuple[list[str], list[str]]:
    """What the anchors of a source find wrong, and anchors that cannot be checked any more.

    A source without an anchor is a finding too.
    """
    lines = register.anchors_in(_read(source))
    if not lines:
        return [f"no anchor is in {source}"], []
    old = [line for line in lines if register.is_moved_since(ledger, line)]
    notes = [f"cannot be checked, an update has chained the rows anew since: {line}" for line in old]
    return [mistake for line in lines if line not in old for mistake in register.differences(ledger, line)], notes


def _read(source: str) -> str:
    if source == NOTE:
        shown = [line.split()[1] for line in _git("notes", f"--ref={REF}", "list").splitlines() if " " in line]
        return "\n".join(_git("notes", f"--ref={REF}", "show", commit) for commit in shown[:1000])
    try:
        return files.read(source, LIMIT).decode("utf-8", "replace")
    except OSError as error:
        stop(f"{source}: {error.strerror or error}")


COMMANDS = {
    "verify": verify, "anchor": anchor, "prune": prune, "status": status, "repair": repair, "erase": erase,
}  # fmt: skip

"""The ledger for a person: opening it, the filters of its commands, and the look of its rows."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from sqlite3 import Connection
from typing import Annotated, Any

from hookkit.cli._command import Option
from hookkit.cli._console import NOTHING, STYLES, facts_table, is_terminal, progress, screen_size, stop, warn
from hookkit.cli._here import moment, when
from hookkit.cli._view import Text, View, Wide, diff_lines, width
from hookkit.errors import HookkitError
from hookkit.events import EVENTS
from hookkit.handlers.handler import CANCELLED, ERROR, OUTCOMES
from hookkit.ledger import health, queries
from hookkit.ledger.queries import Filters
from hookkit.ledger.row_index import Ledger, path_of
from hookkit.ledger.tables import Entry
from hookkit.server import spool
from hookkit.system import database
from hookkit.system.suggestions import did_you_mean

WAIT = 2.0  # seconds for the lock of another process
PATIENCE = 30.0  # seconds for stored events
HIGHEST = 2**62  # row numbers above this do not fit into the database
VERDICTS = ("none", "allow", "ask", "deny", "defer")
COLUMNS = ("event", "tool", "verdict", "actor", "session", "project", "kind")
OF_FLEETS = ("machine", "person", "team", "rule", "approved")
# Columns whose values only the ledger knows: a value without a row gets a warning that lists the known values.
OPEN_ENDED = ("kind", "tool", "actor")
SHOWN = 20  # values in this warning
Since = Annotated[str, Option(metavar="TIME", help="Only after this: 30m, 2h, 3d, or a date.")]
Fleet = Annotated[bool, Option("--fleet", help="Read from your fleet's hub.")]


def fix(error: Exception) -> str:
    """The error with its remedy."""
    cure = next(
        (words for kind, words in health.FIXES.items() if type(error) is kind), health.FIXES[database.StateError]
    )
    return f"{error}. Fix: {cure}"


@contextmanager
def opened() -> Iterator[tuple[Connection, Ledger | None]]:
    """The ledger with all waiting rows taken in; where that fails, the rows it has, and a warning on stderr."""
    environ = dict(os.environ)
    spool.play(environ, seconds=PATIENCE)
    try:
        ledger = Ledger(environ, wait=WAIT)
    except (database.StateError, OSError) as error:
        if isinstance(error, (database.NewerError, database.DamagedError)):
            stop(fix(error))
        with _only_read(path_of(environ), error) as connection:
            yield connection, None
        return
    try:
        with progress("taking in rows") as tell:
            ledger.fold(tell=tell)
    except database.StateError as error:
        warn(f"some rows are not taken in yet: {fix(error)}")
    try:
        with database.said(ledger.path):
            yield ledger.connection, ledger
    except database.StateError as error:
        stop(fix(error))
    finally:
        ledger.close()


@contextmanager
def _from_journals(error: Exception) -> Iterator[Connection]:
    """The rows of the journals, in a database that is gone afterwards, while the state cannot be written."""
    with tempfile.TemporaryDirectory(prefix="hookkit-") as directory:
        try:
            ledger = Ledger(dict(os.environ), path=os.path.join(directory, "ledger", "index.db"))
            if not ledger.fold():
                ledger.close()
                stop(fix(error))
        except (database.StateError, OSError):
            stop(fix(error))
        warn(f"only the rows that journals still hold: {fix(error)}")
        try:
            yield ledger.connection
        finally:
            ledger.close()


@contextmanager
def _only_read(path: str, error: Exception) -> Iterator[Connection]:
    try:
        connection = database.open_to_read(path)
    except HookkitError:
        with _from_journals(error) as rows:
            yield rows
        return
    warn(f"only the rows that the database already holds: {fix(error)}")
    try:
        with database.said(path):
            yield connection
    except database.StateError as trouble:
        stop(fix(trouble))
    finally:
        connection.close()


# -- filters ---------------------------------------------------------------------------------------------------------


class Selection:
    """The filters as typed; each field is an option."""

    event: Annotated[str, Option(metavar="NAME", help="Only this event, such as Stop.")] = ""
    tool: Annotated[str, Option(metavar="NAME", help="Only this tool; * is a wildcard, as in mcp__*.")] = ""
    verdict: Annotated[str, Option(metavar="NAME", help="Only this answer: none, allow, ask, deny, defer.")] = ""
    actor: Annotated[str, Option(metavar="NAME", help="Only this actor, such as agent:executor.")] = ""
    session: Annotated[str, Option(metavar="ID", help="Only this session; the start of its id is enough.")] = ""
    project: Annotated[
        str, Option(metavar="DIR", help="Only the project in this directory; with --fleet, of this git remote.")
    ] = ""
    kind: Annotated[str, Option(metavar="NAME", help="Only evidence of this kind.")] = ""
    since: Since = ""
    text: Annotated[str, Option(metavar="WORDS", help="Only these words, in a command, path or message.")] = ""
    unfinished: Annotated[bool, Option("--unfinished", help="Only calls whose result was not seen.")] = False
    fleet: Fleet = False
    machine: Annotated[str, Option(metavar="ID", help="With --fleet: only this machine.")] = ""
    person: Annotated[str, Option(metavar="NAME", help="With --fleet: only this person; * is a wildcard.")] = ""
    team: Annotated[str, Option(metavar="NAME", help="With --fleet: only this team.")] = ""
    rule: Annotated[str, Option(metavar="NAME", help="With --fleet: only this rule; * is a wildcard.")] = ""
    approved: Annotated[
        str, Option(metavar="BY", help="With --fleet: only calls approved by person, rule, 'hook *' or 'mode *'.")
    ] = ""

    def __init__(self, **given: Any) -> None:
        vars(self).update(given)

    def __bool__(self) -> bool:
        return any(value for name, value in vars(self).items() if name != "fleet")

    def filters(self, connection: Connection) -> Filters:
        if broken := next((text for text in map(str, vars(self).values()) if not _is_unicode(text)), ""):
            stop(f"{broken}: not UTF-8")
        if given := [name for name in OF_FLEETS if getattr(self, name)]:
            stop(f"--{given[0]} needs --fleet")
        filters = Filters(since=moment(self.since), text=self.text, unfinished=self.unfinished)
        for column in COLUMNS:
            wanted = getattr(self, column)
            if not wanted:
                continue
            _check(connection, column, wanted)
            if (column, wanted) == ("verdict", "none"):
                filters.silent = True
                continue
            value = os.path.abspath(wanted) if column == "project" and "*" not in wanted else wanted
            filters.columns[column] = queries.values(connection, column, value) or [value]
        return filters


def _is_unicode(text: str) -> bool:
    """A byte outside UTF-8 reaches Python as half a character, and the database would refuse the text."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _check(connection: Connection, column: str, wanted: str) -> None:
    """A word that can never match is a mistake; a word that no row has yet is worth a warning."""
    if column == "verdict" and wanted not in VERDICTS:
        stop(f"--verdict {wanted}: there is no such verdict; write one of {', '.join(VERDICTS)}")
    if column not in ("event", *OPEN_ENDED) or "*" in wanted or queries.has(connection, column, wanted):
        return
    if column in OPEN_ENDED:
        known = queries.values(connection, column, "*")
        more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
        there = f"there are: {', '.join(known[:SHOWN])}{more}" if known else "no row has one"
        warn(f"--{column} {wanted}: no row has this {column}; {there}")
    elif wanted not in EVENTS:
        meant = did_you_mean(wanted, tuple(EVENTS)) or f"write one of {', '.join(EVENTS)}"
        stop(f"--event {wanted}: there is no such event; {meant}")


# -- rows ------------------------------------------------------------------------------------------------------------

STATES = {"done": "green", "failed": "red", "denied": "red", "asked": "yellow", "unfinished": "bold yellow"}
LISTED = ("id", "when", "what", "verdict", "outcome", "by", "ms", "about")
TAILED = ("id", "when", "event", "tool", "said", "about")
DROPPED = ("by", "ms", "outcome")  # on a narrow screen, in this order
RIGHT = ("id", "ms")
LEAST = {"when": 14, "verdict": 7, "event": 18, "tool": 8, "said": 6}
MOST = {"what": 24, "who": 28, "by": 24, "event": 24, "tool": 24}  # a longer cell shifts only its own line
ROOM = 30  # columns for the subject of a row, before others are dropped for it
GAP = "  "
RESULT = "result"  # verdict and outcome in one column
FAILED = "failed"
WORDS = {"unfinished": "no result"}


def iso(at: Any) -> Any:
    """A time as other programs read it; another value stays as it is."""
    try:
        return datetime.fromtimestamp(at / 1000).astimezone().isoformat(timespec="milliseconds")
    except (TypeError, ValueError, OverflowError, OSError):
        return at


class Listing:
    """Rows under each other. Only the subject of a row is ever cut, and only on a screen: a pipe gets all."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = list(names)
        self.width = screen_size()[0] if is_terminal() else None
        self.widths = {name: LEAST.get(name, width(name)) for name in names[:-1]}

    def header(self) -> Wide:
        return Wide(self._line({name: Text(name, "dim") for name in [*self.names, RESULT]}))

    def lines(self, entries: list[Entry]) -> list[Wide]:
        """The lines of these rows, under earlier lines: columns grow with their cells and never shrink."""
        rows = [_cells(entry) for entry in entries]
        for name, wide in self.widths.items():
            lengths = (cells[name].width for cells in rows)
            self.widths[name] = max(wide, *(length for length in lengths if length <= MOST.get(name, length)), 0)
        self._drop()
        return [Wide(self._line(cells)) for cells in rows]

    def _drop(self) -> None:
        for name in DROPPED:
            if self.width is not None and name in self.names and self.width - self._taken() < ROOM:
                self.names.remove(name)
                if name == "outcome" and "verdict" in self.names:  # a failed call never looks as if it were fine
                    self.names[self.names.index("verdict")] = RESULT
                    self.widths[RESULT] = self.widths["verdict"]

    def _taken(self) -> int:
        return sum(self.widths[name] + len(GAP) for name in self.names[:-1])

    def _line(self, cells: dict[str, Text]) -> Text:
        line = Text()
        for name in self.names[:-1]:
            line.append(cells[name].filled(self.widths[name], right=name in RIGHT)).append(GAP)
        about = cells[self.names[-1]]
        if self.width is not None:
            about = about.fit(max(self.width - line.width, 0))
        return line.append(about)


def _cells(entry: Entry) -> dict[str, Text]:
    body, verdict, state, ms = entry.body, str(entry.get("verdict") or NOTHING), entry.state, entry.get("ms")
    event, tool = str(body.get("event") or NOTHING), str(body.get("tool") or NOTHING)
    shown = str(body.get("verdict") or body.get("outcome") or NOTHING)
    return {
        "id": Text(str(entry.id), "dim"),
        "when": Text(when(body.get("at"))),
        "who": _text(str(body.get("from") or NOTHING)),
        "what": _text(tool if tool != NOTHING else event),
        "event": _text(event),
        "tool": _text(tool),
        "verdict": _text(verdict, "red" if state == FAILED else STYLES.get(verdict, "")),
        "outcome": _text(WORDS.get(state, state) or NOTHING, STATES.get(state, "dim")),
        RESULT: _text(FAILED, "bold red") if state == FAILED else _text(verdict, STYLES.get(verdict, "")),
        "said": _text(shown, STYLES.get(shown) or STATES.get(shown, "")),
        "by": _text(str(entry.get("approved") or NOTHING)),
        "ms": Text(f"{ms:.0f}" if isinstance(ms, (int, float)) else NOTHING),
        "about": _about(entry),
    }


def _about(entry: Entry) -> Text:
    """The call and its rewrite, after the id for allow-once, and marks: an earlier call had the same side effect; a
    handler failed.
    """
    stopped, runs = entry.body.get("stopped"), entry.body.get("handlers")
    mark = ("↻ " if entry.body.get("repeats") else "") + (f"[{stopped}] " if isinstance(stopped, str) else "")
    rows = [run for run in runs if isinstance(run, dict)] if isinstance(runs, list) else []
    failed = [str(run.get("name", "")) for run in rows if run.get("outcome") in (ERROR, CANCELLED)]
    return _text(mark + (f"✗ {', '.join(failed)} failed · " if failed else "") + entry.subject)


def _text(text: str, style: str = "") -> Text:
    """One line, also for a text of many."""
    return Text(" ".join(text.split("\n")), style)


def card(entry: Entry) -> list[View]:
    """All known facts of a call or an event."""
    rows: list[tuple[str, object]] = []
    for name, value in facts(entry).items():
        if value not in ("", None, [], {}) and name != "diff":
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            text = WORDS.get(text, text) if name == "state" else text
            rows.append((name, _runs(value) if name == "handlers" else text))
    diff = entry.get("diff")
    lines = diff.splitlines() if isinstance(diff, str) else []
    return [facts_table(rows), *([Text("diff", "dim")] if lines else []), *diff_lines(lines)]


def _runs(value: Any) -> str:
    """Each run of a handler on a line: its name, outcome and time, then its problem and evidence."""
    lines = []
    for run in value if isinstance(value, list) else [value]:
        if not isinstance(run, dict):
            continue
        parts = [
            str(run.get("name", "")),
            OUTCOMES.get(str(run.get("outcome")), str(run.get("outcome", ""))),
            f"{run['ms']} ms" if "ms" in run else "",
        ]
        more = [str(run["problem"])] if "problem" in run else []
        more += [json.dumps(run["evidence"], ensure_ascii=False)] if "evidence" in run else []
        lines.append("  ".join([*filter(None, parts), *more]))
    return "\n".join(lines)


def facts(entry: Entry) -> dict[str, Any]:
    """The row of a call for programs: the fields of its request, then those of its outcome."""
    outcome = entry.outcome.body if entry.outcome is not None else {}
    merged = {**outcome, **entry.body}
    took = {**(outcome.get("took") or {}), **(entry.body.get("took") or {})}
    own = ("n", "w", "v", "at", "took", "same", "outcome")
    return {
        "id": entry.id,
        "at": iso(entry.body.get("at")),
        "state": entry.state,
        **{name: value for name, value in merged.items() if name not in own},
        "took_ms": took,
        "writer": entry.body.get("w"),
        "n": entry.body.get("n"),
        "hash": entry.hash,
        "outcome_id": entry.outcome.id if entry.outcome is not None else None,
    }

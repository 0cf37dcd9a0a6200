"""How the ledger is opened for a person, and how its rows look."""

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum
from sqlite3 import Connection
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from hookkit.cli._output import NOTHING, STYLES, console, short, stop
from hookkit.errors import HookkitError
from hookkit.state import db, health
from hookkit.state.ledger import Ledger, path_of
from hookkit.state.reading import Entry, Filters, values

WAIT = 2.0  # seconds for another's lock
PATIENCE = 1.0  # seconds before a progress bar is more of a help than a distraction
UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
DATES = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M")
STATES = {"done": "green", "failed": "red", "denied": "red", "asked": "yellow", "unfinished": "bold yellow"}
HEADER = ("id", "when", "what", "verdict", "outcome", "by", "ms", "about")
WIDTHS = {"when": 14, "verdict": 7}
WIDE = 100  # columns
Tell = Callable[[int], None]


class Output(str, Enum):
    table = "table"
    json = "json"


Printed = Annotated[Output, typer.Option("--output", "-o", help="How to print.")]


def warn(message: str) -> None:
    console(stderr=True).print(message, style="yellow", markup=False, soft_wrap=True)


def fix(error: Exception) -> str:
    found = next((words for kind, words in health.FIXES.items() if type(error) is kind), health.FIXES[db.StateError])
    return f"{error}. Fix: {found}"


@contextmanager
def opened() -> Iterator[tuple[Connection, Ledger | None]]:
    """The ledger with all that waits taken in; where that fails, what is there, and a word on stderr."""
    environ = dict(os.environ)
    try:
        ledger = Ledger(environ, wait=WAIT)
    except (db.StateError, OSError) as error:
        if isinstance(error, (db.NewerError, db.DamagedError)):
            stop(fix(error))
        with _only_read(path_of(environ), error) as connection:
            yield connection, None
        return
    try:
        with progress("taking in rows", 0) as tell:
            ledger.fold(tell=tell)
    except db.StateError as error:
        warn(f"not all rows are in here yet: {fix(error)}")
    try:
        with db.said(ledger.path):
            yield ledger.connection, ledger
    except db.StateError as error:
        stop(fix(error))
    finally:
        ledger.close()


@contextmanager
def _only_read(path: str, error: Exception) -> Iterator[Connection]:
    try:
        connection = db.open_to_read(path)
    except HookkitError:
        stop(fix(error))
    warn(f"only what is in the database already: {fix(error)}")
    try:
        with db.said(path):
            yield connection
    except db.StateError as trouble:
        stop(fix(trouble))
    finally:
        connection.close()


@contextmanager
def progress(what: str, total: int) -> Iterator[Tell]:
    """A bar on stderr, if it takes long and somebody is there to see it."""
    out = console(stderr=True)
    start, is_seen = time.monotonic(), out.is_terminal and not out.is_dumb_terminal
    with ExitStack() as stack:
        bars: list[tuple[Progress, TaskID]] = []

        def tell(count: int) -> None:
            if not bars and is_seen and time.monotonic() - start > PATIENCE:
                columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,}"))
                bar = stack.enter_context(Progress(*columns, console=out, transient=True))
                bars.append((bar, bar.add_task(what, total=total or None)))
            for bar, task in bars:
                bar.update(task, completed=count)

        yield tell


# -- filters ---------------------------------------------------------------------------------------------------------


def moment(text: str) -> int:
    """`2h`, `3d` or a date, as milliseconds; nothing is the beginning of time."""
    if not text:
        return 0
    if found := re.fullmatch(r"(\d{1,6})([smhdw])", text):
        return int((time.time() - int(found[1]) * UNITS[found[2]]) * 1000)
    for form in DATES:
        try:
            return int(time.mktime(time.strptime(text, form)) * 1000)
        except (ValueError, OverflowError):  # noqa: PERF203 - four forms
            continue
    return stop(f"--since {text}: write 30m, 2h, 3d, 1w, or a date as in 2026-01-31 or 2026-01-31T12:00")


def filters_of(connection: Connection, since: str, text: str, columns: dict[str, str], *, unfinished: bool) -> Filters:
    filters = Filters(since=moment(since), text=text, unfinished=unfinished)
    for column, wanted in columns.items():
        if wanted:
            said = os.path.abspath(wanted) if column == "project" and "*" not in wanted else wanted
            filters.columns[column] = values(connection, column, said) or [said]
    return filters


# -- for a person ----------------------------------------------------------------------------------------------------


def when(at: Any, form: str = "%m-%d %H:%M:%S") -> str:
    try:
        return time.strftime(form, time.localtime(at / 1000))
    except (TypeError, ValueError, OverflowError, OSError):
        return NOTHING


def table(entries: list[Entry], columns: int) -> Table:
    """On a narrow terminal without who let it pass: what it is about needs the room more."""
    names = [name for name in HEADER if name != "by" or columns >= WIDE]
    grid = Table.grid(padding=(0, 2, 0, 0))
    for name in names[:-1]:
        grid.add_column(no_wrap=True, min_width=WIDTHS.get(name), justify="right" if name in ("id", "ms") else "left")
    grid.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    grid.add_row(*(Text(name, "dim") for name in names))
    for entry in entries:
        cells = _cells(entry, columns)
        grid.add_row(*(cells[name] for name in names))
    return grid


def _cells(entry: Entry, columns: int) -> dict[str, Text]:
    verdict, state, ms = str(entry.get("verdict") or NOTHING), entry.state, entry.get("ms")
    return {
        "id": Text(str(entry.id), "dim"),
        "when": Text(when(entry.body.get("at"))),
        "what": Text(short(str(entry.body.get("tool") or entry.body.get("event") or NOTHING), 24)),
        "verdict": Text(verdict, STYLES.get(verdict, "")),
        "outcome": Text(state or NOTHING, STATES.get(state, "dim")),
        "by": Text(short(str(entry.get("approved") or NOTHING), 20)),
        "ms": Text(f"{ms:.0f}" if isinstance(ms, (int, float)) else NOTHING),
        "about": Text(short(entry.subject, columns)),
    }


def card(entry: Entry) -> Group:
    """Everything that is known of a call, or of an event."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in facts(entry).items():
        if value not in ("", None, [], {}) and name != "diff":
            said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            grid.add_row(name, Text(said))
    diff = entry.get("diff")
    parts: list[Any] = [grid]
    if isinstance(diff, str) and diff:
        parts += [Text("diff", "dim"), Syntax(diff, "diff", theme="ansi_dark", background_color="default")]
    return Group(*parts)


def facts(entry: Entry) -> dict[str, Any]:
    """A call's row for machines: its request's fields, then its outcome's."""
    outcome = entry.outcome.body if entry.outcome is not None else {}
    merged = {**outcome, **entry.body}
    took = {**(outcome.get("took") or {}), **(entry.body.get("took") or {})}
    own = ("n", "w", "v", "at", "took", "same", "outcome")
    return {
        "id": entry.id,
        "at": when(entry.body.get("at"), "%Y-%m-%dT%H:%M:%S%z"),
        "state": entry.state,
        **{name: value for name, value in merged.items() if name not in own},
        "took_ms": took,
        "writer": entry.body.get("w"),
        "n": entry.body.get("n"),
        "hash": entry.hash,
        "outcome_id": entry.outcome.id if entry.outcome is not None else None,
    }

"""How the ledger is opened for a person, and what a person may ask of it."""

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum
from sqlite3 import Connection
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from hookkit.cli._output import console, stop
from hookkit.errors import HookkitError
from hookkit.events import EVENTS
from hookkit.ledger import health, reading
from hookkit.ledger.reading import Filters
from hookkit.ledger.store import Ledger, path_of
from hookkit.system import database
from hookkit.system.suggestions import did_you_mean

WAIT = 2.0  # seconds for another's lock
PATIENCE = 1.0  # seconds before a progress bar is more of a help than a distraction
UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
DATES = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M")
VERDICTS = ("none", "allow", "ask", "deny", "defer")
# Columns whose values are the ledger's own: a word that is none of them is said with those that are.
TOLD = ("kind", "tool", "actor")
SHOWN = 20  # of them
Tell = Callable[[int], None]


class Output(str, Enum):
    table = "table"
    json = "json"


Printed = Annotated[Output, typer.Option("--output", "-o", help="How to print.")]


def warn(message: str) -> None:
    console(stderr=True).print(message, style="yellow", markup=False, soft_wrap=True)


def fix(error: Exception) -> str:
    found = next(
        (words for kind, words in health.FIXES.items() if type(error) is kind), health.FIXES[database.StateError]
    )
    return f"{error}. Fix: {found}"


@contextmanager
def opened() -> Iterator[tuple[Connection, Ledger | None]]:
    """The ledger with all that waits taken in; where that fails, what is there, and a word on stderr."""
    environ = dict(os.environ)
    try:
        ledger = Ledger(environ, wait=WAIT)
    except (database.StateError, OSError) as error:
        if isinstance(error, (database.NewerError, database.DamagedError)):
            stop(fix(error))
        with _only_read(path_of(environ), error) as connection:
            yield connection, None
        return
    try:
        with progress("taking in rows", 0) as tell:
            ledger.fold(tell=tell)
    except database.StateError as error:
        warn(f"not all rows are in here yet: {fix(error)}")
    try:
        with database.said(ledger.path):
            yield ledger.connection, ledger
    except database.StateError as error:
        stop(fix(error))
    finally:
        ledger.close()


@contextmanager
def _only_read(path: str, error: Exception) -> Iterator[Connection]:
    try:
        connection = database.open_to_read(path)
    except HookkitError:
        stop(fix(error))
    warn(f"only what is in the database already: {fix(error)}")
    try:
        with database.said(path):
            yield connection
    except database.StateError as trouble:
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
        if not wanted:
            continue
        _check(connection, column, wanted)
        if (column, wanted) == ("verdict", "none"):
            filters.silent = True
            continue
        said = os.path.abspath(wanted) if column == "project" and "*" not in wanted else wanted
        filters.columns[column] = reading.values(connection, column, said) or [said]
    return filters


def _check(connection: Connection, column: str, wanted: str) -> None:
    """A word that nothing can match is a mistake; one that only nothing matches yet is worth a word."""
    if column == "verdict" and wanted not in VERDICTS:
        stop(f"--verdict {wanted}: there is no such verdict; write one of {', '.join(VERDICTS)}")
    if column not in ("event", *TOLD) or "*" in wanted or reading.has(connection, column, wanted):
        return
    if column in TOLD:
        known = reading.values(connection, column, "*")
        more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
        there = f"there are: {', '.join(known[:SHOWN])}{more}" if known else "no row has one"
        warn(f"--{column} {wanted}: no row has this {column}; {there}")
    elif wanted not in EVENTS:
        meant = did_you_mean(wanted, tuple(EVENTS)) or f"write one of {', '.join(EVENTS)}"
        stop(f"--event {wanted}: there is no such event; {meant}")

"""The filters of `ledger list`, `tail` and `export`: one list of options for the three."""

import inspect
import os
import re
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass
from sqlite3 import Connection
from typing import Annotated, Any

import typer

from hookkit.cli._console import stop, warn
from hookkit.events import EVENTS
from hookkit.ledger import reading
from hookkit.ledger.reading import Filters
from hookkit.system.suggestions import did_you_mean

UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
DATES = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M")
VERDICTS = ("none", "allow", "ask", "deny", "defer")
COLUMNS = ("event", "tool", "verdict", "actor", "session", "project", "kind")
# Columns whose values only the ledger knows: a value without a row gets a warning that lists the known values.
OPEN_ENDED = ("kind", "tool", "actor")
SHOWN = 20  # values in this warning
Since = Annotated[str, typer.Option(metavar="TIME", help="Only after this: 30m, 2h, 3d, or a date.")]


@dataclass
class Selection:
    """The filters as typed; each field is an option."""

    event: Annotated[str, typer.Option(metavar="NAME", help="Only this event, such as Stop.")] = ""
    tool: Annotated[str, typer.Option(metavar="NAME", help="Only this tool; * is a wildcard, as in mcp__*.")] = ""
    verdict: Annotated[str, typer.Option(metavar="NAME", help="Only this answer: none, allow, ask, deny, defer.")] = ""
    actor: Annotated[str, typer.Option(metavar="NAME", help="Only this actor, such as agent:executor.")] = ""
    session: Annotated[str, typer.Option(metavar="ID", help="Only this session; the start of its id is enough.")] = ""
    project: Annotated[str, typer.Option(metavar="DIR", help="Only the project in this directory.")] = ""
    kind: Annotated[str, typer.Option(metavar="NAME", help="Only evidence of this kind.")] = ""
    since: Since = ""
    text: Annotated[str, typer.Option(metavar="WORDS", help="Only these words, in a command, path or message.")] = ""
    unfinished: Annotated[bool, typer.Option("--unfinished", help="Only calls without an outcome.")] = False

    def __bool__(self) -> bool:
        return any(astuple(self))

    def filters(self, connection: Connection) -> Filters:
        if broken := next((text for text in map(str, astuple(self)) if not _is_unicode(text)), ""):
            stop(f"{broken}: not UTF-8")
        filters = Filters(since=moment(self.since), text=self.text, unfinished=self.unfinished)
        for column in COLUMNS:
            wanted = getattr(self, column)
            if not wanted:
                continue
            _check(connection, column, wanted)
            if (column, wanted) == ("verdict", "none"):
                filters.silent = True
                continue
            said = os.path.abspath(wanted) if column == "project" and "*" not in wanted else wanted
            filters.columns[column] = reading.values(connection, column, said) or [said]
        return filters


def filtered(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose first parameter is a Selection gets the fields of Selection as options."""
    options = inspect.signature(Selection).parameters
    own = [*inspect.signature(command).parameters.values()][1:]

    def run(**given: Any) -> None:
        wanted = Selection(**{name: given.pop(name) for name in options})
        command(wanted, **given)

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [each.replace(kind=keyword) for each in (*options.values(), *own)]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


def _is_unicode(text: str) -> bool:
    """A byte outside UTF-8 reaches Python as half a character, and the database would refuse the text."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def moment(text: str) -> int:
    """`2h`, `3d` or a date, in milliseconds since 1970; an empty text is 0."""
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


def _check(connection: Connection, column: str, wanted: str) -> None:
    """A word that can never match is a mistake; a word that no row has yet is worth a warning."""
    if column == "verdict" and wanted not in VERDICTS:
        stop(f"--verdict {wanted}: there is no such verdict; write one of {', '.join(VERDICTS)}")
    if column not in ("event", *OPEN_ENDED) or "*" in wanted or reading.has(connection, column, wanted):
        return
    if column in OPEN_ENDED:
        known = reading.values(connection, column, "*")
        more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
        there = f"there are: {', '.join(known[:SHOWN])}{more}" if known else "no row has one"
        warn(f"--{column} {wanted}: no row has this {column}; {there}")
    elif wanted not in EVENTS:
        meant = did_you_mean(wanted, tuple(EVENTS)) or f"write one of {', '.join(EVENTS)}"
        stop(f"--event {wanted}: there is no such event; {meant}")

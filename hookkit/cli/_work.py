"""Shared by `effort`, `task` and `agents`: the database, the effort that is meant, a text from the command line."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.table import Table

from hookkit.cli._console import Text, fail, stop, table, warn
from hookkit.masking import mask
from hookkit.settings import layers
from hookkit.system import clipping, database, files
from hookkit.work import efforts
from hookkit.work.store import Work

LIMIT = 8_000  # characters of a text: with a frame around it, the most that a session can be handed at once
HIGHEST = 2**62  # numbers above this do not fit into the database
UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"), (1, "s"))
START = "Start one: hookkit effort start NAME"

Number = Annotated[int | None, typer.Argument(metavar="ID", help="The effort; by default the one of this place.")]
Other = Annotated[int | None, typer.Option("--effort", metavar="ID", help="Another effort than the one of this place.")]
# A text may begin with a dash, as lists do: then no letter of the text is an option.
FREE_TEXT = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
Words = Annotated[list[str] | None, typer.Argument(metavar="TEXT", help="Without a text, stdin is read.")]


class Desk:
    """The place of a command: its directory, its project, its settings, the database of work."""

    def __init__(self, agent: str | None = None) -> None:
        self.environ = dict(os.environ)
        if agent is not None:
            self.environ["AGENT_ID"] = agent
        self.cwd = os.path.realpath(os.getcwd())
        self.project = efforts.project_of(self.cwd)
        self.work = Work(self.environ)
        self._settings: layers.Settings | None = None

    @property
    def settings(self) -> layers.Settings:
        """A mistake in a settings file must not keep a person from writing a note."""
        if self._settings is None:
            self._settings = layers.load(self.cwd, self.environ)
            for said in self._settings.broken:
                warn(f"left out {said}")
        return self._settings

    def effort(self, number: int | None) -> dict[str, Any]:
        """The effort of this number in any state; without a number, the active effort of this place."""
        if number is not None:
            found = efforts.effort(self.work, number) if number <= HIGHEST else None
            return found or fail(f"there is no effort {number}. See: hookkit effort list --all")
        found = efforts.meant(self.work, self.cwd)
        agent = f" of agent {self.work.agent}" if self.work.agent else ""
        return found or fail(f"no active effort{agent} in {self.path(self.project)}. {START}")

    def warn_off(self, setting: str, effect: str) -> None:
        """The command is done, but has no effect while the setting is off: say so now, not later."""
        if not self.settings[setting]:
            warn(f"{setting} is off: {effect}. Switch it on: hookkit set {setting} true")

    def path(self, path: str) -> str:
        """A path as a person writes it."""
        home = files.home(self.environ).rstrip("/")
        return f"~{path[len(home) :]}" if home and f"{path}/".startswith(f"{home}/") else path


@contextmanager
def desk(agent: str | None = None) -> Iterator[Desk]:
    """A database that cannot be opened is reported in one line."""
    try:
        made = Desk(agent)
        try:
            yield made
        finally:
            made.work.close()
    except database.DamagedError as error:
        stop(f"{error}. Move it away, and a new one is made.")
    except (database.StateError, OSError) as error:
        stop(error)


def text_from(words: list[str] | None, name: str) -> str:
    """The words, or stdin; secrets are masked, and the length is limited to what a session can be handed."""
    if not words and sys.stdin.isatty():
        stop(f"give {name} as an argument, or on stdin")
    given = " ".join(words) if words else sys.stdin.buffer.read(LIMIT * 100).decode("utf-8", "replace")
    text = mask(given).strip()
    if not text:
        stop(f"{name} is empty")
    if clipping.length(text) > LIMIT:
        stop(f"{name} has {clipping.length(text):,} characters, and {LIMIT:,} is the most. Shorten it.")
    return text


def ago(moment: int) -> str:
    """A span of time in its largest unit: 3m, 2h, 5d."""
    seconds = max(0, int(time.time() - moment / 1000))
    size, unit = next((row for row in UNITS if seconds >= row[0]), UNITS[-1])
    return f"{seconds // size}{unit}"


def add(rows: Table, *cells: object) -> None:
    rows.add_row(*(cell if isinstance(cell, Text) else Text(str(cell)) for cell in cells))


def facts_table(rows: list[tuple[str, str]]) -> Table:
    """Names and values; a name without a value is left out."""
    made = table()
    made.show_header = False
    made.add_column(style="bold", no_wrap=True)
    made.add_column(overflow="fold")
    for name, text in rows:
        if text:
            add(made, name, text)
    return made

"""What `effort`, `task` and `agents` share: the database, the effort that is meant, the text that is given."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Annotated, Any, NoReturn

import typer
from rich.table import Table
from rich.text import Text

from hookkit.cli._output import HIGHEST, console, stop
from hookkit.masking import mask
from hookkit.settings import layers
from hookkit.system import clipping, database, files
from hookkit.work import efforts
from hookkit.work.store import Work

LIMIT = 8_000  # characters of a text: with what goes around it, that is what a session can be handed at once
UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"), (1, "s"))
START = "Start one: hookkit effort start NAME"


class Output(str, Enum):
    table = "table"
    json = "json"


Printed = Annotated[Output, typer.Option("--output", "-o", help="How to print.")]
Number = Annotated[
    int | None, typer.Argument(metavar="ID", max=HIGHEST, help="Which effort; without it, the one of this place.")
]
Meant = Annotated[
    int | None, typer.Option("--effort", metavar="ID", max=HIGHEST, help="Another than the one of this place.")
]
# A text may begin with a dash, as lists do: then no letter in it is an option.
SAID = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
Given = Annotated[list[str] | None, typer.Argument(metavar="TEXT", help="Without it, standard input is read.")]


class Desk:
    """Where one command stands, and what it works on."""

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
        """A mistake in a settings file is no reason not to write down what somebody has to say."""
        if self._settings is None:
            self._settings = layers.load(self.cwd, self.environ)
            for said in self._settings.broken:
                whisper(f"left out {said}")
        return self._settings

    def effort(self, number: int | None) -> dict[str, Any]:
        """By its number, whatever its state; else the active one of this place."""
        if number is not None:
            return efforts.effort(self.work, number) or fail(
                f"there is no effort {number}. See: hookkit effort list --all"
            )
        found = efforts.meant(self.work, self.cwd)
        agent = f" of agent {self.work.agent}" if self.work.agent else ""
        return found or fail(f"no active effort{agent} in {self.path(self.project)}. {START}")

    def warn_off(self, setting: str, effect: str) -> None:
        """What was asked for is done; that nothing will come of it must not be found out later."""
        if not self.settings[setting]:
            whisper(f"{setting} is off: {effect}")

    def path(self, path: str) -> str:
        """A path as a person writes it."""
        home = files.home(self.environ).rstrip("/")
        return f"~{path[len(home) :]}" if home and f"{path}/".startswith(f"{home}/") else path


@contextmanager
def desk(agent: str | None = None) -> Iterator[Desk]:
    """A database that cannot be had is said in one line."""
    try:
        made = Desk(agent)
        try:
            yield made
        finally:
            made.work.close()
    except database.DamagedError as error:
        stop(f"hookkit: {error}. Move it away, and a new one is made.")
    except (database.StateError, OSError) as error:
        stop(f"hookkit: {error}")


def fail(message: str) -> NoReturn:
    """What was asked for is not there: 1, where bad usage is 2."""
    console(stderr=True).print(f"hookkit: {message}", style="red", markup=False, soft_wrap=True)
    raise typer.Exit(1)


def whisper(message: str) -> None:
    console(stderr=True).print(f"hookkit: {message}", style="yellow", markup=False, soft_wrap=True)


def say(message: str) -> None:
    console().print(message, markup=False, soft_wrap=True)


def text_given(words: list[str] | None, what: str) -> str:
    """The words, or what comes in; never with a secret in it, and never more than can be handed on."""
    if not words and sys.stdin.isatty():
        stop(f"hookkit: say {what}, or hand it in on standard input")
    given = " ".join(words) if words else sys.stdin.buffer.read(LIMIT * 100).decode("utf-8", "replace")
    text = mask(given).strip()
    if not text:
        stop(f"hookkit: there is nothing in {what}")
    if clipping.length(text) > LIMIT:
        stop(f"hookkit: {what} has {clipping.length(text):,} characters, and {LIMIT:,} is the most. Shorten it.")
    return text


def ago(moment: int) -> str:
    """A span in its largest unit: 3m, 2h, 5d."""
    seconds = max(0, int(time.time() - moment / 1000))
    size, unit = next((row for row in UNITS if seconds >= row[0]), UNITS[-1])
    return f"{seconds // size}{unit}"


def grid(*heads: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for head in heads:
        table.add_column(head, overflow="fold")
    return table


def cells(*texts: object) -> list[Text]:
    """Plain texts: what agents write is never taken for markup."""
    return [text if isinstance(text, Text) else Text(str(text)) for text in texts]

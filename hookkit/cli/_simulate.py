"""Playing rows, with coverage and a progress bar."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from hookkit import cases
from hookkit.cli import _event
from hookkit.cli._console import Console, console, progress, stop, warn
from hookkit.cli._coverage import Coverage
from hookkit.cli._here import Here
from hookkit.cli._options import Output
from hookkit.cli._report import RENDERERS, Tally
from hookkit.engine import progress as engine_progress
from hookkit.engine.handler import SUCCESS, HandlerRun

MOST = 20  # warnings about rows


def play_one(event: str, tool: str, args: str | None, actor: str, output: Output) -> None:
    if output not in (Output.table, Output.json):
        stop("one event is shown as table or json")
    here = Here()
    with _handlers_shown(console(stderr=True)):
        played = _event.play(_event.fields_of(event, tool, args), actor)
    (_event.show if output is Output.table else _event.show_json)(played, here)
    raise typer.Exit(1 if played.problems else 0)


@contextmanager
def _handlers_shown(out: Console) -> Iterator[None]:
    """Each handler of the user's with its outcome, on stderr, while it runs; Ctrl-C cancels the handler that runs."""

    def tell(name: str, run: HandlerRun | None) -> None:
        if run is None:
            out.print(f"… {name}", style="dim")
        else:
            said = f"{run.outcome}, {run.ms:.0f} ms" + (f": {run.problem}" if run.problem else "")
            out.print(f"{'✓' if run.outcome == SUCCESS else '✗'} {name}  {said}", style="dim")

    engine_progress.listener = tell
    try:
        yield
    finally:
        engine_progress.listener = None


def play_rows(rows: list[cases.Case], output: Output, *, least: float | None, everything: bool, explain: bool) -> None:
    """`least` is the wanted coverage in percent; None leaves coverage out."""
    here = _here(rows, is_needed=least is not None)
    for said in list(filter(None, map(cases.misspelt, rows)))[:MOST]:
        warn(said)
    played = list(_watched(rows))
    covered = Coverage(here, played, least, all_=everything) if here and least is not None else None
    tally = Tally(played, covered)
    RENDERERS[output.value](tally, explain=explain)
    raise typer.Exit(0 if tally.is_good else 1)


def _here(rows: list[cases.Case], *, is_needed: bool) -> Here | None:
    """Rows that play in the working directory need readable settings: without any rules, most rows would pass."""
    if not rows:
        stop("there are no rows to play")
    if not is_needed and all("files" in row or "pattern" in row for row in rows):
        return None
    here = Here()
    if here.settings.broken:
        stop("\n".join(here.settings.broken))
    here.warn(console(stderr=True))
    return here


def _watched(rows: list[cases.Case]) -> Iterator[cases.Played]:
    with progress("playing", sum(len(row.get("steps", [0])) for row in rows)) as tell:
        for done, played in enumerate(cases.play_all(rows), 1):
            tell(done)
            yield played

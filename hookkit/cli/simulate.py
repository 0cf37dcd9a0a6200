import time
from collections.abc import Iterator
from contextlib import ExitStack
from enum import Enum
from typing import Annotated

import typer
from rich.progress import Progress

from hookkit import cases
from hookkit.cli import _event
from hookkit.cli._coverage import Coverage
from hookkit.cli._output import Here, console, stop
from hookkit.cli._report import RENDERERS, Report
from hookkit.errors import ConfigError

PATIENCE = 2.0  # seconds before a progress bar is more of a help than a distraction


class Output(str, Enum):
    table = "table"
    json = "json"
    junit = "junit"
    github = "github"


def command(  # noqa: PLR0913, PLR0917 - a command's options
    paths: Annotated[list[str] | None, typer.Argument(metavar="FILE", help="JSONL files of rows.")] = None,
    tool: Annotated[str, typer.Option(help="Play one call of this tool.")] = "",
    args: Annotated[str | None, typer.Option(help="What it is called with: text, or its whole input as JSON.")] = None,
    actor: Annotated[str, typer.Option(help="Who calls, as in agent:executor.")] = "",
    event: Annotated[str, typer.Option(help="An event's name, or a file with one (- for stdin).")] = "",
    conformance: Annotated[bool, typer.Option("--conformance", help="Play the rows that ship.")] = False,  # noqa: FBT002
    explain: Annotated[bool, typer.Option("--explain", help="Show each answer and why.")] = False,  # noqa: FBT002
    coverage: Annotated[bool, typer.Option("--coverage", help="List rules that no row exercised.")] = False,  # noqa: FBT002
    least: Annotated[float, typer.Option("--min-coverage", min=0, max=100, help="In percent; below is exit 1.")] = 0,
    everything: Annotated[bool, typer.Option("--all", help="Cover the rules that ship, too.")] = False,  # noqa: FBT002
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print.")] = Output.table,
) -> None:
    """Play events through the hooks, and compare the answers with what rows expect.

    One call shows every hook with its verdict, reason and time, and the reply.

    Rows, one a line, are an event and its reply, a call and its verdict, or a
    pattern and whether it matches; without an expectation it is only shown:

    {"id": "…", "hook": "run", "event": {…}, "reply": {…} or null}

    {"id": "…", "tool": "Bash", "args": "…", "actor": "…", "expect": "deny"}

    {"pattern": "Bash(rm *)", "tool": "Bash", "arg": "…", "match": true}

    Exits 1 if an answer differs or a hook fails, 2 if a file cannot be read.

    Example: hookkit simulate --tool Bash --args "git push --force" --actor agent:executor

    Example: hookkit simulate tests/*.jsonl --min-coverage 90 --output junit
    """
    is_one = bool(tool or event or args is not None)
    if is_one + bool(paths) + conformance != 1:
        stop("give FILE…, or --tool with --args, or --conformance: one of them")
    if actor and not is_one:
        stop("--actor goes with --tool: a row names its own actor")
    try:
        if is_one:
            _one(event or "PreToolUse", tool, args, actor, output)
        rows = cases.conformance() if conformance else [row for path in paths or () for row in cases.load(path)]
        here = _here(rows, is_needed=coverage or least > 0)
        outcomes = list(_watched(rows))
    except ConfigError as error:
        stop(error)
    covered = Coverage(here, outcomes, least, all_=everything) if here and (coverage or least > 0) else None
    report = Report(outcomes, covered)
    RENDERERS[output.value](report, explain=explain)
    raise typer.Exit(0 if report.is_good else 1)


def _one(event: str, tool: str, args: str | None, actor: str, output: Output) -> None:
    if output not in (Output.table, Output.json):
        stop("one event is shown as table or json")
    here = Here()
    outcome = _event.play(_event.fields_of(event, tool, args), actor)
    (_event.show if output is Output.table else _event.show_json)(outcome, here)
    raise typer.Exit(1 if outcome.problems else 0)


def _here(rows: list[cases.Row], *, is_needed: bool) -> Here | None:
    """Rows that play where you are need settings that can be read: for want of rules, most would pass."""
    if not rows:
        stop("there are no rows to play")
    if not is_needed and all("files" in row or "pattern" in row for row in rows):
        return None
    here = Here()
    if here.settings.broken:
        stop("\n".join(here.settings.broken))
    here.warn(console(stderr=True))
    return here


def _watched(rows: list[cases.Row]) -> Iterator[cases.Outcome]:
    """The same outcomes, with a progress bar if it takes long and somebody is there to see it."""
    out = console(stderr=True)
    is_seen = out.is_terminal and not out.is_dumb_terminal
    start = time.monotonic()
    with ExitStack() as stack:
        bar: Progress | None = None
        for done, outcome in enumerate(cases.play_all(rows), 1):
            if bar is None and is_seen and time.monotonic() - start > PATIENCE:
                bar = stack.enter_context(Progress(console=out, transient=True))
                task = bar.add_task("playing", total=sum(len(row.get("steps", [0])) for row in rows))
            if bar is not None:
                bar.update(task, completed=done)
            yield outcome

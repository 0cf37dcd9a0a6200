"""Playing one event, or rows of events with what is expected of each."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from hookkit import events
from hookkit.cli import _report
from hookkit.cli._call import Actor, check_tools, has_snapshots, play_call, typed
from hookkit.cli._command import Argument, Option, formats
from hookkit.cli._console import Output, draw, note, progress, stop, warn
from hookkit.cli._here import Workspace
from hookkit.cli._report import Coverage, Tally
from hookkit.errors import HookkitError
from hookkit.handlers import waiting as engine_progress
from hookkit.handlers.handler import BLOCKING, OUTCOMES, HandlerRun
from hookkit.play import rows as cases
from hookkit.play.player import Played, Scratch, play_all
from hookkit.play.rows import MISSING, Case
from hookkit.settings import reading
from hookkit.system import error_log
from hookkit.system.suggestions import closest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

MOST = 20  # warnings about rows
MANY = 200  # rows that are worth further processes
SHARE = 50  # rows that a process plays at a time: they share a scratch place

Answers = list[list[dict[str, Any]]]  # of each row, the answers to its events


@formats("table", "json", "junit", "github")
def command(  # noqa: PLR0913 - the options of a command
    paths: Annotated[list[str] | None, Argument(metavar="FILE", help="JSONL files of rows.")] = None,
    *,
    tool: Annotated[str, Option(metavar="NAME", help="Play one call of this tool.")] = "",
    args: Annotated[
        str | None, Option(metavar="TEXT", help="The argument of the tool: text, or its whole input as JSON.")
    ] = None,
    actor: Actor = "",
    event: Annotated[str, Option(metavar="NAME", help="An event's name, or a file (- for stdin).")] = "",
    conformance: Annotated[bool, Option("--conformance", help="Play the shipped rows.")] = False,
    incidents: Annotated[bool, Option("--incidents", help="Play reported incidents.")] = False,
    explain: Annotated[bool, Option("--explain", help="Show each answer and its reason.")] = False,
    coverage: Annotated[bool, Option("--coverage", help="List rules that no row exercised.")] = False,
    least: Annotated[float, Option("--min-coverage", least=0, most=100, help="In percent; below is exit 1.")] = 0,
    everything: Annotated[bool, Option("--all", help="Cover the shipped rules too.")] = False,
    trusted: Annotated[bool, Option("--trusted", help="Play as if you had run hookkit trust, for CI.")] = False,
) -> Output:
    """Play events through the hooks, and compare the answers with the rows' expectations.

    One call shows every hook with its verdict, reason and time, and the reply.

    A row, one a line, is an event and its reply, a call and its verdict, or a
    pattern and whether it matches; a row without an expectation is only shown:

    {"id": "…", "hook": "run", "event": {…}, "reply": {…} or null}

    {"id": "…", "tool": "Bash", "args": "…", "actor": "…", "expect": "deny"}

    {"pattern": "Bash(rm *)", "tool": "Bash", "arg": "…", "match": true}

    A call plays every hook of `hookkit run`; "hook": "guard" plays the policy alone.

    --incidents plays calls of agents that did damage, from public reports, against your
    settings: which of them would hookkit have stopped here?

    Exits 1 if an answer differs or a hook fails, 2 if a file cannot be read.

    Example: hookkit simulate --tool Bash --args "git push --force" --actor agent:executor

    Example: hookkit simulate --incidents --explain

    Example: hookkit simulate tests/*.jsonl --trusted --min-coverage 90 --output junit
    """
    is_one = bool(tool or event or args is not None)
    if is_one + bool(paths) + conformance + incidents != 1:
        stop("give FILE…, or --tool with --args, or --conformance, or --incidents: one of them")
    if actor and not is_one:
        stop("--actor goes with --tool: a row names its own actor")
    if is_one:
        check_tools(tool)
        return _play_one(_fields(event or "PreToolUse", tool, args), actor, trusted=trusted)
    rows = [row for path in paths or () for row in cases.load(path)]
    rows += cases.conformance() if conformance else cases.incidents() if incidents else []
    wanted = least if coverage or least > 0 else None
    return _play_rows(rows, least=wanted, everything=everything, explain=explain, trusted=trusted and not conformance)


# -- one event -------------------------------------------------------------------------------------------------------


def _fields(event: str, tool: str, args: str | None) -> dict[str, Any]:
    """The event as an agent would send it, from a name or a file, with the tool and its input put in."""
    fields: dict[str, Any] = {"hook_event_name": event} if event in events.EVENTS else _read_event(event)
    tool = tool or str(fields.get("tool_name", ""))
    value = typed(args) if args is not None else {}
    if not tool:
        fields.update(value if isinstance(value, dict) else {"prompt": value})
    else:
        fields["tool_name"] = tool
        if args is not None:
            fields["tool_input"] = cases.input_of(tool, value)
        elif "tool_input" not in fields and cases.has_subject(tool):
            stop(f"--tool {tool} needs --args: text, or the whole input as JSON")
    if events.EVENTS.get(str(fields.get("hook_event_name")), events.UNKNOWN).matcher == "tool_name" and not tool:
        stop("this event is about a tool: give --tool and --args")
    if not os.path.isdir(str(fields.get("cwd", "."))):
        del fields["cwd"]  # recorded on another machine: play the event in the working directory
    return fields


def _read_event(path: str) -> dict[str, Any]:
    try:
        text = sys.stdin.read() if path == "-" else reading.text_of(path)
        value = json.loads(text)
    except HookkitError as error:
        close = closest(path, [*events.EVENTS], 0.6)
        stop(f"{error}. Did you mean {close}?" if close else error)
    except (ValueError, RecursionError) as error:
        stop(f"{path}: not JSON: {error}")
    if not isinstance(value, dict):
        stop(f"{path}: an event is a JSON object")
    return value


def _play_one(fields: dict[str, Any], actor: str, *, trusted: bool) -> Output:
    workspace = _trusted_workspace() if trusted else Workspace()
    with _handlers_shown():
        played = play_call(fields, actor, trusted=trusted)
    _log([played], dict(os.environ))
    code = 1 if played.problems else 0
    return Output(lambda: _report.event_json(played, workspace), lambda: _report.event_view(played, workspace), code)


def _log(played: list[Played], environ: dict[str, str]) -> None:
    """Failures of hooks and handlers go to the error log, marked as those of a simulation."""
    for row in played:
        where = f"{error_log.SIMULATED}{row.hook} {row.event.name or '-'}"
        notes = [text for matter, text in row.event.notes if matter.startswith("handler-")]
        known = {*map(str, row.problems)}  # a row's notes of handlers are among its problems already
        for error in [*row.problems, *(HookkitError(text) for text in notes if text not in known)]:
            error_log.try_to_record(environ, where, error)


@contextmanager
def _handlers_shown() -> Iterator[None]:
    """Each handler of the user's with its outcome, on stderr, while it runs; Ctrl-C cancels the handler that runs."""

    def tell(name: str, run: HandlerRun | None) -> None:
        if run is None:
            note(f"… {name}")
        else:
            outcome = f"{OUTCOMES[run.outcome]}, {run.ms:.0f} ms" + (f": {run.problem}" if run.problem else "")
            sign = "✗" if run.is_failed or run.problem else "✋" if run.outcome == BLOCKING else "✓"
            note("\n".join(filter(None, (f"{sign} {name}  {outcome}", run.trace))))

    engine_progress.listener = tell
    try:
        yield
    finally:
        engine_progress.listener = None


# -- rows ------------------------------------------------------------------------------------------------------------


def _play_rows(rows: list[Case], *, least: float | None, everything: bool, explain: bool, trusted: bool) -> Output:
    """`least` is the wanted coverage in percent; None leaves coverage out."""
    workspace = _workspace(rows, is_needed=least is not None, trusted=trusted)
    for mistake in list(filter(None, map(cases.misspelt, rows)))[:MOST]:
        warn(mistake)
    played = list(_watched(rows, alone=explain or least is not None, trusted=trusted))
    _log([row for row in played if not row.passed], dict(os.environ))
    covered = Coverage(workspace, played, least, all_=everything) if workspace and least is not None else None
    tally = Tally(played, covered)
    forms = {"junit": lambda: _report.as_junit(tally), "github": lambda: _report.as_github(tally)}
    view = lambda: _report.view(tally, explain=explain)  # noqa: E731 - short
    return Output(lambda: _report.as_json(tally), view, 0 if tally.is_good else 1, forms=forms)


def _workspace(rows: list[Case], *, is_needed: bool, trusted: bool) -> Workspace | None:
    """Rows that play in the working directory need readable settings: without any rules, most rows would pass."""
    if not rows:
        stop("there are no rows to play")
    if not is_needed and all("files" in row or "pattern" in row for row in rows):
        return None
    workspace = _trusted_workspace() if trusted else Workspace()
    if workspace.settings.broken:
        stop("\n".join(workspace.settings.broken))
    draw(workspace.warnings(), sys.stderr)
    return workspace


def _trusted_workspace() -> Workspace:
    """The settings as if the project were trusted; its pins are gone afterwards."""
    with Scratch({}, trusted=True) as scratch:
        return Workspace(scratch.environ)


def _watched(rows: list[Case], *, alone: bool, trusted: bool) -> Iterator[Played]:
    """The answers, with a progress bar. `alone`: explanations and coverage need all of each answer."""
    is_worth_it = not alone and len(rows) >= MANY and (os.cpu_count() or 1) > 1
    if is_worth_it and (pool := _processes()) is not None:
        with progress("playing", len(rows)) as tell, pool:
            yield from _side_by_side(pool, rows, tell, borrows=has_snapshots(), trusted=trusted)
        return
    with progress("playing", sum(len(row.get("steps", [0])) for row in rows)) as tell:
        for done, played in enumerate(play_all(rows, borrows=has_snapshots(), trusted=trusted), 1):
            tell(done)
            yield played


# -- rows by several processes: the shipped rows take a minute on one core -------------------------------------------


def _side_by_side(
    pool: "ProcessPoolExecutor", rows: list[Case], tell: Callable[[int], None], *, borrows: bool, trusted: bool
) -> Iterator[Played]:
    """All rows in their order; `tell` takes the count of rows so far.

    A row that fails, has a problem, or whose process died is played again here, so that the report has all of it.
    """
    answers: Answers = []
    shares = [rows[start : start + SHARE] for start in range(0, len(rows), SHARE)]
    for share, future in [(share, pool.submit(_answers, share, borrows, trusted)) for share in shares]:
        answers += [[]] * len(share) if future.exception() else future.result()
        tell(len(answers))
    again: dict[int, list[Played]] = {}
    missing = [row for row, steps in zip(rows, answers, strict=True) if not steps]
    for step in play_all(missing, borrows=borrows, trusted=trusted):
        again.setdefault(id(step.row), []).append(step)
    for row, steps in zip(rows, answers, strict=True):
        yield from [_played(row, answer) for answer in steps] if steps else again[id(row)]


def _processes() -> "ProcessPoolExecutor | None":
    """A process for each core, which Ctrl-C ends without a traceback; None where the system has no such thing."""
    from concurrent.futures import ProcessPoolExecutor  # late: few play so many rows
    from multiprocessing import get_context

    try:
        return ProcessPoolExecutor(
            mp_context=get_context("fork"), initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_DFL)
        )
    except (ImportError, NotImplementedError, OSError, ValueError):
        return None


def _answers(rows: list[Case], borrows: bool, trusted: bool) -> Answers:  # noqa: FBT001 - a pool takes no keywords
    """In a process of the pool: the answers to each of these rows; none for a row that has more to show."""
    steps: dict[int, list[Played]] = {}
    for step in play_all(rows, borrows=borrows, trusted=trusted):
        steps.setdefault(id(step.row), []).append(step)
    return [[*map(_answer, steps[id(row)])] if _is_well(steps[id(row)]) else [] for row in rows]


def _is_well(steps: list[Played]) -> bool:
    return all(step.passed and not step.problems for step in steps)


def _answer(step: Played) -> dict[str, Any]:
    expected = {"expected": step.expected} if step.is_checked else {}
    return {"reply": step.reply, "why": step.why, "ms": step.ms, "hook": step.hook, **expected}


def _played(row: Case, answer: dict[str, Any]) -> Played:
    made = Played(row, answer["reply"], answer.get("expected", MISSING))
    made.why, made.ms, made.hook = answer["why"], answer["ms"], answer["hook"]
    return made

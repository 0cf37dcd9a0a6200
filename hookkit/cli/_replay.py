"""Showing a replay: a table for a person, JSON for programs, Markdown for a pull request."""

import gc
import os
import time

import typer

from hookkit.cli._console import Text, console, echo, echo_json, note, progress, short, stop, table, verdict, warn
from hookkit.cli._ledger_filters import moment
from hookkit.cli._options import Output
from hookkit.errors import ConfigError
from hookkit.replay.history import History, project_of
from hookkit.replay.player import Player
from hookkit.replay.report import ASKED, DENIED, KINDS, Group, Report
from hookkit.system.files import Holding
from hookkit.transcripts import past_calls

FAILS = {DENIED: "deny", ASKED: "ask"}
STEP = 200  # calls between two looks at the clock
GARBAGE = 50_000  # objects between two searches for garbage: a call leaves few cycles, and many rules to walk over


def replay(paths: list[str], since: str, policy: str, against: str, project: str, fail_on: str, output: Output) -> None:
    if fail_on and fail_on not in FAILS:
        stop(f"--fail-on {fail_on}: write newly-denied or newly-asked")
    if fail_on and not against:
        stop("--fail-on compares two policies: give --against FILE")
    missing = next((path for path in (*paths, project) if path and not os.path.exists(path)), "")
    if missing:
        stop(f"{missing}: no such file or directory")
    for path in paths:
        _check(path)
    environ = dict(os.environ)
    history = History(environ, since=0 if paths else moment(since), project=project)
    try:
        players = (Player(environ, policy), Player(environ, against) if against else None)
        report, seconds = _played(history, paths or past_calls.places(environ), players, with_ledger=not paths)
    except ConfigError as error:
        stop(error)
    for said in history.skipped:
        warn(f"left out {said}")
    if output is Output.json:
        echo_json({**report.as_dict(), "files": history.files, "seconds": round(seconds, 3)})
    elif output is Output.markdown:
        echo(_markdown(report))
    else:
        _show(report, history, seconds, is_named=bool(paths))
    count = report.new(FAILS[fail_on]) if fail_on else 0
    if count:
        note(f"hookkit: --fail-on {fail_on}: {count} call{'s' * (count != 1)}", "red")
    raise typer.Exit(1 if count else 0)


def _check(path: str) -> None:
    """A named file that is no transcript would pass as a session without a call."""
    try:
        if os.path.isdir(path) and next(past_calls.transcripts(path), None) is None:
            stop(f"{path}: no transcripts in this directory")
        if os.path.isfile(path) and not past_calls.is_transcript(path):
            stop(f"{path}: not a transcript of Claude Code, Codex, Gemini, Copilot or Qwen")
    except OSError as error:
        stop(f"{path}: {error.strerror or error}")


def _played(
    history: History, paths: list[str], players: tuple[Player, Player | None], *, with_ledger: bool
) -> tuple[Report, float]:
    report = Report(compares=players[1] is not None)
    start = time.monotonic()
    roots: dict[str, str] = {}
    here = os.getcwd()
    gc.freeze()
    gc.set_threshold(GARBAGE)
    with progress("Replaying") as tell, Holding():
        for call in history.calls(paths, with_ledger=with_ledger):
            call.cwd = call.cwd or here
            root = project_of(call.cwd, roots)
            other = players[1].outcome(call, root) if players[1] is not None else None
            report.add(call, players[0].outcome(call, root), other)
            if report.calls % STEP == 0:
                tell(report.calls)
    return report, time.monotonic() - start


def _show(report: Report, history: History, seconds: float, *, is_named: bool) -> None:
    out = console()
    many = f"{history.files} transcript{'s' * (history.files != 1)}"
    if not report.calls:
        out.print(f"No tool calls in {many}.{'' if is_named else ' Give a TRANSCRIPT, or a longer --since.'}")
        return
    who = ", ".join(f"{name} {count}" for name, count in report.agents.items())
    out.print(Text(f"{report.calls} calls ({who}) in {many}, {seconds:.1f} s", "dim"))
    counts = table("verdict", "calls", "share", *(["before"] if report.compares else []))
    for kind in KINDS:
        if report.verdicts[kind] or report.before[kind]:
            before = [str(report.before[kind])] if report.compares else []
            share = f"{report.verdicts[kind] / report.calls:.1%}"
            counts.add_row(verdict(kind), str(report.verdicts[kind]), share, *before)
    out.print(counts)
    groups = report.sorted(report.changes if report.compares else report.groups)
    if not groups:
        out.print("Nothing changes." if report.compares else "No rule has an opinion about these calls.")
        return
    rows = table("change" if report.compares else "verdict", "calls", "rule", "examples")
    for group in groups:
        rows.add_row(group.verdict, str(group.count), group.rule, "\n".join(short(text) for text in group.examples))
    out.print(rows)


def _markdown(report: Report) -> str:
    """A table of the verdicts, then a table of the rules or of the changes."""
    lines = [f"### hookkit replay: {report.calls} calls", ""]
    heads = ["verdict", "calls", *(["before"] if report.compares else [])]
    lines += [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for kind in KINDS:
        if report.verdicts[kind] or report.before[kind]:
            before = [str(report.before[kind])] if report.compares else []
            lines.append(f"| {' | '.join([kind, str(report.verdicts[kind]), *before])} |")
    groups = report.sorted(report.changes if report.compares else report.groups)
    head = "change" if report.compares else "verdict"
    if not groups:
        return "\n".join([*lines, "", "Nothing changes." if report.compares else ""]).rstrip()
    lines += ["", f"| {head} | calls | rule | examples |", "|---|--:|---|---|", *map(_row, groups)]
    return "\n".join(lines)


def _row(group: Group) -> str:
    examples = "<br>".join(_code(text) for text in group.examples)
    return f"| {group.verdict} | {group.count} | {_code(group.rule)} | {examples} |"


def _code(text: str) -> str:
    """A cell: no bar ends it, no backquote leaves it."""
    return "`" + text.replace("`", "'").replace("|", "\\|").replace("\n", " ") + "`" if text else ""

"""A replay of past calls: a table for a person, JSON for programs, Markdown for a pull request."""

import gc
import os
import time
from typing import Annotated

from hookkit.agents.transcripts import past_calls
from hookkit.cli._command import Argument, Option, formats
from hookkit.cli._console import Output, note, plural, progress, short, stop, verdict, warn
from hookkit.cli._here import moment
from hookkit.cli._view import Table, Text, View
from hookkit.play.past import ASKED, DENIED, KINDS, Group, History, Player, Report
from hookkit.system.files import Holding

FAILS = {DENIED: "deny", ASKED: "ask"}
STEP = 200  # calls between two looks at the clock
GARBAGE = 50_000  # objects between two searches for garbage: a call leaves few cycles, and many rules to walk over


@formats("table", "json", "markdown")
def command(
    transcripts: Annotated[
        list[str] | None, Argument(metavar="TRANSCRIPT", help="Files or directories; without, all of yours.")
    ] = None,
    *,
    since: Annotated[str, Option(metavar="TIME", help="Only after this: 12h, 30d, or a date.")] = "30d",
    policy: Annotated[str, Option(metavar="FILE", help="Try this hookkit.toml, not the one in force.")] = "",
    against: Annotated[str, Option(metavar="FILE", help="Compare with this hookkit.toml.")] = "",
    project: Annotated[str, Option(metavar="DIR", help="Only calls in this directory.")] = "",
    fail_on: Annotated[
        str, Option("--fail-on", metavar="CHANGE", help="Exit 1 on newly-denied or newly-asked calls.")
    ] = "",
    incidents: Annotated[bool, Option("--incidents", help="Only calls like the reported incidents.")] = False,
) -> Output:
    """Put the tool calls of your past sessions through a policy.

    Reads the transcripts of Claude Code, Codex, Gemini, Copilot and Qwen, sub-agents
    included, and the ledger. Shows what would be denied, asked, approved and
    rewritten, by rule; with --against, only what changes between two policies.

    --incidents shows only calls of the kinds that have done damage elsewhere, by the
    rules that stop the reported incidents (see `hookkit simulate --incidents`).

    Nothing is run, and nothing is written. Programs of your own rules are not
    asked.

    Example: hookkit replay --since 7d

    Example: hookkit replay --incidents --since 90d

    Example: hookkit replay --policy new.toml --against hookkit.toml --fail-on newly-denied -o markdown
    """
    paths = transcripts or []
    _check_options(paths, against, project, fail_on, incidents=incidents)
    environ = dict(os.environ)
    history = History(environ, since=0 if paths else moment(since), project=project)
    players = (Player(environ, policy), Player(environ, against) if against else None)
    report = Report(compares=bool(against), kinds=_kinds() if incidents else None)
    seconds = _play(report, history, paths or past_calls.places(environ), players, with_ledger=not paths)
    for problem in history.skipped:
        warn(f"ignored {problem}")
    count = report.new(FAILS[fail_on]) if fail_on else 0
    if count:
        note(f"hookkit: --fail-on {fail_on}: {plural(count, 'call')}", "red")
    value = {**report.as_dict(), "files": history.files, "seconds": round(seconds, 3)}
    view = _view(report, history, seconds, is_named=bool(paths))
    return Output(value, view, 1 if count else 0, forms={"markdown": lambda: _markdown(report)})


def _kinds() -> dict[str, str]:
    from hookkit.play import mining  # late: it judges every incident

    return mining.kinds()


def _check_options(paths: list[str], against: str, project: str, fail_on: str, *, incidents: bool) -> None:
    if incidents and against:
        stop("--incidents shows past calls by their kind: leave --against out")
    if fail_on and fail_on not in FAILS:
        stop(f"--fail-on {fail_on}: write newly-denied or newly-asked")
    if fail_on and not against:
        stop("--fail-on compares two policies: give --against FILE")
    missing = next((path for path in (*paths, project) if path and not os.path.exists(path)), "")
    if missing:
        stop(f"{missing}: no such file or directory")
    for path in paths:
        _check(path)


def _check(path: str) -> None:
    """A named file that is no transcript would pass as a session without a call."""
    try:
        if os.path.isdir(path) and next(past_calls.transcripts(path), None) is None:
            stop(f"{path}: no transcripts in this directory")
        if os.path.isfile(path) and not past_calls.is_transcript(path):
            stop(f"{path}: not a transcript of Claude Code, Codex, Gemini, Copilot or Qwen")
    except OSError as error:
        stop(f"{path}: {error.strerror or error}")


def _play(
    report: Report, history: History, paths: list[str], players: tuple[Player, Player | None], *, with_ledger: bool
) -> float:
    """Put every past call into the report; the seconds that it took."""
    start = time.monotonic()
    here = os.getcwd()
    gc.freeze()
    gc.set_threshold(GARBAGE)
    with progress("Replaying") as tell, Holding():
        for call in history.calls(paths, with_ledger=with_ledger):
            call.cwd = call.cwd or here
            other = players[1].outcome(call) if players[1] is not None else None
            report.add(call, players[0].outcome(call), other)
            if report.calls % STEP == 0:
                tell(report.calls)
    return time.monotonic() - start


def _view(report: Report, history: History, seconds: float, *, is_named: bool) -> list[View]:
    many = plural(history.files, "transcript")
    if not report.calls:
        return [Text(f"No tool calls in {many}.{'' if is_named else ' Give a TRANSCRIPT, or a longer --since.'}")]
    who = ", ".join(f"{name} {count}" for name, count in report.agents.items())
    parts: list[View] = [Text(f"{report.calls} calls ({who}) in {many}, {seconds:.1f} s", "dim")]
    counts = Table("verdict", "calls", "share", *(["before"] if report.compares else []))
    for kind in KINDS:
        if report.verdicts[kind] or report.before[kind]:
            before = [str(report.before[kind])] if report.compares else []
            share = f"{report.verdicts[kind] / report.calls:.1%}"
            counts.add(verdict(kind), str(report.verdicts[kind]), share, *before)
    parts.append(counts)
    groups = report.sorted(report.changes if report.compares else report.groups)
    if not groups:
        return [*parts, Text("Nothing changes." if report.compares else "No rule matches these calls.")]
    rows = Table("change" if report.compares else "verdict", "calls", "rule", "examples", right=("calls",))
    for group in groups:
        rows.add(group.verdict, group.count, group.rule, "\n".join(short(text) for text in group.examples))
    return [*parts, rows]


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

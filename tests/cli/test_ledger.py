"""`hookkit ledger`: what a person sees of the rows, and how it speaks of what is wrong."""

import csv
import io
import json
import os
import re
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from hookkit.cli import _ledger
from hookkit.cli import ledger as ledger_command
from hookkit.cli._here import moment
from hookkit.cli._ledger import LISTED, Listing
from hookkit.cli.ledger import charts
from hookkit.events import EVENTS
from hookkit.ledger import lines, places, queries
from hookkit.ledger.row_index import path_of
from tests.cli.conftest import Command
from tests.ledger.conftest import _every_database_is_closed  # noqa: F401 - a fixture
from tests.ledger.making import START, folded, outcome, request, seal, write

ROWS = [
    request(1, actor="agent:executor", took={"guard": 2.0, "redirect": 1.0}),
    outcome(1, diff="@@ -1,1 +1,1 @@\n-a\n+b"),
    request(2, verdict="deny", rule="Bash(rm *)", reason="Too much is lost.", hook="guard", took={"guard": 4.0}),
    request(3, tool="Edit", input={"file_path": "/p/a.py"}, path="/p/a.py"),
    outcome(3, tool="Edit", event="PostToolUseFailure", outcome="failed", error="No match.", ms=7.4, path="/p/a.py",
            failed=["hint"], took={"hint": 1.0}),
    request(4, session="s2"),
    {"at": START + 5000, "event": "UserPromptSubmit", "session": "s2", "more": {"prompt": "improve it\x1b[31m"}},
]  # fmt: skip

CONNECTED = "Calls of your agents appear here; is hookkit connected? See: hookkit status\n"


@pytest.fixture
def environ(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    return dict(os.environ)


@pytest.fixture
def filled(environ: dict[str, str]) -> dict[str, str]:
    write(environ, *ROWS)
    return environ


def path(environ: dict[str, str]) -> Path:
    return Path(environ["HOME"]) / ".local/state/hookkit/ledger/index.db"


@pytest.mark.usefixtures("filled")
def test_list_shows_one_row_a_call(command: Command) -> None:
    done = command("ledger", "list", "--all")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "id  when            what              verdict  outcome    by            ms  about\n"
        " 7  09-21 14:13:25  UserPromptSubmit  -        -          -              -  improve it\\x1b[31m\n"
        " 6  09-21 14:13:24  Bash              -        no result  -              -  make 4\n"
        " 4  09-21 14:13:23  Edit              -        failed     mode default   7  /p/a.py\n"
        " 3  09-21 14:13:22  Bash              deny     denied     -              -  make 2\n"
        " 1  09-21 14:13:21  Bash              -        done       mode default  40  make 1\n"
    )


@pytest.mark.usefixtures("filled")
def test_the_list_says_first_what_hookkit_did(command: Command) -> None:
    first = command("ledger", "list").out.splitlines()[0]
    assert first == "Of the last 4 calls, hookkit stopped 1.  --did lists these alone"
    rows = json.loads(command("ledger", "list", "--did", "-o", "json").out)["rows"]
    assert [row["id"] for row in rows] == [3]


@pytest.mark.usefixtures("filled")
def test_the_list_starts_with_calls(command: Command) -> None:
    """Events of the life cycle come on request, by --all or by a filter."""
    assert [row["id"] for row in json.loads(command("ledger", "list", "-o", "json").out)["rows"]] == [6, 4, 3, 1]


@pytest.mark.usefixtures("filled")
def test_list_says_how_to_get_more(command: Command) -> None:
    first = command("ledger", "list", "--all", "--limit", "2")
    assert (len(first.out.splitlines()), first.err) == (3, "There are more: add --before 6\n")
    assert command("ledger", "list", "--all", "-n", "2") == first
    second = command("ledger", "list", "-n", "2", "--before", "6", "--output", "json")
    value = json.loads(second.out)
    assert [row["id"] for row in value["rows"]] == [4, 3]
    assert value["before"] == 3
    assert json.loads(command("ledger", "list", "--before", "3", "-o", "json").out)["before"] is None


FOUND: list[tuple[list[str], list[int]]] = [
    (["--event", "UserPromptSubmit"], [7]),
    (["--tool", "Edit"], [4]),
    (["--verdict", "deny"], [3]),
    (["--verdict", "none"], [7, 6, 4, 1]),
    (["--verdict", "defer"], []),
    (["--event", "Post*"], [4, 1]),
    (["--event", "Stop"], []),
    (["--actor", "agent:executor"], [1]),
    (["--session", "s2"], [7, 6]),
    (["--project", "/p"], [6, 4, 3, 1]),
    (["--project", "/p*"], [6, 4, 3, 1]),
    (["--text", "improve"], [7]),
    (["--unfinished"], [6]),
    (["--since", "2026-09-21"], [7, 6, 4, 3, 1]),
    (["--since", "2026-09-21T14:13:23"], [7, 6, 4]),
    (["--since", "2026-09-22"], []),
]


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(("words", "found"), FOUND, ids=[" ".join(row[0]) for row in FOUND])
def test_list_filters(words: list[str], found: list[int], command: Command) -> None:
    done = command("ledger", "list", "-o", "json", *words)
    assert [row["id"] for row in json.loads(done.out)["rows"]] == found


# A word that stands for nothing, the exit code, and what is said about it.
WRONG = [
    (["--verdict", "foo"], 2, "--verdict foo: there is no such verdict; write one of none, allow, ask, deny, defer"),
    (["--verdict", "d*"], 2, "--verdict d*: there is no such verdict; write one of none, allow, ask, deny, defer"),
    (["--event", "pretooluse"], 2, "--event pretooluse: there is no such event; did you mean PreToolUse?"),
    (["--event", "PostTool"], 2, "--event PostTool: there is no such event; did you mean PostToolUse?"),
    (["--event", "foo"], 2, f"--event foo: there is no such event; write one of {', '.join(EVENTS)}"),
    (["--kind", "foo"], 0, "--kind foo: no row has this kind; there are: deploy, secret"),
    (["--tool", "bash"], 0, "--tool bash: no row has this tool; there are: Bash, Edit"),
    (["--actor", "me"], 0, "--actor me: no row has this actor; there are: agent:executor"),
]


@pytest.mark.parametrize(("words", "code", "said"), WRONG, ids=[" ".join(row[0]) for row in WRONG])
@pytest.mark.parametrize("name", ["list", "tail", "export"])
def test_a_filter_that_stands_for_nothing_is_said(
    name: str, words: list[str], code: int, said: str, command: Command, filled: dict[str, str]
) -> None:
    write(filled, request(8, kind="secret"), request(9, kind="deploy"))
    done = command("ledger", name, *words)
    out = {"list": "No rows.\n"}.get(name, "") if not code else ""
    assert (done.code, done.out, done.err) == (code, out, f"hookkit: {said}\n")


@pytest.mark.usefixtures("filled")
def test_where_no_row_has_a_kind_that_is_said(command: Command) -> None:
    assert command("ledger", "list", "--kind", "x") == (
        0,
        "No rows.\n",
        "hookkit: --kind x: no row has this kind; no row has one\n",
    )


@pytest.mark.usefixtures("environ")
def test_an_event_that_a_newer_client_has_can_be_asked_for(command: Command, environ: dict[str, str]) -> None:
    write(environ, request(1, event="BrandNew"))
    assert [
        row["id"] for row in json.loads(command("ledger", "list", "--event", "BrandNew", "-o", "json").out)["rows"]
    ] == [1]


COMMAND = "npm run test -- --watch=false --reporter=verbose src/checkout"
LONG = "mcp__claude_ai_Google_Drive__read_file_content"
WIDE = [
    request(1, input={"command": COMMAND}),
    outcome(1, ms=1234, approved="rule Bash(npm *)"),
    request(2, tool=LONG, verdict="deny", input={"command": "x"}),
]
# How many columns the screen has (none: a pipe), and what is on it.
SCREENS = {
    None: (
        "id  when            what  verdict  outcome  by                  ms  about\n"
        f" 3  09-21 14:13:22  {LONG}  deny     denied   -                    -  x\n"
        f" 1  09-21 14:13:21  Bash  -        done     rule Bash(npm *)  1234  {COMMAND}"
    ),
    120: (
        "id  when            what  verdict  outcome  by                  ms  about\n"
        f" 3  09-21 14:13:22  {LONG}  deny     denied   -                    -  x\n"
        f" 1  09-21 14:13:21  Bash  -        done     rule Bash(npm *)  1234  {COMMAND[:51]}…"
    ),
    80: (
        "id  when            what  verdict  outcome    ms  about\n"
        f" 3  09-21 14:13:22  {LONG}  deny     denied      -\n"
        f" 1  09-21 14:13:21  Bash  -        done     1234  {COMMAND[:29]}…"
    ),
    60: (
        "id  when            what  result   about\n"
        f" 3  09-21 14:13:22  {LONG}  deny\n"
        f" 1  09-21 14:13:21  Bash  -        {COMMAND[:24]}…"
    ),
    20: (f"id  when            what  result\n 3  09-21 14:13:22  {LONG}  deny\n 1  09-21 14:13:21  Bash  -"),
}


@pytest.mark.parametrize("width", SCREENS)
def test_only_what_a_row_is_about_is_cut(
    monkeypatch: pytest.MonkeyPatch, width: int | None, environ: dict[str, str]
) -> None:
    monkeypatch.setattr(_ledger, "is_terminal", lambda: width is not None)
    monkeypatch.setattr(_ledger, "screen_size", lambda: (width or 80, 24))
    found = queries.find(folded(environ, *WIDE).connection, queries.Filters(), 50)
    listing = Listing(LISTED)
    body = listing.lines(found)
    assert "\n".join(line.text.plain.rstrip() for line in (listing.header(), *body)) == SCREENS[width]


def test_an_empty_list_says_so(command: Command, environ: dict[str, str]) -> None:
    shown = f"No rows. {CONNECTED}"
    assert command("ledger", "list") == (0, shown, "")
    assert command("ledger", "list", "--tool", "Bash").out == "No rows.\n"


@pytest.mark.parametrize(
    ("text", "seconds"), [("30s", 30), ("5m", 300), ("2h", 7200), ("3d", 259_200), ("1w", 604_800)]
)
def test_since_takes_spans(text: str, seconds: int) -> None:
    assert abs(moment(text) / 1000 + seconds - time.time()) < 2


@pytest.mark.parametrize("text", ["yesterday", "2x", "-1h", "2026-13-01", "99999999h"])
def test_since_says_what_it_takes(text: str, command: Command, environ: dict[str, str]) -> None:
    done = command("ledger", "list", f"--since={text}")
    said = f"hookkit: --since {text}: write 30m, 2h, 3d, 1w, or a date as in 2026-01-31 or 2026-01-31T12:00\n"
    assert (done.code, done.out, done.err) == (2, "", said)


@pytest.mark.usefixtures("filled")
def test_show_has_request_and_outcome(command: Command) -> None:
    value = json.loads(command("ledger", "show", "2", "-o", "json").out)
    assert value.pop("writer").startswith("s1-")
    assert len(value.pop("hash")) == 64
    assert value == {
        "id": 1, "at": "2026-09-21T14:13:21.000+00:00", "state": "done", "event": "PreToolUse", "session": "s1",
        "call": "call-1", "tool": "Bash", "project": "/p", "ms": 40, "approved": "mode default",
        "diff": "@@ -1,1 +1,1 @@\n-a\n+b", "actor": "agent:executor", "input": {"command": "make 1"},
        "took_ms": {"guard": 2.0, "redirect": 1.0}, "n": 1, "outcome_id": 2,
    }  # fmt: skip
    shown = command("ledger", "show", "1")
    assert shown.code == 0
    assert shown.out.splitlines()[-4:] == ["diff", "@@ -1,1 +1,1 @@", "-a", "+b"]
    assert command("ledger", "show", "99") == (1, "", "hookkit: there is no row 99. See: hookkit ledger list\n")


@pytest.mark.usefixtures("filled")
def test_stats_add_up(command: Command) -> None:
    value = json.loads(command("ledger", "stats", "--since", "2026-09-01", "-o", "json").out)
    assert value == {
        "rows": 7,
        "verdicts": {"deny": 1},
        "denied": [{"rule": "Bash(rm *)", "tool": "Bash", "count": 1}],
        "tools": [{"tool": "Bash", "calls": 1, "failed": 0}, {"tool": "Edit", "calls": 1, "failed": 1}],
        "days": {"2026-09-21": 4},
        "hooks": [
            {"hook": "guard", "runs": 2, "mean_ms": 3.0, "most_ms": 4.0, "failed": 0},
            {"hook": "hint", "runs": 1, "mean_ms": 1.0, "most_ms": 1.0, "failed": 1},
            {"hook": "redirect", "runs": 1, "mean_ms": 1.0, "most_ms": 1.0, "failed": 0},
        ],
    }
    bar = "█" * 30
    assert command("ledger", "stats", "--since", "2026-09-01").out == (
        f"calls a day\n  2026-09-21  {bar}  4\n\n"
        f"verdicts\n  deny  {bar}  1\n\n"
        f"denied most\n  Bash(rm *)  {bar}  1\n\n"
        f"failures, of the calls of a tool\n  Bash                                  0.0% of 1\n"
        f"  Edit  {bar}  100.0% of 1\n\n"
        f"slowest hooks, mean ms\n  guard     {bar}  3.00, at most 4.00, 2 runs\n"
        f"  hint      {'█' * 10}                      1.00, at most 1.00, 1 run, 1 failed\n"
        f"  redirect  {'█' * 10}                      1.00, at most 1.00, 1 run\n\n"
        "7 rows since 2026-09-01 00:00\n"
    )


def test_stats_of_nothing_say_so(command: Command, environ: dict[str, str]) -> None:
    assert command("ledger", "stats", "--since", "2026-09-01").out == f"No rows since 2026-09-01 00:00. {CONNECTED}"
    assert command("ledger", "stats", "--since", "").out == f"No rows. {CONNECTED}"


CHARTS: list[tuple[int, dict[str, Any], str]] = [
    (80, {"days": {"2026-02-27": 8, "2026-03-02": 4}},
     (f"calls a day\n  2026-02-27  {'█' * 30}  8\n  2026-02-28  {' ' * 30}  0\n  2026-03-01  {' ' * 30}  0\n"
      f"  2026-03-02  {'█' * 15}{' ' * 15}  4\n\n")),
    (80, {"days": {"1970-01-01": 1, "2026-03-02": 1}},
     f"calls a day\n  1970-01-01  {'█' * 30}  1\n  2026-03-02  {'█' * 30}  1\n\n"),
    (80, {"denied": [{"rule": "Bash(rm *)", "tool": "Bash", "count": 2}, {"rule": "*", "tool": "Edit", "count": 1},
                     {"rule": "", "tool": "", "count": 1}]},
     (f"denied most\n  Bash(rm *)           {'█' * 30}  2\n  * on Edit            {'█' * 15}{' ' * 15}  1\n"
      f"  a gate or a handler  {'█' * 15}{' ' * 15}  1\n\n")),
    (80, {"tools": [{"tool": "Bash", "calls": 2, "failed": 1}]},
     f"failures, of the calls of a tool\n  Bash  {'█' * 15}{' ' * 15}  50.0% of 2\n\n"),
    (80, {"hooks": [{"hook": "h" * 60, "runs": 1462, "mean_ms": 30, "most_ms": 31, "failed": 0}]},
     f"slowest hooks, mean ms\n  {'h' * 33}…  {'█' * 8}  30.00, at most 31.00, 1,462 runs\n\n"),
    (0, {"hooks": [{"hook": "h" * 60, "runs": 1, "mean_ms": 30, "most_ms": 31, "failed": 0}]},
     f"slowest hooks, mean ms\n  {'h' * 60}  {'█' * 30}  30.00, at most 31.00, 1 run\n\n"),
]  # fmt: skip


@pytest.mark.parametrize(("width", "found", "shown"), CHARTS)
def test_charts_fit_the_screen(monkeypatch: pytest.MonkeyPatch, width: int, found: dict[str, Any], shown: str) -> None:
    monkeypatch.setattr(ledger_command, "is_terminal", lambda: bool(width))
    monkeypatch.setattr(ledger_command, "screen_size", lambda: (width or 80, 24))
    empty: dict[str, Any] = {"days": {}, "verdicts": {}, "denied": [], "tools": [], "hooks": []}
    lines = [line for part in charts(empty | found) for line in part.lines(width)]
    assert "".join(f"{line.plain}\n" for line in lines) == shown


def test_tail_prints_what_comes_in(command: Command, filled: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert command("ledger", "tail", "-n", "3").out == (
        " 5  09-21 14:13:23  PostToolUseFailure  Edit      failed  /p/a.py\n"
        " 6  09-21 14:13:24  PreToolUse          Bash      -       make 4\n"
        " 7  09-21 14:13:25  UserPromptSubmit    -         -       improve it\\x1b[31m\n"
    )

    def wait(seconds: float) -> None:
        if places.paths(filled, "s3"):
            raise KeyboardInterrupt
        write(filled, request(8, session="s3", tool="Edit"), request(9, session="s3"))

    monkeypatch.setattr(time, "sleep", wait)
    assert command("ledger", "tail", "-f", "-n", "0", "--tool", "Bash") == (
        0, " 9  09-21 14:13:29  PreToolUse          Bash      -       make 9\n", "",
    )  # fmt: skip


TAILED: list[tuple[list[str], list[int]]] = [
    ([], [1, 2, 3, 4, 5, 6, 7]),
    (["-n", "2"], [6, 7]),
    (["--tool", "Edit"], [4, 5]),
    (["--verdict", "deny"], [3]),
    (["--verdict", "none", "-n", "1", "--session", "s1"], [5]),
    (["--text", "make", "--since", "2026-09-21T14:13:22"], [3, 6]),
    (["--unfinished"], [6]),
    (["--event", "Post*"], [2, 5]),
]


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(("words", "found"), TAILED, ids=[" ".join(row[0]) for row in TAILED])
def test_tail_has_the_filters_of_list_and_a_line_of_json_each(
    words: list[str], found: list[int], command: Command
) -> None:
    done = command("ledger", "tail", "--output", "json", *words)
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == found


def test_export_jsonl_has_every_row_as_it_was_written(command: Command, filled: dict[str, str]) -> None:
    done = command("ledger", "export")
    rows = [json.loads(line) for line in done.out.splitlines()]
    written = [line for name in places.paths(filled) for line in Path(name).read_bytes().splitlines()]
    assert [row["hash"].encode() for row in rows] == [line[:64] for line in written]
    assert [row["body"] for row in rows] == [lines.row(line) for line in written]
    assert len(command("ledger", "export", "--tool", "Edit").out.splitlines()) == 2


def test_export_csv_holds_no_formula(command: Command, environ: dict[str, str], tmp_path: Path) -> None:
    write(environ, request(1, tool="=cmd()", rule="+1", reason="-2", error="@x"), request(2))
    target = tmp_path / "rows.csv"
    done = command("ledger", "export", "--format", "csv", "--to", str(target))
    assert (done.code, done.out, done.err) == (0, "", f"2 rows to {target}\n")
    rows = list(csv.DictReader(io.StringIO(target.read_text())))
    assert [rows[0][name] for name in ("tool", "rule", "reason", "error")] == ["'=cmd()", "'+1", "'-2", "'@x"]
    assert [rows[1][name] for name in ("id", "tool", "input")] == ["2", "Bash", '{"command": "make 2"}']
    assert target.stat().st_mode & 0o777 == 0o600
    again = command("ledger", "export", "--to", str(target))
    assert (again.code, again.err) == (2, f"hookkit: {target}: File exists\n")


def test_export_csv_has_what_was_asked_changed_and_done(command: Command, environ: dict[str, str]) -> None:
    write(
        environ,
        request(1, changed={"command": "make -j 1"}),
        outcome(1, diff="@@ -1 +1 @@\n-a\n+b"),
        {"at": START + 2000, "event": "UserPromptSubmit", "session": "s1", "more": {"prompt": "improve it"}},
        {"at": "never", "event": "Stop", "session": "s1", "more": "x"},
    )
    out = command("ledger", "export", "--format", "csv").out
    assert out.splitlines()[0] == (
        "id,at,event,session,call,tool,verdict,rule,hook,reason,approved,outcome,ms,error,path,actor,agent,effort,kind,"
        "project,cwd,mode,prompt,input,changed,diff,handlers,w,n,hash"
    )
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [[row[name] for name in ("at", "prompt", "changed", "diff")] for row in rows] == [
        ["2026-09-21T14:13:21.000+00:00", "", '{"command": "make -j 1"}', ""],
        ["2026-09-21T14:13:21.500+00:00", "", "", "'@@ -1 +1 @@\n-a\n+b"],
        ["2026-09-21T14:13:22.000+00:00", "improve it", "", ""],
        ["never", "", "", ""],
    ]


def test_export_sqlite_is_a_copy(command: Command, filled: dict[str, str], tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    assert command("ledger", "export", "--format", "sqlite", "--to", str(target)).code == 0
    assert sqlite3.connect(target).execute("SELECT count(*) FROM entries").fetchone() == (7,)
    said = "hookkit: a copy of the database is whole and goes to a file: --format sqlite --to FILE, without filters\n"
    assert command("ledger", "export", "--format", "sqlite") == (2, "", said)


def test_verify_names_the_row(command: Command, filled: dict[str, str]) -> None:
    assert command("ledger", "verify") == (0, "7 rows in 2 chains: nothing was changed\n", "")
    database = sqlite3.connect(path(filled))
    database.execute("UPDATE entries SET body = replace(body, 'make 1', 'make 7') WHERE id = 1")
    database.commit()
    done = command("ledger", "verify")
    (writer,) = database.execute("SELECT w FROM entries WHERE id = 1").fetchone()
    what = "the index shows another content than the journal. Fix: hookkit ledger repair"
    said = f"{what}  row 1 writer {writer} n 1 at 2026-09-21T14:13:21 tool Bash\n7 rows in 2 chains: 1 finding\n"
    assert done == (1, said, "")
    value = json.loads(command("ledger", "verify", "-o", "json").out)
    assert value == {
        "rows": 7, "chains": 2, "erased": {}, "notes": [],
        "findings": [
            {"what": what, "row": 1, "writer": writer, "n": 1, "at": "2026-09-21T14:13:21", "tool": "Bash"}
        ],
    }  # fmt: skip


def test_prune_lets_rows_go(command: Command, filled: dict[str, str]) -> None:
    done = command("ledger", "prune", "--days", "0", "--megabytes", "0")
    assert done.out == "0 rows deleted; 7 rows in 0.1 MB left.\n"
    assert command("ledger", "prune", "--days", "1").out == "0 rows deleted; 7 rows in 0.1 MB left.\n"  # of today
    seal(filled)
    command("ledger", "list")
    would = command("ledger", "prune", "--days", "1", "--dry-run")
    assert (would.code, would.out) == (0, "Of 7 rows in 0.1 MB, 7 would be deleted.\n")
    assert command("ledger", "prune", "--days", "1").out == "7 rows deleted; 0 rows in 0.1 MB left.\n"
    assert json.loads(command("ledger", "list", "-o", "json").out)["rows"] == []
    assert command("ledger", "verify").code == 0


def test_prune_by_size_says_about_how_many_and_makes_the_file_smaller(
    command: Command, environ: dict[str, str]
) -> None:
    for part in range(6):
        write(environ, *(request(part * 50 + number, f"s{part}", output="x" * 8000) for number in range(50)))
        seal(environ)
    database = closed(environ)
    would = command("ledger", "prune", "--days", "0", "--megabytes", "1", "--dry-run").out
    found = re.fullmatch(r"Of 300 rows in \d\.\d MB, about (\d+) would be deleted\.\n", would)
    assert found is not None
    done = command("ledger", "prune", "--days", "0", "--megabytes", "1").out
    real = re.fullmatch(r"(\d+) rows deleted; (\d+) rows in (0\.\d|1\.0) MB left\.\n", done)
    assert real is not None
    assert int(real[1]) + int(real[2]) == 300
    assert abs(int(found[1]) - int(real[1])) < 20
    assert database.stat().st_size <= 1_000_000


def test_prune_and_repair_speak_json(command: Command, filled: dict[str, str]) -> None:
    def told(*words: str) -> Any:
        return json.loads(command("ledger", *words, "-o", "json").out)

    assert told("prune", "--days", "5000", "--dry-run") == {"rows": 7, "would_delete": 0, "is_certain": True}
    pruned = told("prune", "--days", "5000", "--megabytes", "0")
    assert (pruned["deleted"], pruned["rows"]) == (0, 7)
    assert told("repair") == {"repaired": False}
    repaired = told("repair", "--force")
    (aside,) = path(filled).parent.glob("index.db.old-????????-??????")
    assert repaired == {"repaired": True, "old": str(aside), "rows": 7}


@pytest.mark.parametrize("number", ["0", "-1", "9223372036854775808", "99999999999999999999999"])
def test_a_number_that_no_row_has_is_not_found(command: Command, filled: dict[str, str], number: str) -> None:
    done = command("ledger", "show", "--", number)
    assert (done.code, done.out, done.err) == (1, "", f"hookkit: there is no row {number}. See: hookkit ledger list\n")


def test_status_of_a_ledger_that_is_well(command: Command, filled: dict[str, str]) -> None:
    done = command("ledger", "status")
    waiting = sum(os.path.getsize(name) for name in places.paths(filled))
    lines = done.out.splitlines()
    assert (done.code, lines[0]) == (0, str(path(filled)))
    assert lines[1].startswith("0 rows, ")
    assert lines[2:] == [f"{waiting:,} bytes to take in from 2 of 2 journals"]
    command("ledger", "list")
    assert (
        command("ledger", "status")
        .out.splitlines()[1]
        .endswith(" MB, 2026-09-21 to 2026-09-21; 1 call without a result")
    )


def damage(database: Path) -> None:
    data = bytearray(database.read_bytes())
    for at in range(len(data) // 2, len(data) // 2 + 6000):
        data[at] ^= 0x5A
    database.write_bytes(data)


def troubles(command: Command) -> tuple[int, list[tuple[str, str, bool]]]:
    done = command("ledger", "status", "-o", "json")
    value: dict[str, Any] = json.loads(done.out)
    return done.code, [(row["what"], row["fix"], row["wrong"]) for row in value["troubles"]]


def closed(environ: dict[str, str], *rows: dict[str, Any]) -> Path:
    """A database with all in one file."""
    ledger = folded(environ, *rows)
    ledger.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    ledger.close()
    return Path(ledger.path)


def test_a_damaged_ledger_is_named_and_made_anew(command: Command, environ: dict[str, str]) -> None:
    database = closed(environ, *(request(number) for number in range(300)))
    damage(database)
    assert troubles(command) == (1, [("damaged", "hookkit ledger repair", True)])
    done = command("ledger", "repair")
    assert (done.code, done.err) == (0, "")
    (aside,) = database.parent.glob("index.db.old-????????-??????")
    said = f"The index is made anew: 300 rows, which may have other ids. The old one is {aside}\n"
    assert done.out == said
    assert command("ledger", "verify").out == "300 rows in 1 chain: nothing was changed\n"
    assert troubles(command) == (0, [])


def test_a_ledger_that_is_no_database_is_made_anew(command: Command, environ: dict[str, str]) -> None:
    database = closed(environ, request(1))
    database.write_bytes(b"not a database at all" * 1000)
    assert troubles(command) == (1, [("damaged", "hookkit ledger repair", True)])
    done = command("ledger", "list")
    said = f"hookkit: {database}: damaged (file is not a database). Fix: hookkit ledger repair\n"
    assert (done.code, done.out, done.err) == (2, "", said)
    assert command("ledger", "repair").code == 0
    assert command("ledger", "verify").out == "1 row in 1 chain: nothing was changed\n"


def test_repair_leaves_a_whole_ledger_alone(command: Command, environ: dict[str, str]) -> None:
    database = closed(environ, request(1))
    said = (
        "The index is not damaged: SQLite finds nothing wrong with it.\n"
        "--force makes it anew all the same. No row can be lost by that: they are in the journals and the sealed"
        " segments.\n"
    )
    assert command("ledger", "repair") == (0, said, "")
    assert sorted(database.parent.glob("*.old-*")) == []


def test_repair_by_force_has_changed_rows_again(command: Command, filled: dict[str, str]) -> None:
    before = command("ledger", "list").out
    with sqlite3.connect(path(filled)) as database:
        database.execute("UPDATE entries SET body = replace(body, 'make 1', 'make 7') WHERE id = 1")
        database.execute("DELETE FROM entries WHERE id = 3")
    database.close()
    assert command("ledger", "verify").code == 1
    assert command("ledger", "repair", "--force").code == 0
    assert command("ledger", "list").out == before
    assert command("ledger", "verify").code == 0


def test_erase_counts_first_and_then_leaves_no_trace_of_a_text(command: Command, filled: dict[str, str]) -> None:
    assert command("ledger", "erase").code == 2
    would = command("ledger", "erase", "--text", "make 1")
    assert would.out == "The content of 1 row would be erased, for good. Add --yes to do it.\n"
    assert json.loads(command("ledger", "erase", "--text", "s1", "-o", "json").out)["stays"] == ["session", "w"]
    done = command("ledger", "erase", "--text", "make 1", "--yes")
    said = "The content of 1 row is erased. The rows stay, and hookkit ledger verify says so.\n"
    assert (done.code, done.out, done.err) == (0, said, "")
    assert "make 1" not in command("ledger", "export").out
    verified = command("ledger", "verify")
    assert verified.code == 0
    assert re.fullmatch(
        r"1 row without content, erased on \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n7 rows in 2 chains: nothing was changed\n",
        verified.out,
    )


def test_a_locked_ledger_shows_what_is_in_it(
    command: Command, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_ledger, "WAIT", 0.1)
    database = closed(environ, request(1))
    write(environ, request(2))
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    fix = "wait for the other process to end; rows are kept in their journals meanwhile"
    assert troubles(command) == (1, [("locked", fix, True)])
    done = command("ledger", "list", "-o", "json")
    assert [row["id"] for row in json.loads(done.out)["rows"]] == [1]
    locked = f"{database}: in use by another process (database is locked). Fix: {fix}"
    assert (done.code, done.err) == (0, f"hookkit: some rows are not taken in yet: {locked}\n")
    other.execute("ROLLBACK")
    assert troubles(command) == (0, [])
    assert len(json.loads(command("ledger", "list", "-o", "json").out)["rows"]) == 2


def test_a_newer_ledger_is_left_alone(command: Command, environ: dict[str, str]) -> None:
    database = closed(environ, request(1))
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA user_version = 77")
    connection.close()
    assert troubles(command) == (1, [("newer", "update hookkit", True)])
    done = command("ledger", "list")
    said = f"hookkit: {database}: of version 77, and this hookkit knows 1; update hookkit. Fix: update hookkit\n"
    assert (done.code, done.out, done.err) == (2, "", said)


def test_rows_that_were_kept_aside_and_spoilt_files_are_told(command: Command, environ: dict[str, str]) -> None:
    home = Path(places.places(environ)[0])
    home.parent.mkdir(parents=True)
    home.symlink_to("/nonexistent")
    (aside,) = write(environ, request(1))
    link = ("foreign", f"remove {home}", True)
    kept = ("aside", "nothing: they are taken in with the others", False)
    assert troubles(command) == (1, [link, kept])
    home.unlink()
    (own,) = write(environ, request(2, "s9"))
    Path(own).write_bytes(Path(own).read_bytes() + b"garbage\n")
    write(environ, request(3, "s9"))
    assert troubles(command) == (0, [kept, ("spoilt", "look at it, then remove it", False)])
    assert len(json.loads(command("ledger", "list", "-o", "json").out)["rows"]) == 3
    assert command("ledger", "verify").code == 0
    assert os.path.exists(aside)


def test_without_a_command_help_is_shown(command: Command) -> None:
    done = command("ledger")
    assert done.code == 0
    assert "Usage: " in done.out


def test_a_simulation_neither_writes_rows_nor_takes_those_that_were_kept_aside(
    command: Command, environ: dict[str, str], project: Path
) -> None:
    home = Path(places.places(environ)[0])
    home.parent.mkdir(parents=True)
    home.write_text("in the way")
    (aside,) = write(environ, request(1))
    home.unlink()
    os.utime(aside, (1, 1))
    start = {"event": {"hook_event_name": "SessionStart", "source": "startup"}}
    (project / "rows.jsonl").write_text(f"{json.dumps(start)}\n")
    assert command("simulate", "rows.jsonl").code == 0
    assert command("simulate", "--tool", "Bash", "--args", "ls").code == 0
    assert places.paths(environ) == [aside]
    assert not path(environ).exists()


def test_rows_of_journals_are_shown_while_the_database_cannot_be_made(
    command: Command, environ: dict[str, str]
) -> None:
    write(environ, request(1), outcome(1))
    os.mkfifo(path_of(environ))
    done = command("ledger", "list", "-o", "json")
    assert (done.code, len(json.loads(done.out)["rows"])) == (0, 1)
    assert "only the rows that journals still hold" in done.err
    assert command("ledger", "status").code == 1

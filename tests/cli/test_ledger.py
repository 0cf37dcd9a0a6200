"""`hookkit ledger`: what a person sees of the rows, and how it speaks of what is wrong."""

import csv
import io
import json
import os
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from hookkit.cli import _ledger
from hookkit.state import journal
from hookkit.state.ledger import Ledger
from tests.cli.conftest import Command
from tests.state.conftest import _every_database_is_closed  # noqa: F401 - a fixture
from tests.state.making import START, folded, outcome, request, write

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
    return Path(environ["HOME"]) / ".local/state/hookkit/ledger/ledger.db"


@pytest.mark.usefixtures("filled")
def test_list_shows_one_row_a_call(command: Command) -> None:
    done = command("ledger", "list")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "id  when            what              verdict  outcome     by            ms  about\n"
        " 7  09-21 14:13:25  UserPromptSubmit  -        -           -              -  improve it␛[31m\n"
        " 6  09-21 14:13:24  Bash              -        unfinished  -              -  make 4\n"
        " 4  09-21 14:13:23  Edit              -        failed      mode default   7  /p/a.py\n"
        " 3  09-21 14:13:22  Bash              deny     denied      -              -  make 2\n"
        " 1  09-21 14:13:21  Bash              -        done        mode default  40  make 1\n"
    )


@pytest.mark.usefixtures("filled")
def test_list_says_how_to_get_more(command: Command) -> None:
    first = command("ledger", "list", "--limit", "2")
    assert first.out.splitlines()[-1] == "There are more: add --before 6"
    second = command("ledger", "list", "--limit", "2", "--before", "6", "--output", "json")
    value = json.loads(second.out)
    assert [row["id"] for row in value["rows"]] == [4, 3]
    assert value["before"] == 3
    assert json.loads(command("ledger", "list", "--before", "3", "-o", "json").out)["before"] is None


FOUND: list[tuple[list[str], list[int]]] = [
    (["--event", "UserPromptSubmit"], [7]),
    (["--tool", "Edit"], [4]),
    (["--verdict", "deny"], [3]),
    (["--actor", "agent:executor"], [1]),
    (["--session", "s2"], [7, 6]),
    (["--project", "/p"], [6, 4, 3, 1]),
    (["--project", "/p*"], [6, 4, 3, 1]),
    (["--text", "improve"], [7]),
    (["--unfinished"], [6]),
    (["--kind", "deploy"], []),
    (["--since", "2026-09-21"], [7, 6, 4, 3, 1]),
    (["--since", "2026-09-21T14:13:23"], [7, 6, 4]),
    (["--since", "2026-09-22"], []),
]


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(("words", "found"), FOUND, ids=[" ".join(row[0]) for row in FOUND])
def test_list_filters(words: list[str], found: list[int], command: Command) -> None:
    done = command("ledger", "list", "-o", "json", *words)
    assert [row["id"] for row in json.loads(done.out)["rows"]] == found


def test_an_empty_list_says_so(command: Command, environ: dict[str, str]) -> None:
    assert command("ledger", "list") == (0, "No rows.\n", "")


@pytest.mark.parametrize(
    ("text", "seconds"), [("30s", 30), ("5m", 300), ("2h", 7200), ("3d", 259_200), ("1w", 604_800)]
)
def test_since_takes_spans(text: str, seconds: int) -> None:
    assert abs(_ledger.moment(text) / 1000 + seconds - time.time()) < 2


@pytest.mark.parametrize("text", ["yesterday", "2x", "-1h", "2026-13-01", "99999999h"])
def test_since_says_what_it_takes(text: str, command: Command, environ: dict[str, str]) -> None:
    done = command("ledger", "list", f"--since={text}")
    said = f"--since {text}: write 30m, 2h, 3d, 1w, or a date as in 2026-01-31 or 2026-01-31T12:00\n"
    assert (done.code, done.out, done.err) == (2, "", said)


@pytest.mark.usefixtures("filled")
def test_show_has_request_and_outcome(command: Command) -> None:
    value = json.loads(command("ledger", "show", "2", "-o", "json").out)
    assert value.pop("writer").startswith("s1-")
    assert len(value.pop("hash")) == 64
    assert value == {
        "id": 1, "at": "2026-09-21T14:13:21+0000", "state": "done", "event": "PreToolUse", "session": "s1",
        "call": "call-1", "tool": "Bash", "project": "/p", "ms": 40, "approved": "mode default",
        "diff": "@@ -1,1 +1,1 @@\n-a\n+b", "actor": "agent:executor", "input": {"command": "make 1"},
        "took_ms": {"guard": 2.0, "redirect": 1.0}, "n": 1, "outcome_id": 2,
    }  # fmt: skip
    shown = command("ledger", "show", "1")
    assert shown.code == 0
    assert shown.out.splitlines()[-4:] == ["diff", "@@ -1,1 +1,1 @@", "-a", "+b"]
    assert command("ledger", "show", "99") == (2, "", "there is no row 99. See: hookkit ledger list\n")


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
        f"  hint      {'█' * 10}                      1.00, at most 1.00, 1 runs, 1 failed\n"
        f"  redirect  {'█' * 10}                      1.00, at most 1.00, 1 runs\n\n"
        "7 rows since 2026-09-01 00:00\n"
    )


def test_tail_prints_what_comes_in(command: Command, filled: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert command("ledger", "tail", "-n", "2").out == (
        "09-21 14:13:24  PreToolUse  Bash  make 4\n09-21 14:13:25  UserPromptSubmit  improve it␛[31m\n"
    )

    def wait(seconds: float) -> None:
        if os.path.getsize(journal.paths(filled, "s3")[0]) if journal.paths(filled, "s3") else 0:
            raise KeyboardInterrupt
        write(filled, request(9, session="s3"))

    monkeypatch.setattr(time, "sleep", wait)
    assert command("ledger", "tail", "-f", "-n", "0") == (0, "09-21 14:13:29  PreToolUse  Bash  make 9\n", "")


def test_export_jsonl_has_every_row_as_it_was_written(command: Command, filled: dict[str, str]) -> None:
    done = command("ledger", "export")
    rows = [json.loads(line) for line in done.out.splitlines()]
    written = [line for name in journal.paths(filled) for line in Path(name).read_text().splitlines()]
    assert [f"{row['hash']} {json.dumps(row['body'], separators=(',', ':'))}" for row in rows] == written
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
    assert (again.code, again.err) == (2, f"{target}: File exists\n")


def test_export_sqlite_is_a_copy(command: Command, filled: dict[str, str], tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    assert command("ledger", "export", "--format", "sqlite", "--to", str(target)).code == 0
    assert sqlite3.connect(target).execute("SELECT count(*) FROM entries").fetchone() == (7,)
    said = "a copy of the database is whole and goes to a file: --format sqlite --to FILE, without filters\n"
    assert command("ledger", "export", "--format", "sqlite") == (2, "", said)


def test_verify_names_the_row(command: Command, filled: dict[str, str]) -> None:
    assert command("ledger", "verify") == (0, "7 rows in 2 chains: nothing was changed\n", "")
    database = sqlite3.connect(path(filled))
    database.execute("UPDATE entries SET body = replace(body, 'make 1', 'make 7') WHERE id = 1")
    database.commit()
    done = command("ledger", "verify")
    (writer,) = database.execute("SELECT w FROM entries WHERE id = 1").fetchone()
    assert done == (
        1, f"changed  row 1 writer {writer} n 1 at 2026-09-21T14:13:21 tool Bash\n7 rows in 2 chains: 1 findings\n", "",
    )  # fmt: skip
    value = json.loads(command("ledger", "verify", "-o", "json").out)
    assert value == {
        "rows": 7, "chains": 2,
        "findings": [
            {"what": "changed", "row": 1, "writer": writer, "n": 1, "at": "2026-09-21T14:13:21", "tool": "Bash"}
        ],
    }  # fmt: skip


def test_prune_lets_rows_go(command: Command, filled: dict[str, str]) -> None:
    assert command("ledger", "prune", "--days", "0", "--megabytes", "0").out == "0 rows let go.\n"
    write(filled, request(1, "old", at=1_000_000_000_000))
    assert command("ledger", "prune", "--days", "5000").out == "1 rows let go.\n"
    assert len(json.loads(command("ledger", "list", "-o", "json").out)["rows"]) == 5
    assert command("ledger", "verify").code == 0


def test_status_of_a_ledger_that_is_well(command: Command, filled: dict[str, str]) -> None:
    done = command("ledger", "status")
    waiting = sum(os.path.getsize(name) for name in journal.paths(filled))
    lines = done.out.splitlines()
    assert (done.code, lines[0]) == (0, str(path(filled)))
    assert lines[1].startswith("0 rows, ")
    assert lines[2:] == [f"2 of 2 journals have {waiting:,} bytes to take in"]
    command("ledger", "list")
    assert command("ledger", "status").out.splitlines()[1].endswith(" MB, 2026-09-21 to 2026-09-21; 1 unfinished")


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
    (aside,) = database.parent.glob("ledger.db.damaged-????????-??????")
    assert done.out.splitlines()[0] == f"The old one is {aside}"
    assert done.out.splitlines()[1].startswith("300 rows from journals, 0 from the old one")
    assert command("ledger", "verify").out == "300 rows in 1 chains: nothing was changed\n"
    assert troubles(command) == (0, [])


def test_what_is_only_in_a_damaged_ledger_is_salvaged(command: Command, environ: dict[str, str]) -> None:
    database = closed(environ, *(request(number, f"s{number % 40}") for number in range(400)))
    for name in journal.paths(environ):
        os.utime(name, (1, 1))
    ledger = Ledger(environ)
    ledger.retire(time.time())
    ledger.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    ledger.close()
    damage(database)
    command("ledger", "repair")
    value = json.loads(command("ledger", "verify", "-o", "json").out)
    assert 300 < value["rows"] <= 400
    missing = 400 - value["rows"]
    assert bool(value["findings"]) == bool(missing)


def test_a_ledger_that_is_no_database_is_made_anew(command: Command, environ: dict[str, str]) -> None:
    database = closed(environ, request(1))
    database.write_bytes(b"not a database at all" * 1000)
    assert troubles(command) == (1, [("damaged", "hookkit ledger repair", True)])
    done = command("ledger", "list")
    said = f"{database}: damaged (file is not a database). Fix: hookkit ledger repair\n"
    assert (done.code, done.out, done.err) == (2, "", said)
    assert command("ledger", "repair").code == 0
    assert command("ledger", "verify").out == "1 rows in 1 chains: nothing was changed\n"


def test_repair_leaves_a_whole_ledger_alone(command: Command, environ: dict[str, str]) -> None:
    database = closed(environ, request(1))
    said = "The ledger is not damaged. With --force it is made anew all the same.\n"
    assert command("ledger", "repair") == (0, said, "")
    assert sorted(database.parent.glob("*damaged*")) == []
    assert command("ledger", "repair", "--force").code == 0
    assert len(sorted(database.parent.glob("*.damaged-????????-??????"))) == 1


def test_a_locked_ledger_shows_what_is_in_it(
    command: Command, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_ledger, "WAIT", 0.1)
    database = closed(environ, request(1))
    write(environ, request(2))
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    fix = "wait for the other process to end; rows are safe in their journals"
    assert troubles(command) == (1, [("locked", fix, True)])
    done = command("ledger", "list", "-o", "json")
    assert [row["id"] for row in json.loads(done.out)["rows"]] == [1]
    assert (done.code, done.err) == (
        0,
        f"not all rows are in here yet: {database}: in use by another process (database is locked). Fix: {fix}\n",
    )
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
    said = f"{database}: of version 77, and this hookkit knows 4; update hookkit. Fix: update hookkit\n"
    assert (done.code, done.out, done.err) == (2, "", said)


def test_rows_that_were_kept_aside_and_spoilt_files_are_told(command: Command, environ: dict[str, str]) -> None:
    home = Path(journal.places(environ)[0])
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
    home = Path(journal.places(environ)[0])
    home.parent.mkdir(parents=True)
    home.write_text("in the way")
    (aside,) = write(environ, request(1))
    home.unlink()
    os.utime(aside, (1, 1))
    start = {"event": {"hook_event_name": "SessionStart", "source": "startup"}}
    (project / "rows.jsonl").write_text(f"{json.dumps(start)}\n")
    assert command("simulate", "rows.jsonl").code == 0
    assert command("simulate", "--tool", "Bash", "--args", "ls").code == 0
    assert journal.paths(environ) == [aside]
    assert not path(environ).exists()

"""What the journals hold is in the index after a fold, once each."""

import os
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from hookkit.ledger import places, segments
from hookkit.ledger.row_index import DAY, Ledger
from hookkit.ledger.upkeep import fold_quickly
from hookkit.ledger.verifying import Verification
from hookkit.system import database
from tests.ledger.making import START, folded, request, seal, write

NOW = START / 1000 + 100


def numbers(ledger: Ledger) -> list[int]:
    return [row[0] for row in ledger.connection.execute("SELECT n FROM entries ORDER BY id")]


def intact(ledger: Ledger) -> bool:
    return [finding.what for finding in Verification(ledger).run()] == []


def age(environ: dict[str, str], days: float) -> None:
    for path in places.paths(environ):
        then = time.time() - days * DAY
        os.utime(path, (then, then))


def test_a_fold_takes_every_row_in_once(environ: dict[str, str]) -> None:
    ledger = folded(environ, *(request(number, f"s{number % 3}") for number in range(30)))
    assert ledger.fold() == 0
    assert sorted(numbers(ledger)) == sorted([*range(1, 11)] * 3)
    write(environ, request(30))
    assert ledger.fold() == 1
    assert intact(ledger)


def test_half_a_line_waits_and_is_not_sealed(environ: dict[str, str]) -> None:
    (path,) = write(environ, request(1))
    with open(path, "ab") as file:
        file.write(b"0" * 64 + b' {"n":2')
    ledger = Ledger(environ)
    assert ledger.fold() == 1
    assert ledger.waiting() == []
    seal(environ)
    (name,) = segments.names(environ)
    assert segments.read(environ, name).count(b"\n") == 1
    ledger.fold()
    assert numbers(ledger) == [1]


@pytest.mark.parametrize(
    ("garbage", "bad"),
    [
        (b"garbage\n", 1),
        (b"0" * 64 + b' {"n":2,"w":"x", not JSON}\n', 1),
        (b"0" * 64 + b' {"n":2,"w":"\xff"}\n', 1),
        (b"x" * (5 << 20) + b"\n", 2),
    ],
    ids=["text", "not JSON", "not ASCII", "five megabytes"],
)
def test_lines_that_are_not_ours_are_counted_and_left_out(garbage: bytes, bad: int, environ: dict[str, str]) -> None:
    (path,) = write(environ, request(1))
    with open(path, "ab") as file:
        file.write(garbage)
        file.write(Path(path).read_bytes().replace(b'"n":1,', b'"n":7,').splitlines(keepends=True)[0])
    ledger = Ledger(environ)
    ledger.fold()
    assert numbers(ledger) == [1, 7]
    assert ledger.connection.execute("SELECT bad FROM sources").fetchall() == [(bad,)]


def test_a_newer_version_is_not_touched(environ: dict[str, str]) -> None:
    ledger = folded(environ, request(1))
    ledger.connection.execute("PRAGMA user_version = 99")
    ledger.close()
    with pytest.raises(database.NewerError, match="of version 99, and this hookkit knows 1; update hookkit"):
        Ledger(environ)


def test_a_hook_leaves_a_busy_ledger_for_later(environ: dict[str, str]) -> None:
    ledger = folded(environ, request(1))
    other = sqlite3.connect(ledger.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    write(environ, request(2))
    start = time.monotonic()
    fold_quickly(environ, days=30, megabytes=200)
    assert time.monotonic() - start < 20  # whoever waits for the lock waits for ever
    other.execute("ROLLBACK")
    fold_quickly(environ, days=0, megabytes=0)
    assert numbers(ledger) == [1, 2]


def test_every_column_is_worked_out_of_the_text(environ: dict[str, str]) -> None:
    ledger = folded(environ, request(1, verdict="deny", actor="agent:x", kind="deploy"))
    found = ledger.connection.execute(
        "SELECT w, n, at, event, session, call, tool, verdict, actor, kind, project FROM entries"
    ).fetchone()
    assert found[1:] == (
        1, START + 1000, "PreToolUse", "s1", "call-1", "Bash", "deny", "agent:x", "deploy", "/p",
    )  # fmt: skip
    with pytest.raises(sqlite3.OperationalError, match="cannot UPDATE generated column"):
        ledger.connection.execute("UPDATE entries SET verdict = 'allow'")


@pytest.mark.usefixtures("at_once")
def test_a_hook_is_done_in_time_however_much_there_is_to_do(environ: dict[str, str]) -> None:
    """Five thousand rows to take in and to let go, of a thousand sessions."""
    write(environ, *(request(number, f"s{number % 1000}", at=1_000_000_000_000) for number in range(5_000)))
    age(environ, 2)
    start = time.monotonic()
    for _ in range(3):
        fold_quickly(environ, days=1, megabytes=200)
    assert time.monotonic() - start < 3 * 3


def test_rows_that_another_took_in_and_let_go_meanwhile_do_not_come_back(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(environ, *(request(number) for number in range(3)))
    slow, fast = Ledger(environ), Ledger(environ)
    insert = slow._insert

    def late(*words: Any, **named: Any) -> int:
        monkeypatch.undo()
        fast.fold()
        seal(environ)
        fast.fold()
        fast.prune(days=1, megabytes=0, now=NOW + 10 * DAY)
        return insert(*words, **named)

    monkeypatch.setattr(slow, "_insert", late)
    slow.fold()
    assert numbers(slow) == []
    assert intact(slow)

"""Ledgers of earlier versions: every row is moved over once, whatever interrupts it, without its plain hash."""

import fcntl
import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from hookkit.ledger import legacy, lines, places, register, segments
from hookkit.ledger.row_index import Ledger
from hookkit.ledger.upkeep import fold_quickly
from hookkit.ledger.verifying import Verification
from tests.ledger.making import request, write

TABLES = """CREATE TABLE entries (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE pruned (w TEXT PRIMARY KEY, n INTEGER NOT NULL, hash TEXT NOT NULL)"""


class Earlier:
    """A ledger as version 0.1 of the format left it."""

    def __init__(self, environ: dict[str, str]) -> None:
        self.root = Path(places.root(environ))
        self.place = self.root / "journal"
        (self.place / "kept").mkdir(parents=True)
        (self.place / "tips").mkdir()
        (self.place / "tips" / "s1").write_text("x")
        (self.root / "heads").write_text("x")

    def lines(self, session: str, count: int) -> list[bytes]:
        before, found = lines.FIRST, []
        for number in range(1, count + 1):
            fields: dict[str, Any] = {
                "n": number,
                "w": f"{session}-0a0b0c0d",
                **request(number, session, same="0" * 16),
            }
            body = json.dumps(fields, separators=(",", ":")).encode()
            before = lines.chained(before, body)
            found.append(before.encode() + b" " + body)
        return found

    def database(self, *rows: bytes, pruned: tuple[str, int] | None = None) -> None:
        connection = sqlite3.connect(self.root / "ledger.db")
        connection.executescript(TABLES)
        values = [(line[:64].decode(), line[65:].decode()) for line in rows]
        connection.executemany("INSERT INTO entries (hash, body) VALUES (?, ?)", values)
        if pruned is not None:
            connection.execute("INSERT INTO pruned VALUES (?, ?, 'x')", pruned)
        connection.commit()
        connection.close()

    def journal(self, name: str, *rows: bytes) -> None:
        (self.place / name).write_bytes(b"".join(line + b"\n" for line in rows))


def moved(environ: dict[str, str]) -> tuple[list[tuple[str, int]], list[str]]:
    """Session and number of each row, and the findings."""
    ledger = Ledger(environ)
    ledger.fold()
    rows = ledger.connection.execute("SELECT session, n FROM entries ORDER BY session, n").fetchall()
    findings = [fault.what for fault in Verification(ledger).run()]
    ledger.close()
    return rows, findings


def rows_of(**counts: int) -> list[tuple[str, int]]:
    return [(session, number) for session, count in counts.items() for number in range(1, count + 1)]


def test_every_row_is_moved_over_once_and_without_its_plain_hash(environ: dict[str, str]) -> None:
    earlier = Earlier(environ)
    one, two, three = (earlier.lines(session, 6) for session in ("s1", "s2", "s3"))
    earlier.database(*one, *two[:3])
    earlier.journal("s2.log", *two)
    earlier.journal("kept/s3-11111111.log", *three)
    write(environ, request(9, "s4"))
    assert moved(environ) == (rows_of(s1=6, s2=6, s3=6, s4=1), [])
    assert moved(environ) == (rows_of(s1=6, s2=6, s3=6, s4=1), [])
    assert sorted(path.name for path in earlier.root.iterdir()) == [
        "index.db", "index.db.lock", "open", "register", "sealed", "sealed.lock",
    ]  # fmt: skip
    assert not any(b'"same"' in segments.read(environ, name) for name in segments.names(environ))


def test_a_move_that_was_interrupted_goes_on(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    earlier = Earlier(environ)
    earlier.database(*earlier.lines("s1", 20), *earlier.lines("s2", 20))
    monkeypatch.setattr(legacy, "BATCH", 7)
    note, calls = register.note, []

    def stopped(*words: Any) -> None:
        calls.append(words)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        note(*words)

    monkeypatch.setattr(register, "note", stopped)
    with pytest.raises(OSError, match="No space left"):
        moved(environ)
    assert (earlier.root / "ledger.db").exists()
    assert moved(environ) == (rows_of(s1=20, s2=20), [])


def test_what_was_done_to_rows_before_is_not_hidden(environ: dict[str, str]) -> None:
    earlier = Earlier(environ)
    rows = earlier.lines("s1", 8)
    del rows[5]
    rows[2] = rows[2].replace(b"make 3", b"make 7")
    earlier.database(*rows)
    found, findings = moved(environ)
    assert [n for _, n in found] == [1, 2, 3, 4, 5, 7, 8]
    assert findings == [
        "changed, before an update of hookkit moved it over",
        "row 6 is missing before it",
    ]


def test_a_changed_row_is_found_where_its_chain_goes_on_in_another_file(environ: dict[str, str]) -> None:
    earlier = Earlier(environ)
    rows = earlier.lines("s1", 6)
    earlier.database(*rows[:3])
    earlier.journal("s1.log", rows[3].replace(b"make 4", b"make 7"), *rows[4:])
    assert moved(environ) == (rows_of(s1=6), ["changed, before an update of hookkit moved it over"])


def test_pruned_rows_stay_pruned(environ: dict[str, str]) -> None:
    earlier = Earlier(environ)
    rows = earlier.lines("s1", 6)
    earlier.database(*rows[3:], pruned=("s1-0a0b0c0d", 3))
    earlier.journal("s1.log", *rows)
    assert moved(environ) == ([("s1", 4), ("s1", 5), ("s1", 6)], [])


def test_two_rows_with_the_same_number_are_both_kept(environ: dict[str, str]) -> None:
    earlier = Earlier(environ)
    rows = earlier.lines("s1", 3)
    other = rows[2].replace(b"make 3", b"make 9")
    earlier.database(*rows, b"f" * 64 + other[64:])
    found, _ = moved(environ)
    assert found == [("s1", 1), ("s1", 2), ("s1", 3), ("s1", 3)]


def test_lines_of_another_program_are_kept_apart(environ: dict[str, str]) -> None:
    earlier = Earlier(environ)
    earlier.journal("s1.log", *earlier.lines("s1", 2), b"garbage")
    assert moved(environ) == (rows_of(s1=2), [])
    assert (earlier.root / "old" / "s1.log").read_bytes() == b"garbage\n"


@pytest.mark.parametrize("at", [0.2, 0.5, 0.8])
def test_a_damaged_database_gives_the_rows_that_can_be_read_and_is_kept(at: float, environ: dict[str, str]) -> None:
    earlier = Earlier(environ)
    earlier.database(*earlier.lines("s1", 400))
    path = earlier.root / "ledger.db"
    with path.open("r+b") as file:
        file.seek(int(path.stat().st_size // 4096 * at) * 4096)
        file.write(b"\xa5" * 4096)
    found, _ = moved(environ)
    assert 380 < len(found) < 400
    assert len(list((earlier.root / "old").glob("*-ledger.db"))) == 1


@pytest.mark.usefixtures("at_once")
def test_a_hook_moves_a_small_ledger_and_leaves_a_large_one_for_a_person(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = Earlier(environ)
    earlier.database(*earlier.lines("s1", 3))
    monkeypatch.setattr(legacy, "SMALL", 10)
    fold_quickly(environ, days=30, megabytes=200)
    assert (earlier.root / "ledger.db").exists()
    monkeypatch.undo()
    monkeypatch.setenv("HOME", environ["HOME"])
    fold_quickly(environ, days=0, megabytes=200)
    assert not (earlier.root / "ledger.db").exists()
    assert moved(environ)[0] == rows_of(s1=3)


def test_a_journal_that_an_earlier_version_writes_to_waits(environ: dict[str, str]) -> None:
    earlier = Earlier(environ)
    earlier.journal("s1.log", *earlier.lines("s1", 2))
    with open(earlier.place / "s1.log", "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert moved(environ) == ([], [])
    assert moved(environ) == (rows_of(s1=2), [])
    assert not os.path.exists(earlier.place)

"""A ledger is made anew from its journals and from what can still be read, and rows keep their numbers."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from hookkit.ledger import places, reading
from hookkit.ledger.reading import Filters
from hookkit.ledger.repair import Repaired, repair
from hookkit.ledger.store import Ledger
from tests.ledger.making import folded, request, write
from tests.ledger.test_ledger import intact

Rows = dict[int, tuple[str, int]]


def rows(ledger: Ledger) -> Rows:
    """Each row's number: whose it is, and its place in the chain."""
    found = ledger.connection.execute("SELECT id, session, n FROM entries ORDER BY id").fetchall()
    return {number: (session, n) for number, session, n in found}


def interleaved(environ: dict[str, str]) -> Ledger:
    """Two sessions that were folded in turn, three rows at a time: s1 has 1 to 3 and 7 to 9, s2 the others."""
    ledger = Ledger(environ)
    for start in (0, 3):
        for session in ("s1", "s2"):
            write(environ, *(request(start + number, session) for number in range(3)))
            ledger.fold()
    return ledger


def mended(environ: dict[str, str], ledger: Ledger, *statements: str) -> tuple[Repaired, Ledger]:
    for statement in statements:
        ledger.connection.execute(statement)
    ledger.close()
    return repair(environ), Ledger(environ)


def retired(environ: dict[str, str], ledger: Ledger, session: str) -> None:
    """Only the database has these rows now."""
    (path,) = places.paths(environ, session)
    os.utime(path, (1, 1))
    ledger.retire(time.time())


BODY = "UPDATE entries SET body = replace(body, 'make', 'echo') WHERE id = 8"
# What was done to the ledger; whether the rows have the numbers that they had, or new ones.
DONE = [
    ("nothing", [], "kept"),
    ("a row is changed", [BODY], "kept"),
    ("a row in the middle is gone", ["DELETE FROM entries WHERE id = 2"], "kept"),
    ("the end of a part and the beginning of the next", ["DELETE FROM entries WHERE id IN (3, 4)"], "kept"),
    ("the beginning of each", ["DELETE FROM entries WHERE id IN (1, 2, 4)"], "kept"),
    ("the end", ["DELETE FROM entries WHERE id >= 11"], "kept"),
    ("two rows changed places", ["UPDATE entries SET id = -2 WHERE id = 2", "UPDATE entries SET id = 2 WHERE id = 3",
                                 "UPDATE entries SET id = 3 WHERE id = -2"], "new"),
]  # fmt: skip


@pytest.mark.parametrize(("statements", "numbers"), [row[1:] for row in DONE], ids=[row[0] for row in DONE])
def test_rows_come_back_from_their_journals_with_their_numbers(
    statements: list[str], numbers: str, environ: dict[str, str]
) -> None:
    ledger = interleaved(environ)
    before = rows(ledger)
    done, ledger = mended(environ, ledger, *statements)
    assert (done.folded, done.salvaged, done.lost, done.findings) == (12, 0, 0, 0)
    assert done.has_new_ids == (numbers == "new")
    assert (rows(ledger) == before) == (numbers == "kept")
    assert sorted(rows(ledger).values()) == sorted(before.values())
    assert intact(ledger)


def test_what_is_kept_beside_the_rows_fits_their_numbers(environ: dict[str, str]) -> None:
    _, ledger = mended(environ, interleaved(environ), BODY)
    found = reading.find(ledger.connection, Filters(text="make 4"), 50)
    assert [entry.id for entry in found] == [11, 8]
    assert reading.find(ledger.connection, Filters(text="echo"), 50) == []
    assert [entry.id for entry in reading.find(ledger.connection, Filters(unfinished=True), 3)] == [12, 9, 11]


def test_a_row_that_no_journal_has_any_more_is_taken_as_it_is(environ: dict[str, str]) -> None:
    ledger = interleaved(environ)
    before = rows(ledger)
    retired(environ, ledger, "s2")
    done, ledger = mended(environ, ledger, "UPDATE entries SET body = replace(body, 'make', 'echo') WHERE id IN (5, 8)")
    assert (done.folded, done.salvaged, done.findings, done.has_new_ids) == (6, 6, 1, False)
    assert rows(ledger) == before
    assert [entry.id for entry in reading.find(ledger.connection, Filters(text="echo"), 50)] == [5]


def test_rows_that_were_never_in_it_come_after_all_others(environ: dict[str, str]) -> None:
    ledger = interleaved(environ)
    before = rows(ledger)
    write(environ, request(6, "s1"), request(0, "s0"))
    done, ledger = mended(environ, ledger)
    assert not done.has_new_ids
    found = rows(ledger)
    assert {number: found[number] for number in before} == before
    assert sorted(found[number] for number in (13, 14)) == [("s0", 1), ("s1", 7)]
    assert intact(ledger)


def test_rows_that_were_let_go_do_not_put_the_others_out_of_their_numbers(environ: dict[str, str]) -> None:
    ledger = interleaved(environ)
    ledger.prune(days=1, megabytes=0, now=request(2)["at"] / 1000 - 0.5 + 86_400)
    left = rows(ledger)
    assert list(left) == [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    done, ledger = mended(environ, ledger)
    found = rows(ledger)
    assert not done.has_new_ids
    assert {number: found[number] for number in left} == left
    assert intact(ledger)


def broken(database: Path, page: int) -> None:
    """A page that is no page any more; the first is 1."""
    with database.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xa5" * 4096)


def leaves(ledger: Ledger) -> list[int]:
    """The pages that hold rows."""
    if ("ENABLE_DBSTAT_VTAB",) not in ledger.connection.execute("PRAGMA compile_options").fetchall():
        pytest.skip("this SQLite cannot tell its pages")
    sql = "SELECT pageno FROM dbstat WHERE name = 'entries' AND pagetype = 'leaf' ORDER BY pageno"
    return [row[0] for row in ledger.connection.execute(sql)]


def whole(environ: dict[str, str], *written: dict[str, Any]) -> Ledger:
    ledger = folded(environ, *written)
    ledger.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return ledger


@pytest.mark.parametrize("at", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_bad_page_costs_no_row_that_a_journal_has(at: float, environ: dict[str, str]) -> None:
    ledger = whole(environ, *(request(number, f"s{number % 4}", output="x" * 900) for number in range(400)))
    before = rows(ledger)
    ledger.close()
    path = Path(ledger.path)
    broken(path, int(path.stat().st_size // 4096 * at) + 1)
    done = repair(environ)
    ledger = Ledger(environ)
    assert (done.folded, done.findings, done.has_new_ids) == (400, 0, False)
    assert rows(ledger) == before


@pytest.mark.parametrize("pruned", [0, 9_000])
def test_a_bad_page_costs_the_rows_on_it_and_no_others(pruned: int, environ: dict[str, str]) -> None:
    """Also where the numbers are far higher than there are rows: the rows before them were let go."""
    ledger = whole(environ, *(request(number, output="x" * 900) for number in range(400)))
    ledger.connection.execute("UPDATE entries SET id = id + ?", (pruned,))
    ledger.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = rows(ledger)
    retired(environ, ledger, "s1")
    ledger.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    pages = leaves(ledger)
    ledger.close()
    broken(Path(ledger.path), pages[len(pages) // 2])
    done = repair(environ)
    ledger = Ledger(environ)
    assert 390 < len(rows(ledger)) < 400
    assert rows(ledger).items() <= before.items()
    assert (done.lost, done.findings, done.has_new_ids) == (1, 1, False)

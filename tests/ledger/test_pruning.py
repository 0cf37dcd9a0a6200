"""The oldest rows are let go by age and by size, no more of them than it takes, and the file gets smaller."""

import os
import random
import string
import time
from typing import Any

import pytest

from hookkit.ledger import pruning
from hookkit.ledger.store import DAY
from hookkit.system import database
from tests.ledger.making import START, folded, request
from tests.ledger.test_ledger import NOW, intact, numbers

MILLION = 1_000_000


def wordy(number: int, session: str = "s1", **fields: Any) -> dict[str, Any]:
    """A row of a kilobyte, of words that are in no other."""
    draw = random.Random(number)
    words = ("".join(draw.choices(string.ascii_lowercase, k=7)) for _ in range(125))
    return request(number, session, input={"command": " ".join(words)}, **fields)


def needed(environ: dict[str, str], limit: int, *rows: dict[str, Any]) -> int:
    """The fewest of the oldest rows that have to go, by trying: a ledger of those that are left fits."""
    low, high = 0, len(rows)
    for attempt in range(8):
        middle = (low + high) // 2
        there = {**environ, "HOME": f"{environ['HOME']}/{attempt}"}
        ledger = folded(there, *rows[middle:])
        pruning.Pruning(ledger)._merge()
        low, high = (low, middle) if ledger.size() <= limit else (middle, high)
        ledger.close()
    return high


def test_no_more_rows_go_than_it_takes_and_the_file_gets_smaller(environ: dict[str, str]) -> None:
    rows = [wordy(number, f"s{number % 5}") for number in range(1500)]
    fewest = needed(environ, MILLION, *rows)
    ledger = folded(environ, *rows)
    assert ledger.size() > 5 * MILLION
    gone = ledger.prune(days=0, megabytes=1, now=NOW)
    assert fewest * 0.9 < gone < fewest * 1.1
    assert ledger.size() <= MILLION
    assert os.path.getsize(ledger.path) == ledger.size()
    assert ledger.prune(days=0, megabytes=1, now=NOW) == 0
    assert len(numbers(ledger)) == 1500 - gone
    assert intact(ledger)


def test_a_little_too_much_costs_a_few_rows(environ: dict[str, str]) -> None:
    ledger = folded(environ, *(wordy(number) for number in range(300)))
    pruning.Pruning(ledger)._merge()
    assert 1_050_000 < ledger.size() < 1_300_000
    over = 1 - MILLION / ledger.size()
    gone = ledger.prune(days=0, megabytes=1, now=NOW)
    assert 0 < gone < 300 * (over + 0.05)
    assert ledger.size() <= MILLION


def test_old_rows_that_are_long_are_not_counted_as_short_ones(environ: dict[str, str]) -> None:
    """What is too much is in the first fifty rows or so, not in a share of all nine hundred."""
    long = [request(number, output="x" * 30_000) for number in range(100)]
    ledger = folded(environ, *long, *(request(number) for number in range(100, 900)))
    assert 3.5 * MILLION < ledger.size() < 4 * MILLION
    gone = ledger.prune(days=0, megabytes=2, now=NOW)
    assert 45 < gone < 65


def test_what_earlier_rows_left_behind_is_cleared_away_before_more_of_them_go(environ: dict[str, str]) -> None:
    """Their words stay in the index of texts until it is put together anew: a hook has no time for that."""
    ledger = folded(environ, *(wordy(number) for number in range(600)))
    part = pruning.Pruning(ledger)
    assert part.by_age(START + 400_000) == 400
    assert ledger.size() > MILLION
    assert ledger.prune(days=0, megabytes=1, now=NOW) == 0
    assert ledger.size() <= MILLION


def test_rows_of_the_same_moment_do_not_all_go(environ: dict[str, str]) -> None:
    ledger = folded(environ, *(wordy(number, at=START) for number in range(500)))
    gone = ledger.prune(days=0, megabytes=1, now=NOW)
    assert numbers(ledger) == list(range(gone + 1, 501))
    assert len(numbers(ledger)) > 150


def test_a_hook_gets_there_bit_by_bit(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time it has to stop half-way, and none of them takes more than the person's own prune would."""
    monkeypatch.setattr(pruning, "MERGED", 16)
    monkeypatch.setattr(pruning, "PIECE", 50)
    ledger = folded(environ, *(wordy(number) for number in range(1000)))
    clock = iter(range(1_000_000))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    times = 0
    while ledger.is_due(NOW):
        ledger.prune(days=0, megabytes=1, now=NOW, seconds=6)
        times += 1
    assert times > 5
    assert 0.9 * MILLION < ledger.size() <= MILLION
    assert len(numbers(ledger)) > 180
    assert intact(ledger)


def test_a_chain_with_a_row_taken_out_is_let_go_all_the_same(environ: dict[str, str]) -> None:
    ledger = folded(environ, *(request(number) for number in range(10)))
    ledger.connection.execute("DELETE FROM entries WHERE n = 4")
    assert ledger.prune(days=1, megabytes=0, now=START / 1000 + 3.5 + DAY) == 3
    assert numbers(ledger) == [5, 6, 7, 8, 9, 10]


@pytest.mark.parametrize(("days", "megabytes", "gone"), [(0, 0, 0), (0, 100, 0), (1, 0, 100), (1, 100, 100)])
def test_a_preview_by_age_is_what_goes(days: int, megabytes: int, gone: int, environ: dict[str, str]) -> None:
    """The second row of s2 looks old and came in after a younger one: it stays, as its clock was wrong."""
    rows = [request(number, "s1") for number in range(100)]
    ledger = folded(environ, *rows, request(300, "s2"), request(100, "s2"), request(301, "s2"))
    now = START / 1000 + 100.5 + DAY
    assert ledger.preview(days=days, megabytes=megabytes, now=now) == (gone, True)
    assert len(numbers(ledger)) == 103
    assert ledger.prune(days=days, megabytes=megabytes, now=now) == gone
    assert len(numbers(ledger)) == 103 - gone


def test_a_preview_by_size_is_about_right_and_takes_nothing(environ: dict[str, str]) -> None:
    ledger = folded(environ, *(wordy(number) for number in range(800)))
    said, is_certain = ledger.preview(days=0, megabytes=1, now=NOW)
    assert (len(numbers(ledger)), is_certain) == (800, False)
    gone = ledger.prune(days=0, megabytes=1, now=NOW)
    assert gone * 0.9 < said < gone * 1.1


def test_what_the_database_complains_of_is_said_with_its_name(environ: dict[str, str]) -> None:
    ledger = folded(environ, request(1))
    ledger.connection.execute("DROP TABLE pruned")
    with pytest.raises(database.DamagedError, match=r"ledger\.db: damaged \(no such table: pruned\)"):
        ledger.prune(days=1, megabytes=0, now=NOW + 10 * DAY)


def test_rows_are_let_go_by_age_and_the_chain_still_holds(environ: dict[str, str]) -> None:
    rows = [request(number, at=int((NOW - number * DAY) * 1000)) for number in range(10, 0, -1)]
    ledger = folded(environ, *rows)
    assert ledger.prune(days=4, megabytes=0, now=NOW) == 6
    assert numbers(ledger) == [7, 8, 9, 10]
    assert ledger.connection.execute("SELECT count(*) FROM unfinished").fetchone() == (4,)
    assert intact(ledger)
    assert ledger.prune(days=1, megabytes=0, now=NOW) == 3
    assert intact(ledger)


def test_rows_are_let_go_by_size_the_oldest_first(environ: dict[str, str]) -> None:
    ledger = folded(environ, *(request(number, output="x" * 8000) for number in range(400)))
    size = ledger.size()
    assert size > 3_000_000
    gone = ledger.prune(days=0, megabytes=2, now=NOW)
    assert numbers(ledger) == list(range(gone + 1, 401))
    assert 1_850_000 < ledger.size() <= 2_000_000
    assert intact(ledger)


def test_a_row_from_the_future_does_not_take_the_others_with_it(environ: dict[str, str]) -> None:
    rows = [request(number, output="x" * 8000) for number in range(400)]
    ledger = folded(environ, *rows, request(1, "s2", at=4_000_000_000_000))
    ledger.prune(days=0, megabytes=2, now=NOW)
    assert len(numbers(ledger)) > 150


def test_texts_of_rows_that_were_let_go_are_forgotten(environ: dict[str, str]) -> None:
    ledger = folded(environ, request(1, input={"command": "zebra"}), request(50))
    ledger.prune(days=1, megabytes=0, now=START / 1000 + 2 + DAY)
    count = "SELECT count(*) FROM texts WHERE texts MATCH ?"
    assert ledger.connection.execute(count, ("zebra",)).fetchone() == (0,)
    assert ledger.connection.execute(count, ("make",)).fetchone() == (1,)


def test_what_a_hook_has_no_time_for_is_let_go_the_next_time(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pruning, "PIECE", 3)
    monkeypatch.setattr(pruning, "SOME", 5)
    ledger = folded(environ, *(request(number) for number in range(20)))
    clock = iter(range(1000))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    gone = ledger.prune(days=1, megabytes=0, now=NOW + 10 * DAY, seconds=5)
    assert 0 < gone < 20
    assert ledger.is_due(NOW + 10 * DAY)
    assert intact(ledger)
    assert ledger.prune(days=1, megabytes=0, now=NOW + 10 * DAY) == 20 - gone
    assert not ledger.is_due(NOW + 10 * DAY)

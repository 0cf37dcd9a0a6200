"""The oldest segments are deleted by age and by size, no more of them than it takes, and the index gets smaller."""

import os
import random
import string
import time
from typing import Any

import pytest

from hookkit.ledger import places, segments
from hookkit.ledger.row_index import DAY, Ledger
from hookkit.system import database
from tests.ledger.making import START, folded, request, seal, write
from tests.ledger.test_ledger import NOW, intact

MILLION = 1_000_000


def wordy(number: int, session: str = "s1", **fields: Any) -> dict[str, Any]:
    """A row of a kilobyte, of words that are in no other."""
    draw = random.Random(number)
    words = ("".join(draw.choices(string.ascii_lowercase, k=7)) for _ in range(125))
    return request(number, session, input={"command": " ".join(words)}, **fields)


def calls(ledger: Ledger) -> list[int]:
    found = ledger.connection.execute("SELECT call FROM entries WHERE call IS NOT NULL")
    return sorted(int(call.removeprefix("call-")) for (call,) in found)


def sealed(environ: dict[str, str], *parts: list[dict[str, Any]]) -> Ledger:
    """A segment for each list of rows."""
    ledger = Ledger(environ)
    for rows in parts:
        write(environ, *rows)
        seal(environ)
        ledger.fold()
    assert len(segments.names(environ)) == len(parts)
    return ledger


def daily(environ: dict[str, str], days: int) -> Ledger:
    """A segment a day, of two rows, the oldest first."""
    at = [int((NOW - age * DAY) * 1000) for age in range(days, 0, -1)]
    return sealed(
        environ, *([request(2 * n, f"d{n}", at=at[n]), request(2 * n + 1, f"d{n}", at=at[n])] for n in range(days))
    )


def test_segments_are_deleted_by_age_and_the_rest_still_holds(environ: dict[str, str]) -> None:
    ledger = daily(environ, 10)
    assert ledger.prune(days=4, megabytes=0, now=NOW - DAY / 2) == 12
    assert calls(ledger) == list(range(12, 20))
    assert ledger.connection.execute("SELECT count(*) FROM unfinished").fetchone() == (8,)
    assert intact(ledger)
    assert ledger.prune(days=1, megabytes=0, now=NOW - DAY / 2) == 6
    assert intact(ledger)


def test_rows_that_a_fleets_hub_lacks_go_last_and_only_by_size(environ: dict[str, str]) -> None:
    ledger = daily(environ, 6)
    sent = os.path.join(segments.directory(environ), segments.SENT)
    with open(os.open(sent, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        file.write("\n".join(segments.names(environ)[2:4]))
    assert ledger.prune(days=1, megabytes=0, now=NOW - DAY / 2) == 4
    assert calls(ledger) == [0, 1, 2, 3, 8, 9, 10, 11]
    assert intact(ledger)
    os.unlink(sent)  # left the fleet
    assert ledger.prune(days=1, megabytes=0, now=NOW - DAY / 2) == 6
    assert intact(ledger)


def test_rows_of_open_journals_stay(environ: dict[str, str]) -> None:
    ledger = sealed(environ, [request(1, at=1_000_000_000_000), request(2, at=1_000_000_000_001)])
    write(environ, request(99, "open", at=1))
    ledger.fold()
    assert ledger.prune(days=1, megabytes=0, now=time.time() + DAY / 2) == 2
    assert calls(ledger) == [99]


def test_segments_are_deleted_by_size_the_oldest_first(environ: dict[str, str]) -> None:
    ledger = sealed(environ, *([wordy(part * 100 + n, f"p{part}") for n in range(100)] for part in range(12)))
    assert ledger.size() > 4 * MILLION
    gone = ledger.prune(days=0, megabytes=2, now=NOW)
    assert calls(ledger) == list(range(gone, 1200))
    assert MILLION < ledger.size() <= 2.2 * MILLION  # an estimate, corrected by the next run
    ledger.prune(days=0, megabytes=2, now=NOW)
    assert ledger.size() <= 2 * MILLION
    assert os.path.getsize(ledger.path) + sum(ledger.sealed().values()) == ledger.size()
    assert intact(ledger)


def test_a_row_from_the_future_holds_no_other_row_back(environ: dict[str, str]) -> None:
    rows = [request(1, at=int((NOW - 9 * DAY) * 1000)), request(2, at=4_000_000_000_000)]
    ledger = sealed(environ, rows, [request(3, at=int(NOW * 1000))])
    assert ledger.prune(days=4, megabytes=0, now=NOW) == 2
    assert calls(ledger) == [3]


def test_a_segment_behind_a_younger_one_stays(environ: dict[str, str]) -> None:
    """Its clock was wrong: it came in later."""
    ledger = sealed(environ, [request(1, at=int(NOW * 1000))], [request(2, at=1_000_000_000_000)])
    assert ledger.prune(days=4, megabytes=0, now=NOW) == 0


def test_what_a_hook_has_no_time_for_is_deleted_the_next_time(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = daily(environ, 10)
    clock = iter(range(1_000))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    gone = ledger.prune(days=1, megabytes=0, now=NOW + 10 * DAY, seconds=4)
    assert 0 < gone < 20
    assert ledger.is_due(NOW + 10 * DAY)
    assert intact(ledger)
    assert ledger.prune(days=1, megabytes=0, now=NOW + 10 * DAY) == 20 - gone
    assert not ledger.is_due(NOW + 10 * DAY)


@pytest.mark.parametrize(("days", "megabytes", "gone"), [(0, 0, 0), (0, 100, 0), (3, 0, 4), (3, 100, 4)])
def test_a_preview_by_age_is_what_goes(days: int, megabytes: int, gone: int, environ: dict[str, str]) -> None:
    ledger = daily(environ, 5)
    now = NOW - DAY / 2
    assert ledger.preview(days=days, megabytes=megabytes, now=now) == (gone, True)
    assert len(calls(ledger)) == 10
    assert ledger.prune(days=days, megabytes=megabytes, now=now) == gone


def test_a_preview_by_size_is_an_estimate_and_takes_nothing(environ: dict[str, str]) -> None:
    ledger = sealed(environ, *([wordy(part * 100 + n, f"p{part}") for n in range(100)] for part in range(8)))
    said, is_certain = ledger.preview(days=0, megabytes=1, now=NOW)
    assert (len(calls(ledger)), is_certain) == (800, False)
    assert ledger.prune(days=0, megabytes=1, now=NOW) == said


def test_what_the_database_complains_of_is_said_with_its_name(environ: dict[str, str]) -> None:
    ledger = folded(environ, request(1))
    ledger.connection.execute("DROP TABLE sources")
    with pytest.raises(database.DamagedError, match=r"index\.db: damaged \(no such table: sources\)"):
        ledger.fold()


def test_texts_of_deleted_rows_are_forgotten(environ: dict[str, str]) -> None:
    ledger = sealed(environ, [request(1, input={"command": "zebra"})], [request(50)])
    ledger.prune(days=1, megabytes=0, now=START / 1000 + 2 + DAY)
    count = "SELECT count(*) FROM texts WHERE texts MATCH ?"
    assert ledger.connection.execute(count, ("zebra",)).fetchone() == (0,)
    assert ledger.connection.execute(count, ("make",)).fetchone() == (1,)


def test_a_large_journal_is_sealed_while_its_session_goes_on(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "LARGE", 2_000)
    ledger = folded(environ, *(request(number) for number in range(20)))
    ledger.prune(days=0, megabytes=0, now=time.time())
    assert places.paths(environ) == []
    write(environ, request(20))
    ledger.fold()
    assert calls(ledger) == list(range(21))
    assert intact(ledger)


def test_a_hook_makes_one_small_segment_a_day(environ: dict[str, str]) -> None:
    ledger = Ledger(environ)
    for number in range(3):
        (path,) = write(environ, request(number, f"s{number}"))
        os.utime(path, (1, 1))
        ledger.prune(days=0, megabytes=100, now=time.time(), seconds=1)
    assert (len(segments.names(environ)), len(places.paths(environ))) == (1, 2)

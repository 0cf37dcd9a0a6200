"""The incident book: its rows are stopped as they say, its page says the same, and replay knows their kinds."""

import json
from pathlib import Path

import pytest

from hookkit.play import player
from hookkit.play.mining import kinds
from hookkit.play.rows import Case, incidents

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "incidents.md").read_text()
ROWS = [json.loads(line) for line in (ROOT / "tests/cases/incidents.jsonl").read_text().splitlines()]


def test_what_the_book_calls_stopped_is_stopped() -> None:
    rows = [Case({**row, "files": {}}) for row in incidents() if "expect" in row]
    assert [played.row["id"] for played in player.play_all(rows) if not played.passed] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"].partition(":")[0])
def test_the_page_has_each_row_with_its_address_and_verdict(row: dict[str, str]) -> None:
    report, _, happened = row["id"].partition(": ")
    date, how, address = row["note"].split("; ")
    line = next(line for line in PAGE.splitlines() if line.startswith(f"| [{report}]({address}) | {date} |"))
    assert happened in line
    assert line.endswith(f"| {'stops' if 'expect' in row else 'passes'} |")
    assert how == "quoted" or how[1:] in line


def test_every_kind_of_the_book_has_a_rule() -> None:
    assert set(kinds().values()) == {row["class"] for row in ROWS if "expect" in row}

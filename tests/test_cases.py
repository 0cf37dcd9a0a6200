"""The rows in tests/cases: each is an event and the exact reply to it."""

from pathlib import Path
from typing import Any

import pytest

from hookkit.play import player
from hookkit.play.rows import load

OTHERS = ("nudge_", "incidents")  # rows with a test of their own
ROWS = [row for path in sorted((Path(__file__).parent / "cases").glob("*.jsonl")) if not path.name.startswith(OTHERS)
        for row in load(str(path))]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["id"]))
def test_row(row: dict[str, Any]) -> None:
    for outcome in player.play(row):
        assert outcome.problems == []
        assert outcome.reply == outcome.expected


def test_ids_are_unique() -> None:
    """A row's name is how a failure is found."""
    ids = [row["id"] for row in ROWS]
    assert sorted(set(ids)) == sorted(ids)

"""The corpus: what a pattern must see, and what it must leave alone; and the policy that ships.

The rows are played by `hookkit.play.player`, the same player as `hookkit simulate --conformance`.
"""

from itertools import groupby
from pathlib import Path

import pytest

from hookkit.play.player import play_all
from hookkit.play.rows import MISSING, Case, conformance

CLASSES = {Path(file).stem: list(rows) for file, rows in groupby(conformance(), lambda row: row.file)}


def wrong(rows: list[Case]) -> list[str]:
    return [
        f"{played.row.get('pattern', 'policy')} {played.row.get('arg', played.row.get('command'))!r}"
        f" should be {played.expected}, and is {played.reply}"
        for played in play_all(rows)
        if not played.passed or not played.is_checked
    ]


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_is_seen_and_its_twins_are_left_alone(name: str) -> None:
    assert wrong(CLASSES[name]) == []


def test_the_corpus_is_no_handful() -> None:
    assert sum(len(rows) for name, rows in CLASSES.items() if name != "base") >= 2_500
    assert len(CLASSES["base"]) >= 800


def test_the_player_finds_a_row_that_is_wrong() -> None:
    rows = [
        Case({"id": "a", "pattern": "Bash(rm *)", "tool": "Bash", "arg": "rm x", "match": False}),
        Case({"id": "b", "files": {}, "command": "rm -rf /", "expect": "quiet"}),
        Case({"id": "c", "files": {}, "command": "ls"}),
    ]
    assert wrong(rows) == [
        "Bash(rm *) 'rm x' should be no match, and is match",
        "policy 'rm -rf /' should be none, and is deny",
        f"policy 'ls' should be {MISSING}, and is none",
    ]

"""The corpus: what a pattern must see, and what it must leave alone; and the policy that ships."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hookkit.policy.call import Call
from hookkit.policy.decide import decide
from hookkit.policy.match import matches
from hookkit.policy.pattern import RENAMED, SUBJECTS, Pattern, parse
from hookkit.policy.rules import compile_rules

CASES = Path(__file__).parent.parent / "cases" / "policy"
FILES = sorted(path for path in CASES.glob("*.jsonl") if path.stem != "base")


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


class Room:
    """The project and the home that a row is played in."""

    def __init__(self, directory: Path) -> None:
        self.project = directory / "project"
        self.home = directory / "home"
        self.project.mkdir(parents=True)
        self.home.mkdir()

    def fill(self, value: Any) -> Any:
        text = json.dumps(value).replace("{project}", str(self.project)).replace("{home}", str(self.home))
        return json.loads(text)

    def furnish(self, row: dict[str, Any]) -> str:
        for name, content in row.get("files", {}).items():
            path = self.project / self.fill(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        for name, target in row.get("links", {}).items():
            path = self.project / self.fill(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(self.fill(target))
        cwd = os.path.normpath(str(self.project / self.fill(row.get("cwd", "."))))
        os.makedirs(cwd, exist_ok=True)
        return cwd


def call_of(row: dict[str, Any], directory: Path) -> tuple[Call, Pattern]:
    room = Room(directory)
    cwd = room.furnish(row)
    tool = RENAMED.get(row["tool"], row["tool"])
    argument = room.fill(row["arg"])
    if isinstance(argument, str):
        argument = {SUBJECTS.get(tool, ("argument", ""))[0]: argument}
    call = Call(tool, argument, cwd=cwd, project=str(room.project), home=str(room.home))
    return call, parse(room.fill(row["pattern"]))


def verdict(row: dict[str, Any], directory: Path) -> bool:
    call, pattern = call_of(row, directory)
    return bool(matches(pattern, call).yes)


def misses(path: Path, directory: Path) -> Iterator[dict[str, Any]]:
    for number, row in enumerate(rows(path)):
        if verdict(row, directory / str(number)) != row["match"]:
            yield row


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_class_is_seen_and_its_twins_are_left_alone(path: Path, tmp_path: Path) -> None:
    missed = misses(path, tmp_path)
    assert [f"{row['pattern']} {row['arg']!r} should be {row['match']}" for row in missed] == []


def test_the_corpus_is_no_handful() -> None:
    assert sum(len(rows(path)) for path in FILES) >= 2_500


def test_the_policy_that_ships_stops_disasters_and_leaves_work_alone() -> None:
    """Played in a home of its own: one below /tmp would make what lies beside the project harmless."""
    policy = compile_rules({})
    wrong = []
    for row in rows(CASES / "base.jsonl"):
        call = Call("Bash", {"command": row["command"]}, cwd="/home/dev/app", project="/home/dev/app", home="/home/dev")
        said = decide(policy, call, "").verdict or "quiet"
        if said != row["expect"]:
            wrong.append((row["command"], said, row["expect"]))
    assert wrong == []

"""hookkit approve: who says yes, to what, and who may not."""

import getpass
import json
import os
from pathlib import Path
from typing import Any

import pytest

from hookkit.gates import approvals
from tests.cli.conftest import Command

ID = "0a1b2c3d"


def opened(*approvers: str, id_: str = ID) -> None:
    wanted: dict[str, Any] = {"id": id_, "project": "/p", "about": "A review.", "subject": "s"}
    approvals.ask(dict(os.environ), {**wanted, "approvers": [*approvers]})


def state() -> list[tuple[str, str]]:
    return [(each["state"], each["by"]) for each in approvals.every(dict(os.environ))]


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "ann")
    monkeypatch.setattr(approvals, "stamp", lambda: "2030-01-02T03:04:05Z")


def test_nothing_is_open(command: Command) -> None:
    assert command("approve") == (0, "Nothing waits for an approval.\n", "")
    assert command("approve", "--output", "json") == (0, "[]\n", "")


def test_what_is_open_is_listed(command: Command) -> None:
    opened("human:rashid", "human:ann")
    opened(id_="ffffffff")
    assert command("approve").out == (
        "id        state  by                       since                 what\n"
        "0a1b2c3d  open   human:rashid, human:ann  2030-01-02T03:04:05Z  A review.\n"
        "                                                                /p\n"
        "ffffffff  open   anybody                  2030-01-02T03:04:05Z  A review.\n"
        "                                                                /p\n"
        "Give one with: hookkit approve ID (or --deny)\n"
    )
    found = json.loads(command("approve", "-o", "json").out)
    assert [each["id"] for each in found] == [ID, "ffffffff"]


def test_what_is_settled_is_listed_on_demand(command: Command) -> None:
    opened()
    command("approve", ID)
    assert json.loads(command("approve", "-o", "json").out) == []
    assert json.loads(command("approve", "-o", "json", "--all").out) == [
        {
            "id": ID,
            "project": "/p",
            "about": "A review.",
            "subject": "s",
            "state": "approved",
            "by": "human:ann",
            "opened": "2030-01-02T03:04:05Z",
            "settled": "2030-01-02T03:04:05Z",
            "approvers": [],
        }
    ]


@pytest.mark.parametrize(
    ("approvers", "words", "expected", "kept"),
    [
        ([], [ID], (0, f"{ID} approved by human:ann: A review.\n", ""), ("approved", "human:ann")),
        ([], [ID, "--deny"], (0, f"{ID} denied by human:ann: A review.\n", ""), ("denied", "human:ann")),
        (["human:ann"], [ID], (0, f"{ID} approved by human:ann: A review.\n", ""), ("approved", "human:ann")),
        (["ann"], [ID], (0, f"{ID} approved by human:ann: A review.\n", ""), ("approved", "human:ann")),
        (["human:rashid"], [ID, "--as", "human:rashid"],
         (0, f"{ID} approved by human:rashid: A review.\n", ""), ("approved", "human:rashid")),
        (["human:rashid"], [ID, "--as", "rashid"],
         (0, f"{ID} approved by human:rashid: A review.\n", ""), ("approved", "human:rashid")),
        (["human:rashid", "human:bo"], [ID],
         (1, "", f"hookkit: {ID} is for human:rashid or human:bo, not for human:ann: say who you are with --as\n"),
         ("open", "")),
        (["human:rashid"], [ID, "--as", "agent:rashid"],
         (1, "", f"hookkit: {ID} is for human:rashid, not for agent:rashid: say who you are with --as\n"),
         ("open", "")),
        ([], ["1234"], (1, "", "hookkit: no approval 1234. See: hookkit approve\n"), ("open", "")),
        ([], ["../trust"], (1, "", "hookkit: no approval ../trust. See: hookkit approve\n"), ("open", "")),
    ],
)  # fmt: skip
def test_who_says_yes_to_what(
    command: Command, approvers: list[str], words: list[str], expected: tuple[int, str, str], kept: tuple[str, str]
) -> None:
    opened(*approvers)
    assert command("approve", *words) == expected
    assert state() == [kept]


def test_a_yes_is_given_once_and_a_mind_may_be_changed(command: Command) -> None:
    opened()
    command("approve", ID)
    said = f"hookkit: {ID} was approved by human:ann at 2030-01-02T03:04:05Z\n"
    assert command("approve", ID) == (1, "", said)
    assert command("approve", ID, "--deny").code == 0
    assert state() == [("denied", "human:ann")]


def test_an_agent_does_not_approve_its_own_work(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    opened()
    monkeypatch.setenv("CLAUDECODE", "1")
    assert command("approve", ID) == (
        1,
        "",
        "hookkit: an agent runs this, and only a person can approve: run it in a terminal of your own\n",
    )
    assert state() == [("open", "")]


def test_a_user_without_a_name_says_who_they_are(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr(getpass, "getuser", fail)
    opened()
    assert command("approve", ID) == (2, "", "hookkit: this user has no name: say who you are with --as\n")
    assert command("approve", ID, "--as", "ann").code == 0


def test_where_nothing_can_be_kept_it_says_so(command: Command, home: Path) -> None:
    (home / ".local" / "state").mkdir(parents=True)
    place = home / ".local" / "state" / "hookkit"
    place.write_text("in the way")
    assert command("approve") == (2, "", f"hookkit: {place}: File exists\n")

"""hookkit approve: who says yes, to what, and who may not."""

import json
import os
import pwd
from pathlib import Path
from typing import Any

import pytest

from hookkit.system import signatures
from hookkit.work.gates import approvals
from tests.cli.conftest import Command
from tests.conftest import Run

ID = "0a1b2c3d"


def opened(*approvers: str, id_: str = ID) -> None:
    wanted: dict[str, Any] = {"digest": id_ + "0" * 56, "project": "/p", "about": "A review.", "subject": "s"}
    approvals.ask(dict(os.environ), {**wanted, "approvers": [*approvers]})


def state() -> list[tuple[str, str]]:
    return [(each["state"], each["by"]) for each in approvals.every(dict(os.environ))]


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(approvals, "login", lambda: "human:ann")
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
        "Give one with: hookkit allow ID (or --deny)\n"
    )
    found = json.loads(command("approve", "-o", "json").out)
    assert [each["id"] for each in found] == [ID, "ffffffff"]


def test_the_whole_call_is_shown_before_and_with_the_approval(command: Command) -> None:
    call = "Bash kubectl apply -f dev.yaml # " + "a" * 300 + "\nkubectl delete ns prod"
    wanted = {"digest": ID + "0" * 56, "project": "/p", "about": "A review.", "subject": "s", "approvers": []}
    approvals.ask(dict(os.environ), {**wanted, "call": call})
    for words in (["approve"], ["approve", ID]):
        assert "kubectl delete ns prod" in command(*words).out


def test_what_is_settled_is_listed_on_demand(command: Command) -> None:
    opened()
    command("approve", ID)
    assert json.loads(command("approve", "-o", "json").out) == []
    assert json.loads(command("approve", "-o", "json", "--all").out) == [
        {
            "id": ID,
            "digest": ID + "0" * 56,
            "project": "/p",
            "about": "A review.",
            "call": "",
            "subject": "s",
            "state": "approved",
            "by": "human:ann",
            "proof": "login",
            "signature": "",
            "opened": "2030-01-02T03:04:05Z",
            "settled": "2030-01-02T03:04:05Z",
            "approvers": [],
        }
    ]


@pytest.mark.parametrize(
    ("approvers", "words", "expected", "kept"),
    [
        ([], [ID], (0, f"{ID} approved by human:ann (login): A review.\n", ""), ("approved", "human:ann")),
        ([], [ID, "--deny"], (0, f"{ID} denied by human:ann (login): A review.\n", ""), ("denied", "human:ann")),
        (["human:ann"], [ID], (0, f"{ID} approved by human:ann (login): A review.\n", ""), ("approved", "human:ann")),
        (["ann"], [ID], (0, f"{ID} approved by human:ann (login): A review.\n", ""), ("approved", "human:ann")),
        (["human:ann"], [ID, "--as", "ann"],
         (0, f"{ID} approved by human:ann (login): A review.\n", ""), ("approved", "human:ann")),
        (["human:rashid"], [ID, "--as", "human:rashid"],
         (1, "", f"hookkit: {approvals.NOT_YOU.format(login='human:ann', by='human:rashid')}\n"), ("open", "")),
        (["human:rashid", "human:bo"], [ID],
         (1, "", f"hookkit: {ID} is for human:rashid or human:bo, not for human:ann: say who you are with --as\n"),
         ("open", "")),
        (["human:rashid"], [ID, "--as", "agent:rashid"],
         (1, "", f"hookkit: {ID} is for human:rashid, not for agent:rashid: say who you are with --as\n"),
         ("open", "")),
        ([], ["1234"], (1, "", "hookkit: no approval 1234. See: hookkit allow\n"), ("open", "")),
        ([], ["../trust"], (1, "", "hookkit: no approval ../trust. See: hookkit allow\n"), ("open", "")),
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


@pytest.fixture
def keys(tmp_path: Path, home: Path, hookkit: Run, project: Path) -> Path:
    """The key of Rashid, known here, and one of Eve, known to nobody."""
    for name in ("rashid", "eve"):
        signatures.make_key(str(tmp_path / name), name, dict(os.environ))
    words = ("trust", "--signer", "human:rashid", "--key", str(tmp_path / "rashid.pub"))
    assert hookkit(*words, cwd=project).returncode == 0
    return tmp_path


def test_another_name_is_proven_by_its_key(command: Command, keys: Path) -> None:
    opened("human:rashid")
    done = command("approve", ID, "--as", "human:rashid", "--key", str(keys / "rashid"))
    assert done.out.startswith(f"{ID} approved by human:rashid (key SHA256:")
    [row] = approvals.every(dict(os.environ))
    assert row["proof"].startswith("key SHA256:")
    signer = approvals.check(approvals.text_of(row, "approved"), row["signature"], dict(os.environ))
    assert signer.name == "human:rashid"
    with pytest.raises(signatures.SignatureError):
        approvals.check(approvals.text_of(row, "denied"), row["signature"], dict(os.environ))


@pytest.mark.parametrize(("name", "key"), [("human:rashid", "eve"), ("human:lead", "rashid"), ("human:rashid", "none")])
def test_a_claim_without_its_key_is_refused(command: Command, keys: Path, name: str, key: str) -> None:
    opened()
    done = command("approve", ID, "--as", name, "--key", str(keys / key))
    assert (done.code, done.out) == (1, "")
    assert state() == [("open", "")]


def test_the_login_is_the_systems_and_no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    for name in ("LOGNAME", "USER", "USERNAME"):
        monkeypatch.setenv(name, "lead")
    assert approvals.login() == f"human:{pwd.getpwuid(os.geteuid()).pw_name}"


def test_where_nothing_can_be_kept_it_says_so(command: Command, home: Path) -> None:
    (home / ".local" / "state").mkdir(parents=True)
    place = home / ".local" / "state" / "hookkit"
    place.write_text("in the way")
    assert command("approve") == (2, "", f"hookkit: {place}: File exists\n")

"""Approvals as files: one each, ours, and read with care."""

import json
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from hookkit.work.gates import approvals
from hookkit.work.gates.approvals import Proof

DIGEST = "0a1b2c3d" + "e" * 56
WANTED: dict[str, Any] = {"digest": DIGEST, "project": "/p", "about": "A review.", "subject": "s", "approvers": ["a"]}


@pytest.fixture
def environ(home: Path) -> dict[str, str]:
    return {"HOME": str(home)}


def test_asking_again_finds_it_as_it_stands(environ: dict[str, str]) -> None:
    first = approvals.ask(environ, WANTED)
    assert {name: first[name] for name in ("id", "state", "by", "settled")} == {
        "id": "0a1b2c3d",
        "state": "open",
        "by": "",
        "settled": "",
    }
    settled = approvals.settle(environ, first, approvals.APPROVED, Proof("human:x", "login"))
    assert approvals.ask(environ, WANTED) == settled
    assert (settled["state"], settled["by"], bool(settled["settled"])) == ("approved", "human:x", True)
    approvals.drop(environ, "0a1b2c3d")
    approvals.drop(environ, "0a1b2c3d")
    assert approvals.every(environ) == []


def test_of_many_who_ask_at_once_all_get_the_same(environ: dict[str, str]) -> None:
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(approvals.ask(environ, WANTED))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [approvals.every(environ)[0]] * 20


def test_a_file_is_private(environ: dict[str, str]) -> None:
    approvals.ask(environ, WANTED)
    path = Path(approvals.directory(environ), "0a1b2c3d")
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode)) == (0o600, 0o700)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b'"x"', b"{}", json.dumps({**WANTED, "id": "another", "state": "approved"}).encode()],
)
def test_what_is_no_approval_is_none(environ: dict[str, str], content: bytes) -> None:
    path = Path(approvals.directory(environ), "0a1b2c3d")
    path.write_bytes(content)
    path.chmod(0o600)
    assert approvals.every(environ) == []


def test_one_that_others_may_write_to_is_none(environ: dict[str, str]) -> None:
    found = approvals.ask(environ, WANTED)
    approvals.settle(environ, found, approvals.APPROVED, Proof("human:x", "login"))
    os.chmod(os.path.join(approvals.directory(environ), "0a1b2c3d"), 0o666)
    assert approvals.every(environ) == []


def test_an_identity_tells_projects_rules_and_subjects_apart() -> None:
    names = [("a", "b", "c"), ("a", "b", "d"), ("a", "x", "c"), ("y", "b", "c"), ("ab", "", "c")]
    assert len({approvals.identity(*name) for name in names}) == len(names)
    assert len(approvals.identity("a", "b", "c")) == 64


def test_an_approval_does_not_open_another_with_the_same_short_id(environ: dict[str, str]) -> None:
    """Two calls with the same 32 bits are made in a second; the whole digest tells them apart."""
    first = approvals.ask(environ, WANTED)
    approvals.settle(environ, first, approvals.APPROVED, Proof("human:x", "login"))
    second = approvals.ask(environ, {**WANTED, "digest": "0a1b2c3d" + "f" * 56})
    assert (first["id"], second["id"], second["state"]) == ("0a1b2c3d", "0a1b2c3dffffffff", "open")
    assert approvals.ask(environ, WANTED)["state"] == "approved"
    old = {**first, "digest": "", "state": "approved"}  # as an earlier release wrote it
    approvals.settle(environ, old, approvals.APPROVED, Proof("human:x", "login"))
    assert approvals.ask(environ, WANTED)["state"] == "open"

"""Counting that survives calls at the same time, and files that are not what we wrote."""

import multiprocessing
import os
import stat
from pathlib import Path

import pytest

from hookkit.work.gates import counts


@pytest.fixture
def environ(home: Path) -> dict[str, str]:
    return {"HOME": str(home)}


def add(environ: dict[str, str], times: int) -> None:
    for _ in range(times):
        with counts.CountsFile(environ, "x") as kept:
            kept["n"] = counts.number(kept, "n") + 1


def test_of_many_calls_at_once_none_is_lost(environ: dict[str, str]) -> None:
    start = multiprocessing.get_context("fork").Process
    calls = [start(target=add, args=(environ, 25)) for _ in range(4)]
    for call in calls:
        call.start()
    for call in calls:
        call.join()
    with counts.CountsFile(environ, "x") as kept:
        assert kept == {"n": 100}


def test_a_book_is_private(environ: dict[str, str]) -> None:
    add(environ, 1)
    directory = Path(environ["HOME"], ".local/state/hookkit/gates")
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()} == {
        ".lock": 0o600,
        "gate-x": 0o600,
    }
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b'{"n": "many"}'])
def test_what_we_did_not_write_counts_for_nothing(environ: dict[str, str], content: bytes) -> None:
    add(environ, 3)
    path = Path(environ["HOME"], ".local/state/hookkit/gates/gate-x")
    path.write_bytes(content)
    add(environ, 1)
    with counts.CountsFile(environ, "x") as kept:
        assert kept == {"n": 1}


def test_a_link_in_the_place_of_a_book_is_replaced_and_not_written_through(
    environ: dict[str, str], tmp_path: Path
) -> None:
    add(environ, 1)
    other = tmp_path / "other"
    other.write_text('{"n": 50}')
    path = Path(environ["HOME"], ".local/state/hookkit/gates/gate-x")
    path.unlink()
    path.symlink_to(other)
    add(environ, 1)
    assert (path.is_symlink(), path.read_text(), other.read_text()) == (False, '{"n":1}', '{"n": 50}')


def test_an_error_inside_changes_nothing(environ: dict[str, str]) -> None:
    add(environ, 1)
    with pytest.raises(ZeroDivisionError), counts.CountsFile(environ, "x") as kept:
        kept["n"] = 1 / 0
    with counts.CountsFile(environ, "x") as kept:
        assert kept == {"n": 1}


def test_somebody_who_hangs_with_the_lock_does_not_hang_us(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "SECONDS", 0.05)
    with counts.CountsFile(environ, "x"), pytest.raises(BlockingIOError):
        counts.CountsFile(environ, "y").__enter__()
    add(environ, 1)


def test_without_a_home_there_is_no_book() -> None:
    with pytest.raises(FileNotFoundError):
        counts.CountsFile({"HOME": "relative"}, "x")


def test_a_gate_may_hold_so_often_and_never_twice_in_the_same_words() -> None:
    kept: dict[str, object] = {}
    said = [counts.may_hold(kept, "g", 2, words) for words in ("a", "a", "b", "c")]
    assert said == [True, False, True, False]
    assert counts.may_hold(kept, "another", 2, "a")
    counts.forget(kept, "g")
    assert counts.may_hold(kept, "g", 2, "a")


def test_a_sessions_name_cannot_lead_elsewhere(environ: dict[str, str]) -> None:
    with counts.CountsFile(environ, "Stop", "../../../etc/x\0\n") as kept:
        kept["n"] = 1
    directory = Path(environ["HOME"], ".local/state/hookkit/gates")
    assert sorted(os.listdir(directory)) == [".lock", "gate-Stop----------etc-x---5369a6d915"]

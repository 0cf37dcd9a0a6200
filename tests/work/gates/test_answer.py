"""The gates of an event as one answer."""

import json
import multiprocessing
import os
import stat
from pathlib import Path

import pytest

from hookkit import registry
from hookkit.hooks import gate
from hookkit.model import Decision
from hookkit.pipeline import Invocation
from hookkit.policy.rules import STOPS
from hookkit.system import clipping, error_log
from hookkit.work.gates import answer
from hookkit.work.gates.answer import key, together


@pytest.mark.parametrize("name", sorted({name for names in answer.GATES.values() for name in names}))
def test_a_gate_is_a_file_with_run(name: str) -> None:
    module = registry.find("work/gates", name)
    assert callable(module.run)
    assert module.__doc__


def test_every_event_of_the_hook_has_gates_and_may_have_rules() -> None:
    assert tuple(answer.GATES) == gate.STOPS == STOPS


def test_every_reason_and_every_message_is_said_once() -> None:
    said = [Decision("deny", "a", message="m"), Decision("deny", "b"), Decision("deny", "a"), Decision(message="m")]
    decision = together(said)
    assert decision is not None
    assert (decision.verdict, decision.reason, decision.message) == ("deny", "a\n\nb", "m")
    assert together([]) is None
    assert together([Decision()]) is None


def test_a_reason_fits_what_the_client_takes() -> None:
    decision = together([Decision("deny", str(number) * 2_000) for number in range(9)])
    assert decision is not None
    assert 9_990 < clipping.length(decision.reason) <= clipping.LIMIT


def test_what_the_client_would_not_show_is_in_the_log(project: Path, home: Path) -> None:
    config = home / ".config" / "hookkit" / "hookkit.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[[rules]]\ntype = "command"\nrun = "gone-program"\nconfig = { event = "TaskCompleted" }\n')
    event = {"hook_event_name": "TaskCompleted", "session_id": "s", "task_id": "1", "cwd": str(project)}
    call = Invocation("gate", [], dict(os.environ))
    assert call.answer(json.dumps(event).encode()) == ""
    [line] = Path(error_log.path(dict(os.environ))).read_text().splitlines()
    assert line.partition(" ")[2] == (
        "gate TaskCompleted: HookkitError: hookkit: gone-program was not found, so it does not hold the agent back."
    )


# -- counts: calls at the same time, and files that are not what we wrote ----------------------------------------------


@pytest.fixture
def environ(home: Path) -> dict[str, str]:
    return {"HOME": str(home)}


def add(environ: dict[str, str], times: int) -> None:
    for _ in range(times):
        with answer.CountsFile(environ, "x") as kept:
            kept["n"] = answer.number(kept, "n") + 1


def test_of_many_calls_at_once_none_is_lost(environ: dict[str, str]) -> None:
    start = multiprocessing.get_context("fork").Process
    calls = [start(target=add, args=(environ, 25)) for _ in range(4)]
    for call in calls:
        call.start()
    for call in calls:
        call.join()
    with answer.CountsFile(environ, "x") as kept:
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
    with answer.CountsFile(environ, "x") as kept:
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
    with pytest.raises(ZeroDivisionError), answer.CountsFile(environ, "x") as kept:
        kept["n"] = 1 / 0
    with answer.CountsFile(environ, "x") as kept:
        assert kept == {"n": 1}


def test_somebody_who_hangs_with_the_lock_does_not_hang_us(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer, "SECONDS", 0.05)
    with answer.CountsFile(environ, "x"), pytest.raises(BlockingIOError):
        answer.CountsFile(environ, "y").__enter__()
    add(environ, 1)


def test_without_a_home_there_is_no_book() -> None:
    with pytest.raises(FileNotFoundError):
        answer.CountsFile({"HOME": "relative"}, "x")


def test_a_gate_may_hold_so_often_and_never_twice_in_the_same_words() -> None:
    kept: dict[str, object] = {}
    said = [answer.may_hold(kept, "g", 2, words) for words in ("a", "a", "b", "c")]
    assert said == [True, False, True, False]
    assert answer.may_hold(kept, "another", 2, "a")
    answer.forget(kept, "g")
    assert answer.may_hold(kept, "g", 2, "a")


def test_a_sessions_name_cannot_lead_elsewhere(environ: dict[str, str]) -> None:
    with answer.CountsFile(environ, "Stop", "../../../etc/x\0\n") as kept:
        kept["n"] = 1
    directory = Path(environ["HOME"], ".local/state/hookkit/gates")
    assert sorted(os.listdir(directory)) == [".lock", "gate-Stop----------etc-x---5369a6d915"]


# -- two failures are the same if only times, sizes or temporary paths differ ------------------------------------------


ENVIRON = {"TMPDIR": "/scratch/me"}
SAME = [
    ("1 failed in 0.12s", "1 failed in 1.05s"),
    ("1 failed in 59.9 seconds", "1 failed in 1m 12s"),
    ("FAIL pkg 0.004s", "FAIL pkg 12.3s"),
    ("ok (1,204 ms)", "ok (88 ms)"),
    ("built 12.4 kB", "built 13 kB"),
    ("sent 10 MB/s", "sent 2.5 MB/s"),
    ("wrote 812 bytes", "wrote 9,001 bytes"),
    ("at 2026-11-17T22:18:29Z", "at 2026-11-18 01:02:03.5"),
    ("[22:18:29] x", "[9:01:02.123] x"),
    ("E  /tmp/pytest-of-a/pytest-12/test_x0/out: no", "E  /tmp/pytest-of-a/pytest-13/test_x0/out: no"),
    ("see /scratch/me/x1y2.log", "see /scratch/me/q9.log"),
    ("see /private/var/folders/ab/T/x.log", "see /private/var/folders/cd/T/y.log"),
    ("<Thing at 0x7f00a1>", "<Thing at 0x55de00>"),
]
DIFFERENT = [
    ("3 failed in 1s", "2 failed in 1s"),
    ("line 12: no", "line 13: no"),
    ("a.py:1: error", "a.py:2: error"),
    ("coverage 80%", "coverage 81%"),
    ("test_a failed", "test_b failed"),
    ("/srv/app/1: no", "/srv/app/2: no"),
    ("expected 4 hats", "expected 5 hats"),
    ("v1.2.3 is old", "v1.2.4 is old"),
]


@pytest.mark.parametrize(("one", "two"), SAME)
def test_values_that_change_with_every_run_do_not_count(one: str, two: str) -> None:
    assert key(one, ENVIRON) == key(two, ENVIRON)


@pytest.mark.parametrize(("one", "two"), DIFFERENT)
def test_everything_else_counts(one: str, two: str) -> None:
    assert key(one, ENVIRON) != key(two, ENVIRON)

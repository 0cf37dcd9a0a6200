"""Whatever is done to the ledger, the agent goes on, the row is kept, and the person is told.

The storm of killed processes is benchmarks/faults.py: three rounds at a desk, twenty with --all, five hundred by hand.
"""

import fcntl
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hookkit.ledger import places
from hookkit.ledger.health import Health
from hookkit.ledger.row_index import Ledger, path_of
from hookkit.ledger.tables import MIGRATIONS
from hookkit.ledger.verifying import Verification
from tests.conftest import HOOKKIT, Run, slow
from tests.ledger.making import folded, request

ROOT = Path(__file__).parent.parent.parent
LIMIT = 25.0  # seconds, on a very busy machine: a client ends the hook after 30
EVENT = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "t1"}


@pytest.mark.parametrize("rounds", ["3", *slow("20")])
def test_no_row_is_lost_and_no_chain_broken_when_writers_and_folders_are_killed(rounds: str) -> None:
    script = ROOT / "benchmarks" / "faults.py"
    done = subprocess.run([sys.executable, script, "--rounds", rounds], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(" kept, 0 wrong\n")


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="needs root to mount an image")
@pytest.mark.parametrize("only", ["rows", "init"])
def test_nothing_that_is_promised_is_lost_in_a_power_cut(only: str) -> None:
    words = [sys.executable, str(ROOT / "benchmarks" / "power.py"), "--rounds", "3", "--only", only]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode == 3:
        pytest.skip(f"no image can be mounted here: {done.stderr}")
    assert (done.returncode, done.stderr) == (0, "")
    assert ", 0 wrong\n" in done.stdout


def fire(hookkit: Run, number: int, name: str = "PreToolUse", **more: Any) -> None:
    """One call of the hook, as the client makes it: it answers in time, if only that rows are kept aside."""
    start = time.monotonic()
    stdin = {**EVENT, "hook_event_name": name, "session_id": "s1", "tool_use_id": f"t{number}", "cwd": "/"}
    done = hookkit("record", stdin=stdin, **more)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"" or b"for now. See: hookkit ledger status" in done.stdout
    assert time.monotonic() - start < LIMIT


def begin(environ: dict[str, str]) -> None:
    """A row of just now: an old one would be let go."""
    folded(environ, request(0, call="t0", at=time.time_ns() // 1_000_000)).close()


def calls(environ: dict[str, str]) -> list[str]:
    """What is in the ledger once the fault is over."""
    ledger = Ledger(environ)
    ledger.fold()
    found = sorted(row[0] for row in ledger.connection.execute("SELECT call FROM entries WHERE call IS NOT NULL"))
    assert [finding.what for finding in Verification(ledger).run()] == []
    ledger.close()
    return found


def whats(environ: dict[str, str]) -> list[str]:
    return [trouble.what for trouble in Health(environ).troubles]


Fault = Callable[[dict[str, str]], "Iterator[list[str]]"]


def locked(environ: dict[str, str]) -> Iterator[list[str]]:
    other = sqlite3.connect(path_of(environ), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield ["locked"]
    other.execute("ROLLBACK")
    other.close()


def held(environ: dict[str, str]) -> Iterator[list[str]]:
    with open(places.paths(environ)[0], "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield []


def flipped(environ: dict[str, str]) -> Iterator[list[str]]:
    path = Path(path_of(environ))
    whole = path.read_bytes()
    path.write_bytes(whole[:20] + bytes(4000) + whole[4020:])
    yield ["damaged"]
    path.write_bytes(whole)


def newer(environ: dict[str, str]) -> Iterator[list[str]]:
    with sqlite3.connect(path_of(environ)) as connection:
        connection.execute("PRAGMA user_version = 99")
    yield ["newer"]
    with sqlite3.connect(path_of(environ)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


def torn(environ: dict[str, str]) -> Iterator[list[str]]:
    with open(places.paths(environ)[0], "ab") as file:
        file.write(b"0" * 64 + b' {"n":2,"w":"s1')
    yield []


def spoilt(environ: dict[str, str]) -> Iterator[list[str]]:
    with open(places.paths(environ)[0], "ab") as file:
        file.write(os.urandom(500) + b"\n")
    yield ["spoilt"]


def linked(environ: dict[str, str]) -> Iterator[list[str]]:
    place = Path(places.places(environ)[0])
    away, victim = place.with_name("away"), place.with_name("victim")
    place.rename(away)
    victim.mkdir()
    place.symlink_to(victim)
    yield ["foreign", "aside"]
    assert list(victim.iterdir()) == []
    place.unlink()
    away.rename(place)


def deleted(environ: dict[str, str]) -> Iterator[list[str]]:
    ledger = Ledger(environ)  # somebody has it open all the while
    for path in Path(path_of(environ)).parent.glob("index.db*"):
        path.unlink()
    yield []
    ledger.close()


FAULTS: list[Fault] = [locked, held, flipped, newer, torn, spoilt, linked, deleted]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_the_agent_goes_on_and_the_row_is_kept(fault: Fault, environ: dict[str, str], hookkit: Run) -> None:
    begin(environ)
    trouble = fault(environ)
    expected = next(trouble)
    fire(hookkit, 1)
    fire(hookkit, 2)
    assert whats(environ) == expected
    next(trouble, None)
    assert calls(environ) == ["t0", "t1", "t2"]


@pytest.mark.parametrize("fault", [locked, flipped, newer, linked, deleted], ids=lambda fault: fault.__name__)
def test_a_session_starts_and_ends_whatever_the_database_is_like(
    fault: Fault, environ: dict[str, str], hookkit: Run
) -> None:
    begin(environ)
    trouble = fault(environ)
    next(trouble)
    for name, more in (("SessionStart", {"source": "startup"}), ("SessionEnd", {"reason": "other"})):
        start = time.monotonic()
        done = hookkit("record", stdin={"hook_event_name": name, "session_id": "s1", "cwd": "/", **more})
        assert (done.returncode, done.stderr) == (0, b"")
        assert time.monotonic() - start < LIMIT
    next(trouble, None)
    assert calls(environ) == ["t0"]
    ledger = Ledger(environ)
    assert ledger.connection.execute("SELECT count(*) FROM entries").fetchone() == (3,)


def test_a_journal_that_is_taken_away_costs_what_was_only_in_it(environ: dict[str, str], hookkit: Run) -> None:
    begin(environ)
    fire(hookkit, 1)
    os.unlink(places.paths(environ)[0])
    fire(hookkit, 2)
    ledger = Ledger(environ)
    ledger.fold()
    said = "rows 1 to 2 are missing at the beginning of its chain"
    assert [finding.what for finding in Verification(ledger).run()] == [
        said, "only in the index: no journal has this row. Fix: hookkit ledger repair",
    ]  # fmt: skip
    assert ledger.connection.execute("SELECT call FROM entries ORDER BY id").fetchall() == [("t0",), ("t2",)]


def test_a_stopped_process_that_holds_the_lock_stops_nobody(environ: dict[str, str], hookkit: Run) -> None:
    begin(environ)
    script = "import fcntl,sys,time; file = open(sys.argv[1]); fcntl.flock(file, 2); print(flush=True); time.sleep(60)"
    path = places.paths(environ)[0]
    with subprocess.Popen([sys.executable, "-c", script, path], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        os.kill(other.pid, signal.SIGSTOP)
        fire(hookkit, 1)
        os.kill(other.pid, signal.SIGKILL)
    assert len(places.paths(environ, "s1")) == 2
    fire(hookkit, 2)
    assert calls(environ) == ["t0", "t1", "t2"]


def _no_room(size: int = 700) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def test_a_full_disk_leaves_no_half_row(environ: dict[str, str], hookkit: Run) -> None:
    """No file may grow over 700 bytes: each next row goes to the next place, as long as there is one."""
    for number in range(8):
        hookkit(
            "record", stdin={**EVENT, "session_id": "s1", "tool_use_id": f"t{number}", "cwd": "/"}, preexec_fn=_no_room
        )
    fire(hookkit, 9)
    found = places.paths(environ)
    assert calls(environ) == ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t9"]
    assert whats(environ) == ["aside"]
    assert all(Path(path).read_bytes().endswith(b"}\n") for path in found)
    for place in places.places(environ)[2:]:
        shutil.rmtree(place, ignore_errors=True)


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None or shutil.which("mount") is None, reason="needs root to mount"
)
def test_a_disk_that_is_really_full(environ: dict[str, str], home: Path, tmp_path: Path) -> None:
    """The state on a disk of 32 KB: what does not fit there is kept aside, and all is there afterwards."""
    script = tmp_path / "full.sh"
    state, copy = home / ".local/state", tmp_path / "copy"
    state.mkdir(parents=True)
    script.write_text(
        f'mount -t tmpfs -o size=32k none "{state}" || exit 9\n'
        f"for number in 1 2 3 4 5 6 7 8 9 10 11 12; do\n"
        f'  sed "s/NUMBER/t$number/" "{tmp_path}/event.json" | "{HOOKKIT}" record || exit 8\n'
        f"done\n"
        f'cp -r "{state}" "{copy}"\n'
    )
    big = {**EVENT, "tool_use_id": "NUMBER", "session_id": "s1", "cwd": "/", "tool_input": {"command": "x " * 5000}}
    (tmp_path / "event.json").write_text(json.dumps(big))
    done = subprocess.run(["unshare", "-m", "sh", script], capture_output=True, check=False)
    if done.returncode in (1, 9):
        pytest.skip("no mounts here")
    assert (done.returncode, done.stdout.count(b"(No space left on device)")) == (0, 1)  # the person is told once
    assert whats(environ) == ["aside"]
    shutil.copytree(copy, state, dirs_exist_ok=True)
    assert len(calls(environ)) == 12


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None or shutil.which("mount") is None, reason="needs root to mount"
)
def test_with_nowhere_to_write_everybody_says_so(environ: dict[str, str], home: Path, tmp_path: Path) -> None:
    """Every row is lost: the start of a session, each prompt, the status line, `status` and `errors` tell."""
    script = tmp_path / "nowhere.sh"
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{"hooks": "hookkit"}')
    tops = "/dev/shm /var/tmp /tmp"  # read-only, but there: this checkout may lie in one of them
    event = {"session_id": "s1", "cwd": "/"}
    script.write_text(
        f'mount -t tmpfs none /mnt && cp -r "{home}/." /mnt && mount -o remount,ro /mnt || exit 9\n'
        f"for place in {tops}; do mount --bind $place $place && mount -o remount,bind,ro $place || exit 9; done\n"
        f"run() {{ echo \"$2\" | env -i HOME=/mnt PATH=/usr/bin:/bin '{HOOKKIT}' $1; echo; }}\n"
        + "".join(
            f"run {words} '{json.dumps({**event, 'hook_event_name': name})}'\n"
            for words, name in (("run", "SessionStart"), ("run", "UserPromptSubmit"), ("statusline", "Status"))
        )
        + "run 'ledger status' ''\nrun errors ''\n"
    )
    done = subprocess.run(["unshare", "-m", "sh", script], capture_output=True, text=True, check=False)
    if done.returncode in (1, 9):
        pytest.skip("no mounts here")
    assert done.stdout.count("no row of the ledger can be written") == 2
    assert done.stdout.count("hookkit: no row can be written") == 1
    assert "nowhere: no row can be written" in done.stdout
    assert "in their journals" not in done.stdout
    assert "No errors can be kept" in done.stdout


def test_where_only_empty_files_can_be_made_everybody_says_that_rows_are_lost(hookkit: Run, home: Path) -> None:
    """As on a full disk: marks and journals can be made, and no byte can be written into them."""
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{"hooks": "hookkit"}')

    def told(*words: str, **event: str) -> str:
        done = hookkit(*words, stdin={"session_id": "s1", "cwd": "/", **event}, preexec_fn=lambda: _no_room(0))
        return " ".join(done.stdout.decode().split())

    place = home / ".local/state/hookkit/ledger/open"
    lost = f"no row of the ledger can be written, so there is no evidence: {place}: File too large."
    assert lost in told("run", hook_event_name="SessionStart", source="startup")
    assert lost not in told("run", hook_event_name="Stop")
    assert lost in told("run", hook_event_name="UserPromptSubmit", prompt="go on")
    assert "hookkit: no row can be written" in told("statusline")
    status = told("ledger", "status")
    assert f"nowhere: no row can be written: {place}: File too large" in status
    assert "in their journals" not in status
    assert "No errors can be kept" in told("errors")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere: a read-only directory does not stop it")
def test_a_read_only_state_sends_rows_aside(environ: dict[str, str], hookkit: Run, home: Path) -> None:
    begin(environ)
    closed = [Path(path_of(environ)).parent, Path(places.places(environ)[0])]
    for place in closed:
        place.chmod(0o500)
    fire(hookkit, 1)
    found = whats(environ)
    for place in closed:
        place.chmod(0o700)
    assert found == ["closed", "read-only", "aside"]
    assert calls(environ) == ["t0", "t1"]


def test_a_stop_has_its_row_though_the_client_ends_the_hook_during_a_check(
    environ: dict[str, str], home: Path, tmp_path: Path
) -> None:
    """The check ends with the hook, and the row tells that it did."""
    config = home / ".config" / "hookkit"
    config.mkdir(parents=True)
    (config / "hookkit.toml").write_text('[gate]\nchecks = ["echo $$ > pid; touch ready; sleep 60"]\n')
    stop = {"hook_event_name": "Stop", "session_id": "s1", "cwd": str(tmp_path), "stop_hook_active": False}
    with subprocess.Popen([HOOKKIT, "run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path) as hook:
        assert hook.stdin is not None
        hook.stdin.write(json.dumps(stop).encode())
        hook.stdin.close()
        while not (tmp_path / "ready").exists() and hook.poll() is None:
            time.sleep(0.02)
        hook.terminate()
        assert hook.wait(timeout=20) == 0
    ledger = Ledger(environ)
    ledger.fold()
    (row,) = ledger.connection.execute("SELECT event, body FROM entries").fetchall()
    assert row[0] == "Stop"
    assert "gate" in json.loads(row[1])["took"]
    assert not os.path.exists(f"/proc/{(tmp_path / 'pid').read_text().strip()}")

"""The server as `hookkit init` wires it: it starts by itself, is never needed, and leaves when nobody asks."""

import contextlib
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hookkit.agents.wiring import launcher
from hookkit.server import process
from tests.server.test_spool import Person

DENIED = {"command": "rm -rf /"}
VERDICT = b'"permissionDecision":"deny"'
SECONDS = 60


def until(is_true: Callable[[], object]) -> None:
    end = time.monotonic() + SECONDS
    while not is_true():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    found = Person(tmp_path)
    yield found
    until(lambda: process.running(found.environ) or not process.is_locked(found.environ))
    process.stop(found.environ)


def is_denied(person: Person, number: int = 1) -> bool:
    return VERDICT in person.call("PreToolUse", number, tool_input=DENIED)


def requests(person: Person) -> list[bool]:
    """For each row, whether the server was asked."""
    place = person.home / ".local/state/hookkit/ledger/open"
    return ['"request":' in line for path in place.glob("*.log") for line in path.read_text().splitlines()]


def test_init_starts_nothing_and_the_first_call_does_without_waiting(person: Person) -> None:
    assert process.running(person.environ) is None
    assert is_denied(person)
    assert requests(person) == [False]
    until(lambda: process.running(person.environ))
    assert is_denied(person, 2)
    assert requests(person)[-1] is True


def test_after_a_kill_the_next_call_starts_it_again(person: Person) -> None:
    is_denied(person)
    until(lambda: process.running(person.environ))
    killed = process.read(person.environ).pid
    os.kill(killed, signal.SIGKILL)
    until(lambda: not process.is_locked(person.environ))
    assert is_denied(person, 2)
    until(lambda: process.running(person.environ))
    assert process.read(person.environ).pid != killed


def test_a_start_that_fails_is_not_tried_by_every_call(person: Person) -> None:
    """The server's log cannot be opened: no server, and one attempt a minute."""
    serve = Path(process.make_directory(person.environ))
    (serve / "log").mkdir()
    assert is_denied(person)
    first = (serve / "on-demand").read_text().split()
    assert first[0] == "on"
    assert 30 < int(first[1]) - time.time() < 90
    assert is_denied(person, 2)
    assert (serve / "on-demand").read_text().split() == first


def test_uninit_stops_it(person: Person) -> None:
    is_denied(person)
    until(lambda: process.running(person.environ))
    assert "stopped the background server" in person.hookkit("uninit", "--yes")
    assert process.running(person.environ) is None


def test_cold_uses_none(tmp_path: Path) -> None:
    person = Person(tmp_path, "--cold")
    assert is_denied(person)
    assert not os.path.exists(process.path(person.environ))
    assert process.on_demand(person.environ) == process.OFF
    person.hookkit("init", "--yes", "--agent", "claude")  # the choice holds until `--warm` takes it back
    assert process.on_demand(person.environ) == process.OFF


def test_a_home_that_is_deleted_ends_it(person: Person, tmp_path: Path) -> None:
    is_denied(person)
    until(lambda: process.running(person.environ))
    is_denied(person)  # by the server, which has its settings in memory now
    pid = process.read(person.environ).pid
    person.home.rename(tmp_path / "gone")  # in one step; to delete many files takes a while
    until(lambda: not _is_there(pid))
    assert not person.home.exists()


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_thirty_callers_at_once_are_answered_and_written_once(person: Person) -> None:
    is_denied(person, 0)
    until(lambda: process.running(person.environ))
    answers: list[bool] = []

    def agent(number: int) -> None:
        for call in range(3):
            raw = person.call("PreToolUse", number * 10 + call, session=f"agent-{number}", tool_input=DENIED)
            answers.append(VERDICT in raw)
            person.call("PostToolUse", number * 10 + call, session=f"agent-{number}")

    threads = [threading.Thread(target=agent, args=(number,)) for number in range(1, 31)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [True] * 90
    until(lambda: person.waiting() == 0)
    wanted = [(event, f"t{number * 10 + call}") for event in ("PreToolUse", "PostToolUse")
              for number in range(1, 31) for call in range(3)]  # fmt: skip
    assert sorted(row for row in person.rows() if row[1] != "t0") == sorted(wanted)


def sandboxed(person: Person, *walls: str) -> bytes:
    raw = person.raw("PreToolUse", 5, tool_input=DENIED)
    wired = person.lines["PreToolUse"]
    command = ["unshare", *walls, "--kill-child", wired["command"], *wired["args"]]
    done = subprocess.run(command, input=raw, env=person.environ, cwd=person.project, capture_output=True,
                          timeout=SECONDS, check=False)  # fmt: skip
    if b"unshare" in done.stderr:
        pytest.skip(f"namespaces do not work here: {done.stderr.decode()}")
    return done.stdout


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("unshare"), reason="needs namespaces of Linux")
@pytest.mark.parametrize("walls", [("--net", "--fork"), ("--net", "--pid", "--fork", "--mount-proc")])
def test_an_agent_that_cannot_reach_the_server_is_answered(person: Person, walls: tuple[str, ...]) -> None:
    """A sandbox with a network of its own, and one that does not even see the server's process."""
    is_denied(person)
    until(lambda: process.running(person.environ))
    pid = process.read(person.environ).pid
    later = f"on {int(time.time()) + 1000}\n"  # without an attempt to start one, which would outlive the test
    Path(process.directory(person.environ), "on-demand").write_text(later)
    for _ in range(2):
        assert VERDICT in sandboxed(person, *walls)
    assert process.running(person.environ)
    assert process.read(person.environ).pid == pid
    assert is_denied(person, 6)
    assert requests(person)[-1] is True


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_user_can_neither_run_the_launcher_nor_read_the_door(person: Person, tmp_path: Path) -> None:
    is_denied(person)
    until(lambda: process.running(person.environ))
    for path in (person.home, *tmp_path.parents[:-1], tmp_path):
        path.chmod(path.stat().st_mode | 0o011)  # the way there is open; hookkit's own directories are not
    other = pwd.getpwnam("nobody")
    spool = f"{person.home}/.local/state/hookkit/spool"
    for words in ([person.lines["PreToolUse"]["command"]], ["cat", process.path(person.environ)], ["ls", spool]):
        with contextlib.suppress(PermissionError):
            done = subprocess.run(words, input=b"", capture_output=True, check=False, user=other.pw_uid,
                                  group=other.pw_gid, extra_groups=[])  # fmt: skip
            assert (done.returncode != 0, done.stdout) == (True, b"")


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("unshare"), reason="needs namespaces of Linux")
def test_a_home_that_cannot_be_written_starts_none(person: Person, tmp_path: Path) -> None:
    """Without the note of an attempt, every call would start a server that cannot stay."""
    wired = person.lines["PreToolUse"]
    script, starts = Path(wired["command"]), tmp_path / "starts"
    python = launcher.read(str(script)).interpreter  # type: ignore[union-attr]
    spy = tmp_path / "python3"
    spy.write_text(f'#!/bin/sh\ncase "$*" in *serve*) echo >> {starts} ;; esac\nexec {python} "$@"\n')
    spy.chmod(0o755)
    script.write_text(script.read_text().replace(python, str(spy)))
    lock = f'mount --bind {person.home} {person.home} && mount -o remount,bind,ro {person.home} && exec "$0" "$@"'
    walls = ["--mount"] if os.geteuid() == 0 else ["--mount", "--map-root-user"]
    for number in range(2):
        raw = person.raw("PreToolUse", number, tool_input=DENIED)
        done = subprocess.run(["unshare", *walls, "sh", "-c", lock, wired["command"], *wired["args"]], input=raw,
                              env=person.environ, cwd=person.project, capture_output=True, timeout=SECONDS,
                              check=False)  # fmt: skip
        if b"mount:" in done.stderr or b"unshare:" in done.stderr:
            pytest.skip(f"mounts do not work here: {done.stderr.decode()}")
        assert (VERDICT in done.stdout, done.stderr) == (True, b"")
    assert not starts.exists()
    is_denied(person, 3)
    until(starts.exists)
    until(lambda: process.running(person.environ))


def test_a_container_without_a_home_is_answered(person: Person) -> None:
    """The home was there when hookkit was wired, and cannot be written now; the other one is not set at all."""
    shutil.rmtree(person.home / ".local/state")
    (person.home / ".local/state").write_text("no directory")
    assert is_denied(person)
    (person.home / ".local/state").unlink()
    raw = json.dumps({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": DENIED, "cwd": "/"})
    shim = Path(sys.executable).with_name("hookkit-hook")
    done = subprocess.run([shim, "run"], input=raw.encode(), env={}, cwd="/", capture_output=True, check=False)
    assert VERDICT in done.stdout

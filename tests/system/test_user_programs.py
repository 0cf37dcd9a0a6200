"""Programs of the user's: their results, their one deadline, and the end of every child they started."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hookkit.system.user_programs import NO_TIME, Deadline, UserProgram, run_together

# Leaves a child in the group, a child in a session of its own, and an orphan without environment variables.
LEAVES = "sleep 60 & setsid sleep 60 & env -i setsid sh -c 'sleep 60 & echo $! >>{pids}' & echo $! >>{pids}"
SCRIPT = """
import os, sys
from hookkit.system.user_programs import UserProgram
result = UserProgram(sys.argv[1], sys.argv[2], dict(os.environ), float(sys.argv[3])).run(b"")
print(result.code, result.problem, result.stdout.decode())
"""


@pytest.fixture(params=["with threads", "alone"])
def threads(request: pytest.FixtureRequest) -> Iterator[None]:
    """hookkit starts its supervisor in two ways: a fork is not safe in a process with threads."""
    if request.param == "alone":
        yield
        return
    with _thread():
        yield


@contextmanager
def _thread() -> Iterator[None]:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def program(text: str, directory: Path, seconds: float = 20) -> UserProgram:
    return UserProgram(text, str(directory), dict(os.environ), seconds)


def alive(pids: Path) -> list[int]:
    """Processes of the list that still run, after a moment for the kernel to end them."""
    for _ in range(50):
        found = [int(word) for word in pids.read_text().split() if _runs(int(word))]
        if not found:
            return []
        time.sleep(0.02)
    return found


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.usefixtures("threads")
def test_a_program_gets_stdin_and_gives_both_outputs_and_its_code(tmp_path: Path) -> None:
    result = program("cat; echo no >&2; exit 7", tmp_path).run(b"x" * 200_000)
    assert (result.code, result.stdout, result.stderr, result.problem) == (7, b"x" * 65_536, b"no\n", "")


@pytest.mark.usefixtures("threads")
def test_a_signal_is_a_negative_code(tmp_path: Path) -> None:
    assert program("kill -9 $$", tmp_path).run(b"").code == -9


@pytest.mark.usefixtures("threads")
def test_a_directory_that_is_gone_is_a_problem_and_no_error(tmp_path: Path) -> None:
    result = program("true", tmp_path / "gone").run(b"")
    assert (result.code, result.problem) == (None, "cannot be started (No such file or directory)")


@pytest.mark.skipif(sys.platform != "linux", reason="macOS has no sub-reaper: a child that called setsid lives on")
@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize(("after", "seconds", "code"), [("sleep 0.2", 20, 0), ("sleep 60", 0.5, None)])
def test_children_end_with_their_program_in_other_sessions_too(
    tmp_path: Path, after: str, seconds: float, code: int | None
) -> None:
    pids = tmp_path / "pids"
    result = program(f"{LEAVES.format(pids=pids)}; {after}", tmp_path, seconds).run(b"")
    assert result.code == code
    assert len(pids.read_text().split()) == 2
    assert alive(pids) == []


@pytest.mark.skipif(sys.platform != "linux", reason="macOS has no sub-reaper: a child that called setsid lives on")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_children_end_when_the_client_ends_hookkit(tmp_path: Path, number: int) -> None:
    """After SIGTERM hookkit goes on without a result; after SIGKILL the supervisor alone ends the program."""
    pids = tmp_path / "pids"
    text = f"{LEAVES.format(pids=pids)}; sleep 0.3; touch ready; sleep 60"
    with subprocess.Popen([sys.executable, "-c", SCRIPT, text, tmp_path, "50"], stdout=subprocess.PIPE) as hook:
        while not (tmp_path / "ready").exists():
            time.sleep(0.02)
        hook.send_signal(number)
        out, _ = hook.communicate(timeout=20)
    assert alive(pids) == []
    if number == signal.SIGTERM:
        assert out.decode() == "None was ended, because hookkit was ended from outside \n"


@pytest.mark.usefixtures("threads")
def test_programs_of_a_call_share_one_deadline_and_keep_their_own_results(tmp_path: Path) -> None:
    """Four slow programs do not delay the one that denies."""
    programs = [(program("sleep 60", tmp_path), b"")] * 4 + [(program("echo no >&2; exit 2", tmp_path), b"")]
    began = time.monotonic()
    results = run_together(programs, Deadline(2))
    assert time.monotonic() - began < 15
    assert [result.code for result in results] == [None, None, None, None, 2]
    assert all(result.problem.startswith("took longer than") for result in results[:4])


def test_a_program_after_the_deadline_is_not_started(tmp_path: Path) -> None:
    result = program("touch ran", tmp_path).run(b"", Deadline(0))
    assert (result.code, result.problem) == (None, NO_TIME)
    assert not (tmp_path / "ran").exists()


def test_output_that_never_ends_is_bounded(tmp_path: Path) -> None:
    result = program("yes", tmp_path, 0.5).run(b"")
    assert (result.code, len(result.stdout)) == (None, 65_536)


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    before = set(os.listdir("/dev/fd"))
    for text in ("true", "sleep 60", "exec 1>&-; cat"):
        program(text, tmp_path, 0.2).run(b"x")
    assert set(os.listdir("/dev/fd")) == before

"""Running a check that may do anything."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from hookkit.model import Event
from hookkit.work.gates import checks


def run(text: str, project: Path, seconds: float = 10, **fields: object) -> checks.CheckResult:
    event = Event("Stop", {"cwd": str(project), **fields})
    return checks.run_command(text, event, dict(os.environ), seconds)


@pytest.mark.parametrize(
    ("text", "passed", "code", "said", "problem"),
    [
        ("true", True, 0, "", ""),
        ("echo a; echo b >&2", True, 0, "a\nb", ""),
        ("echo a; exit 7", False, 7, "a", ""),
        ("exit 255", False, 255, "", ""),
        ("no-such-program 2>/dev/null", False, 127, "", "was not found"),
        ("/etc/passwd 2>/dev/null", False, 126, "", "cannot be run"),
        ("kill -SEGV $$", False, -11, "", "was ended by signal 11"),
        ("exit 137", False, 137, "", "was ended by signal 9"),
        ("printf 'a\\rb\\033[31mc\\n'", True, 0, "b\ufffd[31mc", ""),
        ("seq 100", True, 0, "\n".join(map(str, range(81, 101))), ""),
    ],
)
def test_what_a_command_comes_to(project: Path, text: str, *, passed: bool, code: int, said: str, problem: str) -> None:
    outcome = run(text, project)
    assert (outcome.passed, outcome.code, outcome.said, outcome.problem) == (passed, code, said, problem)


def test_one_that_takes_too_long_is_gone_with_its_children(project: Path) -> None:
    outcome = run("sleep 300 & echo $!; sleep 300", project, 0.5)
    assert (outcome.passed, outcome.problem) == (False, "took longer than 0.5 s")
    for _ in range(100):
        state = subprocess.run(["ps", "-o", "stat=", "-p", outcome.said], capture_output=True, text=True, check=False)
        if state.stdout.strip()[:1] in ("", "Z"):
            return
        time.sleep(0.1)
    raise AssertionError(outcome.said)


def test_one_that_closed_its_output_is_waited_for(project: Path) -> None:
    assert run("exec >&- 2>&-; sleep 0.2; exit 3", project).code == 3
    assert run("exec >&- 2>&-; sleep 30", project, 0.3).problem == "took longer than 0.3 s"


def test_a_child_that_keeps_the_pipe_is_not_waited_for(project: Path) -> None:
    start = time.monotonic()
    assert run("sleep 30 & echo done", project).said == "done"
    assert time.monotonic() - start < 25


def test_a_flood_is_bounded_and_its_end_is_kept(project: Path) -> None:
    outcome = run("yes x | head -c 3000000; echo end; exit 1", project)
    assert outcome.code == 1
    assert outcome.said == "x\n" * 19 + "end"


def test_one_long_line_is_cut(project: Path) -> None:
    assert run("head -c 9000 /dev/zero | tr '\\0' x", project).said == "x" * 2000


@pytest.mark.parametrize("text", ["true", "cat > got", "head -c 1 > got"])
def test_an_event_of_any_size_goes_in_as_far_as_it_is_read(project: Path, text: str) -> None:
    outcome = run(text, project, last_assistant_message="y" * 500_000)
    assert (outcome.passed, outcome.problem) == (True, "")
    if text == "cat > got":
        assert (project / "got").stat().st_size > 500_000


def test_a_directory_that_is_gone_is_a_problem_and_no_failure(project: Path) -> None:
    outcome = run("true", project / "gone")
    assert outcome.problem == "cannot be started (No such file or directory)"

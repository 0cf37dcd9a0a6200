"""Each system call that changes a file fails in turn: nothing is lost, nothing is twice, verify tells the truth."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCENARIOS = (
    "PreToolUse SessionEnd stored fold prune repair erase move init uninit doctor keep undo trust approve".split()
)


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("needs Linux and a C compiler, to stand between hookkit and the system")
    path = tmp_path_factory.mktemp("faults") / "calls.so"
    source = Path(__file__).with_name("calls.c")
    done = subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", path, source, "-ldl"], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip(f"the library cannot be compiled here: {done.stderr.decode()[-300:]}")
    return path


@pytest.mark.parametrize("fault", ["kill", "errors"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_each_system_call_fails_in_turn(scenario: str, fault: str, library: Path) -> None:
    words = [sys.executable, "-m", "tests.faults.driver", scenario, fault]
    environ = {**os.environ, "LD_PRELOAD": str(library)}
    done = subprocess.run(words, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    count, _, wrong = done.stdout.partition("\n")
    assert (wrong.strip(), done.stderr, done.returncode) == ("", "", 0)
    assert int(count) >= 5  # the library did stand in between: a durable write alone has five such calls

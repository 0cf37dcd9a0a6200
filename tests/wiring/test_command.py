"""The command line that agents run: one process while hookkit is there, loud or closed once it is gone."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hookkit.wiring import command
from hookkit.wiring.launcher import Launcher, find

SHELLS = [name for name in ("sh", "bash", "dash", "zsh", "fish") if shutil.which(name)]
EVENT = b'{"hook_event_name": "PreToolUse"}'
GONE = Launcher("/no where/hookkit", "/no where/python")


def play(shell: str, line: str, home: Path) -> "subprocess.CompletedProcess[str]":
    environ = {"HOME": str(home), "PATH": os.defpath}
    return subprocess.run(
        [shell, "-c", line], input=EVENT.decode(), capture_output=True, text=True, env=environ, check=False
    )


@pytest.fixture
def there(tmp_path: Path) -> Launcher:
    """A launcher in a directory with a blank and a quote, that prints its process and its words."""
    program = tmp_path / "it's here" / "hookkit"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$$ $*"\n')
    interpreter = program.with_name("python")
    interpreter.write_text('#!/bin/sh\nshift\nexec /bin/sh "$@"\n')  # without the options of Python
    for path in (program, interpreter):
        path.chmod(0o755)
    return Launcher(str(program), str(interpreter))


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("gone", [command.QUIET, command.FIRST, command.LOUD, command.CLOSED])
@pytest.mark.parametrize("shared", [False, True])
def test_the_shell_becomes_hookkit(shell: str, gone: str, shared: bool, there: Launcher, tmp_path: Path) -> None:  # noqa: FBT001
    """No process is added: the program has the process id of the shell."""
    line = command.line(there, ("run", "--on-error", "deny"), gone=gone, shared=shared)
    with subprocess.Popen([shell, "-c", line], stdout=subprocess.PIPE, text=True) as process:
        said, _ = process.communicate()
    assert said == f"{process.pid} run --on-error deny\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_missing_hookkit_is_told_once_an_hour(shell: str, home: Path) -> None:
    first, second = (play(shell, command.line(GONE), home) for _ in range(2))
    mark = home / ".local/state/hookkit/gone"
    os.utime(mark, (mark.stat().st_mtime - 4000,) * 2)
    third, start = (play(shell, command.line(GONE, gone=gone), home) for gone in (command.LOUD, command.FIRST))
    assert third.stdout == start.stdout == first.stdout
    said = "hookkit is off, nothing is checked: /no where/hookkit is missing. Reinstall it, or remove its hooks."
    assert json.loads(first.stdout) == {"systemMessage": said}
    assert (first.returncode, first.stderr) == (0, "")
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")


@pytest.mark.parametrize("gone", [command.QUIET, command.FIRST, command.LOUD, command.CLOSED])
def test_the_line_names_no_variable_that_an_agent_may_lack(gone: str) -> None:
    """Grok runs no command with a variable that its own environment lacks, and lets the tool run instead."""
    text = command.line(GONE, gone=gone, shared=True)
    assert set(re.findall(r"\$\{?(\w+)", text)) <= {"HOME"}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_missing_hookkit_is_silent_on_other_events(shell: str, home: Path) -> None:
    for shared in (False, True):
        done = play(shell, command.line(GONE, gone=command.QUIET, shared=shared), home)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_missing_hookkit_refuses_the_call_if_the_person_wants_that(shell: str, home: Path) -> None:
    done = play(shell, command.line(GONE, gone=command.CLOSED), home)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "hookkit cannot check this call: /no where/hookkit is missing. Reinstall it.\n"


def test_a_venv_without_its_python_counts_as_gone(there: Launcher, home: Path) -> None:
    line = command.line(Launcher(there.program, "/no/python"), gone=command.CLOSED)
    assert play("sh", line, home).returncode == 2


def test_a_shared_file_finds_another_persons_hookkit_on_the_path(there: Launcher, home: Path) -> None:
    environ = {"HOME": str(home), "PATH": f"{Path(there.program).parent}:{os.defpath}"}
    line = command.line(GONE, shared=True)
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, env=environ, check=True)
    assert done.stdout.endswith(" run\n")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (command.line(GONE), [["run"]]),
        (command.line(GONE, ("run", "--hooks", "guard,hint")), [["run", "--hooks", "guard,hint"]]),
        ("hookkit run", [["run"]]),
        ("env A=1 /opt/hookkit guard", [["guard"]]),
        ("hookkit validate", []),
        ("echo hookkit run", []),
        ("other hook", []),
    ],
)
def test_our_own_commands_are_recognised(text: str, found: list[list[str]]) -> None:
    assert command.calls(text) == found
    assert command.is_ours(text) is bool(found)


def test_the_launcher_stands_beside_the_interpreter() -> None:
    assert find().is_there
    assert os.path.isabs(find().program)


LAUNCHER = Path(__file__).parents[2] / "scripts" / "hookkit"


@pytest.mark.parametrize(
    ("words", "code", "out", "error"),
    [
        (["run", "--agent", "codex"], 0, 1, 0),
        (["run", "--on-error", "deny"], 2, 0, 1),
        (["--version"], 1, 0, 1),
        (["doctor"], 1, 0, 1),
    ],
)
def test_a_launcher_without_its_package_says_so_in_a_line(
    words: list[str], code: int, out: int, error: int, tmp_path: Path
) -> None:
    """The package was removed and its launcher stayed: no traceback, and a hook lets the agent work."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path], check=True)
    python = tmp_path / "bin" / "python"
    environ = {"HOME": str(tmp_path)}
    done = subprocess.run([python, LAUNCHER, *words], input=EVENT, capture_output=True, env=environ, check=False)
    said = f"hookkit is off, nothing is checked: No module named 'hookkit' in {python}. Reinstall hookkit."
    assert done.returncode == code
    assert done.stdout.decode() == (json.dumps({"systemMessage": said}) + "\n") * out
    assert done.stderr.decode() == f"{said}\n" * error

"""The launcher script that agents call, and the line of a shared file: loud or closed once hookkit is gone."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hookkit.agents.wiring import change, launcher
from hookkit.agents.wiring.launcher import Launcher, find

SHELLS = [name for name in ("sh", "bash", "dash", "zsh", "fish") if shutil.which(name)]
EVENT = b'{"hook_event_name": "PreToolUse"}'
GONE = Launcher("/no where/hookkit", "/no where/python")
SCRIPT = "/home/a/.local/share/hookkit/hook"
LOST = "hookkit is off, nothing is checked: /no where/hookkit is missing. Reinstall hookkit, or remove its hooks."


def play(words: list[str], event: bytes = EVENT, **environ: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        words, input=event.decode(), capture_output=True, text=True, env={"PATH": os.defpath, **environ}, check=False
    )


@pytest.fixture
def there(tmp_path: Path) -> Launcher:
    """A program in a directory with a blank and a quote, that prints its process and its words."""
    program = tmp_path / "it's here" / "hookkit"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$$ $*"\n')
    interpreter = program.with_name("python")
    interpreter.write_text('#!/bin/sh\nshift\nexec /bin/sh "$@"\n')  # without the options of Python
    for path in (program, interpreter):
        path.chmod(0o755)
    return Launcher(str(program), str(interpreter))


def installed(program: Launcher, home: Path) -> str:
    script = launcher.path({"HOME": str(home)})
    assert launcher.write(script, change.launcher_text(program, {"HOME": str(home)}))
    return script


def test_the_script_becomes_hookkit(there: Launcher, home: Path) -> None:
    """No process is added: the program has the process id of the script."""
    script = installed(there, home)
    with subprocess.Popen([script, "run", "--on-error", "deny"], stdout=subprocess.PIPE, text=True) as process:
        said, _ = process.communicate()
    assert said == f"{process.pid} run --on-error deny\n"


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PreToolUse", "BeforeTool"])
def test_a_missing_hookkit_is_told_every_time(home: Path, event: str) -> None:
    """Nothing that an agent can leave behind silences the message."""
    script = installed(GONE, home)
    for _ in range(2):
        done = play([script, "run"], f'{{"hook_event_name":"{event}","tool_input":{{}}}}'.encode())
        assert (json.loads(done.stdout), done.returncode, done.stderr) == ({"systemMessage": LOST}, 0, "")


def test_a_missing_hookkit_is_silent_where_nobody_looks(home: Path) -> None:
    done = play([installed(GONE, home), "run"], b'{"hook_event_name": "PostToolUse"}')
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_alone_the_script_answers_every_event(there: Launcher, home: Path) -> None:
    """Grok reads Claude Code's settings, and calls the script without its arguments."""
    assert play([installed(there, home)]).stdout.split()[1:] == ["run"]


@pytest.mark.parametrize("loud", [True, False])
def test_the_line_names_no_variable_that_an_agent_may_lack(*, loud: bool) -> None:
    """Grok runs no command with a variable that its own environment lacks, and lets the tool run instead."""
    assert "$" not in launcher.line("/x/hook") + launcher.shared_line(loud=loud)


def test_a_missing_hookkit_refuses_the_call_if_the_person_wants_that(home: Path) -> None:
    done = play([installed(GONE, home), "run", "--on-error", "deny"])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "hookkit cannot check this call: /no where/hookkit is missing. Reinstall hookkit.\n"


def test_a_venv_without_its_python_counts_as_gone(there: Launcher, home: Path) -> None:
    script = installed(Launcher(there.program, "/no/python"), home)
    assert play([script, "run", "--on-error", "deny"]).returncode == 2


def test_the_script_is_the_persons_alone_and_is_written_once(there: Launcher, home: Path) -> None:
    script = installed(there, home)
    assert (os.stat(script).st_mode & 0o777, os.stat(os.path.dirname(script)).st_mode & 0o777) == (0o700, 0o700)
    assert not launcher.write(script, change.launcher_text(there, {"HOME": str(home)}))
    behind = launcher.read(script)
    assert behind is not None
    assert (behind.program, behind.interpreter) == (there.program, there.interpreter)
    assert launcher.remove(script)
    assert not os.path.exists(os.path.dirname(script))


def test_a_foreign_script_is_not_removed(home: Path) -> None:
    script = Path(launcher.path({"HOME": str(home)}))
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\necho mine\n")
    assert launcher.read(str(script)) is None
    assert not launcher.remove(str(script))


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("loud", [False, True])
def test_a_shared_line_finds_each_persons_own_hookkit(shell: str, loud: bool, there: Launcher) -> None:  # noqa: FBT001
    line = launcher.shared_line(loud=loud)
    assert "/" not in line.replace("/dev/null", "")
    environ = {"PATH": f"{Path(there.program).parent}:{os.defpath}"}
    with subprocess.Popen([shell, "-c", line], stdout=subprocess.PIPE, text=True, env=environ) as process:
        said, _ = process.communicate()
    assert said == f"{process.pid} run\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shared_line_without_hookkit_says_so(shell: str) -> None:
    loud = play([shell, "-c", launcher.shared_line(loud=True)])
    said = "Nothing is checked: hookkit is not installed here. Install hookkit, or remove its hooks."
    assert (json.loads(loud.stdout), loud.returncode, loud.stderr) == ({"systemMessage": said}, 0, "")
    quiet = play([shell, "-c", launcher.shared_line(loud=False)])
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
    closed = play([shell, "-c", launcher.shared_line(("run", *launcher.CLOSED_WORDS), loud=True)])
    assert (closed.returncode, closed.stdout, "cannot check this call" in closed.stderr) == (2, "", True)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (launcher.line(SCRIPT), [["run"]]),
        (launcher.line("/home/a b/hookkit/hook", ("run", "--hooks", "guard")), [["run", "--hooks", "guard"]]),
        (launcher.shared_line(loud=True), [["run"]]),
        ("hookkit run", [["run"]]),
        ("env A=1 /opt/hookkit guard", [["guard"]]),
        ("[ -x /v/python ] && [ -x /v/hookkit ] && exec /v/python -ES /v/hookkit run; exit 0", [["run"]]),
        ("hookkit validate", []),
        ("echo hookkit run", []),
        ("other hook", []),
    ],
)
def test_our_own_commands_are_recognised(text: str, found: list[list[str]]) -> None:
    assert launcher.calls(text) == found
    assert launcher.is_ours(text) is bool(found)


def test_a_command_without_a_shell_is_recognised() -> None:
    assert launcher.is_ours(SCRIPT, ["run"])
    assert not launcher.is_ours(SCRIPT, ["validate"])


def test_the_launcher_stands_beside_the_interpreter() -> None:
    assert find().is_there
    assert os.path.isabs(find().program)


LAUNCHER = Path(__file__).parents[3] / "scripts" / "hookkit"


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

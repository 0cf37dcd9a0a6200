"""A rewrite in the real client: a stranger's files never run unasked, and the person and the model learn of it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import ROOT
from .harness import Run, bash, home_of, trust, write
from .terminal import ENTER, ESCAPE, QUESTION, Sitting

Drive = Callable[..., Run]
Sit = Callable[..., Sitting]

MANUAL = ("--permission-mode", "manual")
ALLOWED = ("--allowedTools", "Bash")
DONE = "The heron has landed."
STOPPED = "Interrupted · What should Claude do instead?"
TOLD = 'hookkit changed "pytest -q" to "make test".'
PLACE = "The project defines it in Makefile:1."
TURNS = [bash("pytest -q", description="Test it"), DONE]


@pytest.fixture
def clone(project: Path) -> Path:
    """A clone with a Makefile of somebody else, and hookkit wired as settings.example.json ships it."""
    write(project / "Makefile", "test:\n\t@touch by-make.txt\n")
    write(project / "test_trace.py", "def test_trace():\n    open('by-pytest.txt', 'x').close()\n")
    shutil.copy(ROOT / "settings.example.json", write(project / ".claude" / "settings.json", ""))
    return project


def who_tested(project: Path) -> list[str]:
    return sorted(path.name for path in project.glob("by-*.txt"))


def test_with_nobody_to_ask_a_strangers_makefile_does_not_run(drive: Drive, clone: Path) -> None:
    """Even where every Bash command is allowed: the agent's own command runs, and the person reads why."""
    run = drive(clone, "test it", turns=TURNS, arguments=ALLOWED)
    assert who_tested(clone) == ["by-pytest.txt"]
    [reply] = run.replies("PreToolUse:Bash")
    assert reply == {
        "systemMessage": 'hookkit left "pytest -q" as it is. The project\'s own command is "make test", but Makefile '
        "is not trusted. Read the file, then run: hookkit trust"
    }
    assert run.faults() == []


@pytest.mark.parametrize(("key", "until", "ran"), [(ESCAPE, STOPPED, []), (ENTER, DONE, ["by-make.txt"])])
def test_a_strangers_makefile_runs_only_after_a_yes(
    sit: Sit, clone: Path, key: str, until: str, ran: list[str]
) -> None:
    sitting = sit(clone, key, turns=TURNS, until=until, arguments=MANUAL)
    [shown] = sitting.dialogs
    assert "make test" in shown
    assert TOLD.removesuffix(".") in " ".join(" ".join(shown).split())
    assert who_tested(clone) == ran
    assert sitting.run.faults() == []


def test_a_trusted_makefile_runs_unasked_and_both_are_told(sit: Sit, clone: Path) -> None:
    trust(clone)
    sitting = sit(clone, turns=TURNS, until=DONE, arguments=MANUAL)
    assert QUESTION not in sitting.seen
    assert who_tested(clone) == ["by-make.txt"]
    assert any(TOLD in line for line in sitting.seen)
    assert f"{TOLD} {PLACE}" in sitting.run.prompts()[-1].added
    assert sitting.run.faults() == []


def test_a_dialog_about_a_rewritten_line_explains_itself(sit: Sit, clone: Path) -> None:
    """The dialog shows the new command alone: its reason says what hookkit made of what."""
    rule = '[[rules]]\ntype = "ask"\nmatch = "Bash(make *)"\nreason = "A person must look at this."\n'
    write(home_of(clone) / ".config" / "hookkit" / "hookkit.toml", rule)
    sitting = sit(clone, ESCAPE, turns=TURNS, until=STOPPED, arguments=MANUAL)
    [shown] = sitting.dialogs
    assert 'hookkit changed "pytest -q" to "make test"' in " ".join(" ".join(shown).split())
    assert who_tested(clone) == []
    assert sitting.run.faults() == []


def test_a_makefile_that_changed_is_a_strangers_again(sit: Sit, clone: Path) -> None:
    """Trust is in the content: an agent that writes the Makefile cannot run it unasked."""
    trust(clone)
    write(clone / "Makefile", "test:\n\t@touch by-agent.txt\n")
    sitting = sit(clone, ESCAPE, turns=TURNS, until=STOPPED, arguments=MANUAL)
    [shown] = sitting.dialogs
    assert "make test" in shown
    assert who_tested(clone) == []
    assert sitting.run.faults() == []


@pytest.mark.parametrize("line", ["! pytest -q", "command pytest -q"])
def test_the_escape_runs_the_command_as_written_and_keeps_its_exit_code(drive: Drive, clone: Path, line: str) -> None:
    """A failing run must come back as a failure: bash would negate `! pytest -q`."""
    write(clone / "test_trace.py", "def test_trace():\n    assert False\n")
    trust(clone)
    run = drive(clone, "test it", turns=[bash(line), DONE], arguments=ALLOWED)
    [(text, is_error)] = run.prompts()[-1].tool_results
    assert is_error
    assert text.startswith("Exit code 1")
    assert who_tested(clone) == []
    assert run.faults() == []

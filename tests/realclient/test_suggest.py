"""`hookkit suggest` from real dialogs: the rules spare the dialog, and a twin that they must not cover prompts."""

import json
from collections.abc import Callable
from pathlib import Path

from .harness import Run, bash, person, wire, write
from .terminal import ENTER, Sitting

Drive = Callable[..., Run]
Sit = Callable[..., Sitting]
EVENTS = ("PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure")
MANUAL = ("--permission-mode", "manual")
DONE = "The heron has landed."
TESTED = [f"pytest -q tests/{name}.py" for name in "abc"]
TWINS = [
    "make lint deploy",
    "make lint && touch twin.txt",
    "make -B lint",
    "make lint > twin.txt",
    "make lint; touch twin.txt",
]


def ran(run: Run) -> list[bool]:
    """Whether each call ran: in print mode nobody can answer a dialog, so a call that needs one does not."""
    return [not is_error for _, is_error in run.prompts()[-1].tool_results]


def test_rules_from_real_dialogs_spare_the_dialog(sit: Sit, drive: Drive, project: Path) -> None:
    wire(project, **dict.fromkeys(EVENTS, "hookkit run"))
    write(project / "Makefile", "lint:\n\t@echo linted\ndeploy:\n\t@touch twin.txt\n")
    for name in "abcd":
        write(project / "tests" / f"{name}.py", "def test_one():\n    pass\n")
    asked = [*["make lint"] * 3, *TESTED]
    # Each dialog has a text of its own: two that look the same in a row are one to whoever reads the screen.
    turns = [*(bash(command, description=f"Call {number}") for number, command in enumerate(asked)), DONE]
    sitting = sit(project, *[ENTER] * len(asked), turns=turns, until=DONE, arguments=MANUAL)
    assert sitting.run.faults() == []
    plain = [*map(bash, ("make lint", "pytest -q tests/d.py", *TWINS)), "done"]
    assert ran(drive(project, "go", turns=plain, arguments=MANUAL)) == [False] * len(plain[:-1])

    said = person(project, "suggest", "--agent", "claude", "--apply")
    assert said.returncode == 0, said.stderr
    assert "Claude Code has no rule that means exactly this: Bash(pytest -q tests/*)" in said.stdout
    rules = json.loads((project / ".claude" / "settings.local.json").read_text())["permissions"]["allow"]
    assert rules == ["Bash(make lint)"]
    native = drive(project, "go", turns=plain, arguments=MANUAL)
    assert ran(native) == [True, False, *[False] * len(TWINS)]

    assert person(project, "suggest", "--apply").returncode == 0
    own = drive(project, "go", turns=plain, arguments=MANUAL)
    assert ran(own) == [True, True, *[False] * len(TWINS)]
    assert not (project / "twin.txt").exists()
    assert native.faults() + own.faults() == []

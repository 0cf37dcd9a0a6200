"""The policy with a person at the terminal: when the client asks them, what it shows, and what their answer does."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import ROOT
from .harness import bash, home_of, trust, wire, write
from .terminal import ENTER, ESCAPE, POINTER, QUESTION, Sitting

Sit = Callable[..., Sitting]

RULES = """
[policy]
base = false

[[rules]]
type = "ask"
match = "Bash(touch asked*)"
reason = "A person must look at this."

[[rules]]
type = "deny"
match = "Bash(touch denied*)"
reason = "That name is taken."

[[rules]]
type = "allow"
match = "Bash(touch allowed*)"
"""
ASK = '\n[[rules]]\ntype = "ask"\nmatch = "Bash({} *)"\nreason = "Tests cost money."\n'

CHANGED = '(hookkit changed "pytest -q" to "make test")'

AUTO: tuple[str, ...] = ()  # the client's own default
MANUAL = ("--permission-mode", "manual")
DONE = "The heron has landed."
STOPPED = "Interrupted · What should Claude do instead?"
SILENCE = ("(Bash completed with no output)", False)
CHOICES = [QUESTION, f"{POINTER} 1. Yes", "2. No"]  # no "always": the rule asks each time


def policy(project: Path, more: str = "") -> None:
    """The person's own rules, and hookkit wired as settings.example.json ships it."""
    write(home_of(project) / ".config" / "hookkit" / "hookkit.toml", RULES + more)
    shutil.copy(ROOT / "settings.example.json", write(project / ".claude" / "settings.json", ""))


def dialog(command: str, reason: str) -> list[str]:
    """What the client shows for an `ask` of ours, line by line."""
    asked = ["│ Hook PreToolUse:Bash requires confirmation for this command:", f"│ {reason} [settings]"]
    return ["Bash command", "Make it so", command, *asked, "settings.json to update hooks", *CHOICES]


def turns(command: str) -> list[object]:
    return [bash(command, description="Make it so"), DONE]


def made(project: Path) -> list[str]:
    return sorted(path.name for path in project.glob("*.txt"))


@pytest.mark.parametrize("mode", [AUTO, MANUAL], ids=["auto", "manual"])
def test_an_asked_command_runs_after_a_yes(sit: Sit, project: Path, mode: tuple[str, ...]) -> None:
    """The person reads the command and the rule's reason; auto mode, which decides for them, does not skip it."""
    policy(project)
    sitting = sit(project, ENTER, turns=turns("touch asked.txt"), until=DONE, arguments=mode)
    assert sitting.dialogs == [dialog("touch asked.txt", "hookkit: touch asked.txt: A person must look at this.")]
    assert made(project) == ["asked.txt"]
    assert sitting.run.prompts()[-1].tool_results == [SILENCE]
    assert sitting.run.faults() == []


@pytest.mark.parametrize(("key", "mode"), [("2", AUTO), (ESCAPE, MANUAL)], ids=["no", "escape"])
def test_an_asked_command_does_not_run_after_a_no(sit: Sit, project: Path, key: str, mode: tuple[str, ...]) -> None:
    """The turn ends there: the model is not called again, so it cannot try another way by itself."""
    policy(project)
    sitting = sit(project, key, turns=turns("touch asked.txt"), until=STOPPED, arguments=mode)
    assert sitting.dialogs == [dialog("touch asked.txt", "hookkit: touch asked.txt: A person must look at this.")]
    assert made(project) == []
    assert len(sitting.run.prompts()) == 1
    assert sitting.run.faults() == []


@pytest.mark.parametrize("mode", [AUTO, MANUAL], ids=["auto", "manual"])
def test_a_denied_command_asks_nobody_and_the_model_learns_why(sit: Sit, project: Path, mode: tuple[str, ...]) -> None:
    policy(project)
    sitting = sit(project, turns=turns("touch denied.txt"), until=DONE, arguments=mode)
    assert QUESTION not in sitting.seen
    assert made(project) == []
    reason = "PreToolUse:Bash hook error: hookkit: touch denied.txt: That name is taken."
    assert sitting.run.prompts()[-1].tool_results == [(reason, True)]
    assert sitting.run.faults() == []


def test_an_allowed_command_asks_nobody(sit: Sit, project: Path) -> None:
    policy(project)
    sitting = sit(project, turns=turns("touch allowed.txt"), until=DONE, arguments=MANUAL)
    assert QUESTION not in sitting.seen
    assert made(project) == ["allowed.txt"]
    assert sitting.run.faults() == []


def test_a_command_without_a_rule_is_the_clients_to_ask_about(sit: Sit, project: Path) -> None:
    """Manual mode does ask about such a command: where an allowed one passes in silence, that is our doing."""
    policy(project)
    sitting = sit(project, ENTER, turns=turns("touch other.txt"), until=DONE, arguments=MANUAL)
    [shown] = sitting.dialogs
    assert ("touch other.txt" in shown, [line for line in shown if "Hook" in line]) == (True, [])
    assert made(project) == ["other.txt"]
    assert sitting.run.faults() == []


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("make", f"hookkit: make test: Tests cost money. {CHANGED}"),
        ("pytest", f"hookkit: pytest -q: Tests cost money. {CHANGED}"),
    ],
    ids=["a rule about the new command", "a rule about the written command"],
)
def test_a_rewritten_command_is_shown_as_it_would_run(sit: Sit, project: Path, program: str, reason: str) -> None:
    """The person says yes to `make test`, whichever of the two commands the rule asks about, and that is what runs."""
    policy(project, ASK.format(program))
    write(project / "Makefile", "test:\n\t@touch by-make.txt\n")
    write(project / "test_trace.py", "def test_trace():\n    open('by-pytest.txt', 'x').close()\n")
    trust(project)
    sitting = sit(project, ENTER, turns=turns("pytest -q"), until=DONE)
    assert sitting.dialogs == [dialog("make test", reason)]
    assert made(project) == ["by-make.txt"]
    assert sitting.run.faults() == []


@pytest.mark.parametrize(
    ("command", "line", "files", "result"),
    [
        ("touch allowed.txt", "⎿  Allowed by PermissionRequest hook", ["allowed.txt"], SILENCE),
        (
            "touch denied.txt",
            "⎿  Denied by PermissionRequest hook",
            [],
            ("hookkit: touch denied.txt: That name is taken.", True),
        ),
    ],
    ids=["allow", "deny"],
)
def test_a_permission_request_is_answered_for_the_person(
    sit: Sit, project: Path, command: str, line: str, files: list[str], result: tuple[str, bool]
) -> None:
    """Nobody presses a key. The dialog may flash: the client shows it while the hook thinks, and then withdraws it."""
    policy(project)
    wire(project, PermissionRequest="hookkit run")
    sitting = sit(project, turns=turns(command), until=DONE, arguments=MANUAL)
    assert (line in sitting.seen, made(project)) == (True, files)
    assert sitting.run.prompts()[-1].tool_results == [result]
    assert (sitting.run.fired(), sitting.run.faults()) == (["PermissionRequest"], [])

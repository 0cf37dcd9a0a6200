"""The policy in the real client: what the model is told, and what then runs or does not."""

from collections.abc import Callable
from pathlib import Path

from .harness import Run, bash, home_of, wire, write

Drive = Callable[..., Run]

RULES = """
[policy]
base = false

[[rules]]
type = "deny"
match = "Bash(touch denied*)"
reason = "That name is taken."

[[rules]]
type = "ask"
match = "Bash(touch asked*)"
reason = "A person must look at this."

[[rules]]
type = "allow"
match = "Bash(touch allowed*)"

[[rules]]
type = "deny"
match = "Bash(pytest *)"
reason = "No tests today."
"""


def policy(project: Path) -> None:
    write(home_of(project) / ".config" / "hookkit" / "hookkit.toml", RULES)
    wire(project, PreToolUse="hookkit run")


def told(run: Run) -> str:
    """Everything that the model was sent after its tool call."""
    return str(run.prompts()[-1])


def test_a_denied_command_does_not_run_and_the_model_learns_why(drive: Drive, project: Path) -> None:
    policy(project)
    run = drive(project, "go", turns=[bash("cd . && touch denied.txt"), "done"], arguments=("--allowedTools", "Bash"))
    assert not (project / "denied.txt").exists()
    assert "touch denied.txt: That name is taken." in told(run)
    assert run.faults() == []


def test_what_is_asked_about_does_not_run_without_a_person(drive: Drive, project: Path) -> None:
    """In print mode there is nobody to ask: the client denies, with the reason, though its own rules allow Bash."""
    policy(project)
    run = drive(project, "go", turns=[bash("touch asked.txt"), "done"], arguments=("--allowedTools", "Bash"))
    assert not (project / "asked.txt").exists()
    assert "A person must look at this." in told(run)


def test_an_allowed_command_runs_without_a_rule_of_the_clients_own(drive: Drive, project: Path) -> None:
    policy(project)
    run = drive(project, "go", turns=[bash("touch allowed.txt"), bash("touch other.txt"), "done"])
    assert (project / "allowed.txt").exists()
    assert not (project / "other.txt").exists()
    assert run.faults() == []


def test_a_rewrite_does_not_save_a_denied_command(drive: Drive, project: Path) -> None:
    policy(project)
    write(project / "Makefile", "test:\n\t@touch by-make.txt\n")
    run = drive(project, "go", turns=[bash("pytest -q"), "done"], arguments=("--allowedTools", "Bash"))
    assert not (project / "by-make.txt").exists()
    assert "pytest -q: No tests today." in told(run)


OUTPUT = """
[policy]
base = false

[[rules]]
type = "modify"
match = "Bash(cat *)"
field = "stdout"
replace = "heron"
with = "bird"
config = { event = "PostToolUse" }

[[rules]]
type = "modify"
match = "Read(*)"
field = "file.content"
replace = "heron"
with = "bird"
config = { event = "PostToolUse" }
"""


def test_a_changed_output_is_all_that_the_model_reads(drive: Drive, project: Path) -> None:
    """In the shape of the tool's own output: of Bash an object with stdout, of Read one with a file."""
    write(home_of(project) / ".config" / "hookkit" / "hookkit.toml", OUTPUT)
    wire(project, PostToolUse="hookkit run")
    note = write(project / "note.txt", "A heron stands here.\n")
    turns = [bash("cat note.txt"), {"name": "Read", "input": {"file_path": str(note)}}, "Done."]
    run = drive(project, "look", turns=turns, arguments=("--allowedTools", "Bash", "Read"))
    results = [text for text, _ in run.prompts()[-1].tool_results]
    assert ["A bird stands here." in text for text in results] == [True, True]
    assert "heron" not in "".join(results)
    assert run.faults() == []

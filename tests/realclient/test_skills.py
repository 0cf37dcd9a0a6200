"""Skills in the real client: what the model is sent before it has called any tool."""

from collections.abc import Callable
from pathlib import Path

from .harness import Run, home_of, wire, write

Drive = Callable[..., Run]

HEAD = "---\nname: pdf\ndescription: Merge, split and fill PDF files.\n---\n"
ADVICE = "Use the heron tool, never the stork."
MERGE = "merge a.pdf and b.pdf"


def skill(root: Path, text: str = ADVICE, head: str = HEAD) -> Path:
    return write(root / "skills" / "pdf" / "SKILL.md", f"{head}# PDF\n\n{text}\n")


def test_the_text_of_a_projects_skill_reaches_the_model(drive: Drive, project: Path) -> None:
    """The client itself sends a skill's description alone."""
    path = skill(project / ".claude")
    wire(project, UserPromptSubmit="hookkit nudge")
    run = drive(project, "hello there", MERGE)
    before, after = run.prompts()
    assert (before.added.count(ADVICE), after.added.count(ADVICE)) == (0, 1)
    assert f'this project\'s skill "pdf" may be what it needs. From {path}:' in after.added
    [reply] = run.replies("UserPromptSubmit")
    assert reply["systemMessage"] == "The model was given the skill pdf."
    assert run.faults() == []


def test_the_persons_own_skill_wins_as_it_does_with_the_client(drive: Drive, project: Path) -> None:
    skill(project / ".claude", "Of the project.")
    skill(home_of(project) / "config")
    wire(project, UserPromptSubmit="hookkit nudge")
    [request] = drive(project, MERGE).prompts()
    assert (request.added.count(ADVICE), request.added.count("Of the project.")) == (1, 0)


def test_a_compaction_arms_a_skill_again(drive: Drive, project: Path) -> None:
    """Sent once before it, taken out by it, and sent once after it."""
    skill(project / ".claude")
    wire(project, UserPromptSubmit="hookkit run", SessionStart="hookkit run", PreCompact="hookkit run")
    run = drive(project, MERGE, "and merge c.pdf", "/compact", "now merge d.pdf")
    assert [prompt.added.count(ADVICE) for prompt in run.prompts()] == [1, 1, 1]
    assert len(run.replies("UserPromptSubmit")) == 2
    assert run.faults() == []


def test_a_skill_that_only_people_may_call_stays_out(drive: Drive, project: Path) -> None:
    skill(project / ".claude", head=HEAD.replace("---\nname", "---\ndisable-model-invocation: true\nname"))
    wire(project, UserPromptSubmit="hookkit nudge")
    run = drive(project, MERGE)
    assert ADVICE not in run.prompts()[0].added
    assert run.faults() == []

"""One session in each real agent: a deny holds, its reason and the context reach the model, a rewrite runs."""

from pathlib import Path

from hookkit import registry
from tests.realagents.agents import Agent
from tests.realagents.harness import connect, play
from tests.realclient.harness import home_of, trust

DENIED = "This would delete, move or change the rights of your whole home directory."
TURNS = [{"shell": "rm -rf ~"}, {"shell": "pytest -q"}, "The heron has landed."]
NOTES = "The database listens on port 5439."
TOLD = 'hookkit ran "make test" instead of "pytest -q".'
SUGGESTED = 'Run "make test" instead.'


def test_an_agent_with_hookkit_is_stopped_told_and_led(agent: Agent, project: Path) -> None:
    """`rm -rf ~` is stopped, the model learns why and gets the notes, `make test` runs or is named, rows are kept."""
    connect(agent, project)
    trust(project)
    session = play(agent, project, TURNS)
    sent, story = session.sent(), session.story()
    rewrites = "rewrite" in registry.find("dialects", agent.name).CAN["PreToolUse"]
    assert session.code == 0, story
    assert (home_of(project) / "precious.txt").exists(), story
    assert DENIED in sent, story
    assert NOTES in sent, story
    assert (project / "by-make.txt").exists() == rewrites, story
    assert (TOLD if rewrites else SUGGESTED) in sent, story
    calls = [(row["tool"], row.get("verdict")) for row in session.rows if row["event"] == "PreToolUse"]
    assert calls == [("Bash", "deny"), ("Bash", "allow")], story
    events = {row["event"] for row in session.rows}
    assert events >= {"SessionStart", "UserPromptSubmit", "PreToolUse", "Stop"}, story


def test_a_strangers_makefile_does_not_run_unasked(agent: Agent, project: Path) -> None:
    """No agent here asks a person, so a project that is not trusted runs the command as the model wrote it."""
    connect(agent, project)
    session = play(agent, project, [{"shell": "pytest -q || true"}, "The heron has landed."])
    assert session.code == 0, session.story()
    assert not (project / "by-make.txt").exists(), session.story()

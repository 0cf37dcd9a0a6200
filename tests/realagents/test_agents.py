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
    session = play(agent, project, TURNS if agent.survives else TURNS[1:])
    sent, story = session.sent(), session.story()
    dialect = registry.find("dialects", agent.name)
    rewrites = "rewrite" in dialect.CAN["PreToolUse"]
    assert session.code == 0, story
    assert (DENIED in sent) == agent.survives, story
    assert (NOTES in sent) == agent.prompts, story
    assert (project / "by-make.txt").exists() == rewrites, story
    assert (TOLD if rewrites else SUGGESTED) in sent, story
    calls = [(row["tool"], row.get("verdict")) for row in session.rows if row["event"] == "PreToolUse"]
    assert calls == [("Bash", "deny"), ("Bash", "allow")][-len(calls) :], story
    assert len(calls) == 1 + agent.survives, story
    assert {dialect.EVENTS[name] for name in ("Stop", "AfterAgent") if name in dialect.EVENTS} <= {
        row["event"] for row in session.rows
    }, story


def test_a_denied_command_does_not_run(agent: Agent, project: Path) -> None:
    """The home and its file are there after `rm -rf ~`, and the ledger has the row of the deny."""
    connect(agent, project)
    session = play(agent, project, TURNS[:1])
    assert (home_of(project) / "precious.txt").exists(), session.story()
    assert [row.get("verdict") for row in session.rows if row["event"] == "PreToolUse"] == ["deny"], session.story()


def test_a_strangers_makefile_does_not_run_unasked(agent: Agent, project: Path) -> None:
    """No agent here asks a person, so a project that is not trusted runs the command as the model wrote it."""
    connect(agent, project)
    session = play(agent, project, [{"shell": "pytest -q || true"}, "The heron has landed."])
    assert session.code == 0, session.story()
    assert not (project / "by-make.txt").exists(), session.story()

"""Files for an effort: at the start of a session, and in mid-session."""

import json
from pathlib import Path

from hookkit.work.store import listed
from tests.work.conftest import Agent


def preload(agent: Agent, *paths: Path) -> None:
    agent.change("UPDATE efforts SET preload = ?", json.dumps([str(path) for path in paths]))


def begin(agent: Agent) -> None:
    agent.configure("[sessions]\nparts = ['files']")
    agent.begin()
    agent.send("SessionStart", source="startup")


def test_a_file_that_is_added_in_mid_session_comes_with_the_next_event_once(agent: Agent) -> None:
    begin(agent)
    plan = agent.project / "plan.md"
    plan.write_text("First the parser.")
    assert agent.told("UserPromptSubmit", prompt="hi") == ""
    preload(agent, plan)
    assert agent.told("UserPromptSubmit", prompt="hi") == f"# {plan}\n\nFirst the parser."
    assert agent.told("UserPromptSubmit", prompt="hi") == ""
    assert agent.bash("ls") is None
    assert listed(agent.session()["loaded"]) == [str(plan)]


def test_a_sub_agent_does_not_take_the_file_of_the_main_conversation(agent: Agent) -> None:
    begin(agent)
    plan = agent.project / "plan.md"
    plan.write_text("First the parser.")
    preload(agent, plan)
    assert agent.bash("ls", agent_id="p1") is None
    assert "First the parser." in json.dumps(agent.bash("ls"))


def test_a_file_that_was_cut_is_not_loaded_and_says_where_the_rest_is(agent: Agent) -> None:
    begin(agent)
    long, short = agent.project / "long.md", agent.project / "short.md"
    long.write_text("x" * 20_000)
    short.write_text("short")
    preload(agent, long, short)
    said = agent.told("UserPromptSubmit", prompt="hi")
    assert f"more characters in {long}]" in said
    assert said.endswith(f"# {short}\n\nshort")
    assert listed(agent.session()["loaded"]) == [str(short)]

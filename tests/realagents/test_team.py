"""A team's signed policy in real agents: the repository's rule and handler apply in a clone that nobody trusted."""

import os
from pathlib import Path

import pytest

from hookkit.handlers.project_trust import ProjectTrust
from hookkit.settings import signed
from hookkit.system import signatures
from tests.realagents.agents import AGENTS, Agent
from tests.realagents.harness import connect, play
from tests.realclient.harness import environment, home_of, write

TEAM = ("codex", "gemini")
POLICY = """
[[rules]]
type = "deny"
match = "Bash(make deploy)"
reason = "Only CI deploys."

[[hooks]]
event = "PreToolUse"
matcher = "Bash"
name = "no-release"
on_failure = "ask"
[hooks.command]
command = "sh checks/no-release.sh"
"""
CHECK = 'if grep -q "make release"; then echo "The lead releases." >&2; exit 2; fi\n'
TURNS = [{"shell": "make deploy"}, {"shell": "make release"}, "The heron has landed."]


def sign(project: Path, key: Path) -> None:
    """The lead's part, and the one command of the person, whose home stands beside the project."""
    write(project / "hookkit.toml", POLICY)
    write(project / "checks" / "no-release.sh", CHECK)
    environ = environment(home_of(project))
    signatures.make_key(str(key), "lead", dict(os.environ))
    signed.write(str(project), ProjectTrust(str(project), environ).pins, str(key), dict(os.environ))
    signed.add_signer("human:lead", signed.public_key(f"{key}.pub"), environ)


@pytest.mark.parametrize("agent", [agent for agent in AGENTS if agent.name in TEAM], indirect=True, ids=TEAM)
def test_one_signed_policy_holds_in_each_agent(agent: Agent, project: Path, tmp_path: Path) -> None:
    """The clone was never trusted by hand: the lead's key is among the person's signers."""
    sign(project, tmp_path / "lead")
    connect(agent, project)
    session = play(agent, project, TURNS)
    reasons = [row.get("reason", "") for row in session.rows if row["event"] == "PreToolUse"]
    assert ["Only CI deploys." in reasons[0], "The lead releases." in reasons[1]] == [True, True], session.story()
    assert [row.get("verdict") for row in session.rows if row["event"] == "PreToolUse"] == ["deny"] * 2, session.story()

"""One session in each real agent: a deny holds, its reason and the context reach the model, a rewrite runs."""

import dataclasses
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from hookkit import registry
from hookkit.agents.transcripts import past_calls
from tests.realagents.agents import AGENTS, Agent
from tests.realagents.harness import HOOKKIT, connect, lively, lose_rows, play
from tests.realclient.harness import home_of, trust, write

DENIED = "This would delete, move or change the rights of your whole home directory."
TURNS = [{"shell": "rm -rf ~"}, {"shell": "pytest -q"}, "The heron has landed."]
NOTES = "The database listens on port 5439."
TOLD = 'hookkit changed "pytest -q" to "make test".'
SUGGESTED = 'Run "make test" instead.'
RECIPES = Path(__file__).parents[2] / "docs" / "recipes.md"


def only(*names: str) -> pytest.MarkDecorator:
    """The test is about these agents."""
    agents = [agent for agent in AGENTS if agent.name in names]
    return pytest.mark.parametrize("agent", agents, ids=lambda agent: agent.name, indirect=True)


def test_an_agent_with_hookkit_is_stopped_told_and_led(agent: Agent, project: Path) -> None:
    """`rm -rf ~` is stopped, the model learns why and gets the notes, `make test` runs or is named, rows are kept.

    Doctor finds the session in the agent's own transcript, and names it once its rows are lost.
    """
    connect(agent, project)
    trust(project)
    session = play(agent, project, TURNS if agent.survives else TURNS[1:])
    sent, story = session.sent(), session.story()
    dialect = registry.find("agents", agent.name)
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
    assert lively(agent, project) == set(), story
    lose_rows(project)
    assert lively(agent, project) == ({"live.silent"} if agent.name in past_calls.readers() else set()), story


def test_a_denied_command_does_not_run(agent: Agent, project: Path) -> None:
    """The home and its file are there after `rm -rf ~`, and the ledger has the row of the deny."""
    connect(agent, project)
    session = play(agent, project, TURNS[:1])
    assert (home_of(project) / "precious.txt").exists(), session.story()
    assert [row.get("verdict") for row in session.rows if row["event"] == "PreToolUse"] == ["deny"], session.story()


@only("grok")
def test_hooks_for_claude_code_hold_where_another_agent_runs_them(agent: Agent, project: Path) -> None:
    """Grok runs the hooks of ~/.claude/settings.json by itself, and gets its answers in its own words."""
    connect(agent, project, settings="claude")
    session = play(agent, project, TURNS[:1])
    assert (home_of(project) / "precious.txt").exists(), session.story()
    rows = [(row["client"], row.get("verdict")) for row in session.rows if row["event"] == "PreToolUse"]
    assert rows == [("grok", "deny")], session.story()
    assert DENIED in session.sent(), session.story()


def test_a_strangers_makefile_does_not_run_unasked(agent: Agent, project: Path) -> None:
    """No agent here asks a person, so a project that is not trusted runs the command as the model wrote it."""
    connect(agent, project)
    session = play(agent, project, [{"shell": "pytest -q || true"}, "The heron has landed."])
    assert session.code == 0, session.story()
    assert not (project / "by-make.txt").exists(), session.story()


@only(*(name for name, reader in past_calls.readers().items() if hasattr(reader, "calls")))
def test_replay_reads_the_transcript_that_the_agent_wrote(agent: Agent, project: Path) -> None:
    """The calls of a session without hookkit: the tool, the command line and the directory of each."""
    session = play(
        agent, project, [{"shell": "ls -la"}, {"shell": "git reset --hard || true"}, "The heron has landed."]
    )
    home = home_of(project)
    environ = {"HOME": str(home), "PATH": os.environ["PATH"]}
    lines = [(call.tool, call.input.get("command"), call.cwd) for place in past_calls.places(environ)
             for path in past_calls.transcripts(place) for call in past_calls.read(path)]  # fmt: skip
    expected = [("Bash", "ls -la", str(project)), ("Bash", "git reset --hard || true", str(project))]
    assert lines == expected, session.story()
    done = subprocess.run([HOOKKIT, "replay", "-o", "json"], env=environ, cwd=project, capture_output=True, check=True)
    found = json.loads(done.stdout)
    assert (found["agents"], found["verdicts"]["ask"] + found["verdicts"]["deny"]) == ({agent.name: 2}, 1)


@only("pi", "goose", "kilo")
def test_bash_itself_asks_hookkit_where_an_agent_has_no_hooks(agent: Agent, project: Path) -> None:
    """The file of the recipe "Guard an agent without hooks", and nothing else of hookkit's."""
    [recipe] = re.findall(r"bash-env <<'END'\n(.*?)^> END$", RECIPES.read_text(), re.DOTALL | re.MULTILINE)
    lines = [f"_hookkit={HOOKKIT}", *(line[2:] for line in recipe.splitlines())]
    file = write(project.parent / "bash-env", "".join(f"{line}\n" for line in lines))
    guarded = dataclasses.replace(agent, variables={**agent.variables, "BASH_ENV": str(file)})
    turns = [{"shell": "mv ~ elsewhere"}, {"shell": "touch made"}, "The heron has landed."]
    session = play(guarded, project, turns)
    assert (home_of(project) / "precious.txt").exists(), session.story()
    assert DENIED in session.sent(), session.story()
    assert (project / "made").exists(), session.story()


@only("codex", "gemini")
def test_the_exported_policy_stops_a_call_without_hooks(agent: Agent, project: Path) -> None:
    """`hookkit policy export --write` and no hook: the agent itself refuses the command, and runs another one."""
    home = home_of(project)
    write(home / ".config" / "hookkit" / "hookkit.toml", '[[rules]]\ntype = "deny"\nmatch = "Bash(touch *)"\n')
    environ = {"HOME": str(home), "PATH": os.environ["PATH"]}
    export = [str(HOOKKIT), "policy", "export", "--agent", agent.name, "--write"]
    subprocess.run(export, env=environ, cwd=project, capture_output=True, check=True)
    session = play(agent, project, [{"shell": "touch made"}, {"shell": "mkdir other"}, "The heron has landed."])
    assert not (project / "made").exists(), session.story()
    assert (project / "other").exists(), session.story()


@only("gemini", "qwen")
@pytest.mark.parametrize(
    "line",
    [
        "XDG_CONFIG_HOME=/nonexistent",
        "XDG_CONFIG_HOME=/proc/self/cwd/../evil",
        "XDG_STATE_HOME=/proc/self/cwd/../evil",
        "PYTHONPATH=/proc/self/cwd",
        "BASH_ENV=/proc/self/cwd/exit.sh",
        "HOOKKIT_ACTOR=human:me",
    ],
)
def test_a_projects_env_file_does_not_change_the_policy(agent: Agent, project: Path, line: str) -> None:
    """Gemini and Qwen hand the variables of a project's .env to hooks: the person's own and the shipped rules hold."""
    write(
        home_of(project) / ".config/hookkit/hookkit.toml", '[[rules]]\ntype = "deny"\nmatch = "Bash(touch canary*)"\n'
    )
    lax = '[policy]\nbase = false\n[[rules]]\ntype = "allow"\nmatch = "*"\n'
    write(project.parent / "evil" / "hookkit" / "hookkit.toml", lax)
    write(project / "sitecustomize.py", "import os\nos._exit(0)\n")
    write(project / "exit.sh", "exit 0\n")
    for name in (".env", f".{agent.name}/.env"):
        write(project / name, f"{line}\n")
    connect(agent, project, settings=agent.name)
    session = play(agent, project, [{"shell": "touch canary"}, {"shell": "git push -f origin main"}, "done"])
    verdicts = [row.get("verdict") for row in session.rows if row["event"] == "PreToolUse"]
    assert verdicts == ["deny", "deny"], session.story()
    assert not (project / "canary").exists(), session.story()

"""Runs one session of a real agent behind the wall, with hookkit as its hook, and tells what became of it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hookkit import registry
from tests.realagents.agents import Agent
from tests.realclient.harness import environment, home_of, lines, walled, write

HOOKKIT = Path(sys.executable).parent / "hookkit"
MODEL = Path(__file__).with_name("model.py")
SECONDS = 300  # a busy machine: only a hang takes longer
PROMPT = "please do it"
EVENTS = "events.jsonl"
SEEN = os.environ.get("HOOKKIT_SEEN")  # scripts/newest-agents compares what two releases send; tests clear variables
WATCH = """#!/bin/sh
event=$(cat)
printf '%s' "$event" | tr -d '\\n' >>{events}
echo >>{events}
printf '%s' "$event" | exec {hookkit} "$@"
"""


@dataclass(frozen=True)
class Session:
    """What the agent printed, what the model was sent, and what hookkit wrote down."""

    code: int
    output: str
    requests: list[dict[str, Any]]
    rows: list[dict[str, Any]]

    def sent(self) -> str:
        """Every text that the model was sent in the conversation."""
        return "\n".join(text for row in self.requests if not row["chore"] for text in texts(row["body"]))

    def story(self) -> str:
        """For the message of a failing test."""
        return f"exit code {self.code}\n{self.output[-3000:]}\n{json.dumps(self.rows, indent=1)[-3000:]}"


def texts(value: Any) -> Iterator[str]:
    """The texts of a request, without its list of tools."""
    if isinstance(value, str):
        yield value
    for name, item in value.items() if isinstance(value, dict) else ():
        if name != "tools":
            yield from texts(item)
    for item in value if isinstance(value, list) else ():
        yield from texts(item)


def connect(agent: Agent, project: Path, settings: str = "") -> None:
    """What a person does once: `hookkit init` for this agent, in this project; or in another agent's user settings."""
    scopes = {scope for scope, _ in registry.find("agents", agent.name).CONFIG}
    scope = agent.scope or ("project" if "project" in scopes and not settings else "user")
    command = [str(HOOKKIT), "init", "--agent", settings or agent.name, "--scope", scope, "--yes"]
    env = {name: value for name, value in environment(home_of(project)).items() if name != "CLAUDE_CONFIG_DIR"}
    done = subprocess.run(command, cwd=project, env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def play(agent: Agent, project: Path, turns: Sequence[Any], prompt: str = PROMPT) -> Session:
    """One session: the agent gets the prompt, the model says the turns."""
    home = home_of(project)
    env = {**environment(home), **agent.variables, "SHELL": "/bin/bash", "TERM": "dumb", "USER": "tester"}
    env.pop("ANTHROPIC_API_KEY")
    agent.prepare(home, project)
    if SEEN:
        env["PATH"] = f"{watch(home)}:{env['PATH']}"
    script, record = write(home / "script.json", json.dumps(list(turns))), home / "requests.jsonl"
    command = walled(sys.executable, str(MODEL), str(script), str(record), *agent.command(prompt))
    try:
        done = subprocess.run(
            command, cwd=project, env=env, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        code, output = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired as late:
        code, output = -1, f"no end after {SECONDS} seconds: {late.stdout!r}"
    if SEEN:
        with open(SEEN, "a", encoding="utf-8") as file:
            file.writelines(json.dumps({"agent": agent.name, "event": line}) + "\n" for line in lines(home / EVENTS))
    requests = [json.loads(line) for line in lines(record)]
    return Session(code, output, requests, ledger(env, project))


def watch(home: Path) -> Path:
    """A directory with a `hookkit` that writes each event down before the real one answers it."""
    program = write(home / "watch" / "hookkit", WATCH.format(events=home / EVENTS, hookkit=HOOKKIT))
    program.chmod(0o755)
    launcher = home / ".local" / "share" / "hookkit" / "hook"
    if launcher.exists():
        launcher.write_text(f'#!/bin/sh\nexec {program} "$@"\n')
    return program.parent


def lively(agent: Agent, project: Path) -> set[str]:
    """The ids of doctor's findings about sessions without rows: the agent's own transcript against the ledger."""
    command = [str(HOOKKIT), "doctor", "--agent", agent.name, "-o", "json"]
    done = subprocess.run(
        command, cwd=project, env=environment(home_of(project)), capture_output=True, text=True, check=False
    )
    return {each["id"] for each in json.loads(done.stdout)["problems"] if each["id"].startswith("live.")}


def lose_rows(project: Path) -> None:
    """As if no hook had fired."""
    shutil.rmtree(home_of(project) / ".local" / "state" / "hookkit" / "ledger")


def ledger(env: dict[str, str], project: Path) -> list[dict[str, Any]]:
    """The rows of hookkit's ledger, in the order of the session."""
    command = [str(HOOKKIT), "ledger", "export", "--format", "jsonl"]
    done = subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, check=False)
    return [json.loads(line)["body"] for line in done.stdout.splitlines() if line.startswith("{")]

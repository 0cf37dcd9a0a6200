"""An agent whose events go through `hookkit track`, with a clock that stands still."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookkit.pipeline import Invocation
from hookkit.work import efforts
from hookkit.work.store import Work
from tests.cli.conftest import command

__all__ = ["command"]  # a fixture, for tests here too

MORNING = 1_794_816_000_000  # milliseconds: what a fresh clock says
EVERY_PART = """
[sessions]
enabled = true
context = true
dehydration = true
preload = true
injections = true
dialogues = true
directives = true
guards = true
subagents = true
agents = true
commands = ["fix"]
[heartbeat]
enabled = true
[overflow]
enabled = true
"""


class Agent:
    """One client in one project; what it is answered must have been without a problem."""

    def __init__(self, project: Path, home: Path) -> None:
        self.project = project
        self.home = home
        self.client = "c1"
        self.hook = "track"

    def configure(self, text: str = EVERY_PART) -> None:
        path = self.home / ".config" / "hookkit" / "hookkit.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"[policy]\nbase = false\n{text}")

    def send(self, name: str, **fields: Any) -> Any:
        """The reply as the client would read it, or None."""
        event = {"hook_event_name": name, "session_id": self.client, "cwd": str(self.project), **fields}
        call = Invocation(self.hook, [], dict(os.environ))
        text = call.answer(json.dumps(event).encode())
        assert call.problems == []
        return json.loads(text) if text.startswith("{") else text or None

    def told(self, name: str, **fields: Any) -> str:
        """What the model is told with an event; nothing else may be in the reply."""
        reply = self.send(name, **fields)
        if reply is None:
            return ""
        assert reply == {"hookSpecificOutput": {"hookEventName": name, **reply["hookSpecificOutput"]}}
        assert list(reply["hookSpecificOutput"]) == ["hookEventName", "additionalContext"]
        return str(reply["hookSpecificOutput"]["additionalContext"])

    def bash(self, command: str = "ls", **fields: Any) -> Any:
        """What a call is answered: the reason of a deny, the whole of any other reply, or None."""
        reply = self.send("PreToolUse", tool_name="Bash", tool_input={"command": command}, **fields)
        own = (reply or {}).get("hookSpecificOutput", {})
        return own["permissionDecisionReason"] if own.get("permissionDecision") == "deny" else reply

    def rows(self, query: str, *values: object) -> list[dict[str, Any]]:
        work = Work(dict(os.environ))
        try:
            return work.rows(query, *values)
        finally:
            work.close()

    def session(self, part: str = "") -> dict[str, Any]:
        return self.rows("SELECT * FROM sessions WHERE part = ? ORDER BY id DESC", part)[0]

    def change(self, query: str, *values: object) -> None:
        work = Work(dict(os.environ))
        work.write(query, *values)
        work.close()

    def begin(self, skill: str = "fix", mode: str = "") -> int:
        work = Work(dict(os.environ))
        try:
            return efforts.begin(work, str(self.project), str(self.project), skill, mode)
        finally:
            work.close()

    def work_with(self, skill: str = "fix") -> int:
        """Every part on, an effort, and a session that has begun under it."""
        self.configure()
        number = self.begin(skill)
        self.send("SessionStart", source="startup")
        return number


class Clock:
    def __init__(self) -> None:
        self.ms = MORNING

    def time_ns(self) -> int:
        return self.ms * 1_000_000


@pytest.fixture(autouse=True)
def _nobody_in_particular(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENT_ID", raising=False)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(time, "time_ns", made.time_ns)
    monkeypatch.setattr(time, "strftime", lambda *_: "NOW")
    return made


@pytest.fixture
def agent(project: Path, home: Path, clock: Clock) -> Agent:
    return Agent(project, home)


Named = Callable[[str], None]


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> Named:
    """Be the agent of that name from now on."""
    return lambda name: monkeypatch.setenv("AGENT_ID", name)

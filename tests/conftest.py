"""What every test shares: a home of its own, and the client's schema over every reply that is produced."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import settings

from hookkit.dialects import claude
from hookkit.events import EVENTS, TEXT
from hookkit.model import Decision, Event
from hookkit.system import agents

# In CI the same examples every time: a new find belongs to a person at a desk, not to somebody else's change.
# No deadline: a busy machine must not fail a test.
settings.register_profile("desk", deadline=None)
settings.register_profile("ci", derandomize=True, deadline=None)
settings.load_profile("desk")
if os.environ.get("CI"):
    settings.load_profile("ci")

SCHEMA = json.loads((Path(__file__).parent / "wire" / "reply_schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
HOOKKIT = str(Path(sys.executable).parent / "hookkit")


def check_reply(event_name: str, reply: str) -> None:
    """The reply is one that the client takes: its schema, the event's own name, or the plain text it reads."""
    if not reply:
        return
    row = EVENTS[event_name]
    if not reply.startswith("{"):
        assert row.context == TEXT
        return
    value = json.loads(reply)
    VALIDATOR.validate(value)
    if "hookSpecificOutput" in value:
        assert value["hookSpecificOutput"]["hookEventName"] == event_name


@pytest.fixture(autouse=True)
def _every_reply_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    render = claude.render

    def checked(event: Event, decision: Decision) -> str:
        reply = render(event, decision)
        check_reply(event.name, reply)
        return reply

    monkeypatch.setattr(claude, "render", checked)


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own: no test reads or writes the developer's."""
    directory = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("CLAUDE", "XDG_", "HOOKKIT_", "PYTHON")) or name in agents.VARIABLES:
            monkeypatch.delenv(name)
    monkeypatch.setattr(agents, "parents", lambda _: iter(()))
    monkeypatch.setenv("HOME", str(directory))
    return directory


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty repository."""
    directory = tmp_path / "project"
    (directory / ".git").mkdir(parents=True)
    return directory


# A developer may have the tests run by an agent, and `trust` and `approve` refuse to work for an agent.
PERSON = """
from hookkit import __main__
from hookkit.system import agents
agents.parents = lambda _: iter(())
__main__.main()
"""
Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def hookkit() -> Run:
    """Run the installed command, as a client does; its reply is checked like any other."""

    def run(*words: str, stdin: bytes | dict[str, Any] = b"", **more: Any) -> "subprocess.CompletedProcess[bytes]":
        raw = json.dumps(stdin).encode() if isinstance(stdin, dict) else stdin
        start = (
            [sys.executable, "-c", PERSON]
            if words[:1] in (("trust",), ("approve",), ("hook",), ("uninit",))
            else [HOOKKIT]
        )
        done = subprocess.run([*start, *words], input=raw, capture_output=True, timeout=60, check=False, **more)
        if isinstance(stdin, dict) and stdin.get("hook_event_name") in EVENTS:
            check_reply(stdin["hook_event_name"], done.stdout.decode())
        return done

    return run

"""What every test shares: a home of its own, and the client's schema over every reply that is produced."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import settings

from hookkit.agents import claude
from hookkit.events import EVENTS, TEXT
from hookkit.model import Decision, Event
from hookkit.server import process
from hookkit.settings import layers
from hookkit.system import agents

# In CI the same examples every time: a new find belongs to a person at a desk, not to somebody else's change.
# No deadline: a busy machine must not fail a test.
settings.register_profile("desk", deadline=None)
settings.register_profile("ci", derandomize=True, deadline=None)
settings.load_profile("desk")
if os.environ.get("CI"):
    settings.load_profile("ci")

FEWEST_EXAMPLES = 10
SETTINGS = "_hypothesis_internal_use_settings"  # of a test; hypothesis has no public way to change them later


def slow(*values: Any) -> list[Any]:
    """Values of a parameter for which `scripts/test --all` runs the test."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


SCHEMA = json.loads((Path(__file__).parent / "wire" / "reply_schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
HOOKKIT = str(Path(sys.executable).parent / "hookkit")
NUMBERS = itertools.count()


# Folders and modules whose tests take many seconds each; scripts/test --all runs them.
SLOW = ("realclient", "realagents", "faults", "hub")
SLOW_MODULES = (
    "test_in_ci.py",
    "test_team.py",
    "test_pages.py",
    "test_equality.py",
    "test_auth.py",
    "test_time_limits.py",
)


def pytest_configure() -> None:
    """A job in the background ignores Ctrl-C, and so would each process that a test starts and interrupts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.name in SLOW_MODULES or any(part in SLOW for part in item.path.parts):
            item.add_marker(pytest.mark.slow)
    if config.option.markexpr == "not slow" and not os.environ.get("CI"):
        take_fewer_examples(items)


def take_fewer_examples(items: list[pytest.Item]) -> None:
    """A fifth at a desk; `scripts/test --all` and CI take them all. State machines keep their own settings."""
    for test in {item.obj for item in items if isinstance(item, pytest.Function)}:
        own = getattr(test, SETTINGS, None)
        if own is not None:
            setattr(test, SETTINGS, settings(own, max_examples=max(FEWEST_EXAMPLES, own.max_examples // 5)))


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
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of the test's own: no test reads or writes the developer's."""
    directory = tmp_path_factory.getbasetemp() / "homes" / str(next(NUMBERS))  # mktemp looks at each earlier one
    directory.mkdir(parents=True)
    for name in list(os.environ):
        if name.startswith(("CLAUDE", "XDG_", "HOOKKIT_", "PYTHON")) or name in agents.VARIABLES:
            monkeypatch.delenv(name)
    monkeypatch.setattr(agents, "parents", lambda *_: iter(()))
    monkeypatch.setattr(agents, "has_terminal", lambda: True)
    monkeypatch.setenv("HOME", str(directory))
    monkeypatch.setattr(layers, "memory", None)  # `judge` keeps settings in memory from its first call on
    yield directory
    end_server(directory)


def end_server(home: Path) -> None:
    """A call through the launcher starts a server in the background. `on TIME` says that a start is under way."""
    environ = {"HOME": str(home)}
    serve = Path(process.directory(environ))
    end = time.monotonic() + 10
    while serve.is_dir() and time.monotonic() < end and not (serve / "door").exists():
        if len((serve / "on-demand").read_text().split() if (serve / "on-demand").exists() else "") < 2:
            return
        time.sleep(0.05)
    process.stop(environ)


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
agents.parents = lambda *_: iter(())
agents.has_terminal = lambda: True
__main__.main()
"""
PEOPLES = ("trust", "approve", "allow", "convert", "hook", "uninit", "pause", "dashboard")
Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def hookkit() -> Run:
    """Run the installed command, as a client does; its reply is checked like any other."""

    def run(*words: str, stdin: bytes | dict[str, Any] = b"", **more: Any) -> "subprocess.CompletedProcess[bytes]":
        raw = json.dumps(stdin).encode() if isinstance(stdin, dict) else stdin
        start = [sys.executable, "-c", PERSON] if words[:1] and words[0] in PEOPLES else [HOOKKIT]
        done = subprocess.run([*start, *words], input=raw, capture_output=True, timeout=60, check=False, **more)
        if isinstance(stdin, dict) and stdin.get("hook_event_name") in EVENTS:
            check_reply(stdin["hook_event_name"], done.stdout.decode())
        return done

    return run

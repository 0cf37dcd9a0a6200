"""hookkit track: off until a part is on, and whatever is wrong with the database, the agent goes on."""

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookkit.events import EVENTS
from hookkit.pipeline import Invocation
from hookkit.settings import keys, layers
from hookkit.work.store import MIGRATIONS
from tests.conftest import Run, slow
from tests.work.conftest import EVERY_PART

LS = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm x"}}
DENY = '[[rules]]\ntype = "deny"\nmatch = "Bash(rm *)"\nreason = "No."\n'
DENIED = {"permissionDecision": "deny", "permissionDecisionReason": "hookkit: rm x: No."}


@pytest.fixture(autouse=True)
def _nobody_in_particular(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENT_ID", raising=False)


@pytest.fixture
def path(home: Path) -> Path:
    return home / ".local" / "state" / "hookkit" / "work.db"


def configure(home: Path, text: str) -> None:
    file = home / ".config" / "hookkit" / "hookkit.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def send(project: Path, event: dict[str, Any], hook: str = "run") -> tuple[Any, list[str]]:
    """The reply, and what went wrong."""
    call = Invocation(hook, [], dict(os.environ))
    text = call.answer(json.dumps({"cwd": str(project), "session_id": "s1", **event}).encode())
    return json.loads(text) if text.startswith("{") else text or None, [str(problem) for problem in call.problems]


def test_off_no_database_is_made_and_nothing_of_it_is_loaded(
    hookkit: Run, project: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPROFILEIMPORTTIME", "1")
    for name in ("SessionStart", "UserPromptSubmit", "PreToolUse", "SessionEnd"):
        event = {**LS, "hook_event_name": name, "cwd": str(project), "session_id": "s1"}
        done = hookkit("track", stdin=event)
        assert (done.stdout, done.returncode) == (b"", 0)
        assert b"hookkit.hooks.track" in done.stderr
        assert b"sqlite3" not in done.stderr
        assert b"hookkit.tracking" not in done.stderr
    assert not path.exists()


@pytest.mark.parametrize(
    "text",
    [
        "[heartbeat]\nlimit = 3",
        "[overflow]\nwindow = 1000000",
        '[sessions]\ndirective_files = ["HOUSE.md"]',
        "[sessions]\nenabled = false\ncommands = []",
    ],
)
def test_a_number_alone_switches_nothing_on(home: Path, project: Path, path: Path, text: str) -> None:
    configure(home, text)
    assert send(project, {**LS, "hook_event_name": "SessionStart"}) == (None, [])
    assert not path.exists()


def test_every_switch_is_known_to_the_settings() -> None:
    """A part with a switch that `is_idle` does not know would be dead without a sign."""
    sections = ("sessions.", "heartbeat.", "overflow.")
    switches = {key.name for key in keys.KEYS if key.name.startswith(sections) and key.kind in ("flag", "choices")}
    assert set(layers.OPTIONAL["track"]) == switches | {"sessions.commands"}
    assert not any(keys.BY_NAME[name].default for name in layers.OPTIONAL["track"])
    assert all(keys.BY_NAME[name].trust for name in layers.OPTIONAL["track"])


@pytest.mark.parametrize("switch", layers.OPTIONAL["track"])
def test_each_switch_alone_keeps_track_of_sessions(home: Path, project: Path, path: Path, switch: str) -> None:
    section, _, name = switch.partition(".")
    value = {"commands": '["fix"]', "parts": '["track"]'}.get(name, "true")
    configure(home, f"[{section}]\n{name} = {value}")
    assert send(project, {"hook_event_name": "SessionStart", "source": "startup"}, "track")[1] == []
    assert path.exists()


def test_a_projects_own_file_switches_nothing_on_before_it_is_trusted(project: Path, path: Path) -> None:
    (project / "hookkit.toml").write_text(EVERY_PART)
    assert send(project, {"hook_event_name": "SessionStart", "source": "startup"}, "track")[1] == []
    assert not path.exists()


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize(
    "fields",
    [
        {},
        *slow({"session_id": ""}, {"session_id": "unknown", "agent_id": "unknown"}),
        {"session_id": "\ud800", "agent_id": "x" * 100_000, "source": "\ud800", "agent_type": "\ud800"},
        {"session_id": 5, "agent_id": ["p"], "tool_name": 5, "tool_input": "x", "teammate_name": {}},
    ],
    ids=["plain", "no id", "an unknown id", "a strange id", "no text at all"],
)
def test_ids_that_lead_nowhere_are_no_error(home: Path, project: Path, name: str, fields: dict[str, Any]) -> None:
    configure(home, EVERY_PART.replace("context = true", ""))
    reply, problems = send(project, {**LS, "hook_event_name": name, **fields}, "track")
    assert (reply, problems) == (None, [])


def locked(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("CREATE TABLE other (x)")
    connection.execute("BEGIN EXCLUSIVE")
    return connection


def damaged(path: Path) -> None:
    path.write_bytes(b"no database at all, " * 200)


def newer(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()


def in_the_way(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (locked, "in use by another process (database is locked)"),
        (damaged, "damaged (file is not a database)"),
        (newer, f"of version 99, and this hookkit knows {len(MIGRATIONS)}; update hookkit"),
        (in_the_way, "not a regular file"),
    ],
)
def test_whatever_is_wrong_the_others_answer_and_the_person_is_told_once(
    home: Path, project: Path, path: Path, spoil: Callable[[Path], Any], words: str
) -> None:
    configure(home, f"[policy]\nbase = false\n{EVERY_PART}{DENY}")
    path.parent.mkdir(parents=True, mode=0o700)
    holder = spoil(path)
    own = {"hookSpecificOutput": {"hookEventName": "PreToolUse", **DENIED}}
    problem = f"{path}: {words}"
    note = f"hookkit: run failed and gave no answer: {problem}. Details: hookkit errors"
    assert send(project, LS) == ({"systemMessage": note, **own}, [problem])
    assert send(project, LS) == (own, [problem])
    log = (home / ".local" / "state" / "hookkit" / "errors.log").read_text()
    assert log.count(problem) == 2
    if holder is not None:
        holder.close()


def test_an_agent_waits_for_a_lock_no_longer_than_it_must(home: Path, project: Path, path: Path) -> None:
    import time

    configure(home, "[sessions]\nparts = ['track']")
    path.parent.mkdir(parents=True, mode=0o700)
    holder = locked(path)
    start = time.monotonic()
    assert send(project, LS, "track")[1] != []
    assert time.monotonic() - start < 20  # whoever waits for the lock waits for ever
    holder.close()


def test_a_simulation_does_not_touch_the_persons_database(
    hookkit: Run, home: Path, project: Path, path: Path, tmp_path: Path
) -> None:
    configure(home, EVERY_PART)
    assert send(project, {"hook_event_name": "SessionStart", "source": "startup"}, "track")[1] == []
    before = {file.name: file.read_bytes() for file in path.parent.glob("work.db*")}
    rows = tmp_path / "rows.jsonl"
    start = {"hook_event_name": "SessionStart", "source": "startup"}
    rows.write_text(json.dumps({"id": "a start", "event": start}) + "\n" + json.dumps({"id": "a call", "event": LS}))
    assert hookkit("simulate", str(rows), cwd=project).returncode == 0
    assert hookkit("why", "rm x", cwd=project).returncode == 0
    assert {file.name: file.read_bytes() for file in path.parent.glob("work.db*")} == before

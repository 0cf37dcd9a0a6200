"""Sessions in the transcripts of the real agents: `real` holds files from their own runs, with long texts cut."""

import json
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from hookkit.agents.transcripts import past_calls

REAL = Path(__file__).with_name("real")
IDS = {
    "codex": "01a1ec58-14f0-7342-9dd2-974827390e84",
    "gemini": "b95246a8-858e-4810-ae67-af8a9e08e6b1",
    "copilot": "4bc6e76b-d891-484a-9db9-4578e37aa142",
    "qwen": "a06d3bcb-788d-47de-b07d-45dab59edca1",
}
REWRITTEN = {"gemini": "make test"}  # Gemini writes down the command after the hook


@pytest.mark.parametrize("agent", IDS)
def test_a_session_of_a_real_agent_is_read(agent: str, home: Path) -> None:
    """The id is the one that the agent sends to hooks; the directory and the start come from the transcript."""
    shutil.copytree(REAL, home, dirs_exist_ok=True)
    [session] = past_calls.recent(agent, dict(os.environ), 0)
    assert (session.id, session.cwd, len(session.calls)) == (IDS[agent], "/home/dev/project", 2)
    assert session.start.startswith("2026-11-18T01:49:")
    calls = [*past_calls.read(session.path)]
    assert [(call.agent, call.tool, call.input["command"], call.cwd, call.session) for call in calls] == [
        (agent, "Bash", "rm -rf ~", "/home/dev/project", IDS[agent]),
        (agent, "Bash", REWRITTEN.get(agent, "pytest -q"), "/home/dev/project", IDS[agent]),
    ]


def test_replay_looks_into_every_agents_directory(home: Path) -> None:
    shutil.copytree(REAL, home, dirs_exist_ok=True)
    found = [Path(place).relative_to(home).parts[0] for place in past_calls.places(dict(os.environ))]
    assert found == [".codex", ".copilot", ".gemini", ".qwen"]


def opencode(home: Path, *parts: object) -> None:
    path = home / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE session (id, directory, time_created, time_updated)")
        database.execute("CREATE TABLE part (session_id, data)")
        database.execute("INSERT INTO session VALUES ('ses_1', '/home/dev/project', 1794966618471, 1794966631572)")
        database.executemany("INSERT INTO part VALUES ('ses_1', ?)", [(json.dumps(part),) for part in parts])
    database.close()


def test_a_session_of_opencode_is_read_from_its_database(home: Path) -> None:
    opencode(home, {"type": "tool", "callID": "call_1"}, {"type": "text", "text": '"callID"'}, {"type": "step-start"})
    [session] = past_calls.recent("opencode", dict(os.environ), 0)
    assert (session.id, session.cwd, session.calls) == ("ses_1", "/home/dev/project", {"call_1"})
    assert session.start == "2026-11-18T01:50:18"
    assert past_calls.recent("opencode", dict(os.environ), 1794966700) == []


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0"])
def test_a_strange_database_is_no_session(content: bytes, home: Path) -> None:
    path = home / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    assert past_calls.recent("opencode", dict(os.environ), 0) == []

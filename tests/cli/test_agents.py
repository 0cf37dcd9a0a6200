"""hookkit agents: the table, the most urgent first, and saying that you have looked."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hookkit.work import efforts, sessions
from hookkit.work.store import Work
from tests.cli.conftest import Command
from tests.conftest import HOOKKIT

NOW = 1_794_816_000


@pytest.fixture(autouse=True)
def _nobody_in_particular(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENT_ID", raising=False)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """A clock that stands still, and the part that is on."""
    monkeypatch.setattr(time, "time", lambda: float(NOW))
    monkeypatch.setattr(time, "time_ns", lambda: NOW * 10**9)
    switch_on(home)


def switch_on(home: Path) -> None:
    path = home / ".config" / "hookkit" / "hookkit.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("[sessions]\nagents = true\n")


def put(agent: str, status: str, *, client: str = "", part: str = "", minutes: int = 0, **columns: Any) -> None:
    """A session that has been in a status for so long."""
    work = Work({**os.environ, "AGENT_ID": agent})
    number = sessions.start(work, client or f"client-{agent}", "/p", source="startup", part=part)
    since = (NOW - minutes * 60) * 1000
    columns = {"status": status, "since": since, "seen": since, **columns}
    for name, value in columns.items():
        work.write(f"UPDATE sessions SET {name} = ? WHERE id = ?", value, number)
    work.close()


def effort(agent: str, phase: str) -> None:
    work = Work({**os.environ, "AGENT_ID": agent})
    number = efforts.begin(work, "/p/t", "/p", "fix")
    work.write("UPDATE efforts SET phase = ? WHERE id = ?", phase, number)
    work.close()


def test_nobody(still: None, command: Command) -> None:
    assert command("agents") == (0, "No agents at work. An agent appears here when its session starts.\n", "")
    assert command("agents", "-o", "json") == (0, "[]\n", "")


def test_off_it_is_said(command: Command) -> None:
    assert command("agents", "--once").err == (
        "hookkit: no status is kept: sessions.parts lacks status. Switch it on: hookkit set sessions.parts +status\n"
    )


def test_the_most_urgent_first(still: None, command: Command) -> None:
    effort("a1", "testing")
    put("a1", "working", minutes=3, usage=0.45, heartbeat=4, note="Bash")
    put("a2", "done", minutes=90)
    put("a3", "error", minutes=1, note="Exit code 1")
    put("a4", "attention", minutes=5, note="Asks [b]you[/b] \x1b[31m")
    put("a5", "checked", minutes=2)
    put("a6", "attention", minutes=6)
    put("", "done", client="3b1c0000-1111", minutes=100)
    assert command("agents") == (
        0,
        """\
AGENT     PROJECT  STATUS     SINCE  EFFORT          CONTEXT  CALLS  NOTE
a3        /p       error      1m                              0      Exit code 1
a6        /p       attention  6m                              0
a4        /p       attention  5m                              0      Asks [b]you[/b] \\x1b[31m
a1        /p       working    3m     1 fix, testing  45%      4      Bash
a5        /p       checked    2m                              0
3b1c0000  /p       done       1h     1 fix, testing           0
a2        /p       done       1h                              0
""",
        "",
    )


@pytest.mark.parametrize(
    ("own", "parts", "status"),
    [
        ("working", [], "working"),
        ("done", ["working"], "working"),
        ("working", ["attention", "done"], "attention"),
        ("attention", ["working", "error"], "error"),
        ("done", ["checked", "done"], "checked"),
        ("error", ["attention", "working", "checked", "done"], "error"),
    ],
)
def test_an_agent_is_as_urgent_as_the_most_urgent_of_its_sessions_and_parts(
    still: None, command: Command, own: str, parts: list[str], status: str
) -> None:
    put("a1", own, usage=0.5)
    for number, part in enumerate(parts):
        put("a1", part, part=f"p{number}")
    [row] = json.loads(command("agents", "--output", "json").out)
    assert (row["id"], row["status"], row["sessions"], row["usage"]) == ("a1", status, 1 + len(parts), 0.5)


def test_who_ended_or_was_not_heard_of_for_a_day_is_gone_unless_it_waits_for_you(still: None, command: Command) -> None:
    day = 24 * 60
    put("a1", "working", minutes=day)
    put("a2", "working", minutes=day - 1)
    put("a3", "attention", minutes=3 * day)
    put("a4", "error", minutes=1, ended=1)
    rows = json.loads(command("agents", "--output", "json").out)
    assert [row["id"] for row in rows] == ["a3", "a2"]


@pytest.mark.parametrize("before", ["error", "attention", "working", "checked", "done"])
def test_check_says_that_somebody_has_looked(still: None, command: Command, before: str) -> None:
    put("a1", before, minutes=9)
    put("a2", "error", minutes=9)
    assert command("agents", "check", "a1") == (0, "Checked a1\n", "")
    rows = {row["id"]: (row["status"], NOW - row["since"] // 1000) for row in agents(command)}
    urgent = before in ("error", "attention")
    assert rows == {"a1": ("checked", 0) if urgent else (before, 540), "a2": ("error", 540)}


def test_check_speaks_json(still: None, command: Command) -> None:
    put("a1", "error")
    done = command("agents", "check", "a1", "-o", "json")
    assert json.loads(done.out) == {"agent": "a1", "status": "checked"}


def agents(command: Command) -> Any:
    return json.loads(command("agents", "--output", "json").out)


def test_one_without_a_name_is_checked_by_what_the_table_calls_it(still: None, command: Command) -> None:
    put("", "error", client="3b1c0000-1111")
    assert command("agents", "check", "3b1c0000").code == 0
    assert agents(command)[0]["status"] == "checked"


def test_nobody_of_that_name(still: None, command: Command) -> None:
    said = "hookkit: no agent a9 is at work. See: hookkit agents --once\n"
    assert command("agents", "check", "a9") == (1, "", said)


def test_at_a_terminal_it_goes_on_until_interrupted(home: Path, project: Path) -> None:
    """What changes meanwhile is shown, and Ctrl-C is no error."""
    switch_on(home)
    environ = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "30"}
    with at_a_terminal([HOOKKIT, "agents"], cwd=project, env=environ) as (process, leader):
        until(leader, "No agents at work.")
        put("a1", "attention", seen=int(time.time() * 1000), since=int(time.time() * 1000))
        assert "a1" in until(leader, "attention")
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0


def test_a_child_that_ignores_the_signal_fails_the_test_and_does_not_hang_it() -> None:
    deaf = [sys.executable, "-c", "import signal, time; signal.signal(2, 1); print('deaf', flush=True); time.sleep(99)"]
    start = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired), at_a_terminal(deaf) as (process, leader):  # noqa: PT012 - as above
        until(leader, "deaf")
        process.send_signal(signal.SIGINT)
        process.wait(0.2)
    assert time.monotonic() - start < 30
    assert process.returncode == -signal.SIGKILL


@contextmanager
def at_a_terminal(command: list[str], **more: Any) -> Iterator[tuple["subprocess.Popen[bytes]", int]]:
    """The child and our end of its terminal; whatever the test does, the child is gone afterwards."""
    leader, follower = pty.openpty()
    try:
        with subprocess.Popen(command, stdout=follower, stderr=follower, **more) as process:
            os.close(follower)
            try:
                yield process, leader
            finally:
                process.kill()
    finally:
        os.close(leader)


def until(leader: int, wanted: str) -> str:
    """What the terminal shows, up to the words; without them after 20 seconds, that is the failure."""
    shown, end = "", time.monotonic() + 20
    while wanted not in shown and time.monotonic() < end:
        if select.select([leader], [], [], 0.2)[0]:
            shown += os.read(leader, 65_536).decode()
    assert wanted in shown
    return shown

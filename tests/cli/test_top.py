"""hookkit top: the page, small, in the terminal; hookkit agents --tmux: panes in the colour of their agent."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hookkit.cli import agents as _tmux
from hookkit.cli import top
from hookkit.cli._view import lines_of
from hookkit.work import sessions
from hookkit.work.store import Work
from tests.conftest import HOOKKIT
from tests.server import making


@pytest.fixture
def filled(home: Path, tmp_path: Path) -> dict[str, str]:
    environ = {**os.environ, "HOME": str(home)}
    making.many(environ, 40, str(tmp_path))
    making.fleet(environ, str(tmp_path))
    return environ


def test_it_shows_agents_hooks_and_calls(filled: dict[str, str]) -> None:
    done = subprocess.run(
        [HOOKKIT, "top", "--once"], env=filled, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0
    for word in (
        "agent-1",
        "attention",
        "guard",
        "40 rows",
        "2 wait for",
        "1 handler off after failures",
        "no server",
    ):
        assert word in done.stdout


def test_programs_get_the_same_facts(filled: dict[str, str]) -> None:
    done = subprocess.run([HOOKKIT, "top", "-o", "json"], env=filled, capture_output=True, timeout=60, check=False)
    found = json.loads(done.stdout)
    assert [row["status"] for row in found["agents"]] == ["error", "attention", "working", "checked", "done"]
    assert found["total"] == 40


ROWS = [{"id": "lead%1", "status": "error"}, {"id": "%2", "status": "working"}, {"id": "other%1", "status": "done"}]


def test_the_most_urgent_agent_of_a_pane_gives_its_colour() -> None:
    found = _tmux.styles([*ROWS, {"id": "gone%9", "status": "error"}, {"id": "plain", "status": "error"}], ["%1", "%2"])
    assert found == {"%1": _tmux.COLOURS["error"], "%2": _tmux.COLOURS["working"]}


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_a_real_pane_is_coloured(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environ = {**os.environ, "HOME": str(home), "TMUX_TMPDIR": str(tmp_path), "TERM": "xterm"}
    environ.pop("TMUX", None)

    def tmux(*words: str) -> str:
        done = subprocess.run(["tmux", *words], env=environ, capture_output=True, text=True, timeout=20, check=True)
        return done.stdout.strip()

    tmux("new-session", "-d", "-s", "test", "sleep 60")
    try:
        pane = tmux("list-panes", "-a", "-F", "#{pane_id}")
        work = Work({**environ, "AGENT_ID": f"worker{pane}"})
        number = sessions.start(work, "c1", str(tmp_path), source="startup")
        work.write("UPDATE sessions SET status = 'attention' WHERE id = ?", number)
        work.close()
        subprocess.run([HOOKKIT, "agents", "--tmux", "--once"], env=environ, timeout=60, check=True)
        assert _tmux.COLOURS["attention"] in tmux(
            "display-message", "-p", "-t", pane, "#{pane_bg}#{window-style}"
        ) + tmux("show-options", "-p", "-t", pane)
    finally:
        tmux("kill-server")


def test_other_calls_are_those_that_hookkit_let_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where hookkit did more than there is room for."""
    rows = [
        {"id": number, "at": 0, "event": "PreToolUse", "tool": "Bash", "verdict": "deny" if number < 30 else None,
         "acted": number < 30, "state": "denied" if number < 30 else "done", "subject": f"call {number}"}
        for number in range(33)
    ]  # fmt: skip
    none: list[object] = []
    state = {"agents": none, "hooks": none, "approvals": none, "resting": none, "server": {"running": False}}
    monkeypatch.setattr(top, "facts", lambda _: {**state, "rows": rows, "total": 33})
    view = top.command(once=True).view
    lines = [line.plain.strip() for line in lines_of(view() if callable(view) else view, 80)]
    others = lines[lines.index("Other calls") + 2 :]
    assert [line.partition("call ")[2] for line in others] == ["30", "31", "32"]

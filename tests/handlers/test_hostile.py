"""Programs that misbehave: the agent gets its answer in time, other handlers count, and no process is left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .making import own, row

Ask = Callable[..., Any]
LAST = row("echo counted >&2; exit 2", name="last")
HOSTILE = {
    "hangs": ("sleep 600", "cancelled"),
    "ignores SIGTERM": ("trap '' TERM; sleep 600; sleep 600", "cancelled"),
    "forks a daemon": ("(setsid sh -c 'sleep 600' </dev/null >/dev/null 2>&1 &) ; exit 0", ""),
    "forks twice": ("(setsid sh -c 'setsid sleep 600 &' &) ; sleep 600", "cancelled"),
    "prints a gigabyte": ("head -c 1000000000 /dev/zero | tr '\\0' '{'", "'bad'"),
    "prints for ever": ("yes '{'", "cancelled"),
    "prints nothing": ("true", ""),
    "dies by a signal": ("kill -9 $$", "failed"),
    "closes stdin early": ("exec 0<&-; sleep 0.1", ""),
    "closes stdout early": ("exec 1>&- 2>&-; sleep 0.1", ""),
    "prints invalid UTF-8": ("printf '{\"reason\": \"\\377\"}'", "failed"),
    "asks for a terminal": ('read -r x < /dev/tty; echo "$x"', ""),
    "does not exist": ("/no/such/program", "failed"),
}  # fmt: skip


def descendants(marker: str) -> list[str]:
    """The processes that carry the marker in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if f"HOOK_SESSION_ID={marker}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(f"{entry.name} {(entry / 'cmdline').read_bytes().decode()}")
            except OSError:
                continue
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are counted in /proc")
@pytest.mark.parametrize("name", [*HOSTILE])
def test_a_program_that_misbehaves(write: Callable[..., Path], ask: Ask, tmp_path: Path, name: str) -> None:
    command, said = HOSTILE[name]
    write(row(command, name="bad", timeout_sec=2.0), LAST)
    began = time.monotonic()
    answer = ask(session=f"hostile-{os.getpid()}-{tmp_path.name}")
    assert time.monotonic() - began < 30
    assert own(answer) == {"permissionDecision": "deny", "permissionDecisionReason": "counted"}
    told = answer.get("systemMessage", "")
    assert (said in told) if said else ("bad" not in told)
    assert descendants(f"hostile-{os.getpid()}-{tmp_path.name}") == []


def test_hostile_programs_side_by_side_cost_no_more_than_the_slowest(
    write: Callable[..., Path], ask: Ask, tmp_path: Path
) -> None:
    rows = [row(command, name="bad", timeout_sec=2.0, mode="parallel") for command, _ in HOSTILE.values()]
    write(*rows, LAST)
    answer = ask(session=f"hostile-{os.getpid()}-{tmp_path.name}")
    assert own(answer) == {"permissionDecision": "deny", "permissionDecisionReason": "counted"}
    if Path("/proc/self/environ").exists():
        assert descendants(f"hostile-{os.getpid()}-{tmp_path.name}") == []


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are counted in /proc")
@pytest.mark.parametrize("mode", ["sequence", "parallel"])
def test_ctrl_c_in_simulate_cancels_what_runs_and_leaves_no_process(
    write: Callable[..., Path], home: Path, project: Path, mode: str
) -> None:
    """Ctrl-C goes to every process of the terminal; handlers after the cancelled one run."""
    pids = project / "pids"
    hangs = f"echo $$ >>{pids}; setsid sh -c 'echo $$ >>{pids}; touch ready; sleep 600' & sleep 600"
    write(
        row(hangs, name="slow", mode=mode), row("sleep 600", name="other", mode=mode), row("touch after", name="last")
    )
    command = [str(Path(sys.executable).with_name("hookkit")), "simulate", "--tool", "Bash", "--args", "git status"]
    with subprocess.Popen(command, cwd=project, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        _await(project / "ready")
        os.killpg(process.pid, signal.SIGINT)
        if mode == "sequence":
            _await_line(process, "… other")
            os.killpg(process.pid, signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    assert "other  cancelled" in said
    assert (project / "after").exists()
    assert [pid for pid in pids.read_text().split() if Path(f"/proc/{pid}").exists()] == []


def _await(path: Path) -> None:
    end = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < end, f"{path} did not appear"
        time.sleep(0.02)


def _await_line(process: "subprocess.Popen[str]", start: str) -> None:
    assert process.stderr is not None
    while not process.stderr.readline().startswith(start):
        assert process.poll() is None

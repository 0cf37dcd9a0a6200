"""The life of the server: start, stop, restart, idle, on demand, hand-over, and many callers at once."""

import contextlib
import json
import os
import plistlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from hookkit.server import process, services
from tests.conftest import HOOKKIT
from tests.server.conftest import SHIM, Server
from tests.server.test_shim import DENIED, RAW, VERDICT, rows


def people(server: Server, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [HOOKKIT, "serve", *words], env=server.environ, capture_output=True, text=True, timeout=90, check=False
    )


@pytest.fixture
def alone(tmp_path: Path) -> Any:
    (tmp_path / "home").mkdir()
    made = Server(tmp_path / "home")
    yield made
    people(made, "--stop")


def test_start_status_restart_stop(alone: Server) -> None:
    assert people(alone, "--status").returncode == 1
    started = json.loads(people(alone, "--start", "-o", "json").stdout)
    assert json.loads(people(alone, "--start", "-o", "json").stdout)["pid"] == started["pid"]
    assert people(alone, "--status").returncode == 0
    again = json.loads(people(alone, "--restart", "-o", "json").stdout)
    assert again["pid"] != started["pid"]
    assert again["port"] == started["port"]  # the address in a client's settings stays right
    assert people(alone, "--stop").returncode == 0
    assert people(alone, "--stop").returncode == 1
    assert not os.path.exists(process.path(alone.environ))


def test_a_server_that_cannot_start_says_why_at_once(alone: Server) -> None:
    """The reason stands in the log before or after other lines, and nobody waits for a server that has ended."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        start = time.monotonic()
        done = people(alone, "--start", "--port", str(other.getsockname()[1]))
    assert done.returncode == 1
    assert "the server did not start: port " in done.stderr
    assert "is taken by another program" in done.stderr
    assert time.monotonic() - start < process.SECONDS


def test_an_idle_server_ends_by_itself(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    server = Server(tmp_path / "home", "--idle", "1s").start()
    assert server.process is not None
    assert server.process.wait(30) == 0
    assert VERDICT in server.shim("run", stdin=RAW, cwd="/usr").stdout


def test_a_new_server_has_its_rules_ready_and_no_trace_of_the_rehearsal(own_server: Server) -> None:
    state = Path(own_server.environ["HOME"], ".local/state/hookkit")
    end = time.monotonic() + 60
    while not (state / "settings" / "defaults.json").exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    assert sorted(path.name for path in state.iterdir()) == ["serve", "settings"]


def test_a_second_server_refuses(own_server: Server) -> None:
    done = people(own_server)
    assert done.returncode == 1
    assert "already running" in done.stderr


def test_the_shim_starts_a_missing_server_if_it_may(alone: Server) -> None:
    assert VERDICT in alone.shim("run", stdin=RAW, cwd="/usr").stdout
    assert process.running(alone.environ) is None
    people(alone, "--on-demand")
    assert VERDICT in alone.shim("run", stdin=RAW, cwd="/usr").stdout
    alone.wait()


@pytest.mark.parametrize("words", [("--idle", "soon"), ("--idle", "-1"), ("--start", "--stop")])
def test_wrong_words_are_bad_usage(alone: Server, words: tuple[str, ...]) -> None:
    assert people(alone, *words).returncode == 2


def test_a_new_version_takes_over(tmp_path: Path) -> None:
    """The package's files are replaced under a running server, as an upgrade does."""
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    site = next((venv / "lib").glob("python*")) / "site-packages"
    (site / "others.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    root = Path(__file__).parents[2]
    shutil.copytree(root / "hookkit", site / "hookkit", ignore=shutil.ignore_patterns("__pycache__"))
    launcher = venv / "bin" / "hookkit"
    launcher.write_text(f"#!{venv}/bin/python\n" + (root / "scripts" / "hookkit").read_text().partition("\n")[2])
    launcher.chmod(0o755)
    (tmp_path / "home").mkdir()
    server = Server(tmp_path / "home")
    server.process = subprocess.Popen([launcher, "serve"], env=server.environ, cwd="/", stdout=subprocess.DEVNULL)
    try:
        server.wait()
        old = server.door.ask
        init = site / "hookkit" / "__init__.py"
        init.write_text(init.read_text() + "\n# a new version\n")
        end = time.monotonic() + 60
        while (found := process.running(server.environ)) is None or found.ask == old:
            assert time.monotonic() < end
            time.sleep(0.1)
        assert found.pid == server.process.pid
    finally:
        server.stop()


def test_sixty_callers_at_once_are_all_answered(server: Server) -> None:
    """By the server, or by the word that sends the shim to the cold command."""
    results: list[bytes] = []

    def ask(number: int) -> None:
        raw = json.dumps({**DENIED, "session_id": f"s{number}", "tool_use_id": f"t{number}"}).encode()
        results.append(server.ask(["run"], server.environ, "/usr", raw))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(results) == 60
    assert all(reply == b"cold" or VERDICT in reply for reply in results)
    assert any(VERDICT in reply for reply in results)


def test_one_session_sees_nothing_of_another(server: Server, tmp_path: Path) -> None:
    """Each request has its own environment, directory and settings."""
    answers = []
    for name in ("one", "two"):
        home = tmp_path / name
        (home / ".config" / "hookkit").mkdir(parents=True)
        rule = f'[[rules]]\ntype = "deny"\nmatch = "Bash(frobnicate *)"\nreason = "the rule of {name}"\n'
        (home / ".config" / "hookkit" / "hookkit.toml").write_text(rule)
        raw = json.dumps({**DENIED, "tool_input": {"command": "frobnicate all"}, "cwd": "/usr"}).encode()
        answers.append(server.ask(["guard"], {**server.environ, "HOME": str(home)}, "/usr", raw))
    assert b"the rule of one" in answers[0]
    assert b"the rule of two" in answers[1]


def test_a_changed_settings_file_counts_at_the_next_request(server: Server) -> None:
    config = Path(server.environ["HOME"], ".config/hookkit/hookkit.toml")
    config.parent.mkdir(parents=True, exist_ok=True)
    raw = json.dumps({**DENIED, "tool_input": {"command": "frobnicate all"}}).encode()
    said = []
    for reason in ("first", "second"):
        config.write_text(f'[[rules]]\ntype = "deny"\nmatch = "Bash(frobnicate *)"\nreason = "{reason}"\n')
        said.append(server.ask(["guard"], server.environ, "/usr", raw))
    config.unlink()
    said.append(server.ask(["guard"], server.environ, "/usr", raw))
    assert [b"first" in said[0], b"second" in said[1], said[2]] == [True, True, b"="]


def test_killed_under_load_every_call_is_answered_once(own_server: Server) -> None:
    """The server is killed and started again and again; each call gets its verdict, and its row stands there once."""
    count, wrong = 120, []

    def ask(worker: int) -> None:
        for number in range(worker, count, 4):
            raw = json.dumps({**DENIED, "session_id": f"w{worker}", "tool_use_id": f"t{number}"}).encode()
            done = subprocess.run(
                [SHIM, "run"], input=raw, env=own_server.environ, cwd="/usr", capture_output=True, check=False
            )
            if VERDICT not in done.stdout or done.returncode:
                wrong.append((number, done.stdout, done.stderr))

    threads = [threading.Thread(target=ask, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.4)
        if own_server.process is not None:
            own_server.process.send_signal(signal.SIGKILL)
            own_server.process.wait(10)
        own_server.start()
    assert wrong == []
    calls = [str(row["call"]) for row in rows(own_server)]
    assert sorted(calls) == sorted({f"t{number}" for number in range(count)})


def test_the_service_files_name_the_launcher(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", [HOOKKIT, "serve"])
    path, then = services.install({"HOME": str(home)}, "linux")
    assert f'ExecStart="{sys.executable}" "-I" "{HOOKKIT}" serve' in Path(path).read_text()
    assert "systemctl --user" in then
    path, then = services.install({"HOME": str(home)}, "darwin")
    assert plistlib.loads(Path(path).read_bytes())["ProgramArguments"] == [sys.executable, "-I", HOOKKIT, "serve"]
    assert "launchctl" in then


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a small disk")
def test_on_a_full_disk_a_deny_stays_a_deny(tmp_path: Path) -> None:
    """Warm and cold: no mark, note or row that cannot be written may change a verdict."""
    home = tmp_path / "home"
    home.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", home], check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip(f"mounting is not allowed here: {mounted.stderr.decode().strip()}")
    server = Server(home)
    try:
        server.start()
        assert VERDICT in server.shim("run", stdin=RAW, cwd="/usr").stdout
        with contextlib.suppress(OSError), (home / "full").open("wb", buffering=0) as file:
            while True:
                file.write(b"x" * 4096)
        for run in (server.shim, server.cold):
            raw = json.dumps({**DENIED, "session_id": f"full-{run.__name__}"}).encode()
            assert VERDICT in run("run", stdin=raw, cwd="/usr", env={**server.environ, "TMPDIR": str(tmp_path)}).stdout
    finally:
        server.stop()
        subprocess.run(["umount", "-l", home], check=False)


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory in /proc")
def test_long_lines_leave_no_memory_behind(server: Server) -> None:
    """The parts of a parsed line refer to each other, so only the collector frees them: some MB for each request."""
    call = {**DENIED, "tool_input": {"command": "; ".join(["cat a | sort -u"] * 2_000)}}
    memory = Path(f"/proc/{server.door.pid}/statm")
    sizes = []
    for number in range(24):
        raw = json.dumps({**call, "session_id": f"long-{number}"}).encode()
        server.ask(["guard"], server.environ, "/usr", raw)
        sizes.append(int(memory.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20)
    assert sizes[-1] - sizes[7] < 40  # MB; 96 without the collector


def test_a_long_transcript_is_read_by_another_process(server: Server, tmp_path: Path) -> None:
    """Else every other caller would wait for it."""
    transcript = tmp_path / "transcript.jsonl"
    event = {"hook_event_name": "PreCompact", "session_id": "long", "cwd": "/", "trigger": "manual"}
    for size, reply in ((1 << 20, b"="), (3 << 20, b"cold")):
        transcript.write_bytes(b"\n" * size)
        raw = json.dumps({**event, "transcript_path": str(transcript)}).encode()
        assert server.ask(["run"], server.environ, "/", raw)[: len(reply)] == reply


@pytest.mark.parametrize(("commands", "reply"), [(100, b"="), (1_000, b"cold")])
def test_a_long_line_is_judged_by_another_process(server: Server, commands: int, reply: bytes) -> None:
    """Its many commands would keep every other caller waiting."""
    line = "; ".join(["cat a"] * commands)
    raw = json.dumps({**DENIED, "tool_input": {"command": line}, "session_id": "line"}).encode()
    assert server.ask(["guard"], server.environ, "/", raw)[: len(reply)] == reply

"""The life of the server: start, stop, restart, idle, on demand, hand-over, and many callers at once."""

import contextlib
import json
import os
import plistlib
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from hookkit.daemon import door, process, services
from tests.conftest import HOOKKIT
from tests.daemon.conftest import SHIM, Server
from tests.daemon.test_shim import DENIED, RAW, VERDICT, rows


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
    assert not os.path.exists(door.path(alone.environ))


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


def test_a_request_that_hangs_keeps_no_other_waiting(server: Server, tmp_path: Path) -> None:
    """A ledger that another process holds: the deny is answered, and others at the same time too."""
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
    assert all(said == b"cold" or VERDICT in said for said in results)


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
    assert f'ExecStart="{HOOKKIT}" serve' in Path(path).read_text()
    assert "systemctl --user" in then
    path, then = services.install({"HOME": str(home)}, "darwin")
    assert plistlib.loads(Path(path).read_bytes())["ProgramArguments"] == [HOOKKIT, "serve"]
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

"""`hookkit-hook` asks the server, and whatever is wrong there, answers as the cold command does."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import hookkit
from hookkit.agents import _detect
from hookkit.ledger import lines
from hookkit.server import process, wire
from tests.server.conftest import SHIM, Server

DENIED = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_use_id": "t1",
          "tool_input": {"command": "rm -rf /"}}  # fmt: skip
RAW = json.dumps(DENIED).encode()
VERDICT = b'"permissionDecision":"deny"'
LYING = wire.framed(b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}\n')


def rows(server: Server) -> list[dict[str, object]]:
    """The rows of the ledger, of all sessions."""
    place = Path(server.environ["HOME"], ".local/state/hookkit/ledger/open")
    return [lines.row(line) or {} for path in sorted(place.glob("*.log")) for line in path.read_bytes().splitlines()]


def asked_the_server(server: Server, before: int) -> bool:
    return any("request" in row for row in rows(server)[before:])


@contextmanager
def stranger(server: Server, *says: bytes, own: bool = False) -> Iterator[list[bytes]]:
    """A program on the port of the door; it says these bytes, one after each message. `own`: it knows the secret."""
    listener = socket.create_server(("127.0.0.1", 0))
    heard: list[bytes] = []
    replies = [b"r" * 48, *says] if own else list(says)

    def serve() -> None:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection, contextlib.suppress(ConnectionResetError):  # the shim hangs up, and leaves bytes unread
            for said in replies:
                heard.append(connection.recv(1 << 16))
                connection.sendall(said)
            if not replies or replies[-1] == b"":
                heard.append(connection.recv(1 << 16))
                time.sleep(20)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    process.put(server.environ, process.Door(os.getpid(), listener.getsockname()[1], "a" * 48, "r" * 48, "p" * 48))
    try:
        yield heard
    finally:
        listener.close()


@pytest.fixture
def alone(tmp_path: Path) -> Server:
    """A caller without a server."""
    (tmp_path / "home").mkdir()
    return Server(tmp_path / "home")


def test_an_event_is_answered_by_the_server_and_written_once(server: Server) -> None:
    before = len(rows(server))
    done = server.shim("run", stdin=RAW, cwd="/usr")
    assert VERDICT in done.stdout
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(rows(server)) == before + 1
    assert asked_the_server(server, before)


def test_without_a_server_the_cold_command_answers(alone: Server) -> None:
    done = alone.shim("run", stdin=RAW, cwd="/usr")
    assert VERDICT in done.stdout
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(rows(alone)) == 1


@pytest.mark.parametrize(
    "says", [(), (b"nonsense\n",), (b"",), (b"r" * 48, LYING)], ids=["cut", "wrong", "silent", "guess"]
)
def test_a_stranger_on_the_port_neither_hears_nor_answers(alone: Server, says: tuple[bytes, ...]) -> None:
    """The stranger learns a secret that no server has any more; the event and the reply never pass through it."""
    with stranger(alone, *(b"x" + said if said.startswith(b"r") else said for said in says)) as heard:
        began = time.monotonic()
        done = alone.shim("run", stdin=RAW, cwd="/usr")
        assert time.monotonic() - began < 15
    assert VERDICT in done.stdout
    assert not any(b"rm -rf" in part for part in heard)
    assert len(rows(alone)) == 1


@pytest.mark.parametrize(
    "says",
    [b"=000", b"=0000099half a reply", b"nonsense", wire.ALIVE, b"=-000009x", b"=1+1 1 1", b""],
    ids=["half a length", "half a reply", "nonsense", "working, then dead", "a sign", "a sum", "silent"],
)
def test_a_server_that_breaks_off_costs_nothing(alone: Server, says: bytes) -> None:
    with stranger(alone, says, own=True):
        done = alone.shim("run", stdin=RAW, cwd="/usr")
    assert VERDICT in done.stdout
    assert VERDICT not in done.stdout.replace(VERDICT, b"", 1)
    assert [row["event"] for row in rows(alone)] == ["PreToolUse"]


def test_a_row_that_the_dead_server_has_written_is_not_written_again(alone: Server) -> None:
    """The cold command is told the request's id."""
    for _ in range(2):
        alone.cold("run", stdin=RAW, cwd="/usr", env={**alone.environ, "HOOKKIT_REQUEST": "1-2-3"})
    assert len(rows(alone)) == 1
    alone.cold("run", stdin=RAW, cwd="/usr", env={**alone.environ, "HOOKKIT_REQUEST": "1-2-4"})
    assert len(rows(alone)) == 2


def test_a_silent_server_is_met_once(alone: Server) -> None:
    with stranger(alone, b""):
        alone.shim("run", stdin=RAW, cwd="/usr")
        assert Path(process.path(alone.environ)).read_bytes() == b""


def test_a_stopped_server_keeps_nobody_waiting_and_comes_back(own_server: Server) -> None:
    assert own_server.process is not None
    own_server.process.send_signal(signal.SIGSTOP)
    try:
        assert VERDICT in own_server.shim("run", stdin=RAW, cwd="/usr").stdout
    finally:
        own_server.process.send_signal(signal.SIGCONT)
    own_server.wait()
    before = len(rows(own_server))
    assert VERDICT in own_server.shim("run", stdin=RAW, cwd="/usr").stdout
    assert asked_the_server(own_server, before)


def test_a_deleted_door_is_put_back(own_server: Server) -> None:
    shutil.rmtree(process.directory(own_server.environ))
    assert VERDICT in own_server.shim("run", stdin=RAW, cwd="/usr").stdout
    own_server.wait()


def test_a_door_inside_the_project_is_a_strangers(server: Server) -> None:
    """Else a checkout could name the server that judges it."""
    before = len(rows(server))
    for more in (
        {"cwd": server.environ["HOME"]},
        {"cwd": "/usr", "env": {**server.environ, "CLAUDE_PROJECT_DIR": server.environ["HOME"]}},
    ):
        assert VERDICT in server.shim("run", stdin=RAW, **more).stdout
    assert not asked_the_server(server, before)


@pytest.mark.parametrize("size", [10_000, 200_000, 300_000, 3_000_000])
def test_a_large_event_is_answered_whole(server: Server, size: int, tmp_path: Path) -> None:
    """Beyond 256 KB the cold command reads on where the shim stopped."""
    event = {**DENIED, "tool_input": {"command": "rm -rf /", "description": "x" * size}}
    raw = json.dumps(event).encode()
    assert server.shim("guard", stdin=raw, cwd=tmp_path).stdout == server.cold("guard", stdin=raw, cwd=tmp_path).stdout


@pytest.mark.parametrize(
    "raw", [b"", b"\n", b"{", b"nonsense", b"\xff\xfe", '{"prompt": "é—日本"}'.encode(), b"{} \0 {}"]
)
def test_odd_events_are_answered_alike(server: Server, raw: bytes, tmp_path: Path) -> None:
    for hook in ("run", "guard", "nudge"):
        warm, cold = (run(hook, stdin=raw, cwd=tmp_path) for run in (server.shim, server.cold))
        assert (warm.returncode, warm.stdout) == (cold.returncode, cold.stdout)


def test_an_event_on_many_lines_costs_no_waiting(server: Server) -> None:
    """Each part of a write would otherwise wait 40 ms for the acknowledgement of the part before."""
    raw = json.dumps({**DENIED, "more": list(range(200))}, indent=1).encode() + b"\n"
    began = time.monotonic()
    for _ in range(5):
        assert VERDICT in server.shim("guard", stdin=raw, cwd="/usr").stdout
    assert time.monotonic() - began < 5 * 200 * 0.04  # what waiting for every line would take


@pytest.mark.parametrize("size", [10, 10_000, 20_000, 300_000])
def test_the_way_of_older_shells_answers_the_same(server: Server, size: int, tmp_path: Path) -> None:
    """bash 3 and 4 read a pipe byte by byte, and take another branch of the shim."""
    text = Path(SHIM).read_text()
    assert "-ge 5 ]]" in text
    old = tmp_path / "hookkit-hook"
    old.write_text(text.replace("-ge 5 ]]", "-ge 99 ]]"))
    old.chmod(0o755)
    event = {**DENIED, "tool_input": {"command": "rm -rf /", "description": "x" * size}}
    raw = json.dumps(event).encode() + b"\n"
    done = subprocess.run([old, "guard"], input=raw, env=server.environ, cwd="/usr", capture_output=True, check=False)
    assert done.stdout == server.cold("guard", stdin=raw, cwd="/usr").stdout


def test_it_works_from_dash_and_with_a_hostile_environment(server: Server, tmp_path: Path) -> None:
    """Variables that steer bash, and variables of the shim's own names, change nothing."""
    (tmp_path / "env").write_text("exit 3\n")
    hostile = {
        "BASH_ENV": str(tmp_path / "env"), "ENV": str(tmp_path / "env"), "POSIXLY_CORRECT": "1", "SHELLOPTS": "xtrace",
        "IFS": "x", "TMOUT": "1", "port": "1", "said": "no", "_hk_event": "{}", "_hk_cold": "/bin/false", "_hk_id": "1",
        "LC_ALL": "C.UTF-8", "BASH_FUNC_printf%%": "() { echo printf; }", "BASH_FUNC_read%%": "() { echo read; }",
    }  # fmt: skip
    shell = next(name for name in ("dash", "sh") if shutil.which(name))
    done = subprocess.run([shell, "-c", f"'{SHIM}' run"], input=RAW, env={**server.environ, **hostile}, cwd="/usr",
                          capture_output=True, timeout=60, check=False)  # fmt: skip
    assert VERDICT in done.stdout
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_program_of_the_user_runs_cold_with_the_whole_environment(server: Server, tmp_path: Path) -> None:
    config = Path(server.environ["HOME"], ".config/hookkit/hookkit.toml")
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[[rules]]\ntype = "command"\nmatch = "Bash(special *)"\nrun = "echo $SPECIAL >&2; exit 2"\n')
    event = {**DENIED, "tool_input": {"command": "special thing"}}
    before = len(rows(server))
    done = server.shim(
        "run", stdin=json.dumps(event).encode(), cwd=tmp_path, env={**server.environ, "SPECIAL": "of mine"}
    )
    config.unlink()
    assert b"of mine" in done.stdout
    assert len(rows(server)) == before + 1


def test_the_shim_sends_every_variable_that_hookkit_reads() -> None:
    """A literal name in the code that answers events stands in the list; the shim's list is the same."""
    shim = Path(SHIM).read_text()
    listed = re.search(r"for _hk_name in ([A-Z_ \\\n]+); do", shim)
    assert listed is not None
    assert tuple(listed[1].replace("\\\n", " ").split()) == wire.NAMES
    root = Path(hookkit.__file__).parent
    apart = {"cli", "handlers", "play", "doctor", "wiring", "checks"}  # people's commands, and parts that run cold
    late = ("doctor.py", "disk.py", "_disk.py")  # what people's commands read of an agent
    rooms = [path for path in root.rglob("*.py") if apart.isdisjoint(path.relative_to(root).parts)]
    rooms = [path for path in rooms if path.name not in late]
    assert len(rooms) > 200
    named = {name for path in rooms for name in re.findall(r'environ(?:\.get\(|\[)"([A-Z_]+)"', path.read_text())}
    agents = {
        name for path in rooms for name in re.findall(r'"([A-Z_]+_(?:PROJECT_DIR|SESSION_ID))"', path.read_text())
    }
    detected = {name for name, _ in _detect.VARIABLES}
    assert named | agents | detected <= {*wire.NAMES, "HOOKKIT_REQUEST", "HOOKKIT_WARM"}


def test_a_pipe_in_place_of_the_door_is_not_waited_for(alone: Server) -> None:
    os.mkfifo(f"{process.make_directory(alone.environ)}/door", 0o600)
    done = alone.shim("run", stdin=RAW, cwd="/usr")
    assert VERDICT in done.stdout

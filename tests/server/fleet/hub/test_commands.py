"""From an empty database to a call on the page, with the commands that a person types."""

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from hookkit.ledger import places
from tests.conftest import HOOKKIT, Run
from tests.postgres import Postgres

EVENT = {"session_id": "s1", "cwd": "/", "permission_mode": "default"}
DENIED = {
    **EVENT,
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "rm -rf /"},
    "tool_use_id": "t1",
}


class Hub:
    def __init__(self, dsn: str, directory: Path) -> None:
        self.environ = {**os.environ, "HOME": str(directory), "HOOKKIT_HUB": dsn}
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        words = [HOOKKIT, "serve", "--hub", dsn, "--port", str(self.port), "--keep", "30"]
        self.process = subprocess.Popen(words, env=self.environ, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not self._is_up() and time.monotonic() < end:
            time.sleep(0.1)

    def _is_up(self) -> bool:
        try:
            return httpx.get(self.url).status_code == 200
        except httpx.TransportError:
            return False

    def invite(self, *words: str) -> str:
        done = subprocess.run(
            [HOOKKIT, "fleet", "invite", "--team", "web", *words], env=self.environ, capture_output=True, check=True
        )
        return done.stdout.decode().strip()


@pytest.fixture
def hub(postgres: Postgres, tmp_path: Path) -> Iterator[Hub]:
    made = Hub(postgres.database(), tmp_path)
    yield made
    made.process.terminate()
    made.process.wait(30)


def test_join_sync_read_leave(hub: Hub, hookkit: Run, home: Path) -> None:
    hookkit("run", stdin={**DENIED, "session_id": "s0"})  # before joining: stays
    joined = hookkit("fleet", "join", hub.url, hub.invite(), "--yes")
    assert (joined.returncode, b"Joined team web" in joined.stdout) == (0, True), joined.stderr
    assert b"masked" in joined.stderr  # what leaves is told
    hookkit("run", stdin=DENIED)
    waiting = hookkit("fleet", "status", "--output", "json")
    assert (waiting.returncode, json.loads(waiting.stdout)["waiting"]) == (1, 1)  # nothing was sent yet
    assert hookkit("fleet", "sync").stdout == b"Sent 1 row.\n"
    status = hookkit("fleet", "status", "--output", "json")
    assert (status.returncode, json.loads(status.stdout)["sent"], json.loads(status.stdout)["waiting"]) == (0, 1, 0)

    signed_in = hookkit("fleet", "join", hub.url, hub.invite("--person", "sec@x", "--role", "security"))
    assert signed_in.returncode == 0, signed_in.stderr
    listed = hookkit("ledger", "list", "--fleet", "--verdict", "deny")
    assert b"rm -rf /" in listed.stdout, listed.stderr
    (row,) = json.loads(hookkit("ledger", "list", "--fleet", "--output", "json").stdout)["rows"]
    assert (row["verdict"], row["rule"], row["team"]) == ("deny", "deny Delete(/)", "web")
    assert b"deny Delete(/)" in hookkit("ledger", "show", "--fleet", str(row["id"])).stdout
    assert b"deny Delete(/)" in hookkit("ledger", "stats", "--fleet").stdout
    assert b"rm -rf /" in hookkit("ledger", "tail", "--fleet").stdout
    assert b"rm -rf /" in hookkit("ledger", "export", "--fleet").stdout
    assert hookkit("ledger", "verify", "--fleet").returncode == 0

    assert hookkit("fleet", "leave", "--yes").returncode == 0
    assert b"in no fleet" in hookkit("fleet", "status").stderr
    assert b"left" not in hookkit("ledger", "stats", "--fleet").stderr
    assert not list((home / ".local/state/hookkit/fleet").glob("machine.json"))


def test_the_end_of_a_session_sends_its_rows_and_no_hook_waits(hub: Hub, hookkit: Run, home: Path) -> None:
    hookkit("fleet", "join", hub.url, hub.invite(), "--ephemeral")
    hookkit("run", stdin={**EVENT, "hook_event_name": "SessionEnd", "reason": "other"})
    sent = home / ".local/state/hookkit/fleet/sent.json"
    end = time.monotonic() + 60
    while not sent.exists() and time.monotonic() < end:
        time.sleep(0.1)
    assert len(json.loads(sent.read_text())["heads"]) == 1


def test_a_hub_that_is_away_costs_no_row(hookkit: Run, hub: Hub, home: Path) -> None:
    hookkit("fleet", "join", hub.url, hub.invite(), "--yes")
    hub.process.kill()
    hub.process.wait()
    hookkit("run", stdin=DENIED)
    done = hookkit("fleet", "sync")
    assert (done.returncode, b"Rows wait here" in done.stderr) == (1, True)
    assert b"cannot be reached" in hookkit("fleet", "status").stdout
    assert len(places.paths(dict(os.environ))) == 1


REFUSED = [
    (("join", "http://hub.example.com", "x"), 2, b"expected https"),
    (("join", "https://127.0.0.1:9", "x"), 2, b"cannot be reached"),
    (("join", "https://hub.example.com"), 2, b"HOOKKIT_FLEET_CODE"),
    (("sync",), 2, b"in no fleet"),
    (("leave", "--yes"), 2, b"in no fleet"),
    (("invite", "--team", "web"), 2, b"HOOKKIT_HUB"),
]


@pytest.mark.parametrize(("words", "code", "said"), REFUSED, ids=[" ".join(row[0]) for row in REFUSED])
def test_a_mistake_is_named_with_its_way_out(hookkit: Run, words: tuple[str, ...], code: int, said: bytes) -> None:
    done = hookkit("fleet", *words)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr


def test_a_wrong_code_is_refused(hub: Hub, hookkit: Run) -> None:
    done = hookkit("fleet", "join", hub.url, "wrong", "--yes")
    assert (done.returncode, b"this code is not known" in done.stderr) == (2, True)


def test_agents_and_sessions_of_all_machines(hub: Hub, hookkit: Run) -> None:
    hookkit("fleet", "join", hub.url, hub.invite(), "--yes")
    hookkit("fleet", "join", hub.url, hub.invite("--person", "sec@x", "--role", "security"))
    alone = {**os.environ, "CLAUDE_CODE_SESSION_ATTENDED": "0"}
    for session, last in (("s1", "PreToolUse"), ("s2", "Stop"), ("s3", "PermissionRequest")):
        call = {**DENIED, "session_id": session, "hook_event_name": "PreToolUse"}
        hookkit("run", stdin={**EVENT, "session_id": session, "hook_event_name": "SessionStart"}, env=alone)
        hookkit("run", stdin={**call, "hook_event_name": last}, env=alone)
    assert hookkit("fleet", "sync").returncode == 0
    rows = json.loads(hookkit("agents", "--fleet", "--output", "json").stdout)
    status = {row["session"]: row["status"] for row in rows}
    assert status == {"s3": "attention", "s1": "working", "s2": "done"}
    assert [row["session"] for row in rows] == ["s3", "s1", "s2"]
    assert b"attention" in hookkit("agents", "--fleet").stdout
    stats = json.loads(hookkit("ledger", "stats", "--fleet", "--output", "json").stdout)
    assert {row["session"] for row in stats["unattended"]} == {"s1", "s2", "s3"}
    assert stats["read a secret"] == []
    assert b"unattended" in hookkit("ledger", "stats", "--fleet").stdout

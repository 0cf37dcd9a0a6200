"""The real client on a machine of a fleet: its calls at the hub, a call held for a yes, and disabled hooks."""

import json
import os
import shlex
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hookkit.cli.fleet import _witness
from hookkit.server.fleet import membership
from hookkit.server.fleet.hub import machines
from tests.server.fleet.hub.conftest import Fleet, Reader, fleet, postgres, store  # noqa: F401 - fixtures
from tests.server.fleet.hub.test_approvals import RULE, settled

from . import servers
from .harness import bash, environment, home_of, run_client, wire, write

PORT = 9444  # the network behind the wall is the client's alone
HOOKS = dict.fromkeys(("SessionStart", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"), "hookkit run")


class Machine:
    """A machine of the fleet on which the real client runs, behind its wall, with a way to the hub alone."""

    def __init__(self, fleet: Fleet, client: Path, project: Path) -> None:  # noqa: F811
        self.project = project
        self.fleet = fleet
        self.environ = {**environment(home_of(project)), "PYTHONPATH": str(Path.cwd())}
        fleet.join(self.environ, owner="dev@x", host="laptop-7")
        self.path = str(project.parent / "hub")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        port = int(fleet.url.rpartition(":")[2])
        threading.Thread(
            target=servers.relay, args=(self.listener, lambda: socket.create_connection(("127.0.0.1", port))),
            daemon=True,
        ).start()  # fmt: skip
        self.client = client

    def address(self, url: str) -> None:
        known = membership.machine(self.environ)
        membership.keep(self.environ, membership.MACHINE, {**known, "url": url})

    def run(self, *turns: object, variables: dict[str, str] | None = None) -> list[str]:
        """A session; gives what hookkit swallowed."""
        inside = shlex.join([sys.executable, servers.__file__, "relay", str(PORT), self.path])
        exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in (variables or {}).items())
        words = f'#!/bin/sh\nunset DISABLE_TELEMETRY\n{exports}{inside} &\n{shlex.quote(str(self.client))} "$@"\n'
        wrapper = write(self.project.parent / "client.sh", f"{words}code=$?\nkill $!\nexit $code\n")
        wrapper.chmod(0o755)
        self.address(f"http://127.0.0.1:{PORT}")
        run = run_client(wrapper, self.project, "go", turns=turns, arguments=("--allowedTools", "Bash"))
        self.address(self.fleet.url)
        return run.swallowed()

    def sync(self) -> None:
        """Another sync, of the session's end, may still be at it."""
        from hookkit.server.fleet import sync

        end = time.monotonic() + 30
        while sync.run(self.environ) is None and time.monotonic() < end:
            time.sleep(0.1)


@pytest.fixture
def machine(fleet: Fleet, client: Path, project: Path) -> Iterator[Machine]:  # noqa: F811
    made = Machine(fleet, client, project)
    yield made
    made.listener.close()
    os.unlink(made.path)


@pytest.fixture
def security(fleet: Fleet) -> Reader:  # noqa: F811
    return fleet.person("sec@x", "security")


def test_calls_of_a_session_are_at_the_hub(machine: Machine, security: Reader) -> None:
    wire(machine.project, **HOOKS)
    assert machine.run(bash("echo one"), bash("rm -rf /"), "Done.") == []
    machine.sync()
    rows = {row["body"]["input"]["command"]: row for row in security.get("rows")["rows"] if "input" in row["body"]}
    assert rows["rm -rf /"]["body"]["rule"] == "deny Delete(/)"
    assert rows["echo one"]["ended"]["outcome"]
    assert security.get("verify")["faults"] == []


def test_a_call_is_held_for_a_yes_and_runs(machine: Machine, fleet: Fleet) -> None:  # noqa: F811
    config = home_of(machine.project) / ".config" / "hookkit" / "hookkit.toml"
    write(config, RULE.format(wait=20, more="", unattended="true").replace("kubectl apply", "touch"))
    wire(machine.project, **HOOKS)
    boss = fleet.person("boss@x", "approver")
    answering = threading.Thread(target=settled, args=(boss, "approved"))
    answering.start()
    assert machine.run(bash("touch held.txt"), "Done.") == []
    answering.join()
    assert (machine.project / "held.txt").exists()
    machine.sync()
    with fleet.store.owner() as connection:
        texts = str(connection.execute("SELECT by, state FROM approvals").fetchall())
    assert "boss@x" in texts


def test_disabled_hooks_are_named_by_the_clients_own_telemetry(machine: Machine, security: Reader) -> None:
    wire(machine.project, **HOOKS)
    settings = machine.project / ".claude" / "settings.json"
    write(settings, json.dumps({**json.loads(settings.read_text()), "disableAllHooks": True}))
    machine.address(f"http://127.0.0.1:{PORT}")
    variables = {**_witness(machine.environ), "OTEL_BLRP_SCHEDULE_DELAY": "200", "OTEL_LOGS_EXPORT_INTERVAL": "200"}
    machine.run(bash("echo unseen"), "Done.", variables=variables)
    with machine.fleet.store.owner() as connection:
        connection.execute("UPDATE witness SET at = now() - interval '1 hour'")
    machine.sync()
    assert [row["new"] for row in machines.update(machine.fleet.store)] == ["hooks silent"]
    (finding,) = security.get("findings")["findings"]
    assert finding["what"].startswith("1 tool calls of session ")

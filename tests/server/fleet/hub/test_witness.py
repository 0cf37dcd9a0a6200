"""The agent's own telemetry names sessions without rows; nothing else of it is kept."""

import gzip
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest

from hookkit.server.fleet import membership
from hookkit.server.fleet.hub import machines
from tests.ledger.making import request, write
from tests.server.fleet.hub.conftest import Fleet


def logs(session: str, call: str = "t1", event: str = "tool_result") -> dict[str, Any]:
    facts = {"session.id": session, "tool_use_id": call, "event.name": event, "tool_parameters": "cat ~/.ssh/id_rsa"}
    attributes = [{"key": name, "value": {"stringValue": value}} for name, value in facts.items()]
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"attributes": attributes}]}]}]}


def post(fleet: Fleet, environ: dict[str, str], data: bytes, **headers: str) -> int:
    machine = membership.machine(environ)
    token = membership.witness_token(sha256(machine["secret"].encode()).digest())
    named = {"authorization": f"Bearer {machine['machine']}:{token}", **headers}
    return httpx.post(f"{fleet.url}/v1/logs", content=data, headers=named).status_code


def kept(fleet: Fleet) -> list[tuple[str, str]]:
    with fleet.store.owner() as connection:
        connection.execute("UPDATE witness SET at = now() - interval '1 hour'")
        return [(row["session"], row["event"]) for row in connection.execute("SELECT * FROM witness ORDER BY session")]


def test_a_session_with_tool_results_and_without_rows_is_named(fleet: Fleet) -> None:
    environ = fleet.machine()
    write(environ, request(1, "seen"))
    for session in ("seen", "silent"):
        assert post(fleet, environ, json.dumps(logs(session)).encode()) == 200
    assert kept(fleet) == [("seen", "tool_result"), ("silent", "tool_result")]
    fleet.sync(environ)
    assert [(row["old"], row["new"]) for row in machines.update(fleet.store)] == [("fine", "hooks silent")]
    (finding,) = fleet.person("sec", "security").get("findings")["findings"]
    assert finding["what"] == "1 tool calls of session silent, and no row"
    assert fleet.person("carl", "member").get("findings")["findings"] == []


def test_projects_that_stay_accuse_nobody(fleet: Fleet) -> None:
    environ = fleet.machine()
    config = Path(environ["HOME"]) / ".config" / "hookkit" / "hookkit.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[fleet]\nprojects = ["example.com/*"]\n')
    post(fleet, environ, json.dumps(logs("private")).encode())
    kept(fleet)
    fleet.sync(environ)
    assert machines.update(fleet.store) == []


ODD = [
    b"[]",
    b'{"resourceLogs": 7}',
    b'{"resourceLogs": [{"scopeLogs": [null, {"logRecords": [3, {"attributes": "x"}]}]}]}',
    json.dumps(logs("s", event="user_prompt")).encode(),
    json.dumps(logs("")).encode(),
]


@pytest.mark.parametrize("data", ODD)
def test_everything_else_is_dropped(fleet: Fleet, data: bytes) -> None:
    assert post(fleet, fleet.machine(), data) == 200
    assert kept(fleet) == []


def test_a_compressed_body_is_read_and_a_repeated_one_counts_once(fleet: Fleet) -> None:
    environ = fleet.machine()
    data = gzip.compress(json.dumps(logs("a\0b")).encode())
    for _ in range(2):
        assert post(fleet, environ, data, **{"content-encoding": "gzip"}) == 200
    assert len(kept(fleet)) == 1


def test_the_token_of_a_witness_sends_no_rows_and_a_guess_tells_nothing(fleet: Fleet) -> None:
    environ = fleet.machine()
    machine = membership.machine(environ)
    token = membership.witness_token(sha256(machine["secret"].encode()).digest())
    for path, secret in (("/fleet/sync", token), ("/fleet/heads", token), ("/v1/logs", "0" * 64)):
        headers = {"authorization": f"Bearer {machine['machine']}:{secret}"}
        method = "GET" if path.endswith("heads") else "POST"
        assert httpx.request(method, fleet.url + path, json=None, headers=headers).status_code == 403

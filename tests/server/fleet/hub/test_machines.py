"""Silence is named: each machine is fine, or the first row of the table of states that applies."""

import gzip
import http.server
import json
import threading
import time
from collections.abc import Iterator
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from hookkit.server.fleet import membership
from hookkit.server.fleet.hub import machines, server
from tests.ledger.making import request, write
from tests.server.fleet.hub.conftest import Fleet

CHANGES = {
    "fine": "SELECT 1",
    "left": "UPDATE machines SET gone = now()",
    "removed": "UPDATE machines SET revoked = now()",
    "late": "UPDATE machines SET seen = now() - interval '4 days'",
    "clock wrong": "UPDATE machines SET skew = -86400000",
    "hooks silent": """UPDATE machines SET health = '{"silent": 2}'""",
    "chain broken": "INSERT INTO findings (machine, kind, what) VALUES (1, 'cut', 'x')",
}


@pytest.mark.parametrize("state", CHANGES)
def test_a_state_follows_from_what_the_machine_said(fleet: Fleet, state: str) -> None:
    fleet.machine(host="laptop")
    with fleet.store.owner() as connection:
        connection.execute(CHANGES[state].encode())
    changes = [(row["old"], row["new"]) for row in machines.update(fleet.store)]
    assert changes == ([("fine", state)] if state != "fine" else [])
    assert machines.update(fleet.store) == []  # a change is told once


def test_a_machine_in_ci_may_end_without_a_word(fleet: Fleet) -> None:
    fleet.machine(ephemeral=True)
    with fleet.store.owner() as connection:
        connection.execute(CHANGES["late"].encode())
    assert machines.update(fleet.store) == []


ODD: list[Any] = [
    {"silent": "abc", "policy_old": "maybe", "all_projects": "x"},
    {"silent": 2**52},
    {"silent": True, "gaps": [1], "overruled": {"a": 1}, "other": 1, "unknown": "\0\ud800"},
    ["silent"],
]


@pytest.mark.parametrize("health", ODD, ids=str)
def test_what_a_hostile_machine_tells_keeps_no_other_machine_from_being_judged(fleet: Fleet, health: Any) -> None:
    hostile, other = (fleet.machine(owner=owner) for owner in ("eve@x", "ann@x"))
    secret = membership.machine(hostile)
    headers = {"authorization": f"Bearer {secret['machine']}:{secret['secret']}"}
    report = json.dumps({"health": health, "clock": int(time.time() * 1000)})
    assert httpx.post(f"{fleet.url}/fleet/sync", content=report, headers=headers).status_code == 200
    with fleet.store.owner() as connection:
        query = "UPDATE machines SET seen = now() - interval '4 days' WHERE name = %s"
        connection.execute(query, (membership.machine(other)["machine"],))
    assert [(row["owner"], row["new"]) for row in machines.update(fleet.store)] == [("ann@x", "late")]
    assert fleet.person("sec", "security").get("findings") == {"findings": []}


def test_a_duty_that_fails_keeps_no_other_from_being_done(fleet: Fleet) -> None:
    fleet.machine()
    with fleet.store.owner() as connection:
        connection.execute(CHANGES["late"].encode())
        connection.execute("DROP TABLE witness CASCADE; CREATE VIEW unseen AS SELECT 0 AS machine")
    hub = server.HubServer(uvicorn.Config("x"), fleet.store, server.HubOptions("x"), {})
    problems: list[str] = []
    hub.said = problems.append
    hub.tend()
    assert len(problems) == 1
    assert "witness" in problems[0]
    assert [row["state"] for row in fleet.person("sec", "security").get("machines")["machines"]] == ["late"]


@pytest.fixture
def posted() -> Iterator[tuple[str, list[Any]]]:
    got: list[Any] = []

    class Hook(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            return

    server = http.server.HTTPServer(("127.0.0.1", 0), Hook)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/", got
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_change_is_posted_to_the_webhook(posted: tuple[str, list[Any]]) -> None:
    url, got = posted
    row = {"name": "m1", "host": "laptop", "owner": "", "team": "web", "old": "fine", "new": "late"}
    assert machines.post(url, machines.message([row])) == ""
    assert got[0]["text"] == "hookkit: m1 (laptop): fine → late"
    assert machines.post("http://127.0.0.1:9/", machines.message([row])).startswith("the webhook cannot be reached")


# The rows of today become rows of a day in 2020.
AGED = (
    "CREATE TABLE {table}_20200101 (LIKE {table})",
    "INSERT INTO {table}_20200101 SELECT * FROM {today}",
    "UPDATE {table}_20200101 SET day = '2020-01-01'",
    "DELETE FROM {today}",
    "ALTER TABLE {table} ATTACH PARTITION {table}_20200101 FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')",
)


def test_days_are_dropped_whole_and_a_held_session_stays(fleet: Fleet) -> None:
    environ = fleet.machine()
    write(environ, request(1, "s1"), request(1, "s2"))
    fleet.sync(environ)
    with fleet.store.owner() as connection:
        connection.execute("UPDATE sessions SET is_held = true WHERE name = 's2'")
        for table in ("rows", "bodies"):
            today = fleet.store._days(connection, table)[0]
            for query in AGED:
                connection.execute(query.format(table=table, today=today).encode())
    assert sorted(fleet.store.drop_days(30)) == ["bodies_20200101", "rows_20200101"]
    security = fleet.person("sec", "security")
    assert [row["body"]["session"] for row in security.get("rows")["rows"]] == ["s2"]
    assert security.verify() == {"rows": 1, "faults": []}
    assert [row["session"] for row in security.get("sessions")["sessions"]] == ["s2"]

    with fleet.store.owner() as connection:
        connection.execute("UPDATE sessions SET is_held = false")
    fleet.store._forget(date(2030, 1, 1))
    assert security.get("rows")["rows"] == []
    assert security.verify() == {"rows": 0, "faults": []}
    assert security.get("sessions") == {"sessions": []}


def test_the_hub_adds_the_skew_of_a_clock(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    environ = fleet.machine()
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() - 3 * 365 * 86_400)
    fleet.sync(environ)
    monkeypatch.undo()
    assert [row["new"] for row in machines.update(fleet.store)] == ["clock wrong"]
    status = membership.read(environ, membership.STATUS) or {}
    assert abs(status["skew"]) > 86_400_000


# -- the agent's own telemetry names sessions without rows; nothing else of it is kept ---------------------------------


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


ODD_LOGS = [
    b"[]",
    b'{"resourceLogs": 7}',
    b'{"resourceLogs": [{"scopeLogs": [null, {"logRecords": [3, {"attributes": "x"}]}]}]}',
    json.dumps(logs("s", event="user_prompt")).encode(),
    json.dumps(logs("")).encode(),
]


@pytest.mark.parametrize("data", ODD_LOGS)
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

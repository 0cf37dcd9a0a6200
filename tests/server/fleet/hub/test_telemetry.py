"""Rows as OpenTelemetry, read by the official classes of its protocol."""

import base64
import http.server
import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from hookkit.server.fleet import sync
from hookkit.server.fleet.hub import contents
from hookkit.server.fleet.membership import FleetError, LaterError
from tests.conftest import Run
from tests.ledger.making import outcome, request, seal, write
from tests.server.fleet.hub.conftest import Fleet

READERS: dict[str, Any] = {"/v1/traces": ExportTraceServiceRequest, "/v1/logs": ExportLogsServiceRequest}


class Receiver:
    """An OTLP receiver; `status` is its answer."""

    def __init__(self) -> None:
        self.got: list[tuple[str, Any]] = []
        self.status = 200
        outer = self

        class Collector(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                value = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.got.append((self.path, json_format.ParseDict(_binary(value), READERS[self.path]())))
                self.send_response(outer.status)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                return

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Collector)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def spans(self) -> list[Any]:
        found = [message for path, message in self.got if path == "/v1/traces"]
        return [
            span
            for message in found
            for one in message.resource_spans
            for scope in one.scope_spans
            for span in scope.spans
        ]

    def records(self) -> list[Any]:
        found = [message for path, message in self.got if path == "/v1/logs"]
        return [
            row
            for message in found
            for one in message.resource_logs
            for scope in one.scope_logs
            for row in scope.log_records
        ]


def _binary(value: Any) -> Any:
    """Ids are hex in OTLP's JSON, and base64 in that of protobuf."""
    if isinstance(value, dict):
        return {
            name: base64.b64encode(bytes.fromhex(item)).decode() if name in ("traceId", "spanId") else _binary(item)
            for name, item in value.items()
        }
    return [_binary(item) for item in value] if isinstance(value, list) else value


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


def facts(item: Any) -> dict[str, str]:
    return {pair.key: pair.value.string_value for pair in item.attributes}


def test_a_call_is_a_span_and_a_denial_also_a_log_record_with_its_rule(fleet: Fleet, receiver: Receiver) -> None:
    environ = fleet.machine()
    write(environ, request(1, policy="p1"), outcome(1), request(2, verdict="deny", rule="no deploys", policy="p1"))
    fleet.sync(environ)
    assert contents.export_traces(fleet.store, receiver.url) == 3
    assert contents.export_traces(fleet.store, receiver.url) == 0
    done, denied = receiver.spans()
    assert (done.name, done.end_time_unix_nano - done.start_time_unix_nano) == ("execute_tool Bash", 40_000_000)
    assert facts(done)["gen_ai.tool.call.id"] == "call-1"
    assert (facts(denied)["hookkit.rule"], facts(denied)["hookkit.policy"]) == ("no deploys", "p1")
    assert done.trace_id == denied.trace_id != b""
    (record,) = receiver.records()
    assert (record.body.string_value, record.span_id) == ("deny Bash: no deploys", denied.span_id)


def test_a_receiver_that_is_away_loses_nothing_and_a_resend_is_the_same_span(fleet: Fleet, receiver: Receiver) -> None:
    environ = fleet.machine()
    write(environ, request(1), outcome(1))
    fleet.sync(environ)
    receiver.status = 503
    with pytest.raises(httpx.HTTPError):
        contents.export_traces(fleet.store, receiver.url)
    receiver.status = 200
    assert contents.export_traces(fleet.store, receiver.url) == 2
    first, second = receiver.spans()
    assert first == second


def test_what_a_receiver_refuses_for_good_keeps_no_other_row_back(
    fleet: Fleet, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    environ = fleet.machine()
    write(environ, request(1), outcome(1))
    fleet.sync(environ)
    receiver.status = 400
    assert contents.export_traces(fleet.store, receiver.url) == 2
    log = (tmp_path / ".local/state/hookkit/errors.log").read_text()
    assert f"{receiver.url}/v1/traces refused resourceSpans for good" in log
    receiver.status, receiver.got = 200, []
    write(environ, request(2), outcome(2))
    fleet.sync(environ)
    assert contents.export_traces(fleet.store, receiver.url) == 2
    assert [facts(span)["gen_ai.tool.call.id"] for span in receiver.spans()] == ["call-2"]


def alone(directory: Path, url: str) -> dict[str, str]:
    """A machine without a hub that exports its own rows."""
    environ = {**os.environ, "HOME": str(directory)}
    config = directory / ".config" / "hookkit" / "hookkit.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'[fleet]\nto = "otlp+{url}"\n')
    return environ


def test_a_machine_without_a_hub_exports_its_own_rows_once(tmp_path: Path, receiver: Receiver) -> None:
    environ = alone(tmp_path, receiver.url)
    write(environ, request(1))
    assert sync.run(environ) is not None  # what was there before stays
    assert receiver.got == []
    write(environ, request(2, verdict="deny", rule="no deploys", policy="p1"), request(3, rule="r3"))
    receiver.status = 503
    with pytest.raises(LaterError):
        sync.run(environ)
    receiver.status = 200
    done = sync.run(environ)
    assert done is not None
    assert done.sent == 2
    write(environ, outcome(3))
    seal(environ)
    assert [getattr(sync.run(environ), "sent", None) for _ in range(2)] == [1, 0]
    lost, denied, ended = receiver.spans()
    assert lost == denied  # the same span again
    assert (facts(denied)["hookkit.rule"], facts(ended)["hookkit.rule"]) == ("no deploys", "r3")
    assert denied.trace_id == ended.trace_id


def test_a_lone_surrogate_stops_no_export(tmp_path: Path, receiver: Receiver) -> None:
    environ = alone(tmp_path, receiver.url)
    sync.run(environ)
    write(environ, request(1, verdict="deny", rule="odd \ud800"))
    assert getattr(sync.run(environ), "sent", None) == 1
    assert facts(receiver.spans()[0])["hookkit.rule"] == "odd \ufffd"


def test_projects_that_stay_are_not_exported(tmp_path: Path, receiver: Receiver) -> None:
    environ = alone(tmp_path, receiver.url)
    config = tmp_path / ".config" / "hookkit" / "hookkit.toml"
    config.write_text(config.read_text() + 'projects = ["example.com/*"]\n')
    sync.run(environ)
    write(environ, request(1, verdict="deny"))
    assert getattr(sync.run(environ), "sent", None) == 0
    assert receiver.got == []


def test_the_end_of_a_session_exports_and_status_tells(hookkit: Run, home: Path, receiver: Receiver) -> None:
    alone(home, receiver.url)
    assert hookkit("fleet", "sync").returncode == 0
    event = {"session_id": "s1", "cwd": "/", "permission_mode": "default"}
    call = {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}, "tool_use_id": "t1"}
    hookkit("run", stdin={**event, "hook_event_name": "PreToolUse", **call})
    hookkit("run", stdin={**event, "hook_event_name": "SessionEnd", "reason": "other"})
    end = time.monotonic() + 60
    while not receiver.got and time.monotonic() < end:
        time.sleep(0.1)
    (span,) = receiver.spans()
    assert (span.name, facts(span)["hookkit.verdict"]) == ("execute_tool Bash", "deny")
    hookkit("fleet", "sync")
    status = hookkit("fleet", "status", "--output", "json")
    assert (status.returncode, json.loads(status.stdout)["opentelemetry"]) == (0, receiver.url)


@pytest.mark.parametrize("address", ["otlp+http://collector.example.com:4318", "otlp+ftp://x", "otlp+https://"])
def test_rows_go_only_where_nobody_reads_along(tmp_path: Path, address: str) -> None:
    with pytest.raises(FleetError, match="expected"):
        sync.run(alone(tmp_path, address.removeprefix("otlp+")))

"""Rows as OpenTelemetry: a trace a session, a span a call, a log record for each deny, ask and approval.

OTLP/HTTP in JSON, written by hand: the format is small, and its libraries are not. Ids are made from machine, writer
and number, so a span that is sent twice is the same span. The hub exports the rows of all machines; without a hub,
with `fleet.to = "otlp+https://…"`, a machine exports its own: `Export`. A receiver that is away loses nothing.

    fleet/otlp.json    the receiver, a random id of the machine, and how far each chain was exported
"""

import os
import platform
import time
from hashlib import sha256
from typing import Any

import httpx

from hookkit import __version__
from hookkit.ledger import lines
from hookkit.ledger.tables import ENDINGS, REQUEST
from hookkit.ledger.tables import fields as parsed
from hookkit.server.fleet import membership
from hookkit.server.fleet.batch import Head, RowFile, Unsent, all_ends
from hookkit.server.fleet.membership import FleetError, LaterError
from hookkit.settings.layers import Settings
from hookkit.system import error_log

STATE = "otlp.json"
PREFIX = "otlp+"  # before the address, in the setting fleet.to
HEADERS = "OTEL_EXPORTER_OTLP_HEADERS"  # OpenTelemetry's own variable: KEY=VALUE,KEY=VALUE
ROWS = 1_000  # of a request
BACK = 500  # rows before the new ones in which the request of a call is looked for
SECONDS = 30.0
REFUSED = 400  # the receiver has read the rows, and cannot use them
STOPPED = ("deny", "ask")
SEVERITY = {"deny": (13, "WARN"), "ask": (9, "INFO")}
ERROR = 2  # a span's status
# Names of the semantic conventions, which still change: field of a row → attribute.
NAMES = {
    "tool": "gen_ai.tool.name",
    "call": "gen_ai.tool.call.id",
    "session": "gen_ai.conversation.id",
    "actor": "gen_ai.agent.name",
    "verdict": "hookkit.verdict",
    "rule": "hookkit.rule",
    "policy": "hookkit.policy",
    "approved": "hookkit.approved",
    "outcome": "hookkit.outcome",
}
OPERATION = {"gen_ai.operation.name": "execute_tool"}
Row = dict[str, Any]


class Batch:
    """Spans and log records of some rows of one machine."""

    def __init__(self, machine: Row) -> None:
        self.machine = machine
        self.spans: list[Row] = []
        self.records: list[Row] = []
        self.requests: dict[Any, Row] = {}

    def add(self, writer: str, n: int, row: Row) -> None:
        event, verdict = row.get("event"), row.get("verdict")
        self.remember(row)
        if event in ENDINGS or (event == REQUEST and verdict in STOPPED):
            asked = self.requests.get(row.get("call"), {})
            self._span(writer, n, {**{name: asked[name] for name in NAMES if name in asked}, **row})
        if verdict in STOPPED or (event in ENDINGS and row.get("approved") == "person"):
            self._record(writer, n, row)

    def remember(self, row: Row) -> None:
        """The row of a call, from which its outcome takes the rule and the policy."""
        if row.get("event") == REQUEST:
            self.requests[row.get("call")] = row

    def _ids(self, writer: str, n: int, row: Row) -> Row:
        own = self.machine["name"]
        return {
            "traceId": sha256(f"{own} {row.get('session') or writer}".encode()).hexdigest()[:32],
            "spanId": sha256(f"{own} {writer} {n}".encode()).hexdigest()[:16],
        }

    def _span(self, writer: str, n: int, row: Row) -> None:
        end = _nanoseconds(row.get("at"))
        took = _nanoseconds(row.get("ms"))
        failed = row.get("outcome") == "failed" or row.get("verdict") == "deny"
        self.spans.append({
            **self._ids(writer, n, row), "name": f"execute_tool {row.get('tool', '')}".strip(), "kind": 1,
            "startTimeUnixNano": str(max(0, end - took)), "endTimeUnixNano": str(end),
            "attributes": attributes({**_labels(row), **OPERATION}), "status": {"code": ERROR} if failed else {},
        })  # fmt: skip

    def _record(self, writer: str, n: int, row: Row) -> None:
        word = row.get("verdict") if row.get("verdict") in STOPPED else "approved"
        number, name = SEVERITY.get(str(word), (9, "INFO"))
        about = f"{row.get('tool', '')}: {row.get('rule') or row.get('approved') or ''}"
        self.records.append({
            **self._ids(writer, n, row), "timeUnixNano": str(_nanoseconds(row.get("at"))), "severityNumber": number,
            "severityText": name, "body": {"stringValue": f"{word} {about}"}, "attributes": attributes(_labels(row)),
        })  # fmt: skip

    def resource(self) -> Row:
        facts = {"service.name": "hookkit", "service.version": __version__, "host.id": self.machine["name"],
                 "host.name": self.machine["host"], "hookkit.team": self.machine["team"]}  # fmt: skip
        return {"attributes": attributes(facts)}


def attributes(values: Row) -> list[Row]:
    return [{"key": name, "value": {"stringValue": str(value)}} for name, value in values.items() if value]


def _labels(row: Row) -> Row:
    return {attribute: row[name] for name, attribute in NAMES.items() if isinstance(row.get(name), str)}


def _nanoseconds(ms: Any) -> int:
    return int(ms) * 1_000_000 if isinstance(ms, (int, float)) and 0 <= ms < 2**43 else 0


def post(endpoint: str, batches: list[Batch], environ: dict[str, str]) -> None:
    """Raises httpx.HTTPError if the receiver does not take them now.

    What it refuses for good is left to the error log: the protocol forbids to send it again, and the rest must go on.
    """
    scope = {"name": "hookkit", "version": __version__}
    spans = [
        {"resource": batch.resource(), "scopeSpans": [{"scope": scope, "spans": batch.spans}]}
        for batch in batches if batch.spans
    ]  # fmt: skip
    records = [
        {"resource": batch.resource(), "scopeLogs": [{"scope": scope, "logRecords": batch.records}]}
        for batch in batches if batch.records
    ]  # fmt: skip
    for path, name, value in (("traces", "resourceSpans", spans), ("logs", "resourceLogs", records)):
        if value:
            address = f"{endpoint.rstrip('/')}/v1/{path}"
            answer = httpx.post(address, json={name: value}, headers=_headers(environ), timeout=SECONDS)
            if answer.status_code == REFUSED:
                error = FleetError(f"{address} refused {name} for good: {answer.text[:200]!r}")
                error_log.try_to_record(environ, "fleet", error)
                continue
            answer.raise_for_status()


def _headers(environ: dict[str, str]) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in environ.get(HEADERS, "").split(",") if "=" in pair)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _fields(line: bytes) -> Row:
    """A row of a journal, without lone surrogates: no receiver takes them."""
    return parsed(lines.flat(line).decode("utf-8", "replace"))


# -- a machine without a hub -------------------------------------------------------------------------------------------


def endpoint(settings: Settings) -> str:
    """The receiver, or ""."""
    told = str(settings["fleet.to"])
    return membership.checked(told.removeprefix(PREFIX)) if told.startswith(PREFIX) else ""


class Export:
    """Sends this machine's rows. Rows from before the first export to a receiver stay, as on joining a hub."""

    def __init__(self, environ: dict[str, str], settings: Settings) -> None:
        self.environ = environ
        self.endpoint = endpoint(settings)
        state = membership.read(environ, STATE) or {}
        if state.get("to") != self.endpoint:
            state = {"to": self.endpoint, "machine": os.urandom(8).hex(), "before": all_ends(environ)}
            membership.keep(environ, STATE, state)
        self.known = state
        self.heads: dict[str, Head] = {name: (head[0], head[1]) for name, head in state.get("heads", {}).items()}
        self.machine = {"name": state["machine"], "host": platform.node(), "team": ""}
        self.unsent = Unsent(environ, self.heads, state["before"])
        self.unsent.projects = tuple(settings["fleet.projects"])
        self.sent = 0

    def run(self) -> int:
        """Gives how many rows were sent; LaterError if the receiver does not take them now."""
        done, problem = set(self.known.get("segments", ())), ""
        try:
            for file in self.unsent.sources(done):
                self._send(file)
                done |= {file.name} if file.name else set()
        except httpx.HTTPError as error:
            problem = f"{self.endpoint} does not take rows: {error or type(error).__name__}"
            raise LaterError(problem) from None
        finally:
            last = {} if problem else {"done": int(time.time())}
            self.known |= {"heads": {name: [*head] for name, head in self.heads.items()}, "segments": sorted(done),
                           "problem": problem, "sent": self.known.get("sent", 0) + self.sent, **last}  # fmt: skip
            membership.keep(self.environ, STATE, self.known)
        return self.sent

    def _send(self, file: RowFile) -> None:
        for writer, run in file.runs.items():
            while (section := self.unsent.section(writer, run, ROWS)) is not None:
                batch = Batch(self.machine)
                for n, line in run:
                    if section.first - BACK <= n < section.first:
                        batch.remember(_fields(line))
                    elif section.first <= n <= section.end:
                        batch.add(writer, n, _fields(line))
                post(self.endpoint, [batch], self.environ)
                self.heads[writer] = (section.end, section.last)
                self.sent += len(section.rows)

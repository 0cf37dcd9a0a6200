"""A machine's membership in a fleet: what joining leaves on it, its requests to the hub, and approvals asked for there.

Below the state directory, for this user alone:

fleet/machine.json    the hub's address, team and key, the machine's random id and secret
fleet/before.json     where each chain ended on joining: rows up to there never leave
fleet/sent.json       the heads that the hub has confirmed: a copy, which can be lost
fleet/status.json     the last contact
fleet/person.json     the address and token of a person who reads the fleet
"""

import json
import os
import time
from typing import Any
from urllib.parse import urlsplit

import httpx

from hookkit import __version__
from hookkit.errors import HookkitError
from hookkit.ledger import segments
from hookkit.settings import layers
from hookkit.system import error_log, files, jsons
from hookkit.work.gates import approvals, remote

LIMIT = 64 << 20
LOCAL = ("127.0.0.1", "::1", "localhost")
MACHINE, BEFORE, SENT, STATUS, PERSON = (f"{name}.json" for name in ("machine", "before", "sent", "status", "person"))


class FleetError(HookkitError):
    """The fleet cannot be reached, or this machine is no part of one."""


def directory(environ: dict[str, str]) -> str:
    state = files.state_dir(environ)
    if not state:
        raise FleetError("there is no home directory to keep the machine's id in")
    return os.path.join(state, "fleet")


def read(environ: dict[str, str], name: str) -> dict[str, Any] | None:
    """A file of this room; None if it is missing or damaged."""
    return jsons.read_own(os.path.join(directory(environ), name), LIMIT)


def keep(environ: dict[str, str], name: str, value: dict[str, Any]) -> None:
    folder = files.private_dir(directory(environ))
    files.keep(os.path.join(folder, name), jsons.dumps(value).encode(), 0o600)


def remove(environ: dict[str, str], *names: str) -> None:
    for name in names:
        path = os.path.join(directory(environ), name)
        if os.path.lexists(path):
            os.unlink(path)


def machine(environ: dict[str, str]) -> dict[str, Any]:
    """The machine as the fleet knows it."""
    record = read(environ, MACHINE)
    if record is None or not all(isinstance(record.get(name), str) for name in ("url", "machine", "secret")):
        raise FleetError("this machine is in no fleet. Join one: hookkit fleet join URL CODE")
    return record


def witness_token(hashed: bytes) -> str:
    """For an agent's own telemetry, made from the digest of the secret: whoever reads it cannot send rows with it."""
    from hashlib import sha256

    return sha256(b"witness" + hashed).hexdigest()


def checked(url: str) -> str:
    """An address of a hub: https, or http on this machine."""
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOCAL):
        raise FleetError(f"{url}: expected https://…, because rows and a secret go there")
    if not parts.hostname or parts.username or parts.query or parts.fragment:
        raise FleetError(f"{url}: expected an address like https://hub.example.com")
    return url.rstrip("/")


def address(machine: dict[str, Any], settings: layers.Settings) -> str:
    """The setting fleet.to moves the machine to another address of its hub."""
    told = settings["fleet.to"]
    return checked(told if told and not told.startswith("otlp+") else machine["url"])


def forget(environ: dict[str, str]) -> None:
    """After leaving: no secret remains, and pruning treats all segments alike again."""
    remove(environ, MACHINE, BEFORE, SENT, STATUS)
    path = os.path.join(segments.directory(environ), segments.SENT)
    if os.path.lexists(path):
        os.unlink(path)


# -- the hub, as a machine or a person sees it -------------------------------------------------------------------------


CONNECT, READ = 5.0, 30.0  # seconds
AGENT = {"user-agent": f"hookkit/{__version__}", "x-hookkit-fleet": "1"}
LARGEST = 64 << 20  # bytes of an answer
TOO_LARGE = (400, 413)
REFUSED = (401, 403)


class LaterError(FleetError):
    """The hub cannot be reached or is busy: rows wait, and the next sync tries again."""

    def __init__(self, message: str, seconds: int = 0) -> None:
        super().__init__(message)
        self.seconds = seconds


class CutError(FleetError):
    """The hub did not get the whole body: something on the way cuts large ones."""


class Hub:
    def __init__(self, url: str, secret: str = "") -> None:
        headers = {**AGENT, "authorization": f"Bearer {secret}"} if secret else AGENT
        timeout = httpx.Timeout(READ, connect=CONNECT)
        self.url = url
        self.client = httpx.Client(headers=headers, timeout=timeout, follow_redirects=False)

    def close(self) -> None:
        self.client.close()

    def post(self, path: str, value: Any) -> dict[str, Any]:
        return self._answer(
            "POST", path, content=json.dumps(value).encode(), headers={"content-type": "application/json"}
        )

    def send(self, path: str, data: bytes) -> dict[str, Any]:
        return self._answer("POST", path, content=data, headers={"content-type": "application/gzip"})

    def get(self, path: str, **query: str) -> dict[str, Any]:
        return self._answer("GET", path, params=query)

    def _answer(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        """The answer, or an error that says whether to try again."""
        try:
            with self.client.stream(method, self.url + path, **more) as response:
                data = b""
                for chunk in response.iter_bytes():
                    data += chunk
                    if len(data) > LARGEST:
                        raise FleetError(f"{self.url}: the answer is larger than {LARGEST} bytes")
        except httpx.HTTPError as error:
            raise LaterError(f"{self.url} cannot be reached: {error or type(error).__name__}") from None
        value = _object(data)
        code = response.status_code
        if code == httpx.codes.OK and value is not None:
            return value
        complaint = str((value or {}).get("error", "")) or f"answer {code}"
        if code in TOO_LARGE:
            raise CutError(f"{self.url}: {complaint}")
        if code in REFUSED or code == httpx.codes.NOT_FOUND:
            raise FleetError(f"{self.url} refuses: {complaint}")
        wait = response.headers.get("retry-after", "")
        raise LaterError(f"{self.url}: {complaint}", int(wait) if wait.isdigit() else 0)


def own_hub(machine: dict[str, Any], settings: layers.Settings) -> Hub:
    return Hub(address(machine, settings), f"{machine['machine']}:{machine['secret']}")


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


# -- approvals that the hub is asked for -------------------------------------------------------------------------------


EVERY = 1.0  # seconds between two questions to the hub
MOST = 50  # requests in one question; the hub takes no more of a machine
FIELDS = ("request", "digest", "about", "call", "person", "session", "approvers")
Approval = dict[str, Any]


def waiting_requests(environ: dict[str, str]) -> list[Approval]:
    """Requests without an answer; the newest first."""
    rows = [row for row in approvals.every(environ) if row.get("request") and row["state"] == approvals.OPEN]
    return [row for row in reversed(rows) if not remote.is_over(row)][:MOST]


def exchange_answers(hub: Hub, environ: dict[str, str], rows: list[Approval]) -> int:
    """Tell the hub of these requests, and note its answers; gives how many were answered."""
    asked = [{**{name: row[name] for name in FIELDS}, "project": os.path.basename(row["project"]),
              "seconds": int(remote.stamp_seconds(row["expires"]) - time.time())} for row in rows]  # fmt: skip
    answers = hub.post("/fleet/asks", {"asks": asked}).get("answers")
    count = 0
    for row in rows:
        answer = answers.get(row["request"]) if isinstance(answers, dict) else None
        if isinstance(answer, dict) and answer:
            remote.settle(environ, row, str(answer.get("text", "")), str(answer.get("signature", "")))
            count += 1
    return count


def ask_until_answered(id_: str, seconds: str) -> None:
    """Ask for one approval until it is answered, or its hook waits no longer."""
    environ = dict(os.environ)
    path = os.path.join(approvals.directory(environ), id_)
    end = time.monotonic() + float(seconds)
    try:
        hub = own_hub(machine(environ), layers.load("/", environ))
    except FleetError:
        remote.note_contact(environ, id_, remote.AWAY)
        return
    try:
        while (row := approvals.read(path)) is not None and row["state"] == approvals.OPEN:
            if exchange_answers(hub, environ, [row]) or time.monotonic() >= end:
                return
            remote.note_contact(environ, id_, "asked")
            time.sleep(EVERY)
    except HookkitError as error:
        remote.note_contact(environ, id_, remote.AWAY)
        error_log.try_to_record(environ, "fleet", error)
    finally:
        hub.close()

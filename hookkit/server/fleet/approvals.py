"""Approvals that the hub is asked for: requests go there, signed answers come back into the approval's file.

`main` runs in the background while a hook waits; every sync asks for what is still open.
"""

import os
import time
from typing import Any

from hookkit.errors import HookkitError
from hookkit.server.fleet import membership
from hookkit.server.fleet.client import Hub
from hookkit.server.fleet.membership import FleetError
from hookkit.settings import layers
from hookkit.system import error_log
from hookkit.work.gates import approvals, remote

EVERY = 1.0  # seconds between two questions to the hub
MOST = 50  # requests in one question; the hub takes no more of a machine
SENT = ("request", "digest", "about", "call", "person", "session", "approvers")
Approval = dict[str, Any]


def waiting(environ: dict[str, str]) -> list[Approval]:
    """Requests without an answer; the newest first."""
    rows = [row for row in approvals.every(environ) if row.get("request") and row["state"] == approvals.OPEN]
    return [row for row in reversed(rows) if not remote.is_over(row)][:MOST]


def exchange(hub: Hub, environ: dict[str, str], rows: list[Approval]) -> int:
    """Tell the hub of these requests, and note its answers; gives how many were answered."""
    asked = [{**{name: row[name] for name in SENT}, "project": os.path.basename(row["project"]),
              "seconds": int(remote.stamp_seconds(row["expires"]) - time.time())} for row in rows]  # fmt: skip
    answers = hub.post("/fleet/asks", {"asks": asked}).get("answers")
    count = 0
    for row in rows:
        answer = answers.get(row["request"]) if isinstance(answers, dict) else None
        if isinstance(answer, dict) and answer:
            remote.settle(environ, row, str(answer.get("text", "")), str(answer.get("signature", "")))
            count += 1
    return count


def main(id_: str, seconds: str) -> None:
    """Ask for one approval until it is answered, or its hook waits no longer."""
    environ = dict(os.environ)
    path = os.path.join(approvals.directory(environ), id_)
    end = time.monotonic() + float(seconds)
    try:
        known = membership.machine(environ)
        hub = Hub(membership.address(known, layers.load("/", environ)), f"{known['machine']}:{known['secret']}")
    except FleetError:
        _note(environ, path, remote.AWAY)
        return
    try:
        while (row := approvals.read(path)) is not None and row["state"] == approvals.OPEN:
            if exchange(hub, environ, [row]) or time.monotonic() >= end:
                return
            _note(environ, path, "asked")
            time.sleep(EVERY)
    except HookkitError as error:
        _note(environ, path, remote.AWAY)
        error_log.try_to_record(environ, "fleet", error)
    finally:
        hub.close()


def _note(environ: dict[str, str], path: str, contact: str) -> None:
    row = approvals.read(path)
    if row is not None:
        remote.note_contact(environ, row, contact)

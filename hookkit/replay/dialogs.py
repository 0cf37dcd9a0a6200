"""The permission dialogs of past sessions, from the ledger: the call, and whether the person said yes."""

import os

from hookkit.replay.history import from_row
from hookkit.system import jsons
from hookkit.transcripts.past_calls import PastCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

PERSON = "person"
MASKED = "[masked]"  # a call with a masked part is not known whole
ENDS = ("PostToolUse", "PostToolUseFailure")


class Dialog:
    """A question to the person about a call."""

    __slots__ = ("call", "is_yes")

    def __init__(self, call: PastCall, *, is_yes: bool) -> None:
        self.call = call
        self.is_yes = is_yes


def read(environ: dict[str, str], since: int = 0) -> list[Dialog]:
    from hookkit.ledger import places, reading, store  # late: SQLite

    if not os.path.exists(store.path_of(environ)) and not places.paths(environ):
        return []
    ledger = store.Ledger(environ)
    try:
        ledger.fold()
        bodies = [body for _, _, body in reading.rows(ledger.connection, reading.Filters(since=since))]
    finally:
        ledger.close()
    rows = [jsons.loads(body.encode("utf-8", "surrogatepass")) for body in bodies]
    return paired([row for row in rows if isinstance(row, dict)])


def paired(rows: "Iterable[dict[str, Any]]") -> list[Dialog]:
    """An executed call had its dialog answered yes; a call without an outcome was refused, if a person was there."""
    requests: dict[str, dict[str, Any]] = {}
    shown: set[tuple[str, str]] = set()
    ends: dict[str, dict[str, Any]] = {}
    for row in rows:
        event, call, same = row.get("event"), str(row.get("call") or ""), str(row.get("same") or "")
        if event == "PreToolUse" and call:
            requests[call] = row
        elif event == "PermissionRequest" and not row.get("unattended"):
            shown.add((str(row.get("session")), same))
        elif event in ENDS and call:
            ends[call] = row
    found = []
    for id_, row in requests.items():
        end = ends.get(id_)
        is_yes = end is not None and end.get("approved") == PERSON
        was_shown = (str(row.get("session")), str(row.get("same") or "")) in shown
        past = from_row(row)
        if past is not None and (is_yes or (was_shown and end is None)) and MASKED not in jsons.dumps(past.input):
            found.append(Dialog(past, is_yes=is_yes))
    return found

"""The past calls of this machine: from transcripts, and from the ledger where no transcript is left."""

import os
import time
from collections.abc import Callable, Iterator

from hookkit.system import files, jsons
from hookkit.transcripts import past_calls
from hookkit.transcripts.past_calls import PastCall

LEDGER = "ledger"


class History:
    """Calls since a time (milliseconds), of a single project or of all; `skipped` files could not be read."""

    def __init__(self, environ: dict[str, str], *, since: int = 0, project: str = "") -> None:
        self.environ = environ
        self.since = since
        self.project = os.path.realpath(project) if project else ""
        self.skipped: list[str] = []
        self.files = 0
        self._seen: set[str] = set()  # ids of calls, so the ledger adds only calls missing from transcripts

    def calls(self, paths: list[str], *, with_ledger: bool) -> Iterator[PastCall]:
        for place in paths:
            for path in past_calls.transcripts(place, self.since / 1000):
                self.files += 1
                try:
                    yield from filter(self._is_wanted, past_calls.read(path))
                except OSError as error:
                    self.skipped.append(f"{path}: {error.strerror or error}")
        if with_ledger:
            yield from filter(self._is_wanted, self._ledger())

    def _is_wanted(self, call: PastCall) -> bool:
        if call.id and call.id in self._seen:
            return False  # a resumed session repeats the calls of the session before
        if call.id:
            self._seen.add(call.id)
        if self.since and call.at and _milliseconds(call.at) < self.since:
            return False
        return not self.project or f"{os.path.realpath(call.cwd or '/')}/".startswith(f"{self.project}/")

    def _ledger(self) -> Iterator[PastCall]:
        from hookkit.ledger import places, reading, store  # late: SQLite

        if not os.path.exists(store.path_of(self.environ)) and not places.paths(self.environ):
            return
        filters = reading.Filters(since=self.since)
        filters.columns["event"] = ["PreToolUse"]
        ledger = store.Ledger(self.environ)
        try:
            ledger.fold()
            for _, _, body in reading.rows(ledger.connection, filters):
                row = jsons.loads(body.encode("utf-8", "surrogatepass"))
                call = from_row(row) if isinstance(row, dict) else None
                if call is not None:
                    yield call
        finally:
            ledger.close()


def from_row(row: dict[str, object]) -> PastCall | None:
    tool, given, cwd = row.get("tool"), row.get("input"), row.get("cwd") or row.get("project")
    if not isinstance(tool, str) or not isinstance(given, dict) or not isinstance(cwd, str):
        return None
    session = row.get("session")
    call = PastCall(LEDGER, tool, given, cwd=cwd, session=session if isinstance(session, str) else "")
    call.client = str(row.get("client") or "claude")
    call.id = str(row.get("call") or "")
    return call


def _milliseconds(at: str) -> int:
    """An ISO time; an unreadable time counts as now, to keep its call."""
    from datetime import datetime

    try:
        return int(datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp() * 1000)
    except ValueError:
        return int(time.time() * 1000)


def project_of(cwd: str, known: dict[str, str], find: "Callable[[str], str]" = files.repository) -> str:
    if cwd not in known:
        known[cwd] = find(cwd) if cwd else ""
    return known[cwd]

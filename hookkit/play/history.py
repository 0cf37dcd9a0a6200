"""The past calls of this machine: from transcripts, and from the ledger where no transcript is left."""

import os
import time
from collections.abc import Callable, Iterator

from hookkit import play
from hookkit.agents.transcripts import past_calls
from hookkit.agents.transcripts.past_calls import PastCall
from hookkit.errors import ShellError
from hookkit.ledger import lines
from hookkit.play import input_of
from hookkit.policy.call import Call
from hookkit.policy.decide import decide
from hookkit.policy.rules import compile_rules
from hookkit.system import files, jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


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
                call = from_row(lines.whole(row)) if isinstance(row, dict) else None
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
    return paired([lines.whole(row) for row in rows if isinstance(row, dict)])


def paired(rows: "Iterable[dict[str, Any]]") -> list[Dialog]:
    """An executed call had its dialog answered yes; a call without an outcome was refused, if a person was there.

    The row of a dialog may come after the call's outcome: the client takes the answer while the hook still runs.
    """
    requests: dict[str, dict[str, Any]] = {}
    latest: dict[tuple[str, str], str] = {}  # call of a session and its input
    shown: set[tuple[str, str]] = set()
    asked: set[str] = set()
    ends: dict[str, dict[str, Any]] = {}
    for row in rows:
        event, call = row.get("event"), str(row.get("call") or "")
        same = (str(row.get("session")), str(row.get("same") or ""))
        if event == "PreToolUse" and call:
            requests[call] = row
            latest[same] = call
        elif event == "PermissionRequest" and not row.get("unattended"):
            shown.add(same)
            if same in latest and row.get("verdict") != "allow":
                asked.add(latest[same])
        elif event in ENDS and call:
            ends[call] = row
    dialogs = []
    for id_, row in requests.items():
        end = ends.get(id_)
        approved = str(end.get("approved") or "") if end is not None else ""
        is_yes = approved == PERSON or (id_ in asked and approved.startswith("mode "))
        was_shown = (str(row.get("session")), str(row.get("same") or "")) in shown
        past = from_row(row)
        if past is not None and (is_yes or (was_shown and end is None)) and MASKED not in jsons.dumps(past.input):
            dialogs.append(Dialog(past, is_yes=is_yes))
    return dialogs


PLACE, HOME = "/home/person/project", "/home/person"  # of no meaning: incidents name files of their own


def kinds() -> dict[str, str]:
    """Each shipped rule that stops an incident, with the incident's kind: `git.discard-changes` is git."""
    policy = compile_rules({})
    names: dict[str, str] = {}
    for row in play.incidents():
        call = Call(row["tool"], input_of(row["tool"], row["args"]), cwd=PLACE, project=PLACE, home=HOME)
        try:
            rule = decide(policy, call, "").rule
        except ShellError:  # a row of another version that this one cannot read
            continue
        if rule is not None and rule.get("name"):
            names.setdefault(rule["name"], row.get("class", ""))
    return names

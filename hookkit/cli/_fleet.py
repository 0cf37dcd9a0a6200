"""The ledger of a whole fleet, read from its hub with the rights of the person who asks."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from hookkit.cli._console import STATUSES, Output, Stream, note, plural, stop, write
from hookkit.cli._here import moment, when
from hookkit.cli._ledger import LISTED, TAILED, Listing, Selection, card, facts
from hookkit.cli._view import Table, Text, View, Wide
from hookkit.ledger.tables import Entry
from hookkit.server.fleet import membership
from hookkit.server.fleet.membership import Hub

POLL = 2.0  # seconds between two questions to the hub
PAGE = 1_000  # rows of one answer
DAY = 86_400_000  # ms
EVER = 3_650  # days
NAMES = ("event", "tool", "verdict", "session", "project", "machine", "person", "team", "rule", "approved", "text")
WHO = ("id", "when", "who")
# The tables of `stats`: the list of the hub's answer, and its columns.
TABLES = {
    "rules": ("rule", "verdict", "team", "rows"),
    "days": ("day", "team", "rows"),
    "policies": ("policy", "machines"),
    "machines": ("name", "host", "team", "owner", "state", "policy", "rows"),
    "unattended": ("session", "person", "machine", "project", "began"),
    "read a secret": ("session", "person", "machine", "project", "began"),
}
TIMES = ("began",)
NUMBERS = ("rows", "machines")


def _signed_in() -> closing[Hub]:
    person = membership.read(dict(os.environ), membership.PERSON)
    if person is None:
        stop("you are not signed in at a hub. Ask for an invitation, then: hookkit fleet join URL CODE")
    return closing(Hub(membership.checked(str(person.get("url", ""))), str(person.get("token", ""))))


def _query(wanted: Selection) -> dict[str, str]:
    if wanted.actor or wanted.kind or wanted.unfinished:
        stop("--actor, --kind and --unfinished are for the ledger of this machine")
    given = {name: str(getattr(wanted, name)) for name in NAMES if getattr(wanted, name)}
    return {**given, "since": str(moment(wanted.since))} if wanted.since else given


def _entry(row: dict[str, Any]) -> Entry:
    origin = row.get("person") or row.get("host") or row.get("machine")
    named = {name: row.get(name) for name in ("machine", "team", "person", "project") if row.get(name)}
    entry = Entry(int(row["id"]), str(row.get("hash", "")), json.dumps({**row["body"], **named, "from": origin}))
    if row.get("ended"):
        entry.outcome = Entry(0, "", json.dumps(row["ended"]))
    return entry


def list_rows(wanted: Selection, limit: int, before: int, *, did: bool) -> Output:
    if did:
        stop("--did is for the ledger of this machine")
    with _signed_in() as hub:
        answer = hub.get("/read/rows", **_query(wanted), limit=str(limit), before=str(before or ""))
    entries = [_entry(row) for row in answer["rows"]]
    more = entries[-1].id if answer["more"] and entries else 0

    def view() -> View:
        if more:
            note(f"There are more: add --before {more}")
        listing = Listing((*WHO, *LISTED[2:]))
        lines = listing.lines(entries)  # first: the header is as wide as they are
        return [listing.header(), *lines] if entries else Text("No rows.", "dim")

    return Output({"rows": [facts(entry) for entry in entries], "before": more or None}, view)


def show(number: int) -> Output:
    with _signed_in() as hub:
        entry = _entry(hub.get(f"/read/row/{number}"))
    return Output(facts(entry), card(entry))


def tail(wanted: Selection, count: int, *, follow: bool) -> Stream:
    return Stream(_batches(_query(wanted), count, follow=follow), facts, Listing((*WHO, *TAILED[2:])).lines)


def _batches(query: dict[str, str], count: int, *, follow: bool) -> Iterator[list[Entry]]:
    """The newest rows, then those that come in."""
    seen: set[int] = set()
    with _signed_in() as hub:
        try:
            while True:
                rows = hub.get("/read/tail", **query, limit=str(PAGE if seen else max(count, 1)))["rows"]
                entries = [_entry(row) for row in reversed(rows) if row["id"] not in seen]
                seen |= {entry.id for entry in entries}
                yield entries
                if not follow:
                    return
                time.sleep(POLL)
        except KeyboardInterrupt:
            return


def stats(since: str) -> Output:
    days = max(1, round((time.time() * 1000 - moment(since)) / DAY)) if since else EVER
    with _signed_in() as hub:
        sums = {**hub.get("/read/stats", days=str(days)), **hub.get("/read/machines")}
        for name, only in (("unattended", "unattended"), ("read a secret", "tainted")):
            sums[name] = hub.get("/read/sessions", only=only, days=str(days))["sessions"]
    return Output(sums, lambda: [part for name in TABLES if sums[name] for part in _titled(name, sums[name])])


def _titled(name: str, rows: list[dict[str, Any]]) -> list[Any]:
    return [Text(name, "bold"), _table(TABLES[name], rows), ""]


def _table(heads: tuple[str, ...], rows: list[dict[str, Any]]) -> Table:
    table = Table(*heads, right=NUMBERS)
    for row in rows:
        table.add(*(when(row[head]) if head in TIMES else row[head] for head in heads))
    return table


def export(wanted: Selection, form: str, to: str) -> None:
    if form != "jsonl" or to:
        stop("the rows of a fleet go to stdout, as JSON lines: hookkit ledger export --fleet > rows.jsonl")
    query = _query(wanted)
    with _signed_in() as hub:
        before, is_more = "", True
        while is_more:
            answer = hub.get("/read/export", **query, limit=str(PAGE), before=before)
            for row in answer["rows"]:
                write(json.dumps(row) + "\n")
                before = str(row["id"])
            is_more = answer["more"]


def verify() -> Output:
    """Chains at the hub, and what the hub found as rows came in."""
    with _signed_in() as hub:
        value = {**_checked_rows(hub), **hub.get("/read/findings")}
    problems = [*value["faults"], *value["findings"]]
    lines = [Wide(_problem(row), "red") for row in problems]
    return Output(value, [*lines, Wide(f"{plural(value['rows'], 'row')} checked", "dim")], 1 if problems else 0)


def _checked_rows(hub: Hub) -> dict[str, Any]:
    """The hub checks some chains a request, so that millions of rows are no request that lasts for minutes."""
    faults: list[Any] = []
    count, after = 0, "0"
    while after:
        part = hub.get("/read/verify", after=after)
        count, faults = count + part["rows"], [*faults, *part["faults"]]
        after = str(part.get("next") or "")
    return {"rows": count, "faults": faults}


# -- approvals and agents --------------------------------------------------------------------------------------------


def approvals(*, everything: bool) -> Output:
    """Requests that wait at the hub, or all of them."""
    with _signed_in() as hub:
        rows = hub.get("/read/approvals", **({"all": "1"} if everything else {}))["approvals"]
    table = Table("id", "state", "by", "since", "what", whole=("id",), extra=("since",))
    for row in rows:
        by = row["by"] or ("" if row["yours"] else ", ".join(row["approvers"]) or "another approver")
        who = f"{row['person'] or row['owner']} on {row['host']}, {row['team']}, {row['project']}"
        what = Text.assemble(row["about"], f"\n{row['call']}" if row["call"] else "", (f"\n{who}", "dim"))
        table.add(str(row["id"]), row["state"], by, when(row["asked"]), what)
    hint = Text("Answer one with: hookkit approve --fleet ID (or --deny)", "dim")
    return Output(rows, [table, hint] if rows else Text("Nothing waits for an approval at the hub.", "green"))


def answer(id_: str, *, deny: bool) -> Output:
    if not (id_.isascii() and id_.isdigit()):
        stop(f"{id_}: not the number of a request. See: hookkit approve --fleet")
    with _signed_in() as hub:
        value = hub.post(f"/answer/{int(id_)}?state={'denied' if deny else 'approved'}", {})
    return Output(value, f"{id_} {value['state']} by {value['by']}", style="red" if deny else "green")


def agents() -> Output:
    """Sessions of the last day on all machines, those that need a person first."""
    with _signed_in() as hub:
        rows = hub.get("/read/agents")["agents"]
    table = Table("AGENT", "PERSON", "MACHINE", "PROJECT", "STATUS", "SINCE", "LAST", extra=("PROJECT", "LAST"))
    for row in rows:
        status = Text(row["status"], STATUSES.get(row["status"], ""))
        last = f"{row['tool'] or row['event']} {row['about'] or ''}".strip()
        machine = row["host"] or row["machine"]
        table.add(row["session"][:8], row["person"], machine, row["project"], status, when(row["at"]), last)
    return Output(rows, table if rows else Text("No agent has worked on a machine of the fleet since yesterday."))


def _problem(row: dict[str, Any]) -> str:
    moment_of = f" ({when(row['at'])})" if "at" in row else ""
    return f"{row['machine']}, row {row['n']} of {row['writer'] or '-'}: {row['what']}{moment_of}"

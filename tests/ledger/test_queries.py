"""One row a tool call, one for every other event; a filter is about the rows' own text."""

from typing import Any

import pytest

from hookkit.ledger import queries
from hookkit.ledger.queries import Filters
from hookkit.ledger.row_index import Ledger
from hookkit.ledger.tables import Entry
from tests.ledger.making import START, folded, outcome, request

# The number of a row's call is its name below; "." is the prompt, "!" the outcome without a request.
ROWS = [
    request(1),
    outcome(1),
    request(2, tool="Edit", path="/p/src/zebra.py", actor="agent:executor", input={"file_path": "/p/src/zebra.py"}),
    outcome(2, tool="Edit", path="/p/src/zebra.py", actor="agent:executor", event="PostToolUseFailure",
            outcome="failed", error="No such file: Straße"),
    request(3, verdict="deny", rule="Bash(rm *)", reason="Too much is lost.", hook="guard"),
    request(4, "s2", verdict="ask", kind="deploy", project="/q"),
    request(5, "s2", tool="mcp__db__query", verdict="allow"),
    outcome(5, "s2", tool="mcp__db__query", verdict="deny", reason="Secrets in it."),
    request(6, "s2", tool="mcp__db__drop"),
    {"at": START + 7000, "event": "UserPromptSubmit", "session": "s2", "more": {"prompt": "Please improve the parser"}},
    outcome(8, "s3"),
    outcome(9, "s3", event="PermissionDenied", outcome=None),
]  # fmt: skip
NAMES: dict[str | None, str] = {**{f"call-{number}": str(number) for number in range(10)}, None: "."}


@pytest.fixture
def ledger(environ: dict[str, str]) -> Ledger:
    return folded(environ, *ROWS)


def names(entries: list[Entry]) -> str:
    return "".join(NAMES[entry.body.get("call")] for entry in entries)


FOUND: list[tuple[dict[str, Any], str]] = [
    ({}, "98.654321"),
    ({"event": "PreToolUse"}, "654321"),
    ({"event": "PostToolUse"}, "851"),
    ({"event": "PostToolUseFailure"}, "2"),
    ({"event": "UserPromptSubmit"}, "."),
    ({"event": "Stop"}, ""),
    ({"tool": "Bash"}, "98431"),
    ({"tool": "Edit"}, "2"),
    ({"tool": "mcp__*"}, "65"),
    ({"tool": "mcp__*query"}, "5"),
    ({"tool": "edit"}, ""),
    ({"verdict": "deny"}, "53"),
    ({"verdict": "ask"}, "4"),
    ({"verdict": "none"}, "98.621"),
    ({"verdict": "none", "tool": "Bash"}, "981"),
    ({"verdict": "none", "text": "make"}, "61"),
    ({"verdict": "none", "unfinished": True}, "6"),
    ({"verdict": "deny", "project": "/p"}, "53"),
    ({"actor": "agent:executor", "project": "/p"}, "2"),
    ({"actor": "agent:executor", "project": "/q"}, ""),
    ({"event": "PostToolUse", "text": "make"}, ""),
    ({"event": "PreToolUse", "tool": "mcp__*", "text": "make"}, "65"),
    ({"kind": "deploy", "tool": "Edit"}, ""),
    ({"actor": "agent:executor"}, "2"),
    ({"actor": "agent:*"}, "2"),
    ({"kind": "deploy"}, "4"),
    ({"project": "/q"}, "4"),
    ({"session": "s2"}, ".654"),
    ({"session": "s"}, "98.654321"),
    ({"session": "x"}, ""),
    ({"since": START + 5000}, "98.65"),
    ({"since": START + 5400}, "98.65"),
    ({"text": "zebra"}, "2"),
    ({"text": "ZEBRA py"}, "2"),
    ({"text": "strasse"}, ""),
    ({"text": "Straße"}, "2"),
    ({"text": "no such file"}, "2"),
    ({"text": "zeb"}, ""),
    ({"text": "zeb*"}, "2"),
    ({"text": "make 3"}, "3"),
    ({"text": "secrets"}, "5"),
    ({"text": "improve parser"}, "."),
    ({"text": '" OR make NEAR('}, ""),
    ({"text": "rm"}, "3"),
    ({"unfinished": True}, "6"),
    ({"tool": "Bash", "verdict": "deny"}, "3"),
    ({"tool": "Edit", "verdict": "deny"}, ""),
    ({"tool": "Bash", "text": "make"}, "431"),
    ({"session": "s2", "text": "make"}, "654"),
    ({"session": "s2", "text": "ma*"}, "654"),
    ({"session": "s2", "unfinished": True}, "6"),
    ({"session": "s1", "unfinished": True}, ""),
    ({"text": "make", "unfinished": True}, "6"),
    ({"tool": "mcp__*", "verdict": "deny"}, "5"),
    ({"session": "s2", "since": START + 6000}, ".6"),
]


def asked(ledger: Ledger, wanted: dict[str, Any]) -> Filters:
    own = ("since", "text", "unfinished")
    filters = Filters(**{name: value for name, value in wanted.items() if name in own})
    for column, value in wanted.items():
        if (column, value) == ("verdict", "none"):
            filters.silent = True
        elif column not in own:
            filters.columns[column] = queries.values(ledger.connection, column, value) or [value]
    return filters


@pytest.mark.parametrize("enough", [queries.ENOUGH, 1], ids=["few rows", "as if there were many"])
@pytest.mark.parametrize(("wanted", "found"), FOUND, ids=[str(row[0]) for row in FOUND])
def test_filters_find_each_call_once(
    wanted: dict[str, Any], found: str, enough: int, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "ENOUGH", enough)
    filters = asked(ledger, wanted)
    assert names(queries.find(ledger.connection, filters, 50)) == found
    paged, before = "", 0
    while page := queries.find(ledger.connection, filters, 2, before):
        paged += names(page)
        before = page[-1].anchor
    assert paged == found


def test_a_row_before_which_to_go_on_has_to_be_there(ledger: Ledger) -> None:
    assert queries.find(ledger.connection, Filters(), 50, 999) == []


STATES = {"1": "done", "2": "failed", "3": "denied", "4": "asked", "5": "done", "6": "unfinished", ".": "", "8": "done",
          "9": "denied"}  # fmt: skip
SUBJECTS = {"1": "make 1", "2": "/p/src/zebra.py", ".": "Please improve the parser", "8": ""}


def test_each_row_has_its_outcome_and_its_subject(ledger: Ledger) -> None:
    entries = {names([entry]): entry for entry in queries.find(ledger.connection, Filters(), 50)}
    assert {name: entry.state for name, entry in entries.items()} == STATES
    assert {name: entries[name].subject for name in SUBJECTS} == SUBJECTS
    assert [entries["1"].get(name) for name in ("ms", "approved", "call")] == [40, "mode default", "call-1"]


def test_an_outcome_in_another_session_is_another_calls(environ: dict[str, str]) -> None:
    ledger = folded(environ, request(1, "s1"), outcome(1, "s2"))
    found = queries.find(ledger.connection, Filters(), 50)
    assert [entry.state for entry in found] == ["done", "unfinished"]


def test_an_outcome_that_is_folded_before_its_request_is_linked(environ: dict[str, str]) -> None:
    ledger = folded(environ, outcome(1))
    ledger.connection.execute("INSERT INTO facts VALUES ('x', 'y')")
    folded(environ, request(1)).close()
    (entry,) = queries.find(ledger.connection, Filters(), 50)
    assert entry.state == "done"
    assert queries.find(ledger.connection, Filters(unfinished=True), 50) == []


@pytest.mark.parametrize("number", [1, 2])
def test_either_number_shows_the_call(number: int, ledger: Ledger) -> None:
    entry = queries.one(ledger.connection, number)
    assert entry is not None
    assert entry.outcome is not None
    assert (entry.id, entry.outcome.id) == (1, 2)


def test_rows_come_out_as_they_were_written(ledger: Ledger) -> None:
    filters = Filters()
    filters.columns["tool"] = ["Edit"]
    assert [row[0] for row in queries.rows(ledger.connection, filters)] == [3, 4]
    assert len(list(queries.rows(ledger.connection, Filters()))) == len(ROWS)
    assert [row[0] for row in queries.rows(ledger.connection, Filters(text="zebra"))] == [3, 4]


# Rows by themselves, by their number: requests and outcomes each have one.
ALONE: list[tuple[dict[str, Any], list[int]]] = [
    ({}, list(range(1, 13))),
    ({"event": "PostToolUse"}, [2, 8, 11]),
    ({"verdict": "deny"}, [5, 8]),
    ({"verdict": "none"}, [1, 2, 3, 4, 9, 10, 11, 12]),
    ({"text": "make"}, [1, 5, 6, 7, 9]),
    ({"text": "make", "session": "s2"}, [6, 7, 9]),
    ({"unfinished": True}, [9]),
    ({"tool": "mcp__*", "since": START + 5400}, [8, 9]),
]


@pytest.mark.parametrize("enough", [queries.ENOUGH, 1], ids=["few rows", "as if there were many"])
@pytest.mark.parametrize(("wanted", "found"), ALONE, ids=[str(row[0]) for row in ALONE])
def test_rows_by_themselves(
    wanted: dict[str, Any], found: list[int], enough: int, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "ENOUGH", enough)
    filters, connection = asked(ledger, wanted), ledger.connection
    assert [entry.id for entry in queries.latest(connection, filters, 50)] == found
    assert [entry.id for entry in queries.latest(connection, filters, 2)] == found[-2:]
    assert [entry.id for entry in queries.after(connection, 0, 50, filters)] == found
    assert [entry.id for entry in queries.after(connection, 8, 1, filters)] == [id_ for id_ in found if id_ > 8][:1]
    assert [row[0] for row in queries.rows(connection, filters)] == found


# What is asked for, if all of it is wide; along which index that goes.
DRIVERS = [
    ({"event": "PostToolUse", "verdict": "deny"}, "verdict"),
    ({"project": "/p", "verdict": "deny"}, "verdict"),
    ({"project": "/p", "actor": "agent:executor"}, "project"),
    ({"tool": "Bash", "actor": "agent:executor"}, "tool"),
    ({"kind": "deploy", "tool": "Bash", "event": "PreToolUse"}, "tool"),
    ({"kind": "deploy", "session": "s1"}, "kind"),
    ({}, ""),
]


@pytest.mark.parametrize(("wanted", "column"), DRIVERS, ids=[str(row[0]) for row in DRIVERS])
def test_of_wide_filters_the_one_whose_index_tells_the_others_is_gone_along(
    wanted: dict[str, Any], column: str, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "ENOUGH", 0)
    assert queries._driver(ledger.connection, asked(ledger, wanted)) == (column, 0)


def test_the_newest_calls_are_found_without_a_look_at_the_old_ones(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An outcome is left out after its request: a walk along the outcomes alone would go through the whole ledger."""
    monkeypatch.setattr(queries, "ENOUGH", 10)
    ledger = folded(environ, *(row for number in range(200) for row in (request(number), outcome(number))))
    filters = Filters()
    filters.columns = {"event": ["PreToolUse", "PostToolUse", "PostToolUseFailure"]}
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1

    ledger.connection.set_progress_handler(count, 100)  # each hundred steps of SQLite
    calls = [str(entry.get("call")) for entry in queries.find(ledger.connection, filters, 5)]
    assert calls == ["call-199", "call-198", "call-197", "call-196", "call-195"]
    assert steps < 20

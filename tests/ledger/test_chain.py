"""Every edit, removal and reordering is found, and the row is named at which it shows."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookkit.ledger import journal, places
from hookkit.ledger.chain import Chains
from hookkit.ledger.store import DAY, Ledger, heads_of
from tests.ledger.making import START, folded, request

Rows = list[tuple[str, str, int, int]]


def findings(ledger: Ledger) -> Rows:
    """What, of which session, n, id."""
    return [(it.what, it.writer.rpartition("-")[0], it.n, it.id) for it in Chains(ledger).verify()]


def filled(environ: dict[str, str]) -> Ledger:
    """Two writers of five rows, in turn: odd numbers are s1's."""
    return folded(environ, *(request(number // 2, f"s{number % 2 + 1}") for number in range(10)))


def retired(environ: dict[str, str]) -> Ledger:
    """The same, after their journals were let go: now the file of heads knows where they ended."""
    ledger = filled(environ)
    for path in places.paths(environ):
        os.utime(path, (1, 1))
    ledger.retire(time.time())
    return ledger


def run(*statements: str) -> Callable[[Ledger], None]:
    def change(ledger: Ledger) -> None:
        for statement in statements:
            ledger.connection.execute(statement)

    return change


SWAP = (
    "UPDATE entries SET id = -2 WHERE id = 2",
    "UPDATE entries SET id = 2 WHERE id = 3",
    "UPDATE entries SET id = 3 WHERE id = -2",
)
# s1's rows are 1 to 5, s2's are 6 to 10: journals are folded one after the other.
CHANGES = [
    ("a body", run("UPDATE entries SET body = replace(body, 'make 1', 'make 9') WHERE id = 2"),
     [("changed", "s1", 2, 2)]),
    ("a blank in a body", run("UPDATE entries SET body = body || ' ' WHERE id = 8"), [("changed", "s2", 3, 8)]),
    ("a hash", run("UPDATE entries SET hash = replace(hash, substr(hash, 1, 8), '00000000') WHERE id = 2"),
     [("changed", "s1", 2, 2)]),
    ("a hash is empty", run("UPDATE entries SET hash = '' WHERE id = 2",
                            "UPDATE entries SET body = replace(body, 'make 2', 'make 9') WHERE id = 3"),
     [("changed", "s1", 2, 2), ("changed, or only the row before it", "s1", 3, 3)]),
    ("two bodies", run("UPDATE entries SET body = replace(body, 'make', 'echo') WHERE id IN (2, 3)"),
     [("changed", "s1", 2, 2), ("changed, or only the row before it", "s1", 3, 3)]),
    ("a body and its hash", run(
        "UPDATE entries SET body = replace(body, 'make 1', 'make 9'), hash = lower(hex(randomblob(32))) WHERE id = 2"),
     [("changed", "s1", 2, 2), ("changed, or only the row before it", "s1", 3, 3)]),
    ("a row is gone", run("DELETE FROM entries WHERE id = 3"), [("row 3 is missing before it", "s1", 4, 4)]),
    ("a row is gone, and another is changed", run(
        "DELETE FROM entries WHERE id = 2",
        "UPDATE entries SET body = replace(body, 'make', 'echo') WHERE id = 4"),
     [("row 2 is missing before it", "s1", 3, 3), ("changed", "s1", 4, 4)]),
    ("three rows are gone", run("DELETE FROM entries WHERE id IN (7, 8, 9)"),
     [("rows 2 to 4 are missing before it", "s2", 5, 10)]),
    ("the beginning is gone", run("DELETE FROM entries WHERE id <= 2"),
     [("its beginning: rows 1 to 2 are missing", "s1", 3, 3)]),
    ("two rows are swapped", run(*SWAP), [("out of order, or twice", "s1", 2, 3)]),
    ("a row is gone and the next is moved", run(
        "DELETE FROM entries WHERE id = 2", "UPDATE entries SET id = 99 WHERE id = 3"),
     [("some of rows 2 to 3 are missing before it", "s1", 4, 4), ("out of order, or twice", "s1", 3, 99)]),
]  # fmt: skip
IN_JOURNALS = [
    ("the end is cut", run("DELETE FROM entries WHERE id IN (9, 10)"),
     [("cut short: rows 4 to 5 missing, that s2.log has", "s2", 5, 0)]),
    ("a whole writer is gone", run("DELETE FROM entries WHERE id > 5"),
     [("cut short: rows 1 to 5 missing, that s2.log has", "s2", 5, 0)]),
    ("all rows are gone", run("DELETE FROM entries"),
     [("cut short: rows 1 to 5 missing, that s1.log has", "s1", 5, 0),
      ("cut short: rows 1 to 5 missing, that s2.log has", "s2", 5, 0)]),
]  # fmt: skip
SAID = "the file of heads knows"


@pytest.mark.parametrize(("change", "found"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_a_change_is_found_and_named(change: Callable[[Ledger], None], found: Rows, environ: dict[str, str]) -> None:
    ledger = filled(environ)
    assert findings(ledger) == []
    change(ledger)
    assert findings(ledger) == found


@pytest.mark.parametrize(("change", "found"), [row[1:] for row in IN_JOURNALS], ids=[row[0] for row in IN_JOURNALS])
def test_what_is_cut_off_is_known_from_the_journals(
    change: Callable[[Ledger], None], found: Rows, environ: dict[str, str]
) -> None:
    ledger = filled(environ)
    change(ledger)
    assert findings(ledger) == found


@pytest.mark.parametrize(("change", "found"), [row[1:] for row in IN_JOURNALS], ids=[row[0] for row in IN_JOURNALS])
def test_what_is_cut_off_is_known_from_the_heads(
    change: Callable[[Ledger], None], found: Rows, environ: dict[str, str]
) -> None:
    ledger = retired(environ)
    assert findings(ledger) == []
    change(ledger)
    said = [(what.replace("s1.log has", SAID).replace("s2.log has", SAID), *rest) for what, *rest in found]
    assert findings(ledger) == said


def test_a_deleted_database_is_missed(environ: dict[str, str]) -> None:
    ledger = retired(environ)
    ledger.close()
    for path in Path(ledger.path).parent.glob("ledger.db*"):
        path.unlink()
    what = f"cut short: rows 1 to 5 missing, that {SAID}"
    assert findings(Ledger(environ)) == [(what, "s1", 5, 0), (what, "s2", 5, 0)]


def test_a_journal_that_was_taken_away_is_missed(environ: dict[str, str]) -> None:
    ledger = filled(environ)
    os.unlink(places.paths(environ)[0])
    said = "its journal s1.log was taken away: rows that were only there are lost"
    assert findings(ledger) == [(said, "s1", 0, 0)]


@pytest.mark.parametrize(
    ("old", "new", "line"), [(b" 5 s1", b" 4 s1", 1), (b"head", b"HEAD", 1), (b" 5 s2", b" 6 s2", 2)]
)
def test_a_change_of_the_file_of_heads_is_found(old: bytes, new: bytes, line: int, environ: dict[str, str]) -> None:
    ledger = retired(environ)
    path = Path(heads_of(environ))
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    said = f"the file of heads: line {line} was changed, or the lines before it"
    assert findings(ledger) == [(said, "", 0, 0)]


def test_a_line_taken_out_of_the_file_of_heads_is_found(environ: dict[str, str]) -> None:
    ledger = retired(environ)
    path = Path(heads_of(environ))
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[1])
    assert findings(ledger) == [("the file of heads: line 1 was changed, or the lines before it", "", 0, 0)]


def test_a_pruned_chain_is_whole_and_a_forged_pruning_is_not(environ: dict[str, str]) -> None:
    ledger = filled(environ)
    ledger.prune(days=1, megabytes=0, now=START / 1000 + 1.5 + DAY)
    assert findings(ledger) == []
    connection = ledger.connection
    connection.execute("DELETE FROM entries WHERE n <= 3")
    connection.execute("UPDATE pruned SET n = 3, hash = 'x'")
    assert [row[:3] for row in findings(ledger)] == [
        ("its beginning was taken out: no pruning of it is in the file of heads", "s1", 3),
        ("changed", "s1", 4),
        ("its beginning: rows 1 to 3 are missing", "s2", 4),
    ]


def test_a_journal_edited_before_it_is_folded_is_found(environ: dict[str, str]) -> None:
    folded(environ, request(0)).close()
    (path,) = places.paths(environ)
    for number in (1, 2):
        journal.append(environ, "s1", request(number))
    file = Path(path)
    file.write_bytes(file.read_bytes().replace(b"make 1", b"make 7"))
    ledger = Ledger(environ)
    ledger.fold()
    assert findings(ledger) == [("changed", "s1", 2, 2)]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(row=st.integers(0, 9), at=st.integers(0, 10_000), to=st.integers(0, 255))
def test_any_byte_of_any_row_is_held(row: int, at: int, to: int, environ: dict[str, str]) -> None:
    ledger = Ledger(environ)
    if not ledger.connection.execute("SELECT 1 FROM entries").fetchone():
        filled(environ)
    chains = Chains(ledger)
    rows = list(chains._rows())
    number, digest, body = rows[row]
    at %= len(body)
    rows[row] = (number, digest, body[:at] + bytes([to]) + body[at + 1 :])
    chains._rows = lambda: iter(rows)  # type: ignore[method-assign]
    chains._walk(None)
    assert bool(chains.findings) == (rows[row][2] != body)
    ledger.close()

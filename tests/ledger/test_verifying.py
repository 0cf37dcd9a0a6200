"""Every edit and removal of a row is found and named; whatever else is done to the ledger is no finding."""

import gzip
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hookkit.ledger import journal, lines, places, register, segments
from hookkit.ledger.row_index import DAY, Ledger, path_of
from hookkit.ledger.upkeep import rebuild
from hookkit.ledger.verifying import Verification
from tests.ledger.making import START, folded, outcome, request, seal, write

Rows = list[tuple[str, str, int]]
LATER = max(time.time(), START / 1000 + 100 * DAY)


def findings(ledger: Ledger) -> Rows:
    """What, of which session, n."""
    return [(it.what, it.writer.rpartition("-")[0], it.n) for it in Verification(ledger).run()]


def filled(environ: dict[str, str], *, sealed: bool) -> Ledger:
    """Two writers of five rows, in turn."""
    ledger = folded(environ, *(request(number // 2, f"s{number % 2 + 1}") for number in range(10)))
    if sealed:
        seal(environ)
        ledger.fold()
    return ledger


def edit(environ: dict[str, str], session: str, change: Callable[[list[bytes]], list[bytes]]) -> None:
    """Change the lines of a session, in its journal or in the segment with them; the name of the segment is forged."""
    for path in places.paths(environ, session):
        lines = Path(path).read_bytes().splitlines(keepends=True)
        Path(path).write_bytes(b"".join(change(lines)))
    for name in segments.names(environ):
        path = os.path.join(segments.directory(environ), name)
        lines = gzip.decompress(Path(path).read_bytes()).splitlines(keepends=True)
        own = [line for line in lines if f'"w":"{session}-'.encode() in line]
        rest = [line for line in lines if line not in own]
        Path(path).write_bytes(gzip.compress(b"".join([*rest, *change(own)])))


def replaced(number: int, old: bytes, new: bytes) -> Callable[[list[bytes]], list[bytes]]:
    def change(lines: list[bytes]) -> list[bytes]:
        return [line.replace(old, new) if index == number - 1 else line for index, line in enumerate(lines)]

    return change


def without(*numbers: int) -> Callable[[list[bytes]], list[bytes]]:
    return lambda lines: [line for index, line in enumerate(lines, 1) if index not in numbers]


def rehashed(number: int) -> Callable[[list[bytes]], list[bytes]]:
    return lambda lines: [b"f" * 64 + line[64:] if at == number else line for at, line in enumerate(lines, 1)]


CHANGES = [
    ("the text of a row", replaced(2, b'"tool":"Bash"', b'"tool":"Read"'), [("changed", "s1", 2)]),
    ("the content of a row", replaced(2, b"make 1", b"make 9"), [("its content was changed or removed", "s1", 2)]),
    ("a content is taken out", replaced(2, b"\tcall ", b"\tmore "), [("its content was changed or removed", "s1", 2)]),
    ("a hash", rehashed(2), [("changed", "s1", 2)]),
    ("two texts", lambda lines: replaced(3, b'"Bash"', b'"Read"')(replaced(2, b'"Bash"', b'"Read"')(lines)),
     [("changed", "s1", 2), ("changed, or only the row before it", "s1", 3)]),
    ("a text and its hash", lambda lines: rehashed(2)(replaced(2, b'"Bash"', b'"Read"')(lines)),
     [("changed", "s1", 2), ("changed, or only the row before it", "s1", 3)]),
    ("a row is gone", without(3), [("row 3 is missing before it", "s1", 4)]),
    ("three rows are gone", without(2, 3, 4), [("rows 2 to 4 are missing before it", "s1", 5)]),
    ("the beginning is gone", without(1, 2), [("rows 1 to 2 are missing at the beginning of its chain", "s1", 3)]),
]  # fmt: skip
ENDS = [
    ("the end is cut", without(4, 5), "rows 4 to 5"),
    ("the last row is gone", without(5), "row 5"),
    ("all rows are gone", without(1, 2, 3, 4, 5), "rows 1 to 5"),
]


@pytest.mark.parametrize("state", ["open", "sealed"])
@pytest.mark.parametrize(("change", "found"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_a_change_is_found_and_named(
    change: Callable[[list[bytes]], list[bytes]], found: Rows, state: str, environ: dict[str, str]
) -> None:
    ledger = filled(environ, sealed=state == "sealed")
    assert findings(ledger) == []
    edit(environ, "s1", change)
    named = [finding for finding in findings(ledger) if not finding[0].startswith(("the segment", "only in the index"))]
    assert named == found


@pytest.mark.parametrize(("change", "missing"), [row[1:] for row in ENDS], ids=[row[0] for row in ENDS])
def test_a_cut_is_known_from_the_tip_though_there_is_no_index(
    change: Callable[[list[bytes]], list[bytes]], missing: str, environ: dict[str, str]
) -> None:
    filled(environ, sealed=False).close()
    edit(environ, "s1", change)
    Path(path_of(environ)).unlink()
    said = f"cut short: {missing} missing, that the tip of its journal knows"
    assert findings(Ledger(environ)) == [(said, "s1", 5)]


def test_a_cut_is_known_from_the_index_though_there_is_no_tip(environ: dict[str, str]) -> None:
    ledger = filled(environ, sealed=False)
    edit(environ, "s1", without(4, 5))
    os.unlink(places.tip_of(places.paths(environ, "s1")[0]))
    assert findings(ledger) == [("cut short: rows 4 to 5 missing, that the index still has", "s1", 5)]


def test_a_segment_that_was_taken_away_is_missed_though_there_is_no_index(environ: dict[str, str]) -> None:
    filled(environ, sealed=True).close()
    (name,) = segments.names(environ)
    os.unlink(os.path.join(segments.directory(environ), name))
    os.unlink(path_of(environ))
    assert findings(Ledger(environ)) == [(f"the segment {name} was taken away: 10 rows are gone", "", 0)]


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: data[:40] + b"x" + data[41:]])
def test_a_damaged_segment_is_named(damage: Callable[[bytes], bytes], environ: dict[str, str]) -> None:
    ledger = filled(environ, sealed=True)
    (name,) = segments.names(environ)
    path = Path(segments.directory(environ)) / name
    path.write_bytes(damage(path.read_bytes()))
    assert findings(ledger)[0][0].startswith(f"the segment {name} is damaged: ")


def test_rows_taken_out_of_a_segment_are_found_though_its_chains_hold(environ: dict[str, str]) -> None:
    ledger = filled(environ, sealed=True)
    edit(environ, "s1", without(1, 2, 3, 4, 5))
    (name,) = segments.names(environ)
    assert (f"the segment {name}: rows were added, removed or exchanged", "", 0) in findings(ledger)


@pytest.mark.parametrize(("old", "new"), [(b"sealed", b"SEALED"), (b" 10\n", b" 11\n")])
def test_a_change_of_the_register_is_found(old: bytes, new: bytes, environ: dict[str, str]) -> None:
    ledger = filled(environ, sealed=True)
    path = Path(register.path_of(environ))
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    assert findings(ledger)[0] == ("the register: line 1 was changed, or the lines before it", "", 0)


@pytest.mark.parametrize("how", ["removed", "shortened"])
def test_a_register_that_was_removed_or_shortened_is_found(how: str, environ: dict[str, str]) -> None:
    ledger = filled(environ, sealed=True)
    write(environ, request(20, "s3"))
    seal(environ)
    ledger.fold()
    path = Path(register.path_of(environ))
    path.unlink() if how == "removed" else path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    last = "was shortened or exchanged: its last lines are not those that the index remembers"
    said = "was removed" if how == "removed" else last
    assert findings(ledger) == [(f"the register {said}", "", 0)]


COPY = "INSERT INTO entries (hash, source, body) SELECT"
FIFTH = "FROM entries WHERE session = 's1' AND n = 5"
INDEX = [
    ("a body", "UPDATE entries SET body = replace(body, 'make 1', 'make 9') WHERE session = 's1' AND n = 2",
     [("the index shows another content than the journal. Fix: hookkit ledger repair", "s1", 2)]),
    ("a row is gone", "DELETE FROM entries WHERE session = 's1' AND n = 2",
     [("misses in the index. Fix: hookkit ledger repair", "s1", 2)]),
    ("a row is added", f"{COPY} hash, source, replace(body, '\"n\":5', '\"n\":6') {FIFTH}",
     [("cut short: row 6 missing, that the index still has", "s1", 6)]),
    ("a second row with a number", f"{COPY} substr(hash, 2) || 'x', source, body {FIFTH}",
     [("only in the index: no journal has this row. Fix: hookkit ledger repair", "s1", 5)]),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "found"), [row[1:] for row in INDEX], ids=[row[0] for row in INDEX])
def test_an_index_that_lies_is_found_and_made_anew(statement: str, found: Rows, environ: dict[str, str]) -> None:
    ledger = filled(environ, sealed=True)
    ledger.connection.execute(statement)
    assert findings(ledger) == found
    ledger.close()
    rebuild(environ)
    assert findings(Ledger(environ)) == []


def test_an_event_that_was_written_down_twice_is_found(environ: dict[str, str]) -> None:
    journal.append(environ, "other", request(1))
    ledger = folded(environ, request(0), request(1), request(2))
    assert [(row[0].partition(" of ")[0], *row[1:]) for row in findings(ledger)] == [
        ("twice: the same event as row 1", "s1", 2)
    ]


# -- no false accusation -----------------------------------------------------------------------------------------------


def sealed_and_resumed(environ: dict[str, str], ledger: Ledger) -> None:
    seal(environ)
    write(environ, request(20, "s1"))


def index_removed(environ: dict[str, str], ledger: Ledger) -> None:
    seal(environ)
    for path in Path(ledger.path).parent.glob("index.db*"):
        path.unlink()


def old_index_restored(environ: dict[str, str], ledger: Ledger) -> None:
    """A backup of the index alone comes back after rows were sealed and pruned."""
    ledger.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(ledger.path, f"{ledger.path}.copy")
    write(environ, request(30, "s3"))
    ledger.fold()
    seal(environ)
    ledger.fold()
    assert ledger.prune(days=1, megabytes=0, now=LATER) == 11
    ledger.close()
    for ending in ("-wal", "-shm"):
        Path(ledger.path + ending).unlink(missing_ok=True)
    os.replace(f"{ledger.path}.copy", ledger.path)


def old_state_restored(environ: dict[str, str], ledger: Ledger) -> None:
    ledger.close()
    state = Path(ledger.path).parent
    shutil.copytree(state, state.with_name("copy"))
    seal(environ)
    shutil.rmtree(state)
    state.with_name("copy").rename(state)


def journal_left_behind(environ: dict[str, str], ledger: Ledger) -> None:
    """A process was killed between the segment and the removal of the journal; then the session went on."""
    (path,) = places.paths(environ, "s1")
    data = Path(path).read_bytes()
    tip = Path(places.tip_of(path)).read_bytes()
    seal(environ)
    Path(path).write_bytes(data)
    Path(places.tip_of(path)).write_bytes(tip)
    write(environ, request(20, "s1"))


def segment_not_noted(environ: dict[str, str], ledger: Ledger) -> None:
    seal(environ)
    os.unlink(register.path_of(environ))
    ledger.connection.execute("DELETE FROM facts")


def pruning_interrupted(environ: dict[str, str], ledger: Ledger) -> None:
    seal(environ)
    ledger.fold()
    (name,) = segments.names(environ)
    data = segments.read(environ, name)
    ends = [f"{writer}:{last}" for writer, last in segments.spans(data).items()]
    register.note(environ, register.PRUNED, name, "10", *ends)


def pruned_with_a_chain_that_goes_on(environ: dict[str, str], ledger: Ledger) -> None:
    journal_left_behind(environ, ledger)
    ledger.fold()
    ledger.prune(days=1, megabytes=0, now=LATER)


def tip_behind(environ: dict[str, str], ledger: Ledger) -> None:
    (path,) = places.paths(environ, "s1")
    tip = Path(places.tip_of(path)).read_bytes()
    write(environ, request(20, "s1"))
    Path(places.tip_of(path)).write_bytes(tip)


def half_a_line(environ: dict[str, str], ledger: Ledger) -> None:
    with open(places.paths(environ, "s1")[0], "ab") as file:
        file.write(b"0" * 64 + b' {"n":6,"w":"s1')


def moved_aside(environ: dict[str, str], ledger: Ledger) -> None:
    (path,) = places.paths(environ, "s1")
    os.rename(path, path.replace("s1.log", "s1-0000.log"))


HARMLESS = [
    sealed_and_resumed, index_removed, old_index_restored, old_state_restored, journal_left_behind, segment_not_noted,
    pruning_interrupted, pruned_with_a_chain_that_goes_on, tip_behind, half_a_line, moved_aside,
]  # fmt: skip


@pytest.mark.parametrize("happen", HARMLESS, ids=lambda happen: happen.__name__)
def test_nobody_is_accused(happen: Callable[[dict[str, str], Ledger], None], environ: dict[str, str]) -> None:
    ledger = filled(environ, sealed=False)
    happen(environ, ledger)
    ledger.close()
    ledger = Ledger(environ)
    ledger.fold()
    assert findings(ledger) == []
    calls = ledger.connection.execute("SELECT w, n FROM entries").fetchall()
    assert len(calls) == len(set(calls))


def test_a_pruned_chain_is_whole_and_a_forged_pruning_is_not(environ: dict[str, str]) -> None:
    """A forged line of the register needs all lines after it to be forged, too: the index remembers the last one."""
    ledger = filled(environ, sealed=True)
    write(environ, request(20, "s3"))
    seal(environ)
    ledger.fold()
    assert ledger.prune(days=1, megabytes=0, now=START / 1000 + 15 + DAY) == 10
    assert findings(ledger) == []
    path, before, text = Path(register.path_of(environ)), lines.FIRST, b""
    for line in path.read_bytes().splitlines():
        body = line[65:].replace(b"s1-", b"s3-")
        before = lines.chained(before, body)
        text += f"{before} ".encode() + body + b"\n"
    path.write_bytes(text)
    assert findings(ledger)[0][0].startswith("the register was shortened or exchanged")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 100_000), to=st.integers(0, 255))
@example(at=0, to=ord("-"))  # a number, to Python
@example(at=0, to=ord("+"))
@example(at=1, to=ord("_"))
def test_any_byte_of_any_row_is_held(at: int, to: int, environ: dict[str, str]) -> None:
    path = places.paths(environ, "held")[0] if places.paths(environ, "held") else ""
    if not path:
        (path,) = set(write(environ, *(row for n in range(3) for row in (request(n, "held"), outcome(n, "held")))))
    whole = Path(path).read_bytes()
    at %= len(whole)
    Path(path).write_bytes(whole[:at] + bytes([to]) + whole[at + 1 :])
    ledger = Ledger(environ)
    try:
        assert bool(findings(ledger)) == (whole[at] != to)
    finally:
        ledger.close()
        Path(path).write_bytes(whole)
        for file in Path(ledger.path).parent.glob("index.db*"):
            file.unlink()


def test_a_journal_edited_before_it_is_read_is_found(environ: dict[str, str]) -> None:
    folded(environ, request(0)).close()
    (path,) = places.paths(environ)
    for number in (1, 2):
        journal.append(environ, "s1", request(number))
    file = Path(path)
    file.write_bytes(file.read_bytes().replace(b'"call-1"', b'"call-7"'))
    ledger = Ledger(environ)
    ledger.fold()
    assert findings(ledger) == [("changed", "s1", 2)]

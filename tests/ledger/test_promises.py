"""The promises of docs/ledger.md, one test each: power cuts, tampering, wrong clocks, full places, damaged files."""

import json
import multiprocessing
import os
import shutil
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hookkit.ledger import journal, places, queries, register, segments, upkeep
from hookkit.ledger.health import Health
from hookkit.ledger.queries import Filters
from hookkit.ledger.row_index import Ledger, path_of
from hookkit.ledger.upkeep import rebuild
from hookkit.ledger.verifying import Verification
from hookkit.system import database, running
from tests.ledger.making import START, folded, outcome, request, seal, write

DAY = 86_400


def findings(ledger: Ledger) -> list[str]:
    return [finding.what for finding in Verification(ledger).run()]


def calls(ledger: Ledger) -> list[str]:
    return sorted(row[0] for row in ledger.connection.execute("SELECT call FROM entries WHERE call IS NOT NULL"))


def opened(environ: dict[str, str]) -> Ledger:
    ledger = Ledger(environ)
    ledger.fold()
    return ledger


# -- power cuts: the writes that reached the disk are those before the last sync ---------------------------------------


class Disk:
    """What a disk would hold after a power cut: of each file, the content at its last sync."""

    def __init__(self) -> None:
        self.content: dict[str, bytes] = {}

    def sync(self, handle: int) -> None:
        path = os.readlink(f"/proc/self/fd/{handle}")
        if stat.S_ISREG(os.fstat(handle).st_mode):
            self.content[path] = Path(path).read_bytes()

    def cut_power(self, paths: list[str]) -> None:
        for path in paths:
            Path(path).write_bytes(self.content.get(path, b""))


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    if not os.path.exists("/proc/self/fd"):
        pytest.skip("needs /proc to name an open file")
    found = Disk()
    monkeypatch.setattr("hookkit.system.files.sync", found.sync)
    return found


def test_a_power_cut_costs_at_most_the_rows_of_the_last_second(environ: dict[str, str], disk: Disk) -> None:
    rows = [request(0, at=START), request(1, at=START + 100), request(2, at=START + 1100), request(3, at=START + 1200)]
    (path,) = set(write(environ, *rows))
    disk.cut_power([path])
    assert calls(opened(environ)) == ["call-0", "call-1", "call-2"]


@pytest.mark.parametrize("event", ["Stop", "SessionEnd", "UserPromptSubmit", "SubagentStop", "PreCompact"])
def test_the_end_of_a_turn_is_on_the_disk_before_hookkit_answers(
    event: str, environ: dict[str, str], disk: Disk
) -> None:
    (path,) = set(write(environ, request(0), request(0, call="call-1"), request(0, call="call-2", event=event)))
    disk.cut_power([path])
    assert calls(opened(environ)) == ["call-0", "call-1", "call-2"]


def test_a_power_cut_after_a_fold_costs_no_row_that_comes_later(environ: dict[str, str], disk: Disk) -> None:
    """The journal is synced before its rows are read; even if it lost its end, no number is given twice."""
    (path,) = set(write(environ, *(request(0, call=f"call-{number}") for number in range(5))))
    opened(environ).close()
    disk.cut_power([path])
    assert len(Path(path).read_bytes().splitlines()) == 5
    Path(path).write_bytes(b"".join(Path(path).read_bytes().splitlines(keepends=True)[:2]))  # a disk that lied
    write(environ, request(9))
    ledger = opened(environ)
    assert calls(ledger) == ["call-0", "call-1", "call-2", "call-3", "call-4", "call-9"]
    assert findings(ledger)[0] == "rows 3 to 5 are missing before it"


def test_a_journal_is_deleted_only_when_its_rows_are_sealed_on_the_disk(
    environ: dict[str, str], disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    folded(environ, request(1), outcome(1)).close()
    unlink = os.unlink

    def checked(path: str) -> None:
        if path.endswith(places.ENDING):
            (name,) = segments.names(environ)
            temporary = [data for name, data in disk.content.items() if "/sealed/" in name]
            assert temporary == [Path(segments.directory(environ), name).read_bytes()]
            assert register.read(environ)[0][0].words[0] == name
        unlink(path)

    monkeypatch.setattr(os, "unlink", checked)
    seal(environ)
    assert calls(opened(environ)) == ["call-1", "call-1"]


# -- nothing is dropped ------------------------------------------------------------------------------------------------


def test_rows_of_an_old_copy_of_a_journal_are_kept_beside_the_newer_ones(environ: dict[str, str]) -> None:
    (path,) = set(write(environ, *(request(number) for number in range(3))))
    state = Path(path).parent
    shutil.copytree(state, state.with_name("backup"))
    write(environ, *(request(number) for number in range(3, 6)))
    opened(environ).close()
    shutil.rmtree(state)
    shutil.move(state.with_name("backup"), state)
    write(environ, request(7))
    ledger = opened(environ)
    assert calls(ledger) == [f"call-{number}" for number in (0, 1, 2, 3, 4, 5, 7)]
    assert findings(ledger) != []


def test_a_row_with_a_wrong_date_takes_no_other_row_along(environ: dict[str, str]) -> None:
    now = int(time.time() * 1000)
    write(environ, request(0, at=now), request(1, at=1_577_836_800_000), request(2, at=now))
    upkeep.fold_quickly(environ, days=30, megabytes=200)
    assert len(calls(opened(environ))) == 3


@pytest.mark.usefixtures("at_once")
def test_one_start_with_a_clock_40_days_ahead_deletes_nothing(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    write(environ, *(request(number, at=int((now - number * DAY) * 1000)) for number in range(5)))
    monkeypatch.setattr("time.time", lambda: now + 40 * DAY)
    upkeep.fold_quickly(environ, days=30, megabytes=200)
    monkeypatch.undo()
    ledger = opened(environ)
    assert len(calls(ledger)) == 5
    assert ledger.is_due(now)  # a time in the future does not put off the next pruning for ever


def large(environ: dict[str, str]) -> None:
    ledger = Ledger(environ)
    for part in range(8):
        rows = [
            request(part * 50 + number, f"s{part}", at=int(time.time() * 1000), output="x" * 8_000)
            for number in range(50)
        ]
        write(environ, *rows)
        seal(environ)
        ledger.fold()
    ledger.note("pruned", str(int(time.time())))  # by age, it was done today
    assert ledger.size() > 2_000_000
    ledger.close()


@pytest.mark.usefixtures("at_once")
def test_a_hook_keeps_the_size_limit_every_time(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    large(environ)
    monkeypatch.setattr(upkeep, "MINUTE", -1)
    for _ in range(10):
        upkeep.fold_quickly(environ, days=30, megabytes=2)
    ledger = Ledger(environ)
    assert ledger.size() <= 2_000_000
    assert findings(ledger) == []


def test_a_hook_does_not_wait_for_pruning(environ: dict[str, str]) -> None:
    """A process of its own prunes, once in a minute: what is too young to go must not cost every start of a session."""
    large(environ)
    count = len(segments.names(environ))
    before = {*running._started}
    for _ in range(3):
        upkeep.fold_quickly(environ, days=30, megabytes=1)
    assert len({*running._started} - before) == 1
    os.waitpid(running._started[-1], 0)
    assert len(segments.names(environ)) < count
    assert findings(opened(environ)) == []


def test_a_new_ledger_starts_no_process(environ: dict[str, str]) -> None:
    write(environ, request(1))
    started = len(running._started)
    upkeep.fold_quickly(environ, days=30, megabytes=200)
    assert len(running._started) == started


def _rebuilt(environ: dict[str, str]) -> None:
    try:
        rebuild(environ)
    except database.BusyError:
        return


def test_two_repairs_at_once_lose_no_row(environ: dict[str, str]) -> None:
    folded(environ, *(request(number) for number in range(300))).close()
    seal(environ)
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_rebuilt, args=(environ,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(calls(opened(environ))) == 300


def test_ten_thousand_journals_cost_a_hook_no_more_than_thirty_two(environ: dict[str, str]) -> None:
    for number in range(100):
        write(environ, request(number, f"session-{number:03}"))
    ledger = Ledger(environ)
    assert ledger.fold(most=32) == 32
    assert [ledger.fold(most=32) for _ in range(3)] == [32, 32, 4]  # each has its turn, then it begins again
    assert len(calls(ledger)) == 100


def test_hooks_read_every_journal_in_turn(environ: dict[str, str]) -> None:
    for number in range(96):
        write(environ, request(number, f"session-{number:03}"))
    for _ in range(30):
        upkeep.fold_quickly(environ, days=30, megabytes=200)
        ledger = Ledger(environ)
        waiting = ledger.waiting()
        ledger.close()
        if not waiting:
            break
    assert waiting == []


def test_a_session_that_goes_on_after_its_journal_was_sealed_begins_another_chain(environ: dict[str, str]) -> None:
    (path,) = set(write(environ, request(1), request(1, event="SessionEnd", call=None)))
    seal(environ)
    assert write(environ, request(2)) == [path]
    ledger = opened(environ)
    assert ledger.connection.execute("SELECT n FROM entries ORDER BY at").fetchall() == [(1,), (2,), (1,)]
    assert findings(ledger) == []


def test_a_home_with_bytes_outside_utf_8_has_a_ledger(environ: dict[str, str], tmp_path: Path) -> None:
    home = os.fsdecode(os.fsencode(str(tmp_path)) + b"/h\xff")
    assert journal.append({**environ, "HOME": home}, "s1", request(1)).startswith(home)


# -- tampering ---------------------------------------------------------------------------------------------------------


def cut_before_a_fold(environ: dict[str, str], ledger: Ledger) -> None:
    write(environ, request(10), request(11), request(12))
    path = Path(places.paths(environ, "s1")[0])
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-2]))
    write(environ, request(13))
    ledger.fold()


def emptied(environ: dict[str, str], ledger: Ledger) -> None:
    Path(places.paths(environ, "s1")[0]).write_bytes(b"")
    ledger.fold()


def removed(environ: dict[str, str], ledger: Ledger) -> None:
    os.unlink(places.paths(environ, "s1")[0])
    ledger.fold()


def exchanged(environ: dict[str, str], ledger: Ledger) -> None:
    shutil.copy(places.paths(environ, "s2")[0], places.paths(environ, "s1")[0])
    ledger.fold()


def segment_removed(environ: dict[str, str], ledger: Ledger) -> None:
    seal(environ)
    ledger.fold()
    (name,) = segments.names(environ)
    os.unlink(os.path.join(segments.directory(environ), name))


def segment_exchanged(environ: dict[str, str], ledger: Ledger) -> None:
    """An older segment under the name of a newer one."""
    seal(environ)
    write(environ, request(9, "s3"))
    seal(environ)
    ledger.fold()
    first, second = (os.path.join(segments.directory(environ), name) for name in segments.names(environ))
    shutil.copy(first, second)


def register_removed(environ: dict[str, str], ledger: Ledger) -> None:
    seal(environ)
    ledger.fold()
    os.unlink(register.path_of(environ))


def forged_pruning(environ: dict[str, str], ledger: Ledger) -> None:
    """With a right line in the register, as `prune` would write it, of rows that are in no segment."""
    Path(places.paths(environ, "s1")[0]).write_bytes(b"")
    (writer,) = {row[0] for row in ledger.connection.execute("SELECT w FROM entries WHERE session = 's1'")}
    register.note(environ, register.PRUNED, "00000001-0000000000000000.gz", "2", f"{writer}:2")


TAMPERING = [
    cut_before_a_fold, emptied, removed, exchanged, segment_removed, segment_exchanged, register_removed,
    forged_pruning,
]  # fmt: skip


@pytest.mark.parametrize("tamper", TAMPERING, ids=lambda tamper: tamper.__name__)
def test_tampering_is_found(tamper: Callable[[dict[str, str], Ledger], None], environ: dict[str, str]) -> None:
    rows = [request(number, session) for session in ("s1", "s2") for number in range(4)]
    ledger = folded(environ, *rows)
    assert findings(ledger) == []
    tamper(environ, ledger)
    assert findings(ledger) != []


def test_an_anchor_finds_an_old_copy_of_the_whole_state(environ: dict[str, str], tmp_path: Path) -> None:
    folded(environ, request(1)).close()
    state, copy = Path(path_of(environ)).parent, tmp_path / "copy"
    shutil.copytree(state, copy)
    ledger = folded(environ, request(2))
    line = register.make_anchor(ledger)
    assert register.differences(ledger, line) == []
    ledger.close()
    shutil.rmtree(state)
    shutil.copytree(copy, state)
    ledger = opened(environ)
    assert findings(ledger) == []
    assert len(register.differences(ledger, line)) == 1


def test_an_anchor_holds_while_rows_come_and_old_ones_go(environ: dict[str, str]) -> None:
    ledger = folded(environ, request(1), request(2, "s2"))
    line = register.make_anchor(ledger)
    write(environ, request(3), request(4, "s3"))
    ledger.fold()
    seal(environ)
    ledger.fold()
    assert ledger.prune(days=1, megabytes=0, now=START / 1000 + 100 + DAY) == 4
    assert register.differences(ledger, line) == []
    next(Path(places.root(environ), "anchors").iterdir()).write_bytes(b"x")
    assert len(register.differences(ledger, line)) == 1


def test_an_anchor_finds_a_chain_that_was_rewritten(environ: dict[str, str]) -> None:
    ledger = folded(environ, request(1), request(2))
    line = register.make_anchor(ledger)
    ledger.close()
    shutil.rmtree(places.places(environ)[0])
    Path(path_of(environ)).unlink()
    ledger = folded(environ, request(1))
    assert findings(ledger) == []
    assert len(register.differences(ledger, line)) == 1


# -- damaged and foreign files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_a_flipped_byte_costs_one_row_and_stops_no_command(seed: int, environ: dict[str, str]) -> None:
    (path,) = set(write(environ, *(request(number) for number in range(6))))
    data = bytearray(Path(path).read_bytes())
    at = (seed * 7_919) % len(data)
    data[at] ^= 0x80 if seed % 2 else 0x01
    Path(path).write_bytes(bytes(data))
    ledger = opened(environ)
    assert len(queries.find(ledger.connection, Filters(), 50)) >= 4
    assert findings(ledger) != []


def test_a_row_of_the_index_that_is_no_text_any_more_is_named_and_shown(environ: dict[str, str]) -> None:
    ledger = folded(environ, request(1), request(2))
    ledger.connection.execute("UPDATE entries SET body = CAST(x'7b226e223a322c22ff' AS TEXT) WHERE id = 2")
    assert findings(ledger) != []
    assert [entry.body["event"] for entry in queries.find(ledger.connection, Filters(), 50)][-1] == "PreToolUse"
    assert queries.one(ledger.connection, 2) is not None
    ledger.close()
    rebuild(environ)
    assert findings(opened(environ)) == []


def test_half_a_character_in_an_id_stops_no_command(environ: dict[str, str]) -> None:
    row = json.loads('{"call": "\\ud800", "session": "\\udfff"}')
    ledger = folded(environ, request(1, **row), outcome(1, **row))
    found = queries.find(ledger.connection, Filters(), 50)
    assert all(entry.body["call"].encode() for entry in found)
    assert findings(ledger) == []


def test_a_fifo_in_place_of_the_database_is_refused(environ: dict[str, str]) -> None:
    Path(path_of(environ)).parent.mkdir(parents=True)
    os.mkfifo(path_of(environ))
    with pytest.raises(database.StateError, match="not a regular file"):
        Ledger(environ)
    assert journal.append(environ, "s1", request(1))


def test_a_schema_that_is_no_text_any_more_is_said_and_repaired(environ: dict[str, str]) -> None:
    """SQLite quotes the schema in its message, which Python then cannot decode."""
    folded(environ, request(1), outcome(1)).close()
    path = Path(path_of(environ))
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE", b"CRE\xd4TE TABLE"))
    with pytest.raises(database.DamagedError, match="its schema is no longer text"):
        Ledger(environ)
    assert [trouble.what for trouble in Health(environ).troubles] == ["damaged"]
    assert rebuild(environ) == 2
    assert calls(opened(environ)) == ["call-1", "call-1"]

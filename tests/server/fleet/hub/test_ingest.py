"""Rows arrive once, in order, checked; whatever else comes is told apart and reported."""

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from hookkit.ledger import places
from hookkit.ledger.lines import FIRST, digest
from hookkit.server.fleet import batch, membership
from hookkit.server.fleet.batch import Section
from hookkit.server.fleet.hub import contents, ingest
from hookkit.server.fleet.hub.postgres import Store
from tests.ledger.making import outcome, request, seal, write
from tests.server.fleet.hub.conftest import Fleet

SECRET = "tr0ub4dor"


def count(store: Store, table: str = "rows") -> int:
    with store.owner() as connection:
        row = connection.execute(f"SELECT count(*) AS n FROM {table}".encode()).fetchone()
    return int((row or {})["n"])


def kinds(store: Store) -> list[str]:
    with store.owner() as connection:
        return [row["kind"] for row in connection.execute("SELECT kind FROM findings ORDER BY id")]


def test_rows_written_since_joining_arrive_once_and_verify(fleet: Fleet) -> None:
    environ = fleet.machine()
    write(environ, request(1), outcome(1), request(2, verdict="deny", rule="r1"), request(1, "s2"))
    assert fleet.sync(environ).sent == 4
    assert fleet.sync(environ).sent == 0
    write(environ, outcome(2))
    assert fleet.sync(environ).sent == 1
    security = fleet.person("sec", "security")
    assert security.verify() == {"rows": 5, "faults": []}
    assert count(fleet.store) == 5
    first = security.get("rows")["rows"]
    assert [(row["body"]["tool"], row["body"].get("verdict")) for row in first] == [
        ("Bash", "deny"),
        ("Bash", None),
        ("Bash", None),
    ]
    assert kinds(fleet.store) == []


def test_rows_from_before_joining_stay(fleet: Fleet, tmp_path: Path) -> None:
    environ = {**os.environ, "HOME": str(tmp_path / "early")}
    os.mkdir(environ["HOME"])
    write(environ, request(1), request(2))
    fleet.join(environ)
    write(environ, request(3))
    assert fleet.sync(environ).sent == 1
    assert fleet.person("sec", "security").verify() == {"rows": 1, "faults": []}


def test_sealed_rows_arrive_and_their_segment_is_noted(fleet: Fleet) -> None:
    environ = fleet.machine()
    write(environ, *(request(number) for number in range(1, 30)))
    seal(environ)
    write(environ, request(1, "s2"))
    assert fleet.sync(environ).sent == 30
    assert fleet.sync(environ).sent == 0
    sent = membership.read(environ, membership.SENT)
    assert sent is not None
    assert len(sent["segments"]) == 1


def test_a_machine_that_lost_its_list_asks_the_hub(fleet: Fleet) -> None:
    environ = fleet.machine()
    write(environ, request(1), request(2))
    fleet.sync(environ)
    membership.remove(environ, membership.SENT, membership.STATUS)
    with fleet.store.owner() as connection:
        connection.execute("UPDATE machines SET turn = '', turn_before = ''")
    assert fleet.sync(environ).sent == 0
    assert count(fleet.store) == 2


def journal_of(environ: dict[str, str]) -> Path:
    (path,) = places.paths(environ)
    return Path(path)


def test_a_row_rewritten_with_all_later_hashes_is_kept_beside_the_first_and_reported(fleet: Fleet) -> None:
    environ = fleet.machine()
    write(environ, *(request(number) for number in range(1, 6)))
    fleet.sync(environ)
    path = journal_of(environ)
    rows = path.read_bytes().splitlines()
    other, before = [], FIRST
    for number, line in enumerate(rows, 1):
        text = line[65:].replace(b'"tool":"Bash"', b'"tool":"Read"') if number == 3 else line[65:]
        before = digest(before.encode() + text.partition(b"\t")[0])
        other.append(before.encode() + b" " + text)
    path.write_bytes(b"\n".join(other) + b"\n")
    fleet.sync(environ)
    assert kinds(fleet.store) == ["rewritten"]
    assert count(fleet.store) == 5 + 3  # rows 1 and 2 are the same
    write(environ, request(6))
    assert fleet.sync(environ).sent == 1
    assert count(fleet.store) == 9


def test_a_row_changed_without_its_hash_is_kept_and_reported(fleet: Fleet) -> None:
    environ = fleet.machine()
    write(environ, *(request(number) for number in range(1, 6)))
    path = journal_of(environ)
    path.write_bytes(path.read_bytes().replace(b"call-3", b"call-9"))
    assert fleet.sync(environ).sent == 5
    assert kinds(fleet.store) == ["damaged"]


def test_a_chain_that_was_cut_is_reported(fleet: Fleet) -> None:
    environ = fleet.machine()
    write(environ, *(request(number) for number in range(1, 6)))
    fleet.sync(environ)
    path = journal_of(environ)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    fleet.sync(environ)
    assert kinds(fleet.store) == ["cut"]


def test_rows_pruned_before_they_were_sent_are_a_counted_gap(fleet: Fleet) -> None:
    environ = fleet.machine()
    write(environ, *(request(number) for number in range(1, 4)))
    fleet.sync(environ)
    write(environ, *(request(number) for number in range(4, 10)))
    path = journal_of(environ)
    found = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(found[6:]))
    assert fleet.sync(environ).sent == 3
    assert kinds(fleet.store) == ["gap"]
    with fleet.store.owner() as connection:
        assert [row["what"][:6] for row in connection.execute("SELECT what FROM findings")] == ["3 rows"]
    assert fleet.person("sec", "security").get("verify")["faults"] == []


def test_a_copied_machine_gets_a_name_of_its_own(fleet: Fleet, tmp_path: Path) -> None:
    environ = fleet.machine()
    write(environ, request(1))
    fleet.sync(environ)
    copy = {**environ, "HOME": str(tmp_path / "copy")}
    shutil.copytree(environ["HOME"], copy["HOME"])
    write(environ, request(2))
    write(copy, request(2, "s2"))
    sent = [fleet.sync(machine).sent for machine in (environ, copy, environ, copy)]
    assert sent == [1, 1, 0, 0]
    assert membership.machine(environ)["machine"] != membership.machine(copy)["machine"]
    assert kinds(fleet.store) == ["copied", "copied"]
    assert count(fleet.store) == 3


LEVELS = {
    "verdicts": {"tool", "verdict", "rule", "at"},
    "calls": {"tool", "verdict", "rule", "at", "input", "project", "reason"},
    "all": {"tool", "verdict", "rule", "at", "input", "project", "reason", "more", "diff", "output"},
}


@pytest.mark.parametrize("level", LEVELS)
def test_what_stays_is_not_sent_and_the_chain_still_verifies(fleet: Fleet, level: str) -> None:
    environ = fleet.machine()
    config = Path(environ["HOME"]) / ".config" / "hookkit" / "hookkit.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'[fleet]\nsend = "{level}"\n')
    write(
        environ,
        request(
            1,
            verdict="deny",
            rule="r1",
            reason="why",
            more={"prompt": SECRET},
            diff="+1",
            output="out",
            input={"file_path": "/p/a.py", "content": SECRET, "edits": [{"new_string": SECRET}]},
        ),
    )
    fleet.sync(environ)
    security = fleet.person("sec", "security")
    (row,) = security.get("rows")["rows"]
    body = security.get(f"row/{row['id']}")["body"]
    wanted = {"tool", "verdict", "rule", "at", "input", "project", "reason", "more", "diff", "output"}
    assert wanted & set(body) == LEVELS[level]
    assert (level == "all") == (SECRET in json.dumps(body))
    assert SECRET not in json.dumps(row)  # a list shows no content: reads of content are noted
    assert security.verify() == {"rows": 1, "faults": []}


def test_only_projects_of_the_setting_leave(fleet: Fleet) -> None:
    environ = fleet.machine()
    config = Path(environ["HOME"]) / ".config" / "hookkit" / "hookkit.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[fleet]\nprojects = ["example.com/team/*"]\n')
    own, private = {"remote": "example.com/team/app"}, {"remote": "example.com/me/diary"}
    write(environ, request(1, "s1", who=own), request(2, "s1"), request(1, "s2", who=private), request(1, "s3"))
    assert fleet.sync(environ).sent == 2


def section(*rows: bytes, how: str = "next", first: int = 1, before: str = FIRST, writer: str = "w-1") -> Section:
    hashes = batch.numbered(first, before, [*rows])
    return Section(writer, how, first, before, hashes[-1][1], [*rows])


def test_two_batches_at_once_move_a_head_once(fleet: Fleet) -> None:
    """Compare and swap: the second of two equal batches changes nothing and learns the head."""
    machine = 1
    fleet.machine()
    data = batch.pack([section(b'{"n":1,"w":"w-1","event":"Stop","at":5}')])
    first, second = (ingest.take(fleet.store, machine, data)["w-1"] for _ in range(2))
    assert first[2] == "taken"
    assert second == [first[0], first[1], "behind"]
    assert count(fleet.store) == 1


HOSTILE: dict[str, bytes] = {
    "NUL": b'{"n":1,"w":"w-1","event":"a\\u0000b","at":1,"tool":"\\u0000","session":"\\u0000x"}',
    "a lone surrogate": b'{"n":1,"w":"w-1","event":"\\ud800","at":1,"tool":"\\udfff","session":"s"}',
    "64 KB": b'{"n":1,"w":"w-1","event":"Stop","rule":"' + b"x" * 65_000 + b'"}',
    "no JSON": b"\xff\xfe nothing",
    "another machine's name": b'{"n":1,"w":"w-1","event":"Stop","machine":"2","who":{"machine":"other"}}',
    "wrong types": b'{"n":"1","w":[],"event":{},"at":"x","ms":1e400,"call":7,"session":3,"verdict":[1]}',
    "huge numbers": b'{"n":1,"w":"w-1","event":"Stop","at":99999999999999999999999,"ms":-99999999999999}',
    "deep": b'{"n":1,"x":' + b"[" * 5000 + b"]" * 5000 + b"}",
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_row_is_kept_as_it_is_and_harms_nobody(fleet: Fleet, case: str) -> None:
    fleet.machine()
    assert ingest.take(fleet.store, 1, batch.pack([section(HOSTILE[case])]))["w-1"][2] == "taken"
    security = fleet.person("sec", "security")
    assert security.verify() == {"rows": 1, "faults": []}
    (row,) = security.get("rows", event="*")["rows"]
    assert security.get(f"row/{row['id']}")["hash"]


def test_a_number_beyond_all_others_is_no_row_of_another_chain(fleet: Fleet) -> None:
    fleet.machine()
    ingest.take(fleet.store, 1, batch.pack([section(b'{"event":"Stop"}', first=(1 << 24) + 1, before="=" + "0" * 64)]))
    (row,) = fleet.person("sec", "security").get("rows", event="*")["rows"]
    assert row["id"] >> 24 == 1


def test_a_time_years_ahead_is_not_the_newest_for_years(fleet: Fleet) -> None:
    fleet.machine()
    ingest.take(fleet.store, 1, batch.pack([section(b'{"event":"Stop","session":"s","at":9000000000000000}')]))
    security = fleet.person("sec", "security")
    (row,) = security.get("rows", event="*")["rows"]
    assert row["body"]["at"] <= time.time() * 1000
    assert security.get(f"row/{row['id']}")["body"]["at"] == 9_000_000_000_000_000


REFUSED: dict[str, Any] = {
    "not compressed": b"hookkit-fleet 1\n",
    "cut": batch.pack([section(b"{}")])[:-9],
    "more behind": batch.pack([section(b"{}")]) + b"x",
    "another version": b"{}",
    "empty": b"",
}


@pytest.mark.parametrize("case", REFUSED)
def test_half_a_batch_changes_nothing(fleet: Fleet, case: str) -> None:
    fleet.machine()
    with pytest.raises(batch.BatchError):
        ingest.take(fleet.store, 1, REFUSED[case])
    assert count(fleet.store) == 0


def test_many_rows_are_verified_a_piece_at_a_time(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    fleet.machine()
    sections = [section(b'{"event":"Stop"}', b'{"event":"Stop"}', writer=f"w-{number}") for number in range(3)]
    ingest.take(fleet.store, 1, batch.pack(sections))
    with fleet.store.owner() as connection:
        connection.execute("UPDATE bodies SET after = repeat('0', 64) WHERE chain = 3")
    monkeypatch.setattr(contents, "CHECKED", 2)
    security = fleet.person("sec", "security")
    assert [security.get("verify", after=after)["next"] for after in range(3)] == [1, 2, 0]
    whole = security.verify()
    assert (whole["rows"], [fault["writer"] for fault in whole["faults"]]) == (6, ["w-2"])


def test_a_wrong_last_hash_is_not_taken(fleet: Fleet) -> None:
    fleet.machine()
    wrong = section(b'{"n":1}')._replace(last="0" * 64)
    assert ingest.take(fleet.store, 1, batch.pack([wrong]))["w-1"] == [0, "", "damaged"]
    assert count(fleet.store, "chains") == 0


def test_content_that_does_not_fit_its_digest_is_left_out(fleet: Fleet) -> None:
    fleet.machine()
    row = (
        b'{"n":1,"w":"w-1","event":"Stop","at":1,"parts":{"more":"'
        + b"0" * 32
        + b'"}}\tmore '
        + b"0" * 32
        + b' {"more":1}'
    )
    assert ingest.take(fleet.store, 1, batch.pack([section(row)]))["w-1"][2] == "taken"
    assert kinds(fleet.store) == ["damaged"]


def test_a_machine_that_is_revoked_or_unknown_is_refused(fleet: Fleet) -> None:
    environ = fleet.machine()
    write(environ, request(1))
    with fleet.store.owner() as connection:
        connection.execute("UPDATE machines SET revoked = now()")
    with pytest.raises(membership.FleetError, match="removed from the fleet"):
        fleet.sync(environ)
    membership.keep(environ, membership.MACHINE, {**membership.machine(environ), "secret": "0" * 64})
    with pytest.raises(membership.FleetError, match="no machine of this fleet"):
        fleet.sync(environ)
    status = membership.read(environ, membership.STATUS)
    assert status is not None
    assert "no machine of this fleet" in status["problem"]

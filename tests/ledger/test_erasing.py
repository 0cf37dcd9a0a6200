"""Erased content is nowhere any more, and the chain still holds and says what is gone."""

from pathlib import Path

import pytest

from hookkit.ledger import lines, places, register, segments
from hookkit.ledger.erasing import Erasure
from hookkit.ledger.row_index import Ledger, path_of
from hookkit.ledger.tables import Entry
from hookkit.ledger.upkeep import rebuild
from hookkit.ledger.verifying import Verification
from tests.ledger.making import folded, outcome, request, seal, write

SECRET = "Tr0ub4dor"


def filled(environ: dict[str, str], *, sealed: bool) -> None:
    ledger = folded(
        environ,
        request(1, input={"command": f"login {SECRET}"}, reason=f"not {SECRET}"),
        outcome(1, output=f"hello {SECRET}", diff=f"+{SECRET}"),
        request(2),
        request(3, "s2", more={"prompt": f"use {SECRET}"}),
    )
    if sealed:
        seal(environ)
        ledger.fold()
    ledger.close()


def bytes_of(environ: dict[str, str]) -> bytes:
    """All that is on the disk, segments unpacked."""
    files = (path for path in Path(places.root(environ)).rglob("*") if path.is_file())
    unpacked = (segments.read(environ, name) for name in segments.names(environ))
    return b"".join([*(path.read_bytes() for path in files), *unpacked])


def verified(environ: dict[str, str]) -> tuple[list[str], int]:
    ledger = Ledger(environ)
    ledger.fold()
    verification = Verification(ledger)
    found = [fault.what for fault in verification.run()]
    ledger.close()
    return found, sum(verification.erased.values())


@pytest.mark.parametrize("state", ["open", "sealed"])
def test_a_text_is_erased_everywhere_and_nothing_else_is(state: str, environ: dict[str, str]) -> None:
    filled(environ, sealed=state == "sealed")
    rebuild(environ, aside=".old-1")
    assert SECRET.encode() in bytes_of(environ)
    assert Erasure(environ, text=SECRET.lower()).count() == 3
    assert Erasure(environ, text=SECRET.lower()).run() == 3
    assert SECRET.encode() not in bytes_of(environ)
    assert SECRET.lower().encode() not in bytes_of(environ)
    assert verified(environ) == ([], 3)
    ledger = Ledger(environ)
    rows = ledger.connection.execute("SELECT event, tool, body FROM entries ORDER BY at").fetchall()
    assert [row[:2] for row in rows] == [("PreToolUse", "Bash"), ("PostToolUse", "Bash"), *[("PreToolUse", "Bash")] * 2]
    assert ['"erased":{' in row[2] for row in rows] == [True, True, False, True]
    ledger.close()
    write(environ, request(4))
    assert verified(environ) == ([], 3)


def test_the_content_of_an_input_is_a_part_of_its_own(environ: dict[str, str]) -> None:
    """So the name of a call can leave a machine without what was written."""
    given = {"file_path": "/p/a.py", "content": "secret", "limit": 3, "edits": [{"new_string": "secret"}]}
    changed = {"command": "make", "prompt": "secret"}
    write(environ, request(1, input=given, changed=changed), request(2, input={"prompt": "secret"}))
    for line in [line for path in places.paths(environ) for line in Path(path).read_bytes().splitlines()]:
        assert [name for name, _, content in lines.parts_of(line) if b"secret" in content] == [b"diff"]
        assert lines.is_sealed(line)
    ledger = folded(environ)
    bodies = ledger.connection.execute("SELECT body FROM entries ORDER BY n").fetchall()
    ledger.close()
    first, second = (Entry(0, "", body).body for (body,) in bodies)
    assert (first["input"], first["changed"], second["input"]) == (given, changed, {"prompt": "secret"})


def test_a_session_is_erased_whole(environ: dict[str, str]) -> None:
    filled(environ, sealed=False)
    assert Erasure(environ, session="s1").run() == 3
    assert Erasure(environ, session="s1").run() == 0
    assert verified(environ) == ([], 3)
    assert SECRET.encode() in bytes_of(environ)  # of s2


def test_a_text_in_a_field_of_the_chain_is_said_to_stay(environ: dict[str, str]) -> None:
    folded(environ, request(1, rule="mallory", project="/home/mallory/app")).close()
    erasure = Erasure(environ, text="mallory")
    assert erasure.run() == 1
    assert erasure.left == {"rule"}


def test_an_erasure_by_hand_is_found(environ: dict[str, str]) -> None:
    filled(environ, sealed=False)
    (path,) = places.paths(environ, "s2")
    Path(path).write_bytes(lines.erase(Path(path).read_bytes().rstrip(b"\n"), 1) + b"\n")
    Path(path_of(environ)).unlink()
    assert verified(environ)[0] == ["its content was removed, but not by hookkit ledger erase"]


def test_what_was_put_in_the_place_of_erased_content_is_found(environ: dict[str, str]) -> None:
    """No digest covers the time of an erasure, so nothing else may stand there."""
    filled(environ, sealed=False)
    Erasure(environ, session="s2").run()
    (path,) = places.paths(environ, "s2")
    data = Path(path).read_bytes()
    Path(path).write_bytes(data.rstrip(b"\n") + b'},"tool":"Read","x":{"a":1\n')
    rebuild(environ)
    assert verified(environ)[0][:1] == ["its content was changed or removed"]


def test_an_erasure_that_was_interrupted_is_no_finding_and_can_be_finished(environ: dict[str, str]) -> None:
    filled(environ, sealed=False)
    (path,) = places.paths(environ, "s2")
    row = lines.split(Path(path).read_bytes())
    assert row is not None
    register.note(environ, register.ERASED, f"{row[2]}:{row[1]}")
    assert verified(environ) == ([], 0)
    Erasure(environ, text=SECRET).run()
    assert verified(environ) == ([], 3)

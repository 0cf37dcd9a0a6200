"""A row that was acknowledged is in its file, chained to the one before, whatever else lies there."""

import fcntl
import os
import stat
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookkit.ledger import journal, places
from hookkit.ledger import lines as line_format
from tests.ledger.making import request


def lines(path: str) -> list[bytes]:
    return Path(path).read_bytes().splitlines()


def test_rows_are_numbered_and_chained(environ: dict[str, str]) -> None:
    for number in range(3):
        path = journal.append(environ, "s1", {"at": number})
    before, writer = line_format.FIRST, line_format.split(lines(path)[0])[2]  # type: ignore[index]
    for number, line in enumerate(lines(path), 1):
        body = b'{"n":%d,"w":"%s","at":%d,"parts":{}}' % (number, writer.encode(), number - 1)
        before = line_format.chained(before, body)
        assert line == before.encode() + b" " + body


def test_the_file_and_its_directories_are_private(environ: dict[str, str], home: Path) -> None:
    path = Path(journal.append(environ, "s1", {}))
    assert path == home / ".local/state/hookkit/ledger/open/s1.log"
    assert [stat.S_IMODE(place.stat().st_mode) for place in (path, path.parent, path.parent.parent)] == [
        0o600, 0o700, 0o700,
    ]  # fmt: skip


@pytest.mark.parametrize("session", ["", "../../x", "a/b", "é", "x" * 5000, "a\nb", ".."])
def test_a_session_can_name_no_other_place(session: str, environ: dict[str, str], home: Path) -> None:
    path = journal.append(environ, session, {})
    assert os.path.dirname(path) == str(home / ".local/state/hookkit/ledger/open")


def test_half_a_line_is_cut_off_before_the_next(environ: dict[str, str]) -> None:
    path = journal.append(environ, "s1", {})
    with open(path, "ab") as file:
        file.write(b"0" * 64 + b' {"n":2,"w":"')
    assert journal.append(environ, "s1", {}) == path
    assert [line_format.split(line)[1] for line in lines(path)] == [1, 2]  # type: ignore[index]


@pytest.mark.parametrize(
    "garbage", [b"garbage\n", b"\n", b"\0" * 500 + b"\n", b"x" * 200_000, b"{}\n", b"0" * 64 + b" {}\n"]
)
def test_a_file_that_somebody_spoilt_is_set_aside(garbage: bytes, environ: dict[str, str]) -> None:
    path = journal.append(environ, "s1", {})
    with open(path, "ab") as file:
        file.write(garbage)
    assert journal.append(environ, "s1", {}) == path
    assert sorted(os.path.basename(name).endswith(".spoilt") for name in places.paths(environ, "s1")) == [False, True]
    assert [line_format.split(line)[1] for line in lines(path)] == [2]  # type: ignore[index]


def test_who_sits_on_the_file_makes_nobody_wait_long(environ: dict[str, str]) -> None:
    path = journal.append(environ, "s1", {})
    with open(path, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        start = time.monotonic()
        other = journal.append(environ, "s1", {})
        assert time.monotonic() - start < 20  # whoever waits for the lock waits for ever
    assert other != path
    assert sorted(places.paths(environ, "s1")) == sorted([path, other])


@pytest.mark.parametrize("kind", ["file", "link"])
def test_where_the_usual_place_is_not_to_be_had_rows_go_aside(
    kind: str, environ: dict[str, str], home: Path, tmp_path: Path
) -> None:
    place = home / ".local/state/hookkit/ledger/open"
    place.parent.mkdir(parents=True)
    if kind == "link":
        (tmp_path / "elsewhere").mkdir()
        place.symlink_to(tmp_path / "elsewhere")
    else:
        place.write_text("")
    path = journal.append(environ, "s1", {})
    assert path.startswith(f"{tmp_path}/hookkit-{os.geteuid()}/")
    assert places.paths(environ) == [path]
    assert kind == "file" or os.listdir(tmp_path / "elsewhere") == []


def test_a_link_with_a_journals_name_is_not_followed(environ: dict[str, str], tmp_path: Path) -> None:
    place = os.path.dirname(journal.append(environ, "s1", {}))
    victim = tmp_path / "victim"
    victim.write_text("precious")
    os.symlink(victim, os.path.join(place, "s2.log"))
    assert journal.append(environ, "s2", {}).startswith(str(tmp_path))
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("mode", [0o722, 0o777])
def test_rows_in_a_directory_that_others_write_to_are_not_taken_in(
    mode: int, environ: dict[str, str], home: Path
) -> None:
    place = os.path.dirname(journal.append(environ, "s1", {}))
    os.chmod(place, mode)
    assert places.paths(environ) == []
    journal.append(environ, "s1", {})
    assert stat.S_IMODE(os.stat(place).st_mode) == 0o700 | (mode & 0o055)
    assert len(places.paths(environ)) == 1


def test_another_state_keeps_its_own_rows_aside(environ: dict[str, str]) -> None:
    other = {**environ, "XDG_STATE_HOME": "/nonexistent/state"}
    assert not set(places.places(environ)) & set(places.places(other))


def test_a_row_that_is_too_long_is_refused(environ: dict[str, str]) -> None:
    with pytest.raises(journal.TooLongError, match="a row of "):
        journal.append(environ, "s1", {"text": "x" * journal.LONGEST})


def test_back_gives_the_rows_with_a_text_newest_first(environ: dict[str, str]) -> None:
    for number in range(4):
        path = journal.append(environ, "s1", request(number))
    with open(path, "ab") as file:
        file.write(b"make garbage\n" + b"0" * 64 + b' {"n":9, make\n')
    found = dict(journal.back(path, b"make"))
    assert [row["call"] for row in found.values()] == ["call-3", "call-2", "call-1", "call-0"]
    assert [row["call"] for _, row in journal.back(path, b"make 2")] == ["call-2"]
    assert [row["call"] for _, row in journal.back(path, b"make", list(found)[1])] == ["call-3", "call-2"]
    assert list(journal.back("/nonexistent", b"make")) == []


@pytest.mark.parametrize("near", [1, 100, 700, 5_000, 1 << 20])
def test_back_reads_every_row_once_wherever_its_windows_begin(
    environ: dict[str, str], near: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        path = journal.append(environ, "s1", request(number))
    rows = list(journal.back(path, b"make"))
    monkeypatch.setattr(journal, "NEAR", near)
    assert list(journal.back(path, b"make")) == rows
    assert [row["call"] for _, row in rows] == [f"call-{number}" for number in reversed(range(30))]
    monkeypatch.setattr(journal, "REACH", 2_000)
    seen = list(journal.back(path, b"make"))
    assert seen == rows[: len(seen)]
    assert seen


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(garbage=st.binary(max_size=300))
def test_whatever_lies_at_the_end_the_next_row_is_kept(garbage: bytes, environ: dict[str, str]) -> None:
    path = journal.append(environ, "any", {})
    with open(path, "ab") as file:
        file.write(garbage)
    other = journal.append(environ, "any", {"mine": True})
    assert b'"mine":true' in lines(other)[-1]

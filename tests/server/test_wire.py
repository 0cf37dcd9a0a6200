"""The protocol of the shim: a request is parsed whole or not at all, whatever comes."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookkit.errors import WARM
from hookkit.ledger.journal import REQUEST
from hookkit.server import process, wire

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)


def packed(words: list[str], here: str, environ: dict[str, str], raw: bytes, identity: str = "1-2-3") -> bytes:
    given_ = [f"{name}={value}" for name, value in environ.items()]
    head = [identity, str(len(raw)), here, str(len(words)), *words, *given_, "", ""]
    return "\0".join(head).encode() + raw + b"\0"


@given(
    st.lists(TEXT.filter(bool), min_size=1, max_size=4),
    TEXT.filter(bool),
    st.dictionaries(st.sampled_from(wire.NAMES), TEXT),
    st.binary(max_size=200),
)
def test_a_request_comes_out_as_it_went_in(words: list[str], here: str, environ: dict[str, str], raw: bytes) -> None:
    data = packed(words, here, environ, raw)
    found = wire.parse(data)
    assert found is not None
    assert (found.hook, found.words, found.here, found.raw) == (words[0], words[1:], here, raw)
    assert found.environ == {**environ, WARM: "1", REQUEST: "1-2-3"}


@given(st.binary(max_size=60), st.integers(0, 80))
def test_a_part_of_a_request_is_never_a_request(raw: bytes, cut: int) -> None:
    data = packed(["run"], "/x", {"HOME": "/h"}, raw)
    if cut < len(data):
        assert wire.parse(data[: len(data) - 1 - cut]) is None


@given(st.binary(max_size=300))
def test_anything_else_is_refused_or_waited_for(data: bytes) -> None:
    try:
        wire.parse(data)
    except wire.WireError:
        return


@pytest.mark.parametrize(
    "data",
    [
        packed(["run"], "/x", {"LD_PRELOAD": "x"}, b"{}"),
        packed(["run"], "/x", {"HOOKKIT_REQUEST": "x"}, b"{}"),
        packed(["run"], "/x", {}, b"{}", identity='1","verdict":"allow'),
        packed(["run"], "/x", {}, b"{}", identity="é"),
        packed(["run"], "/x", {}, b"{}") + b"more",
        b"1\0" + b"9" * 30 + b"\0/x\0001\0run\0\0{}\0",
        b"1\0002\0/x\0" + b"9" * 30 + b"\0run\0\0{}\0",
        b"x" * (wire.MOST_HEAD + 1),
    ],
    ids=["another variable", "the id as a variable", "markup in the id", "no ASCII", "more", "long", "words", "no end"],
)
def test_a_hostile_request_is_refused(data: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.parse(data)


def test_a_reply_with_a_null_byte_is_left_to_the_cold_command() -> None:
    assert wire.framed(b"a\0b") == wire.COLD
    assert wire.framed(b"") == b"=0000000"
    assert wire.framed("é\n".encode()) == b"=0000003" + "é\n".encode()
    assert wire.framed(b"x" * 10_000_000) == wire.COLD


def test_a_door_that_others_may_read_or_that_is_a_link_is_refused(home: Path) -> None:
    environ = {"HOME": str(home)}
    process.put(environ, process.fresh(1234))
    path = Path(process.path(environ))
    assert process.read(environ).port == 1234
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    path.chmod(0o640)
    with pytest.raises(process.NoDoorError):
        process.read(environ)
    path.chmod(0o600)
    os.rename(path, home / "elsewhere")
    path.symlink_to(home / "elsewhere")
    with pytest.raises(process.NoDoorError):
        process.read(environ)

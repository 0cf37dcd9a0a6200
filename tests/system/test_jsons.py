"""Our JSON is the json package's, without its price."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookkit.errors import EventError
from hookkit.system import jsons

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values)
def test_what_json_writes_we_read_and_what_we_write_json_reads(value: Any) -> None:
    assert jsons.loads(json.dumps(value).encode()) == value
    assert json.loads(jsons.dumps(value)) == value


@given(st.text(alphabet='{}[]",:0123456789.-+eE tfnulrsa\\\n', max_size=30))
def test_we_refuse_what_json_refuses(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(EventError):
            jsons.loads(text.encode())
    else:
        assert jsons.loads(text.encode()) == expected


def test_the_slow_way_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interpreter without the C accelerator still answers."""
    monkeypatch.setattr(jsons, "_scanner", None)
    assert jsons.loads(b' {"a": [1, "\\ud800"]} ') == {"a": [1, "\ud800"]}
    assert jsons.dumps({"a": [1, "\ud800"]}) == '{"a":[1,"\\ud800"]}'
    with pytest.raises(EventError):
        jsons.loads(b"{")


def test_a_lone_surrogate_goes_out_as_it_came_in() -> None:
    raw = b'{"a":"\\ud83d"}'
    assert jsons.dumps(jsons.loads(raw)).encode() == raw

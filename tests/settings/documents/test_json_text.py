"""Changing JSON as text: bytes outside of the change stay as they are."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.errors import ConfigError
from hookkit.settings.documents.json_text import JsonEditor, new_text

scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
)
BLANK = st.sampled_from(["", " ", "\n", "\n  ", "\t", "\r\n", " \n\n "])
COMMENT = st.sampled_from([" // note\n", "/* a , ] } */", '\n  // "x": {\n  '])


@st.composite
def texts(draw: st.DrawFn, *, comments: bool = True) -> tuple[str, Any]:
    """A JSON text of any layout, and its value."""
    value = draw(st.dictionaries(st.text(max_size=3), values, max_size=4))
    gaps = BLANK | COMMENT if comments else BLANK

    def write(item: Any) -> str:
        if isinstance(item, dict):
            inner = [f"{json.dumps(key)}{draw(gaps)}:{draw(gaps)}{write(each)}" for key, each in item.items()]
            left, right = "{}"
        elif isinstance(item, list):
            inner, (left, right) = [write(each) for each in item], "[]"
        else:
            return json.dumps(item)
        joined = "".join(f"{draw(gaps)}{each}{draw(gaps)}," for each in inner)
        is_trailing = comments and draw(st.booleans())
        return f"{left}{joined if is_trailing else joined[:-1]}{draw(gaps)}{right}"

    return f"{draw(gaps)}{write(value)}{draw(gaps)}", value


@settings(max_examples=200, deadline=None)
@given(texts(), st.text(min_size=4, max_size=6), values)
def test_a_new_member_changes_nothing_else(given_: tuple[str, Any], key: str, value: Any) -> None:
    """The old text is still there in order, and the new value is the old one and the member."""
    text, old = given_
    editor = JsonEditor("x", text, comments=True)
    editor.add((), key, value)
    assert editor.plain() == {**old, key: value}
    rest = iter(editor.text)
    assert all(char in rest for char in text if not char.isspace())
    editor.remove((key,))
    assert editor.plain() == old


@settings(max_examples=200, deadline=None)
@given(texts(), st.data())
def test_a_member_is_removed_alone(given_: tuple[str, Any], data: st.DataObject) -> None:
    text, old = given_
    if not old:
        return
    key = data.draw(st.sampled_from([*old]))
    editor = JsonEditor("x", text, comments=True)
    editor.remove((key,))
    assert editor.plain() == {name: value for name, value in old.items() if name != key}


@settings(max_examples=100, deadline=None)
@given(texts(comments=False), values)
def test_strict_json_stays_strict(given_: tuple[str, Any], value: Any) -> None:
    text, old = given_
    editor = JsonEditor("x", text)
    editor.add((), "new key", [value])
    editor.add(("new key",), None, 5)
    editor.replace(("new key", 0), "other")
    assert json.loads(editor.text) == {**old, "new key": ["other", 5]}


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ('{\n  "a": 1 // one\n}\n', '{\n  "a": 1, // one\n  "b": 2\n}\n'),
        ('{\n\t"a": 1,\n}\n', '{\n\t"a": 1,\n\t"b": 2\n}\n'),
        ('{"a":1}', '{"a":1, "b": 2}'),
        ("{}\n", '{\n  "b": 2\n}\n'),
        ("{\n  // empty\n}", '{\n  // empty\n  "b": 2\n}'),
        ('{\r\n    "a": 1\r\n}', '{\r\n    "a": 1,\r\n    "b": 2\r\n}'),
        ('\ufeff{"a": 1}', '\ufeff{"a": 1, "b": 2}'),
    ],
)
def test_a_new_member_follows_the_layout_of_the_file(text: str, after: str) -> None:
    editor = JsonEditor("x", text, comments=True)
    editor.add((), "b", 2)
    assert editor.text == after


def test_a_text_that_is_not_json_is_refused_with_its_place() -> None:
    with pytest.raises(ConfigError, match=r"^s\.json:2:3: not JSON: a comment"):
        JsonEditor("s.json", '{\n  // no\n  "a": 1}')


def test_a_new_file_has_a_group_in_each_line() -> None:
    value = {"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}
    assert new_text(value).splitlines()[3] == '      { "hooks": [{ "type": "command" }] }'

"""JSON, TOML and YAML with places: the same values as their own parsers, and each where it is written."""

import json
import math
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.documents import json_text, toml_text, yaml_text
from hookkit.documents.node import Lines, Node

READERS = {"json": json_text, "toml": toml_text, "yaml": yaml_text}


def places(node: Node, path: str = "") -> dict[str, tuple[int, int]]:
    found = {path: node.where}
    inner = node.value if isinstance(node.value, dict) else {}
    inner = dict(enumerate(node.value)) if isinstance(node.value, list) else inner
    for name, item in inner.items():
        found |= places(item, f"{path}.{name}")
    return found


@pytest.mark.parametrize(
    ("language", "text", "path", "where", "named"),
    [
        ("json", '{"a": [1,\n  {"b": "x"}]}', ".a.1.b", (2, 9), (2, 4)),
        ("json", '\ufeff{"a": 1}', ".a", (1, 8), (1, 3)),
        ("toml", 'a.b = 1\n[[r]]\nx = ["p",\n  "q"]\n[[r]]\nx = 1\n', ".r.0.x.1", (4, 3), (4, 3)),
        ("toml", "[[r]]\nx = 1\n[[r]]\n  x = 2 # c\n", ".r.1.x", (4, 7), (4, 3)),
        ("toml", '[[r]]\n[r.s]\nk = """a\nb"""\nl = 2\n', ".r.0.s.l", (5, 5), (5, 1)),
        ("toml", "[a.\"b c\"]\nt = {x = 'y', z = [1, {w = 2}]}\n", ".a.b c.t.z.1.w", (2, 28), (2, 24)),
        ("toml", "# x\n\n[a.b]\n", ".a.b", (3, 1), (3, 1)),
        ("yaml", "a:\n  - b: 'x'\n    c: y\n", ".a.0.c", (3, 8), (3, 5)),
        ("yaml", "a: &x [1]\nb: *x\n", ".b", (2, 4), (2, 1)),
    ],
)  # fmt: skip
def test_everything_has_its_place(
    language: str, text: str, path: str, where: tuple[int, int], named: tuple[int, int]
) -> None:
    node, problems = READERS[language].read("f", text)
    assert problems == []
    assert node is not None
    assert places(node)[path] == where
    for name in path.split(".")[1:]:
        node = node.value[int(name) if isinstance(node.value, list) else name]
    assert node.named == named


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("json", "", "f:1:1: not JSON: it ends too early"),
        ("json", '{"a": 1,\n}', "f:2:1: not JSON: a comma before the end (take it away)"),
        ("json", '{\n// x\n"a": 1}', "f:2:1: not JSON: a comment (JSON has none)"),
        ("json", "{'a': 1}", "f:1:2: not JSON: expected a key in double quotes"),
        ("json", '{"a" 1}', "f:1:6: not JSON: expected : after 'a'"),
        ("json", "[1 2]", "f:1:4: not JSON: expected , or ]"),
        ("json", "[NaN]", "f:1:2: not JSON: expected a value, not 'N'"),
        ("json", '["a', "f:1:2: not JSON: unterminated string starting at"),
        ("json", "{} {}", "f:1:4: not JSON: one value is enough"),
        ("json", "[" * 60, "f:1:52: not JSON: nested deeper than 50"),
        ("json", '{"a": 1, "a": 2}', "f:1:10: 'a' stands here twice"),
        ("toml", "a = \n", "f:1:5: not TOML: Invalid value"),
        ("toml", "a = " + "[" * 60 + "]" * 60, "f:1:1: nested deeper than 50"),
        ("yaml", "a:\n\t- b\n", "f:2:1: not YAML: a tab (indent with spaces)"),
        ("yaml", "a: 'x\n", "f:2:1: not YAML: found unexpected end of stream"),
        ("yaml", "a: \x07\n", "f:1:4: not YAML: special characters are not allowed"),
        ("yaml", "a: 1\na: 2\n", "f:2:1: 'a' stands here twice"),
        ("yaml", "--- a\n--- b\n", "f:2:1: not YAML: a second document (one is enough)"),
        ("yaml", "a: !!python/name:os.system x\n",
         "f:1:4: a tag that is not read here: tag:yaml.org,2002:python/name:os.system (take it away)"),
        ("yaml", "a: !!int x\n", "f:1:4: not int: 'x'"),
        ("yaml", "a: .nan\n", "f:1:4: not a number of ordinary size: '.nan'"),
        ("yaml", "a: *b\n", "f:1:4: *b is used before &b is complete"),
        ("yaml", "a: &b [*b]\n", "f:1:8: *b is used before &b is complete"),
        ("yaml", "<<: {a: 1}\n", "f:1:1: << is not read here (write the keys out)"),
        ("yaml", "? [a]\n: b\n", "f:1:3: a key is a plain word"),
        ("yaml", "[" * 60, "f:1:52: nested deeper than 50"),
        ("yaml", "a: " + "x" * 100_000, "f:1:1: larger than 100,000 characters"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_with_its_place(language: str, text: str, expected: str) -> None:
    assert [str(problem) for problem in READERS[language].read("f", text)[1]] == [expected]


def test_a_number_of_thousands_of_digits_is_no_crash() -> None:
    assert [problem.line for problem in toml_text.read("f", "a = " + "1" * 5000)[1]] == [1]
    node, problems = json_text.read("f", "1" * 5000)
    assert node is not None
    assert (node.value, problems) == (math.inf, [])


def test_aliases_are_counted_where_they_are_used() -> None:
    """Nine levels of nine: a billion values in a few lines."""
    lines = ["a: &a0 [x]"]
    lines += [f"b{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    (problem,) = yaml_text.read("f", "\n".join(lines))[1]
    assert problem.message == "more than 20,000 values, those of aliases counted where they are used"


scalars = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False, allow_infinity=False)
words = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=8)
values = st.recursive(
    scalars | words, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4), max_leaves=8
)


@settings(max_examples=150, deadline=None)
@given(value=values, indent=st.sampled_from([None, 0, 2]))
def test_json_is_what_its_own_parser_reads_and_every_place_is_right(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    node, problems = json_text.read("f", text)
    assert problems == []
    assert node is not None
    assert node.plain() == value
    lines = Lines(text)
    pending = [node]
    while pending:
        each = pending.pop()
        line, column = each.where
        start = json.dumps(each.plain(), ensure_ascii=False)[:1]
        assert lines.line(line)[column - 1] == start
        inner = each.value.values() if isinstance(each.value, dict) else each.value
        pending += inner if isinstance(each.value, (dict, list)) else []


@settings(max_examples=100, deadline=None)
@given(value=st.dictionaries(words, values, max_size=4))
def test_yaml_is_what_its_own_parser_reads(value: Any) -> None:
    text = yaml.safe_dump(value, allow_unicode=True)
    node, problems = yaml_text.read("f", text)
    if "<<" in text or problems:  # what only YAML can say
        return
    assert node is not None
    assert node.plain() == {str(name): item for name, item in yaml.safe_load(text).items()}


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=40) | st.text("[]{}'\"\\:-&*!#=,.\n\t ax1", max_size=40), name=st.sampled_from([*READERS]))
def test_any_text_is_read_or_named_as_unreadable(text: str, name: str) -> None:
    node, problems = READERS[name].read("f", text)
    assert all(problem.line >= 1 and problem.column >= 1 for problem in problems)
    if node is not None:
        node.plain()


def test_a_character_of_a_text_has_its_place_too() -> None:
    text = 'a = "Bash(x"\nb = "\\u0041b"\n'
    node, _ = toml_text.read("f", text)
    assert node is not None
    lines = Lines(text)
    assert lines.inside(node.value["a"], 4) == (1, 10)
    assert lines.inside(node.value["b"], 1) == (2, 5)
    assert lines.inside(node.value["a"], 99) == (1, 5)

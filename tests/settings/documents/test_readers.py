"""JSON, TOML and YAML with places: the same values as their own parsers, and each where it is written."""

import json
import math
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.settings.documents import json_text, toml_text, yaml_text
from hookkit.settings.documents.finding import VALUE, Defect, Element, LineIndex

READERS = {"json": json_text, "toml": toml_text, "yaml": yaml_text}


def places(node: Element, path: str = "") -> dict[str, tuple[int, int]]:
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
        ("json", "", "f:1:1: not JSON: the text ends too early"),
        ("json", '{"a": 1,\n}', "f:2:1: not JSON: a comma before the end (remove the comma)"),
        ("json", '{\n// x\n"a": 1}', "f:2:1: not JSON: a comment (JSON has no comments)"),
        ("json", "{'a': 1}", "f:1:2: not JSON: expected a key in double quotes"),
        ("json", '{"a" 1}', "f:1:6: not JSON: expected : after 'a'"),
        ("json", "[1 2]", "f:1:4: not JSON: expected , or ]"),
        ("json", "[NaN]", "f:1:2: not JSON: expected a value, not 'N'"),
        ("json", '["a', "f:1:2: not JSON: unterminated string starting at"),
        ("json", "{} {}", "f:1:4: not JSON: a second value (keep one)"),
        ("json", "[" * 60, "f:1:52: not JSON: nested deeper than 50"),
        ("json", '{"a": 1, "a": 2}', "f:1:10: 'a' stands here twice"),
        ("toml", "a = \n", "f:1:5: not TOML: expected a value; a text needs quotes"),
        ("toml", "a = " + "[" * 60 + "]" * 60, "f:1:1: nested deeper than 50"),
        ("yaml", "a:\n\t- b\n", "f:2:1: not YAML: a tab (indent with spaces)"),
        ("yaml", "a: 'x\n", "f:2:1: not YAML: found unexpected end of stream"),
        ("yaml", "a: \x07\n", "f:1:4: not YAML: special characters are not allowed"),
        ("yaml", "a: 1\na: 2\n", "f:2:1: 'a' stands here twice"),
        ("yaml", "--- a\n--- b\n", "f:2:1: not YAML: a second document (keep one)"),
        ("yaml", "a: !!python/name:os.system x\n",
         "f:1:4: hookkit does not read the tag tag:yaml.org,2002:python/name:os.system (remove the tag)"),
        ("yaml", "a: !!int x\n", "f:1:4: not int: 'x'"),
        ("yaml", "a: .nan\n", "f:1:4: not a number of ordinary size: '.nan'"),
        ("yaml", "a: *b\n", "f:1:4: *b is used before &b is complete"),
        ("yaml", "a: &b [*b]\n", "f:1:8: *b is used before &b is complete"),
        ("yaml", "<<: {a: 1}\n", "f:1:1: hookkit does not read << (write the keys out)"),
        ("yaml", "? [a]\n: b\n", "f:1:3: a key must be a plain word"),
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
    assert problem.message == "more than 20,000 values, with the values of an alias counted at each use"


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
    lines = LineIndex(text)
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
    lines = LineIndex(text)
    assert lines.inside(node.value["a"], 4) == (1, 10)
    assert lines.inside(node.value["b"], 1) == (2, 5)
    assert lines.inside(node.value["a"], 99) == (1, 5)


@settings(max_examples=100, deadline=None)
@given(value=st.dictionaries(words, values.filter(lambda value: value is not None), max_size=4))
def test_toml_places_are_those_of_the_tree(value: Any) -> None:
    """A defect is found by its path alone, at the place where the tree has it."""
    text = "\n".join(f"{json.dumps(name)} = {toml(item)}" for name, item in value.items())
    document = toml_text.TomlDocument("f", text)
    if document.problem is not None:  # a value that only JSON has
        return
    for path, element in elements(document.tree):
        found = document.finding(Defect(path, "x", at=VALUE))
        assert (found.line, found.column) == element.where


def elements(element: Element, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Element]]:
    inner = element.value if isinstance(element.value, dict) else dict(enumerate(element.items()))
    return [(path, element), *(each for name, item in inner.items() for each in elements(item, (*path, name)))]


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + "}"
    return "[" + ", ".join(toml(item) for item in value) + "]" if isinstance(value, list) else json.dumps(value)


DOTTED = {
    "key": "a." * 60_000 + "a = 1",
    "header": "[" + "a." * 60_000 + "a]",
    "inline": "x = {" + "a." * 60_000 + "a = 1}",
    "quoted": '"=".' + '"a\\"".' * 40_000 + "a = 1",
}


@pytest.mark.parametrize("text", DOTTED.values(), ids=DOTTED)
def test_a_dotted_key_of_thousands_of_parts_is_never_parsed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def loads(text: str) -> dict[str, int]:
        return {"a": 0} if len(text) < len(min(DOTTED.values(), key=len)) else pytest.fail("parsed")

    monkeypatch.setattr("hookkit.settings.documents.toml_text.tomllib.loads", loads)
    (problem,) = toml_text.read("f", text)[1]
    assert problem.message == "a name of more than 32 parts"


@pytest.mark.parametrize(
    "text", ["x = " + "{a=" * 40_000, "x = " + "[" * 90_000, "x = " + "{a.a.a.a.a.a = " * 9 + "1" + "}" * 9]
)
def test_toml_nested_too_deep_is_a_finding(text: str) -> None:
    assert [problem.message for problem in toml_text.read("f", text)[1]] == ["nested deeper than 50"]


def test_a_text_with_many_dots_is_no_dotted_key() -> None:
    node, problems = toml_text.read("f", f'x = "{"a." * 60}"\n')
    assert problems == []
    assert node is not None

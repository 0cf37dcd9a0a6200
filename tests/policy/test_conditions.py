"""The language of conditions: what each says over the facts, and where it is none."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.errors import PatternError
from hookkit.policy import conditions

FACTS: dict[str, Any] = {
    "git": {"dirty": True, "branch": "main", "files": ["a.py", "b/c.md"], "insertions": 12, "ratio": 1.5},
    "event": {"last_assistant_message": "All done, 3 of 3.", "empty": "", "nested": {"deep": {"er": 7}}, "no": False},
    "effort": {},
}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("git.dirty", True),
        ("git.dirty == true", True),
        ("git.dirty != true", False),
        ("git.branch == 'main'", True),
        ('git.branch == "main"', True),
        ("git.branch != 'main'", False),
        ("git.insertions > 10", True),
        ("git.insertions >= 12 and git.insertions <= 12", True),
        ("git.insertions < 12", False),
        ("git.ratio == 1.5", True),
        ("git.ratio > -2", True),
        ("git.insertions == 12.0", True),
        ("git.branch < 'n'", True),
        ("git.branch < 3", False),
        ("git.dirty == 1", False),
        ("git.dirty > 0", False),
        ("git.files == git.files", False),
        ("event.nested.deep.er == 7", True),
        ("event.nested.deep.er.more == 7", False),
        ("event.no", False),
        ("event.empty", False),
        ("not event.empty", True),
        ("effort", False),
        ("commitment.requires_review == true", False),
        ("commitment.requires_review != true", False),
        ("commitment.a == commitment.b", False),
        ("commitment.a < 3 or commitment.a >= 3", False),
        ("commitment.a == null", True),
        ("null == commitment.a", True),
        ("commitment.a != null", False),
        ("git.branch != null", True),
        ("null == null", True),
        ("not commitment.a", True),
        ("'a.py' in git.files", True),
        ("'x' in git.files", False),
        ("'done' in event.last_assistant_message", True),
        ("'branch' in git", True),
        ("1 in git.insertions", False),
        ("commitment.a in git.files", False),
        ("git.branch matches 'ma*'", True),
        ("git.branch matches '*x*'", False),
        ("git.files matches '*'", False),
        ("len(git.files) == 2", True),
        ("len(git.branch) == 4", True),
        ("len(git.dirty) == null", True),
        ("len(commitment.a) < 3", False),
        ("contains(git.files, 'a.py')", True),
        ("contains(git.branch, 'ai')", True),
        ("contains(git.branch, 3)", False),
        ("startswith(git.branch, 'm')", True),
        ("startswith(git.files, 'm')", False),
        ("true || false && false", True),
        ("(true or false) and false", False),
        ("!false && !(1 == 2)", True),
        ("not 1 == 2", True),
        ("not not true", True),
        ('"it\\\'s" == "it\'s"', True),
        ("''", False),
        ("'x'", True),
        ("0", False),
        ("null", False),
    ],
)
def test_what_a_condition_comes_to(source: str, *, expected: bool) -> None:
    assert conditions.holds(conditions.parse(source), FACTS) is expected


@pytest.mark.parametrize(
    ("source", "at", "said"),
    [
        ("", 0, "expected a value, not the end"),
        ("git.dirty and", 13, "expected a value, not the end"),
        ("git.dirty git.x", 10, "unexpected 'git.x'"),
        ("git.dirty = true", 10, "expected == for a comparison"),
        ("a == b == c", 7, "comparisons do not chain: write and"),
        ("(a or b", 7, "expected )"),
        ("a)", 1, "unexpected ')'"),
        ("'open", 0, "expected ' at the end of the text"),
        ("'open\\'", 0, "expected ' at the end of the text"),
        ("1.2.3", 0, "not a number"),
        ("1.", 0, "not a number"),
        ("a..b", 0, "a name is words with dots between them"),
        ("a.", 0, "a name is words with dots between them"),
        ("$HOME", 0, "unexpected '$'"),
        ("a + b", 2, "unexpected '+'"),
        ("a not in b", 2, "unexpected 'not'"),
        ("eval('x')", 0, "no function eval: there are len, contains, startswith"),
        ("len()", 4, "expected a value, not ')'"),
        ("len(a, b)", 0, "len takes 1, not 2"),
        ("contains(a)", 0, "contains takes 2, not 1"),
        ("__import__('os').system('x')", 16, "unexpected '.'"),
        ("(" * 40, 32, "nested more than 32 deep"),
        ("not " * 40 + "a", 128, "nested more than 32 deep"),
        ("a" * 1001, 1000, "longer than 1000 characters"),
    ],
)
def test_where_a_condition_is_none(source: str, at: int, said: str) -> None:
    with pytest.raises(PatternError) as error:
        conditions.parse(source)
    assert (error.value.at, str(error.value), error.value.source) == (at, said, source)


def test_a_long_row_is_not_a_deep_one() -> None:
    tree = conditions.parse(" or ".join(["a"] * 200))
    assert conditions.holds(tree, {"a": 1})


def test_the_roots_are_known_with_the_place_where_each_stands_first() -> None:
    tree = conditions.parse("git.dirty and (len(work.x) > 2 or git.y) and true")
    assert tree.roots == {"git": 0, "work": 19}


# -- against a second, simpler reading -------------------------------------------------------------

NAMES = ["git.dirty", "git.insertions", "git.branch", "git.files", "event.no", "nobody.knows"]
atoms = st.one_of(
    st.sampled_from([("name", name) for name in NAMES]),
    st.integers(-5, 20).map(lambda value: ("value", value)),
    st.sampled_from(["", "main", "a.py"]).map(lambda value: ("value", value)),
    st.sampled_from([True, False, None]).map(lambda value: ("value", value)),
)
SIGNS = ["==", "!=", "<", "<=", ">", ">=", "in"]
comparisons = st.tuples(st.sampled_from(SIGNS), atoms, atoms)
trees = st.recursive(
    atoms | comparisons,
    lambda inner: st.one_of(
        st.tuples(st.just("not"), inner),
        st.tuples(st.sampled_from(["and", "or"]), inner, inner),
    ),
    max_leaves=12,
)


def written(tree: Any) -> str:
    if tree[0] == "name":
        return str(tree[1])
    if tree[0] == "value":
        return json.dumps(tree[1])
    if tree[0] == "not":
        return f"not ({written(tree[1])})"
    if tree[0] in SIGNS:
        return f"{written(tree[1])} {tree[0]} {written(tree[2])}"
    return f"({written(tree[1])}) {tree[0]} ({written(tree[2])})"


def value(tree: Any) -> Any:
    if tree[0] == "name":
        first, second = tree[1].split(".")
        return FACTS.get(first, {}).get(second)
    if tree[0] == "value":
        return tree[1]
    if tree[0] == "not":
        return not value(tree[1])
    if tree[0] == "and":
        return bool(value(tree[1])) and bool(value(tree[2]))
    if tree[0] == "or":
        return bool(value(tree[1])) or bool(value(tree[2]))
    return compared(tree[0], tree[1], tree[2])


def compared(sign: str, left: Any, right: Any) -> bool:
    one, other = value(left), value(right)
    if sign in ("==", "!=") and ("value", None) in (left, right):
        return (one is other is None) == (sign == "==")
    if one is None or other is None:
        return False
    if sign == "in":
        if isinstance(other, str):
            return isinstance(one, str) and one in other
        return isinstance(other, list) and isinstance(one, str) and one in other
    alike = type(one) is type(other) and not isinstance(one, list)
    if sign == "==":
        return alike and one == other
    if sign == "!=":
        return not (alike and one == other)
    if not alike or isinstance(one, bool):
        return False
    return bool({"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[sign])


@settings(max_examples=300, deadline=None)
@given(tree=trees)
def test_it_means_what_a_plain_reading_of_its_tree_means(tree: Any) -> None:
    assert conditions.holds(conditions.parse(written(tree)), FACTS) is bool(value(tree))


WORDS = "a git.dirty len contains ( ) , == != < <= > >= ! && || and or not in matches 'x' \"y 1 -2 1.5 . = true null $"


@settings(max_examples=300, deadline=None)
@given(source=st.text(max_size=40) | st.lists(st.sampled_from(WORDS.split()), max_size=20).map(" ".join))
def test_any_text_is_a_condition_or_says_where_it_is_none(source: str) -> None:
    try:
        tree = conditions.parse(source)
    except PatternError as found:
        error: PatternError | None = found
    else:
        error = None
        assert conditions.holds(tree, FACTS) in (True, False)
    assert error is None or 0 <= error.at <= len(source)

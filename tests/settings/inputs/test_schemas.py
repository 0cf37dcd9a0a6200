"""JSON Schema as we check it: the judge is the jsonschema library, on rows and on whatever can be drawn."""

import json
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookkit.settings import inputs
from hookkit.settings.inputs import explain
from hookkit.settings.inputs.check import mistakes
from hookkit.settings.inputs.explain import NOTHING, example
from hookkit.settings.inputs.user_schemas import ParsedSchema

ROOT = Path(__file__).parents[2]
TOOLS = sorted(Path(inputs.TOOLS).glob("*.json"))


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (ROOT / "cases" / "schemas" / name).read_text().splitlines()]


def kept(schema: Any, **more: Any) -> dict[str, Any]:
    form = ParsedSchema(schema, **more)
    assert form.problems == []
    return form.kept


def is_valid(schema: Any, value: Any) -> bool:
    return bool(jsonschema.Draft202012Validator(schema).is_valid(value))


@pytest.mark.parametrize("row", rows("judged.jsonl"), ids=lambda row: row["id"])
def test_a_value_is_judged_as_the_library_does(row: dict[str, Any]) -> None:
    schema = row["schema"]
    if "$ref" not in json.dumps(schema):  # which starts at the root, where the input of a tool is an object
        schema = kept({"properties": {"v": schema}})["properties"]["v"]
    for expected, values in ((True, row["good"]), (False, row["bad"])):
        for value in values:
            assert (is_valid(row["schema"], value), not mistakes(schema, value)) == (expected, expected), value


@pytest.mark.parametrize("row", rows("messages.jsonl"), ids=lambda row: row["id"])
def test_a_mistake_says_where_what_was_expected_and_what_was_found(row: dict[str, Any]) -> None:
    assert [str(mistake) for mistake in mistakes(kept(row["schema"]), row["value"])] == row["said"]
    assert not is_valid(row["schema"], row["value"])


# -- whatever can be drawn -------------------------------------------------------------------------------------------

NAMES = ("a", "b", "c")
SMALL = st.integers(0, 4)
KINDS = st.sampled_from(["null", "boolean", "string", "integer", "number", "array", "object"])
scalars = (
    st.none() | st.booleans() | st.integers(-4, 9) | st.sampled_from([0.5, 1.0, 2.5, "", "a", "ab", "text", "é", "12"])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=6,
)


def some(**keywords: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=keywords)


plain = st.one_of(
    some(type=KINDS | st.lists(KINDS, min_size=1, max_size=3, unique=True)),
    some(enum=st.lists(values, min_size=1, max_size=3)),
    some(const=values),
    some(
        type=st.just("string"), minLength=SMALL, maxLength=SMALL, pattern=st.sampled_from(["a", "^a", "[0-9]", "^.$"])
    ),
    some(
        type=st.sampled_from(["number", "integer"]),
        minimum=st.integers(-3, 5),
        maximum=st.integers(-3, 9) | st.just(2.5),
        exclusiveMinimum=st.integers(-3, 5),
        exclusiveMaximum=st.integers(0, 9),
        multipleOf=st.sampled_from([1, 2, 3, 0.5]),
    ),
)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    schema = inner | st.booleans()
    forms = st.lists(schema, min_size=1, max_size=3)
    return st.one_of(
        some(
            type=st.just("object"),
            properties=st.dictionaries(st.sampled_from(NAMES), schema, max_size=3),
            required=st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
            additionalProperties=schema,
            patternProperties=st.dictionaries(st.sampled_from(["^a", "b|c"]), schema, max_size=1),
            minProperties=SMALL,
            maxProperties=SMALL,
        ),
        some(
            type=st.just("array"),
            items=schema,
            prefixItems=forms,
            minItems=SMALL,
            maxItems=SMALL,
            uniqueItems=st.booleans(),
        ),
        some(type=KINDS, allOf=forms, anyOf=forms, oneOf=forms),
        st.just({"$ref": "#/$defs/x"}),
    )


schemas = st.builds(
    lambda schema, named: {"type": "object", "properties": {"v": schema}, "required": ["v"], "$defs": {"x": named}},
    st.recursive(plain, nested, max_leaves=6),
    plain,
)
drawn = settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@drawn
@given(schema=schemas, value=values)
def test_any_value_is_judged_as_the_library_does(schema: dict[str, Any], value: Any) -> None:
    found = mistakes(kept(schema), {"v": value})
    assert (not found) == is_valid(schema, {"v": value})
    assert all(str(mistake).startswith("v") for mistake in found)


@drawn
@given(schema=schemas, value=values)
def test_an_example_is_right_or_there_is_none(schema: dict[str, Any], value: Any) -> None:
    """Where something is known to pass, something is found."""
    made = example(kept(schema))
    if made is NOTHING:
        assert not is_valid(schema, {"v": value})
    else:
        assert mistakes(schema, made) == []
        assert is_valid(schema, made)


@drawn
@given(schema=schemas, value=values)
def test_without_patterns_a_schema_refuses_no_more(schema: dict[str, Any], value: Any) -> None:
    if is_valid(schema, {"v": value}):
        assert mistakes(kept(schema, patterns=False), {"v": value}) == []


KEYWORDS = "type properties items anyOf oneOf $ref enum not $defs required minimum pattern requird".split()
json_like = st.recursive(
    scalars | KINDS | st.sampled_from(["#", "#/properties/v", "#/$defs/x", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=4),
    max_leaves=12,
)


@drawn
@given(schema=json_like, value=values)
def test_any_shape_is_taken_or_named_as_a_mistake(schema: Any, value: Any) -> None:
    """Never a crash, and what is taken can be checked and shown."""
    form = ParsedSchema(schema)
    assert all(isinstance(path, str) and said for path, said in form.problems)
    if not form.problems:
        assert json.loads(json.dumps(form.kept)) == form.kept
        assert ParsedSchema(form.kept).kept == form.kept
        made = example(form.kept)
        assert made is NOTHING or mistakes(form.kept, made) == []
        assert all(str(mistake) for mistake in mistakes(form.kept, value))


# -- schemas that are none -------------------------------------------------------------------------------------------


def field(**keywords: Any) -> dict[str, Any]:
    return {"properties": {"a": keywords}}


TYPES = "null, boolean, string, integer, number, array, object"
STRNG = f"expected one of {TYPES}, not 'strng'; did you mean string?"


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ([], [("", "expected an object, not a list")]),
        ({"type": "string"}, [("type", "expected object: the input of a tool is one")]),
        (field(type="strng"), [("properties.a.type", STRNG)]),
        (field(type=["string", "strng"]), [("properties.a.type", STRNG)]),
        (field(type=5), [("properties.a.type", "expected the name of a type, or a list of them, not 5")]),
        (field(type=[]), [("properties.a.type", "expected the name of a type, or a list of them, not a list")]),
        ({"properties": []}, [("properties", "expected a table of schemas, not a list")]),
        ({"properties": {"a": 5}}, [("properties.a", "expected a schema, not 5")]),
        ({"required": "a"}, [("required", "expected a list of names, not 'a'")]),
        ({"requird": ["a"]}, [("requird", "unknown keyword; did you mean required?")]),
        ({"x-mine": 1, "title": 5, "item": 1}, [("item", "unknown keyword; did you mean items?")]),
        (field(enum=[]), [("properties.a.enum", "expected a list of at least one value, not a list")]),
        (field(anyOf=[]), [("properties.a.anyOf", "expected at least one schema")]),
        (field(anyOf={}), [("properties.a.anyOf", "expected a list of schemas, not a table")]),
        (field(allOf=[{"minLength": -1}]),
         [("properties.a.allOf[0].minLength", "expected a whole number from 0, not -1")]),
        (field(minLength=True), [("properties.a.minLength", "expected a whole number from 0, not true")]),
        (field(minimum="1"), [("properties.a.minimum", "expected a number, not '1'")]),
        (field(maximum=float("inf")), [("properties.a.maximum", "expected a number, not inf")]),
        (field(exclusiveMinimum=True), [("properties.a.exclusiveMinimum", "expected a number, not true")]),
        (field(multipleOf=0), [("properties.a.multipleOf", "expected a number above 0, not 0")]),
        (field(pattern="("),
         [("properties.a.pattern", "not a regular expression: missing ), unterminated subpattern at position 0")]),
        ({"patternProperties": {"*": True}},
         [("patternProperties", "not a regular expression: nothing to repeat at position 0")]),
        (field(default=float("nan")), [("properties.a.default", "expected a value, not nan")]),
        (field(**{"$ref": "#/$defs/x"}), [("$ref", "expected #/… that leads to a schema in here, not '#/$defs/x'")]),
        (field(**{"$ref": "other.json"}), [("$ref", "expected #/… that leads to a schema in here, not 'other.json'")]),
        (field(**{"$ref": "#a"}), [("$ref", "expected #/… that leads to a schema in here, not '#a'")]),
        ({"$ref": "#"}, [("$ref", "'#' leads back to itself")]),
        ({"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"anyOf": [True, {"$ref": "#/$defs/a"}]}}},
         [("$ref", "'#/$defs/b' leads back to itself")]),
    ],
)  # fmt: skip
def test_a_schema_that_is_none_is_named_with_its_place(schema: Any, expected: list[tuple[str, str]]) -> None:
    assert ParsedSchema(schema).problems == expected


def deep(levels: int) -> Any:
    return {"properties": {"a": deep(levels - 1)}} if levels else {}


@pytest.mark.parametrize("schema", [deep(60), {"properties": {str(number): {} for number in range(3000)}}])
def test_a_schema_that_is_too_large_is_named_once(schema: Any) -> None:
    assert [said for _, said in ParsedSchema(schema).problems] == [
        "more than 2,000 schemas, or more than 40 inside each other"
    ]


def test_only_what_can_be_checked_is_kept() -> None:
    """Without `not` both forms fit, so that counting them would refuse what is right."""
    schema = {
        "title": "x",
        "properties": {"a": {"oneOf": [{"type": "string"}, {"not": {"const": "b"}}], "description": "y"}},
        "if": {"required": ["a"]},
    }
    assert kept(schema) == {"type": "object", "properties": {"a": {"allOf": [{"anyOf": [{"type": "string"}, {}]}]}}}


def test_items_are_read_as_they_were_written_before_2020() -> None:
    schema = kept(field(items=[{"type": "string"}, {"type": "integer"}]))
    assert [str(mistake) for mistake in mistakes(schema, {"a": [1, 2, None]})] == [
        "a[0]: expected text, found a number"
    ]


def test_without_patterns_nothing_is_tried_and_nothing_more_refused() -> None:
    schema = {
        "properties": {"pattern": {"pattern": "(a+)+$"}},
        "patternProperties": {"^x": False},
        "additionalProperties": False,
    }
    assert kept(schema, patterns=False) == {"type": "object", "properties": {"pattern": {}}}


# -- bounds ----------------------------------------------------------------------------------------------------------


def towers(height: int) -> dict[str, Any]:
    """Each floor is twice the one below: a walk that follows every way never comes back."""
    floors = {str(level): {"allOf": [{"$ref": f"#/$defs/{level + 1}"}] * 2} for level in range(height)}
    return {"type": "object", "$defs": {**floors, str(height): {"required": ["x"]}}, "$ref": "#/$defs/0"}


def comb(width: int) -> dict[str, Any]:
    forms = [{"properties": {name: {"anyOf": [{"const": number} for number in range(width)]}}} for name in "abcdef"]
    return {"type": "object", "allOf": [{"anyOf": forms} for _ in range(width)], "required": list("abcdefgh")}


LOOP = {"$defs": {"l": {"type": "array", "items": {"$ref": "#/$defs/l"}}}, "properties": {"a": {"$ref": "#/$defs/l"}}}
NEST: Any = []
for _ in range(500):
    NEST = [NEST]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (towers(16), {}),
        (LOOP, {"a": NEST}),
        ({"properties": {"a": {"const": 1}}}, {"a": NEST}),
        ({"properties": {"a": {"items": {"enum": list(range(5000))}}}}, {"a": ["x"] * 200_000}),
        ({"properties": {"a": {"items": {"required": [str(n) for n in range(500)]}}}}, {"a": [{}] * 10_000}),
        ({"additionalProperties": {"type": "string"}}, dict.fromkeys(map(str, range(300_000)), 1)),
    ],
    ids=["towers", "deep", "deep-const", "long-enum", "long-required", "wide"],
)  # fmt: skip
def test_what_costs_too_much_to_check_is_a_mistake(schema: Any, value: Any) -> None:
    start = time.process_time()
    found = [str(mistake) for mistake in mistakes(kept(schema), value)]
    assert time.process_time() - start < 2
    assert found == ["too large or too deep to be checked"]


@pytest.mark.parametrize(
    "schema",
    [towers(16), comb(10), LOOP, {"required": ["a"], "properties": {"a": {"$ref": "#"}}},
     {"required": ["a"], "properties": {"a": {"type": "string", "minLength": 10**9}}},
     {"required": ["a"], "properties": {"a": {"type": "array", "minItems": 10**9}}},
     {"required": ["a"], "properties": {"a": {"type": "object", "minProperties": 10**9}}},
     {"required": ["a"], "properties": {"a": {"type": "number", "minimum": 10**400, "multipleOf": 5e-324}}},
     {"required": ["a"], "properties": {"a": {"type": "array", "minItems": 200, "uniqueItems": True}}}],
    ids=["towers", "comb", "loop", "endless", "long", "many", "wide", "far", "different"],
)  # fmt: skip
def test_an_example_never_takes_long(schema: Any) -> None:
    form = kept(schema)
    start = time.process_time()
    made = example(form)
    assert time.process_time() - start < 2
    assert made is NOTHING or mistakes(form, made) == []


def test_padding_gets_nothing_past_a_pattern() -> None:
    schema = kept(field(pattern="^[a-z]*$"))
    found = [str(mistake) for mistake in mistakes(schema, {"a": "a" * 10_001})]
    assert found == ["a: expected at most 10,000 characters where a pattern holds, found 10,001"]
    assert mistakes(schema, {"a": "a" * 10_000}) == []


# -- examples --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"examples": [{"a": 1}]}, {"a": 1}),
        ({"examples": [{"a": 1}], **field(type="string"), "required": ["a"]}, {"a": "text"}),
        ({**field(type="integer", minimum=3), "required": ["a"]}, {"a": 3}),
        ({**field(type="integer", exclusiveMinimum=3), "required": ["a"]}, {"a": 4}),
        ({**field(type="number", exclusiveMinimum=0, exclusiveMaximum=1), "required": ["a"]}, {"a": 0.5}),
        ({**field(type="integer", minimum=7, multipleOf=5), "required": ["a"]}, {"a": 10}),
        ({**field(type="string", format="date"), "required": ["a"]}, {"a": "2026-01-31"}),
        ({**field(type="string", minLength=6), "required": ["a"]}, {"a": "textte"}),
        ({**field(type="string", maxLength=2), "required": ["a"]}, {"a": "te"}),
        ({**field(type="string", pattern="^/"), "required": ["a"]}, {"a": "/a"}),
        ({**field(enum=["x", "y"]), "required": ["a"]}, {"a": "x"}),
        ({**field(default=7), "required": ["a"]}, {"a": 7}),
        ({**field(type="array", items={"enum": [1, 2, 3]}, minItems=2, uniqueItems=True), "required": ["a"]},
         {"a": [1, 2]}),
        ({**field(anyOf=[{"type": "string", "minLength": 5, "maxLength": 4}, {"type": "null"}]), "required": ["a"]},
         {"a": None}),
        ({**field(type="object", minProperties=2), "required": ["a"]}, {"a": {"field1": "text", "field2": "text"}}),
        ({"required": ["a"]}, {"a": "text"}),
        ({**field(type="string", minLength=5, maxLength=4), "required": ["a"]}, NOTHING),
        ({"properties": {"a": False}, "required": ["a"]}, NOTHING),
    ],
)  # fmt: skip
def test_an_example_is_short_and_tells(schema: Any, expected: Any) -> None:
    assert example(kept(schema)) == expected


def test_a_field_that_was_wrong_is_in_the_example() -> None:
    schema = {
        "properties": {"a": {"type": "string"}, "b": {"enum": ["x"]}},
        "required": ["a"],
        "examples": [{"a": "/etc"}],
    }
    assert example(kept(schema)) == {"a": "/etc"}
    assert example(kept(schema), ["b", "c"]) == {"a": "/etc", "b": "x"}


# -- the tools that ship ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", TOOLS, ids=lambda path: path.stem)
def test_what_ships_is_a_schema_with_an_example(path: Path) -> None:
    schema = inputs.schema(path.stem)
    assert schema is not None
    form = ParsedSchema(schema)
    assert (form.problems, form.kept) == ([], schema)
    assert "additionalProperties" not in path.read_text()  # new fields appear often
    made = example(schema)
    assert is_valid(schema, made)
    assert made == schema.get("examples", [made])[0]
    assert explain.refusal(path.stem, [schema], made) == ""  # type: ignore[arg-type]


def test_the_tools_that_every_session_uses_ship() -> None:
    usual = "Agent Bash Edit Glob Grep NotebookEdit Read Skill TodoWrite WebFetch WebSearch Write"
    assert set(usual.split()) <= {path.stem for path in TOOLS}


@drawn
@given(path=st.sampled_from(TOOLS), data=st.data())
def test_the_cheap_look_clears_only_what_is_right(path: Path, data: st.DataObject) -> None:
    schema = inputs.schema(path.stem)
    assert schema is not None
    made: Any = example(schema)
    names = st.sampled_from([*schema["properties"], "unknown"])
    value = {**made, **data.draw(st.dictionaries(names, values, max_size=2))}
    for name in data.draw(st.sets(st.sampled_from([*value] or ["x"]), max_size=1)):
        value.pop(name, None)
    if inputs.is_plainly_right(schema, value):
        assert is_valid(schema, value)


@pytest.mark.parametrize("name", ["", "Nope", "../tools/Bash", "Bash.json", "mcp__s__x", "Bash\0", "x" * 5000, "a/b"])
def test_a_name_that_is_no_tool_has_no_schema(name: str) -> None:
    assert inputs.schema(name) is None


def test_at_most_five_mistakes_are_named() -> None:
    schema = kept({"required": list("abcdefg"), "additionalProperties": False})
    assert explain.refusal("mcp__x__y", [schema], {}) == (
        "The input of mcp__x__y is wrong:\n- a: missing\n- b: missing\n- c: missing\n- d: missing\n- e: missing\n"
        "- and 2 more"
    )


def test_an_example_passes_all_the_schemas_or_is_not_shown() -> None:
    first, second = kept(field(type="integer", minimum=2)), kept(field(type="integer", maximum=3))
    never = kept(field(maximum=0))
    wrong = "The input of T is wrong:\n- a: expected a whole number, found text"
    assert explain.refusal("T", [first, second], {"a": "x"}) == f'{wrong}\nAn input that would pass: {{"a":2}}'
    assert explain.refusal("T", [first, second, never], {"a": "x"}) == wrong


def test_a_long_example_is_left_out() -> None:
    schema = kept({"required": ["a"], "examples": [{"a": "x" * 2000}]})
    assert explain.refusal("T", [schema], {}) == "The input of T is wrong:\n- a: missing"

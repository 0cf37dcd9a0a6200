"""The JSON Schema of hookkit.toml: editors take what hookkit takes."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from hookkit.settings.documents.kinds import KINDS
from hookkit.settings.documents.toml_text import TomlDocument
from hookkit.settings.formats.hookkit_toml import schema
from hookkit.settings.keys import KEYS

EXAMPLE = Path(__file__).parents[3] / "examples" / "policies" / "hookkit.toml"
VALIDATOR = jsonschema.Draft7Validator(schema())


def test_the_schema_itself_is_valid() -> None:
    jsonschema.Draft7Validator.check_schema(schema())


def test_our_own_example_fits() -> None:
    VALIDATOR.validate(TomlDocument("", EXAMPLE.read_text()).data)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_setting_is_known_with_its_default(key: Any) -> None:
    """Each default fits, but for an empty text, which only a default may be."""
    found: Any = schema()
    for part in key.name.split("."):
        found = found["properties"][part]
    assert found["description"].startswith(key.about)
    if found["default"] != "":
        jsonschema.validate(found["default"], found)


def test_a_rule_has_a_pattern_or_a_list_of_patterns() -> None:
    for match in ("Bash(x)", ["Bash(x)", "Write(y)"]):
        VALIDATOR.validate({"rules": [{"type": "deny", "match": match}]})


def test_a_slip_is_refused() -> None:
    mistakes: list[Any] = [
        {"polcy": {}},
        {"policy": {"base": "yes"}},
        {"rules": [{"match": "x"}]},
        {"rules": [{"type": "deny", "match": []}]},
        {"rules": [{"type": "deny", "match": [5]}]},
    ]
    for wrong in mistakes:
        assert not VALIDATOR.is_valid(wrong)


def test_every_kind_of_value_has_a_shape() -> None:
    assert {name for name, kind in KINDS.items() if not kind.schema} == {"json", "anything", "words"}

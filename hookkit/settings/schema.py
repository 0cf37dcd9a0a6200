"""The JSON Schema of hookkit.toml, for editors: made from the table of settings."""

from hookkit.settings.keys import KEYS, Key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.documents.kinds import Fields, KindName

DRAFT = "http://json-schema.org/draft-07/schema#"
TEXTS: "dict[str, Any]" = {"type": "array", "items": {"type": "string"}}
# How each kind of value looks in a schema; a kind without a row may be anything.
SHAPES: "dict[KindName, dict[str, Any]]" = {
    "text": {"type": "string", "minLength": 1},
    "any text": {"type": "string"},
    "flag": {"type": "boolean"},
    "approval": {"enum": ["always", "trusted", "never", True, False]},
    "count": {"type": "integer", "minimum": 0},
    "positive": {"type": "integer", "minimum": 1},
    "amount": {"type": "number", "minimum": 0},
    "seconds": {"type": "number", "exclusiveMinimum": 0},
    "texts": TEXTS,
    "choices": TEXTS,
    "patterns": {"anyOf": [{"type": "string", "minLength": 1}, {**TEXTS, "minItems": 1}]},
    "effect": {"type": ["string", "object"], "additionalProperties": {"type": ["string", "array"]}},
    "text table": {"type": "object", "additionalProperties": {"type": "string"}},
    "targets": {"type": "object", "additionalProperties": {"type": "string", "pattern": "^[/@]."}},
    "rows": {"type": "array", "items": {"type": "object"}},
    "lists": {"type": "object", "additionalProperties": {"type": "object"}},
    "schemas": {"type": "object"},
}


def schema() -> "dict[str, Any]":
    """Tables inside tables, as the dots in the names of the settings say."""
    root: dict[str, Any] = {
        "$schema": DRAFT, "title": "hookkit.toml", "type": "object", "additionalProperties": False, "properties": {},
    }  # fmt: skip
    for key in KEYS:
        *tables, name = key.name.split(".")
        here = root
        for table in tables:
            new = {"type": "object", "additionalProperties": False, "properties": {}}
            here = here["properties"].setdefault(table, new)
        here["properties"][name] = _setting(key)
    return root


def _setting(key: Key) -> "dict[str, Any]":
    shape = dict(SHAPES.get(key.kind, {}))
    if key.options:
        choice = {"enum": [*key.options]}
        shape = {"type": "array", "items": choice} if key.kind == "choices" else choice
    if key.kind == "rows" and key.fields:
        shape["items"] = _row(key.fields)
    about = key.about + (" (in a project's file: needs trust)" if key.trust else "")
    default = [*key.default] if isinstance(key.default, tuple) else key.default
    return {**shape, "description": about, "default": default}


def _row(fields: "Fields") -> "dict[str, Any]":
    known = {name.lstrip("*"): dict(SHAPES.get(kind, {})) for name, kind in fields.items()}
    required = [name[1:] for name in fields if name[0] == "*"]
    return {"type": "object", "additionalProperties": False, "properties": known, "required": required}

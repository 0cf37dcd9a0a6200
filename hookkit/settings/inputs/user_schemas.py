"""Reads the `schemas` setting: JSON Schemas for tool inputs, from JSON files or from tables in hookkit.toml.

A schema can only refuse calls, so an untrusted project's schemas apply at once. Its regular expressions do not: they
could run for ever. Each schema is validated, and the part that hookkit can check is kept with the same structure, so
every `$ref` still resolves. Constraints that hookkit cannot check are left out; `oneOf` then becomes `anyOf`, because a
loosened `oneOf` would refuse good values.
"""

import json
import os

from hookkit.settings.documents.finding import named_value
from hookkit.settings.documents.kinds import wrong_regex
from hookkit.settings.inputs.check import resolve
from hookkit.settings.inputs.keywords import IS, LIMITS, WORDS
from hookkit.system import files
from hookkit.system.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

EXPECTED = "expected tools, each with a table or the name of a JSON file"
MOST = 200  # tools with a schema
LARGEST = 1 << 18  # bytes of all the files that one settings file names
CUT = 300  # characters of a message
PARTS = 2_000  # schemas in a schema
DEPTH = 40
UNCHECKED = (
    "not", "if", "then", "else", "contains", "dependencies", "dependentRequired", "dependentSchemas", "propertyNames",
    "additionalItems", "unevaluatedItems", "unevaluatedProperties", "$dynamicRef", "$recursiveRef",
)  # fmt: skip
PATTERNS = ("pattern", "patternProperties")


def read(
    value: object, directory: str, *, tables: bool = True, in_files: bool = True
) -> "tuple[dict[str, Any], list[tuple[tuple[Any, ...], str]]]":
    """Rows for each tool, and every mistake with its place. A broken schema file still gets a row.

    Regular expressions count in tables with `tables`, in files with `in_files`; else they are not even compiled.
    """
    if not isinstance(value, dict):
        return {}, [((), EXPECTED)]
    if len(value) > MOST:
        return {}, [((), f"more than {MOST} tools")]
    schemas: dict[str, Any] = {}
    problems: list[tuple[tuple[Any, ...], str]] = []
    room = LARGEST
    for tool, given in value.items():
        source = _Source(given, directory, room, patterns=in_files if isinstance(given, str) else tables)
        room -= source.size
        schemas[tool] = [source.row]
        problems += [((None, tool), f"{tool}: {problem}"[:CUT]) for problem in source.problems]
    return schemas, problems


class _Source:
    """The schema of one tool: a table in the settings file, or a JSON file below the directory of the settings file."""

    def __init__(self, given: object, directory: str, room: int, *, patterns: bool) -> None:
        self.row: dict[str, Any] = {"schema": {}}
        self.problems: list[str] = []
        self.patterns = patterns
        self.size = 0
        if isinstance(given, dict):
            self._check(given)
        elif isinstance(given, str):
            path = os.path.join(directory, given)
            self.row |= {"file": path, "stamp": files.stamp(path)}
            self._parse(self._content(path, directory, room))
            self.problems = [f"{given}: {problem}" for problem in self.problems]
        else:
            self.problems.append(EXPECTED)

    def _content(self, path: str, directory: str, room: int) -> bytes:
        try:
            if not files.inside(path, directory or "."):
                self.problems.append(f"leads out of {directory or 'here'}")
                return b""
            raw = files.read(path, room + 1)
        except (OSError, ValueError) as error:
            self.problems.append(getattr(error, "strerror", None) or "not a file")
            return b""
        self.size = len(raw)
        if self.size > room:
            self.problems.append(f"more than {LARGEST:,} bytes of schemas")
        return raw

    def _parse(self, raw: bytes) -> None:
        if self.problems:
            return
        try:
            self._check(json.loads(raw))
        except json.JSONDecodeError as error:
            self.problems.append(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}")
        except (ValueError, RecursionError):
            self.problems.append("not JSON")

    def _check(self, schema: object) -> None:
        parsed = ParsedSchema(schema, patterns=self.patterns)
        self.problems += [f"{path}: {problem}" if path else problem for path, problem in parsed.problems]
        if not self.problems:
            self.row["schema"] = parsed.kept


def reads(values: "dict[str, Any]") -> "list[list[Any]]":
    """The schema files with their stamps: a changed stamp makes the compiled settings stale."""
    rows = [row for rows in values.get("schemas", {}).values() for row in rows]
    return [[row["file"], row["stamp"]] for row in rows if "file" in row]


def has_patterns(schema: object) -> bool:
    """Whether regular expressions stand in a schema."""
    if isinstance(schema, list):
        return any(has_patterns(item) for item in schema)
    for name, item in schema.items() if isinstance(schema, dict) else ():
        inner = list(item.values()) if INNER.get(name) == "table" and isinstance(item, dict) else item
        if name in PATTERNS or has_patterns(inner):
            return True
    return False


class ParsedSchema:
    """The result of one walk over a schema: `kept` is the supported part, `problems` lists (path, mistake)."""

    def __init__(self, schema: object, *, patterns: bool = True) -> None:
        self.problems: list[tuple[str, str]] = []
        self.patterns = patterns
        self.parts = 0
        self.left_out = 0  # number of constraints missing from `kept`
        self.kept: dict[str, Any] = {}
        if not isinstance(schema, dict):
            self._wrong("", f"expected an object, not {named_value(schema)}")
            return
        self.kept = self._schema(schema, "", 0)
        if not self.problems and "object" not in _kinds(self.kept.setdefault("type", "object")):
            self._wrong("type", "expected object: the input of a tool is one")
        if self.left_out:
            _loosen(self.kept)
        if not self.problems:
            self.problems += [*_lost(self.kept)] or [*_circles(self.kept)]

    def _wrong(self, path: str, problem: str) -> None:
        self.problems.append((path, problem))

    def _schema(self, schema: object, path: str, depth: int) -> "Any":
        self.parts += 1
        if self.parts > PARTS or depth > DEPTH:
            if not any(problem.startswith("more than") for _, problem in self.problems):
                self._wrong(path, f"more than {PARTS:,} schemas, or more than {DEPTH} inside each other")
            return True
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, dict):
            self._wrong(path, f"expected a schema, not {named_value(schema)}")
            return True
        clean: dict[str, Any] = {}
        for name, value in schema.items():
            self._keyword(clean, name, value, f"{path}.{name}" if path else name, depth + 1)
        self._close(clean, schema)
        return clean

    def _close(self, compiled: "dict[str, Any]", schema: "dict[str, Any]") -> None:
        """Without `patternProperties`, `additionalProperties` would refuse fields that the patterns allow."""
        if "patternProperties" in schema and not self.patterns:
            compiled.pop("additionalProperties", None)
        if isinstance(schema.get("items"), list):  # the spelling before draft 2020-12
            compiled["prefixItems"] = compiled.pop("items", [])

    def _keyword(self, compiled: "dict[str, Any]", name: str, value: object, path: str, depth: int) -> None:
        if name in UNCHECKED or (name in PATTERNS and not self.patterns):
            self.left_out += 1
        elif name in INNER:
            compiled[name] = self._inner(name, value, path, depth)
        elif name in PLAIN:
            words, is_right = PLAIN[name]
            compiled[name] = value
            if is_right(value) and _is_json(value):
                self._named(name, value, path)
            else:
                self._wrong(path, f"expected {words}, not {named_value(value)}")
        elif name not in ANNOTATIONS:
            self._unknown(name, path)

    def _inner(self, name: str, value: object, path: str, depth: int) -> "Any":
        """The schemas inside a keyword: a single schema, a list, or a table."""
        shape = INNER[name]
        if shape == "table" and isinstance(value, dict):
            if name == "patternProperties":
                self._regexes(list(value), path)
            return {key: self._schema(item, f"{path}.{key}", depth) for key, item in value.items()}
        if isinstance(value, list) and (shape == "list" or name == "items"):
            if not value and shape == "list":
                self._wrong(path, "expected at least one schema")
            return [self._schema(item, f"{path}[{number}]", depth) for number, item in enumerate(value)]
        if shape == "one":
            return self._schema(value, path, depth)
        self._wrong(path, f"expected a {shape} of schemas, not {named_value(value)}")
        return {} if shape == "table" else [True]

    def _named(self, name: str, value: object, path: str) -> None:
        """Check the value of `type` and `pattern`."""
        if name == "type":
            for kind in _kinds(value):
                if kind not in WORDS:
                    fix = did_you_mean(str(kind), [*WORDS], 0.6)
                    message = f"expected one of {', '.join(WORDS)}, not {named_value(kind)}"
                    self._wrong(path, f"{message}; {fix}" if fix else message)
        elif name == "pattern":
            self._regexes([str(value)], path)

    def _regexes(self, sources: list[str], path: str) -> None:
        for problem in filter(None, map(wrong_regex, sources)):
            self._wrong(path, problem)

    def _unknown(self, name: str, path: str) -> None:
        """Unknown keywords are allowed in a schema, except near misses of a known keyword."""
        fix = did_you_mean(name, [*PLAIN, *INNER], 0.85)
        if fix:
            self._wrong(path, f"unknown keyword; {fix}")


def _kinds(value: object) -> "list[Any]":
    return value if isinstance(value, list) else [value]


def _loosen(root: "dict[str, Any]") -> None:
    for part in list(_parts(root)):
        if "oneOf" in part:
            part["allOf"] = [*part.get("allOf", ()), {"anyOf": part.pop("oneOf")}]


def _lost(root: "dict[str, Any]") -> "Iterator[tuple[str, str]]":
    for ref in _refs(root):
        if not _leads(root, ref):
            yield "$ref", f"expected #/… that leads to a schema in here, not {named_value(ref)}"


def _leads(root: object, ref: str) -> bool:
    if not ref.startswith("#") or (ref != "#" and ref[1] != "/"):
        return False
    try:
        return isinstance(resolve(root, ref), (dict, bool))
    except KeyError:
        return False


def _circles(root: "dict[str, Any]") -> "Iterator[tuple[str, str]]":
    """A `$ref` cycle that never descends into the value would loop for ever."""
    done: set[int] = set()

    def goes_round(schema: object, above: tuple[int, ...]) -> bool:
        if not isinstance(schema, dict) or id(schema) in done:
            return False
        if id(schema) in above or len(above) > DEPTH:
            return True
        below = [form for name in ("allOf", "anyOf", "oneOf") for form in schema.get(name, ())]
        below += [resolve(root, schema["$ref"])] if "$ref" in schema else []
        is_round = any(goes_round(form, (*above, id(schema))) for form in below)
        done.add(id(schema))
        return is_round

    for ref in _refs(root):
        if goes_round(resolve(root, ref), ()):
            yield "$ref", f"{named_value(ref)} leads back to itself"


def _refs(root: "dict[str, Any]") -> list[str]:
    return list(dict.fromkeys(part["$ref"] for part in _parts(root) if "$ref" in part))


def _parts(schema: object) -> "Iterator[dict[str, Any]]":
    if not isinstance(schema, dict):
        return
    yield schema
    for name, shape in INNER.items():
        value = schema.get(name)
        inner = value.values() if shape == "table" and value else value if shape == "list" else [value]
        for part in inner or ():
            yield from _parts(part)


def _is_json(value: object, depth: int = 0) -> bool:
    """Whether JSON can hold the value: TOML also has dates and infinities."""
    if depth > DEPTH:
        return False
    if isinstance(value, list):
        return all(_is_json(item, depth + 1) for item in value)
    if isinstance(value, dict):
        return all(_is_json(item, depth + 1) for item in value.values())
    if isinstance(value, float):
        return value - value == 0
    return value is None or isinstance(value, (str, int))


def _is_texts(value: object, least: int = 0) -> bool:
    return isinstance(value, list) and len(value) >= least and all(isinstance(item, str) for item in value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_anything(_: object) -> bool:
    return True


# Required value of each keyword: description and test.
PLAIN: "dict[str, tuple[str, Callable[[Any], bool]]]" = {
    "type": ("the name of a type, or a list of them", lambda value: IS["string"](value) or _is_texts(value, least=1)),
    "required": ("a list of names", _is_texts),
    "enum": ("a list of at least one value", lambda value: isinstance(value, list) and bool(value)),
    "const": ("a value", _is_anything),
    "pattern": ("text", IS["string"]),
    "uniqueItems": ("true or false", IS["boolean"]),
    "$ref": ("text", IS["string"]),
    "default": ("a value", _is_anything),
    "examples": ("a list", IS["array"]),
    "format": ("text", IS["string"]),
    **{name: ("a whole number from 0", _is_count) if kind != "number" else ("a number", IS["number"])
       for name, (kind, _, _) in LIMITS.items()},
    "multipleOf": ("a number above 0", lambda value: IS["number"](value) and value > 0),
}  # fmt: skip
INNER = {
    "properties": "table", "patternProperties": "table", "$defs": "table", "definitions": "table",
    "items": "one", "additionalProperties": "one",
    "prefixItems": "list", "allOf": "list", "anyOf": "list", "oneOf": "list",
}  # fmt: skip
ANNOTATIONS = (
    "title", "description", "$schema", "$id", "$comment", "$anchor", "deprecated", "readOnly", "writeOnly", "example",
    "contentEncoding", "contentMediaType", "contentSchema", "$vocabulary",
)  # fmt: skip

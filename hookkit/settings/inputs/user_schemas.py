"""Reads the `schemas` setting: JSON Schemas for tool inputs, from JSON files or from tables in hookkit.toml.

A schema can only refuse calls, so an untrusted project's schemas apply at once. Its regular expressions do not: they
could run for ever.
"""

import json
import os

from hookkit.settings.inputs.schema_parser import INNER, PATTERNS, ParsedSchema
from hookkit.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EXPECTED = "expected tools, each with a table or the name of a JSON file"
MOST = 200  # tools with a schema
LARGEST = 1 << 18  # bytes of all the files that one settings file names
CUT = 300  # characters of a message


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
        source = _File(directory, given, room, in_files) if isinstance(given, str) else _Table(given, tables)
        room -= source.size
        schemas[tool] = [source.row]
        problems += [((None, tool), f"{tool}: {problem}"[:CUT]) for problem in source.problems]
    return schemas, problems


class _Table:
    """A schema written as a table in the settings file."""

    size = 0

    def __init__(self, schema: object, patterns: bool) -> None:  # noqa: FBT001 - a switch of the reader
        self.row: dict[str, Any] = {"schema": {}}
        self.problems: list[str] = []
        self.patterns = patterns
        if isinstance(schema, dict):
            self.check(schema)
        else:
            self.problems.append(EXPECTED)

    def check(self, schema: object) -> None:
        parsed = ParsedSchema(schema, patterns=self.patterns)
        self.problems += [f"{path}: {problem}" if path else problem for path, problem in parsed.problems]
        if not self.problems:
            self.row["schema"] = parsed.kept


class _File(_Table):
    """A schema in a JSON file; the file must lie below the settings file's directory."""

    def __init__(self, directory: str, name: str, room: int, patterns: bool) -> None:  # noqa: FBT001
        path = os.path.join(directory, name)
        self.patterns = patterns
        self.row = {"schema": {}, "file": path, "stamp": files.stamp(path)}
        self.problems = []
        raw = self._read(path, directory, room)
        self.size = len(raw)
        if not self.problems:
            self._parse(raw)
        self.problems = [f"{name}: {problem}" for problem in self.problems]

    def _read(self, path: str, directory: str, room: int) -> bytes:
        try:
            if not files.inside(path, directory or "."):
                self.problems.append(f"leads out of {directory or 'here'}")
                return b""
            raw = files.read(path, room + 1)
        except (OSError, ValueError) as error:
            self.problems.append(getattr(error, "strerror", None) or "not a file")
            return b""
        if len(raw) > room:
            self.problems.append(f"more than {LARGEST:,} bytes of schemas")
        return raw

    def _parse(self, raw: bytes) -> None:
        try:
            self.check(json.loads(raw))
        except json.JSONDecodeError as error:
            self.problems.append(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}")
        except (ValueError, RecursionError):
            self.problems.append("not JSON")


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

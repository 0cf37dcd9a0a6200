"""Limits for the settings file of an untrusted project, which every call of a hook may read.

The limits count work, not time: on a busy machine a project's rules must not vanish. A file within the limits compiles
in about 0.2 seconds.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VALUES = 10_000  # keys and items, counted by the signs = and , before the parse
TABLES = 2_000  # headers, counted by the lines that begin with [
ENTRIES = 1_000  # of a single list or table
PATTERNS = 500  # of all rules and actors; each is compared with each file of a command
SCHEMA_VALUES = 2_000  # of all schemas, with the schemas in files
SCHEMA_STEPS = 20_000  # values behind all references, each counted as long as the longest list or table
YAML = 40_000  # characters of genesis.key
FIX = "read the file, then run hookkit trust to use it"


def of_text(text: str) -> str:
    """A message about a text with too many values, or an empty text."""
    return _over(text.count("=") + text.count(","), VALUES, "values") or _over(text.count("\n["), TABLES, "tables")


def of_data(data: "dict[str, Any]") -> str:
    """The same for parsed data: long lists, large tables, too many patterns."""
    return _over(largest(data), ENTRIES, "entries in a list or table") or _over(patterns(data), PATTERNS, "patterns")


def of_yaml(text: str) -> str:
    return _over(len(text), YAML, "characters")


def of_rules(rules: "list[Any]") -> str:
    return _over(len(rules), PATTERNS, "patterns")


def of_schemas(rows: "list[dict[str, Any]]") -> str:
    steps = references(rows) * largest(rows)
    return _over(values(rows), SCHEMA_VALUES, "values in schemas") or _over(steps, SCHEMA_STEPS, "referenced values")


def _over(count: int, most: int, noun: str) -> str:
    return f"more than {most:,} {noun}, too many for a file without trust" if count > most else ""


def largest(value: object) -> int:
    """The length of the longest list or table inside the value."""
    if not isinstance(value, (dict, list)):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return max(len(value), max((largest(item) for item in inner), default=0))


def values(value: object) -> int:
    """The number of values inside the value, with the value itself."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(values(item) for item in inner)


def references(value: object) -> int:
    if isinstance(value, list):
        return sum(references(item) for item in value)
    return sum(references(item) + (name == "$ref") for name, item in value.items()) if isinstance(value, dict) else 0


def patterns(data: "dict[str, Any]") -> int:
    rules, actors = data.get("rules"), data.get("actors")
    count = 0
    for row in rules if isinstance(rules, list) else ():
        match, unless = (row.get("match"), row.get("unless")) if isinstance(row, dict) else (None, None)
        exceptions = len(unless) if isinstance(unless, list) else 0
        count += (len(match) if isinstance(match, list) else 1) * (1 + exceptions)  # each pattern has all exceptions
    for lists in actors.values() if isinstance(actors, dict) else ():
        count += sum(len(rows) for rows in lists.values() if isinstance(rows, list)) if isinstance(lists, dict) else 0
    return count

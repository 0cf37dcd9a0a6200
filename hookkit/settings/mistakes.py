"""What is wrong with a settings file: every mistake at once, each with its place and a way out."""

from hookkit.documents.finding import Problem
from hookkit.settings.keys import (
    ANYTHING,
    APPROVAL,
    BY_NAME,
    COUNT,
    FLAG,
    LISTS,
    ROWS,
    SCHEMAS,
    TABLE,
    TEXT,
    WORDS,
    Key,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HIGHEST = 10**15  # of numbers
DEEPEST = 20  # tables inside of tables
LONGEST_SHOWN = 200  # characters of a wrong value that are repeated
LONGEST_NAME = 120  # characters of a file's name
SPEECH = 4  # blanks in one
MOST = 100  # mistakes that are named: who has more has another problem
ACTIONS = ("test", "build", "lint", "e2e", "smoke")


def check(path: str, text: str) -> "tuple[dict[str, Any], list[Problem]]":
    """A settings file as flat `section.key` values, and every mistake in it at once."""
    from hookkit.documents.toml_source import Source

    source = Source(path, text)
    if source.problem is not None:
        return {}, [source.problem]
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, value in _flatten(source.data):
        key = BY_NAME.get(name)
        if len(problems) > MOST:
            break
        if key is None:
            problems.append(Problem(path, source.place(name), *_unknown(name)))
            continue
        mistakes = _mistakes(key, value) if key.kind != SCHEMAS else _read_schemas(path, value, values)
        problems += [Problem(path, source.place(name, *at), f"{name}: {said}") for at, said in mistakes]
        if not mistakes and key.kind != SCHEMAS:
            values[name] = value
    return values, problems


def _read_schemas(path: str, value: object, values: "dict[str, Any]") -> "list[tuple[tuple[Any, ...], str]]":
    """Kept whatever is wrong with them: a file that is mended must be noticed, so its name must be known."""
    import os

    from hookkit.inputs import user_schemas

    values["schemas"], mistakes = user_schemas.read(value, os.path.dirname(path))
    return mistakes


def _flatten(data: "dict[str, Any]") -> "list[tuple[str, Any]]":
    """Sections are one level deep; a table that is itself a setting stays whole."""
    flat: list[tuple[str, Any]] = []
    for name, value in data.items():
        if name in BY_NAME or not isinstance(value, dict):
            flat.append((name, value))
        else:
            flat += [(f"{name}.{key}", inner) for key, inner in value.items()]
    return flat


def _unknown(name: str) -> tuple[str, str]:
    """What to say of a name that is no setting, and the way out."""
    from difflib import get_close_matches

    if any(key.startswith(f"{name}.") for key in BY_NAME):
        return f"{name} is a section", f"write [{name}]"
    close = get_close_matches(name, [*BY_NAME], 1)
    return f"unknown setting {name}", f"did you mean {close[0]}?" if close else "see docs/settings.md"


def _mistakes(key: Key, value: object) -> "list[tuple[tuple[Any, ...], str]]":
    """Where in the value (row's number, field) something is wrong, and what."""
    if key.kind == LISTS:
        return _list_mistakes(value)
    if key.kind != ROWS:
        wrong = _wrong(key.kind, value, key.options)
        return [((), wrong)] if wrong else []
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        return [((), f"expected rows: [[{key.name}]]")]
    found: list[tuple[tuple[Any, ...], str]] = []
    fields = {name.lstrip("*"): kind for name, kind in key.fields.items()}
    for number, row in enumerate(value):
        if key.name == "rules":
            found += [((number, name) if name else (number,), said) for name, said in _rule_mistakes(row)]
        for name, item in row.items():
            wrong = _wrong(fields[name], item) if name in fields else f"unknown field {name}"
            found += [((number, name), f"{name}: {wrong}")] if wrong else []
        missing = [name[1:] for name in key.fields if name.startswith("*") and name[1:] not in row]
        found += [((number,), f"missing {name}") for name in missing]
        found += [((number, "files"), said) for said in _outside(row)] if key.name == "gate.artefacts" else []
        action = row.get("action", "test")
        if key.name == "redirect.detectors" and action not in ACTIONS:
            found.append(((number, "action"), f"action: expected one of {', '.join(ACTIONS)}, not {action!r}"))
    return found


def _outside(row: "dict[str, Any]") -> "list[str]":
    """Names are below the project; one that leads out of it would be found by chance or never."""
    names = row.get("files")
    names = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    wrong = [
        name
        for name in names
        if name.startswith(("/", "~")) or ".." in name.split("/") or not name.strip("/. ") or not _is_name(name)
    ]
    return [f"files: expected names below the project, not {name!r}" for name in wrong]


def _is_name(text: str) -> bool:
    """Something that a file may be called, and no speech to a model."""
    return text.isprintable() and len(text) <= LONGEST_NAME and text.count(" ") < SPEECH


def _rule_mistakes(row: "dict[str, Any]") -> "list[tuple[str, str]]":
    from hookkit.policy.rules import mistakes

    texts = {name: item for name, item in row.items() if name not in ("type", "match") or isinstance(item, str)}
    return mistakes(texts) if isinstance(row.get("match", ""), str) else []


def _list_mistakes(value: object) -> "list[tuple[tuple[Any, ...], str]]":
    """`[actors."agent:executor"]` with allow, ask and deny, each a list of patterns."""
    from hookkit.errors import PatternError
    from hookkit.policy.pattern import parse

    if not isinstance(value, dict) or not all(isinstance(lists, dict) for lists in value.values()):
        return [((), f"expected {LISTS}")]
    found: list[tuple[tuple[Any, ...], str]] = []
    for actor, lists in value.items():
        for name, sources in lists.items():
            if name not in ("allow", "ask", "deny"):
                found.append(((), f"{actor}: expected allow, ask or deny, not {name}"))
            elif not isinstance(sources, list) or not all(isinstance(source, str) for source in sources):
                found.append(((), f"{actor}.{name}: expected a list of patterns"))
            else:
                for source in sources:
                    try:
                        parse(source)
                    except PatternError as error:  # noqa: PERF203 - every mistake is named
                        found.append(((), f"{actor}.{name}: {error}: {source}"))
    return found


def _is_target(value: object) -> bool:
    """`/command` or `@agent`: one name, so that a row cannot smuggle in a speech."""
    if not isinstance(value, str) or value[:1] not in ("/", "@") or len(value) > 100:  # noqa: PLR2004
        return False
    return all(char.isalnum() or char in "-_.:/" for char in value[1:]) and bool(value[1:])


def _wrong(kind: str, value: object, options: tuple[str, ...] = ()) -> str:
    """What is wrong with the value, or nothing."""
    if options and value not in options:
        return f"expected one of {', '.join(options)}, not {value!r}"
    fits = {
        TEXT: lambda: isinstance(value, str) and bool(value.strip()),
        FLAG: lambda: isinstance(value, bool),
        COUNT: lambda: isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= HIGHEST,
        WORDS: lambda: isinstance(value, list) and all(isinstance(item, str) for item in value),
        TABLE: lambda: isinstance(value, dict) and all(_is_target(item) for item in value.values()),
    }
    fits |= {ANYTHING: lambda: _is_json(value), "any text": lambda: isinstance(value, str)}
    fits |= {APPROVAL: lambda: isinstance(value, bool) or value in ("always", "trusted", "never")}
    return "" if fits[kind]() else f"expected {kind}, not {_shown(value)}"


def _is_json(value: object, depth: int = 0) -> bool:
    """Whether it can be kept: no date, no number that is none, nothing too deep."""
    if isinstance(value, dict):
        return depth < DEEPEST and all(_is_json(item, depth + 1) for item in value.values())
    if isinstance(value, list):
        return depth < DEEPEST and all(_is_json(item, depth + 1) for item in value)
    if isinstance(value, float):
        return -HIGHEST <= value <= HIGHEST
    return isinstance(value, (str, bool)) or (isinstance(value, int) and -HIGHEST <= value <= HIGHEST)


def _shown(value: object) -> str:
    """Short; a number of thousands of digits Python would not even print."""
    try:
        said = repr(value)
    except ValueError:
        return "a number so large"
    return said if len(said) <= LONGEST_SHOWN else f"{said[:LONGEST_SHOWN]}…"

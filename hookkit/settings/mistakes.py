"""Checks parsed settings: every mistake at once, each with the path to its value."""

from hookkit.documents.finding import Defect
from hookkit.documents.kinds import KINDS, shown_value, wrong
from hookkit.policy.rules import VERDICTS
from hookkit.settings import rule_rows
from hookkit.settings.keys import BY_NAME, Key
from hookkit.settings.rule_parts import wrong_pattern
from hookkit.system.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from hookkit.documents.element import Path

LONGEST_NAME = 120  # characters of a file's name
SPEECH = 4  # blanks in a file's name: with more it is a message to the model
MOST = 100  # mistakes reported for one file
ACTIONS = ("test", "build", "lint", "e2e", "smoke")


def check(data: "dict[str, Any]", directory: str) -> "tuple[dict[str, Any], list[Defect]]":
    """The settings as flat `section.key` values, and every mistake. `directory` holds the files that schemas name."""
    values: dict[str, Any] = {}
    found: list[Defect] = []
    for path, value in _settings(data):
        name = ".".join(path)
        key = BY_NAME.get(name)
        if len(found) > MOST:
            break
        if key is None:
            found.append(_unknown(path, name))
        elif key.kind == "schemas":
            values[name], mistakes = _read_schemas(value, directory)
            found += [defect.below(path, name) for defect in mistakes]
        else:
            mistakes = [*CHECKS.get(key.kind, _value)(key, value)]
            found += [defect.below(path, name) for defect in mistakes]
            if not mistakes:
                values[name] = value
    return values, found


def _settings(data: "dict[str, Any]") -> "Iterator[tuple[tuple[str, ...], Any]]":
    """Sections are one level deep; a table that is a setting itself stays whole."""
    for name, value in data.items():
        if name in BY_NAME or not isinstance(value, dict):
            yield (name,), value
        else:
            yield from (((name, key), inner) for key, inner in value.items())


def _unknown(path: "Path", name: str) -> Defect:
    if any(key.startswith(f"{name}.") for key in BY_NAME):
        return Defect(path, f"{name} is a section", f"write [{name}]")
    return Defect(path, f"unknown setting {name}", did_you_mean(name, [*BY_NAME], 0.6) or "see docs/settings.md")


def _read_schemas(value: object, directory: str) -> "tuple[dict[str, Any], list[Defect]]":
    """The schemas are kept despite mistakes: the loader needs the names of their files to notice a change."""
    from hookkit.inputs import contracts

    kept, mistakes = contracts.read(value, directory)
    return kept, [Defect(at[1:], said) for at, said in mistakes]


def _value(key: Key, value: object) -> "Iterator[Defect]":
    if key.options and value not in key.options:
        said = f"expected one of {', '.join(key.options)}, not {shown_value(value)}"
        yield Defect((), said, did_you_mean(value, key.options, 0.6) if isinstance(value, str) else "")
        return
    said = wrong(key.kind, value)
    if said:
        yield Defect((), said)


def _rows(key: Key, value: "Any") -> "Iterator[Defect]":
    if not KINDS["rows"].fits(value):
        yield Defect((), f"expected rows: [[{key.name}]]")
        return
    fields = {name.lstrip("*"): kind for name, kind in key.fields.items()}
    required = [name[1:] for name in key.fields if name.startswith("*")]
    for number, row in enumerate(value):
        said = {name: wrong(fields[name], item) for name, item in row.items() if name in fields}
        yield from (Defect((number, name), f"{name}: {text}") for name, text in said.items() if text)
        for name in row.keys() - fields.keys():
            yield Defect((number, name), f"unknown field {name}", did_you_mean(name, [*fields]))
        yield from (Defect((number,), f"missing {name}") for name in required if name not in row)
        right = {name: row[name] for name, text in said.items() if not text}
        for defect in ROWS.get(key.name, _nothing_more)(right, set(row)):
            yield Defect((number, *defect.path), defect.message, defect.fix, defect.at)


def _nothing_more(_: "dict[str, Any]", __: "set[str]") -> "Iterator[Defect]":
    yield from ()


def _artefact(row: "dict[str, Any]", _: "set[str]") -> "Iterator[Defect]":
    """Files must be below the project."""
    for name in row.get("files", ()):
        is_outside = name.startswith(("/", "~")) or ".." in name.split("/") or not name.strip("/. ")
        if is_outside or not _is_name(name):
            yield Defect(("files",), f"files: expected names below the project, not {name!r}")


def _is_name(text: str) -> bool:
    """Whether a file may have this name. A long text with blanks is a message to the model instead."""
    return text.isprintable() and len(text) <= LONGEST_NAME and text.count(" ") < SPEECH


def _detector(row: "dict[str, Any]", _: "set[str]") -> "Iterator[Defect]":
    action = row.get("action", ACTIONS[0])
    if action not in ACTIONS:
        said = f"action: expected one of {', '.join(ACTIONS)}, not {action!r}"
        yield Defect(("action",), said, did_you_mean(action, ACTIONS, 0.6))


def _lists(key: Key, value: "Any") -> "Iterator[Defect]":
    """`[actors."agent:executor"]` with allow, ask and deny, each a list of patterns."""
    if not KINDS["lists"].fits(value):
        yield Defect((), f"expected {KINDS[key.kind].words}")
        return
    for actor, lists in value.items():
        for name, sources in lists.items():
            path = (actor, name)
            if name not in VERDICTS:
                yield Defect(path, f"{actor}: expected allow, ask or deny, not {name}", did_you_mean(name, VERDICTS))
            elif not KINDS["texts"].fits(sources):
                yield Defect(path, f"{actor}.{name}: expected a list of patterns")
            else:
                yield from _patterns(path, sources)


def _patterns(path: "Path", sources: list[str]) -> "Iterator[Defect]":
    for number, source in enumerate(sources):
        mistake = wrong_pattern(source)
        if mistake is not None:
            at, said, fix = mistake
            yield Defect((*path, number), f"{path[0]}.{path[1]}: {said}", fix, at)


CHECKS: "dict[str, Callable[[Key, Any], Iterator[Defect]]]" = {"rows": _rows, "lists": _lists}
ROWS: "dict[str, Callable[[dict[str, Any], set[str]], Iterator[Defect]]]" = {
    "rules": rule_rows.defects,
    "gate.artefacts": _artefact,
    "redirect.detectors": _detector,
}

"""Checks a value against a JSON Schema and reports every mistake, with a bound on the work.

A value too large or too deep to check is itself a mistake: passing it unchecked would be unsafe.
"""

from hookkit.settings.inputs.keywords import (
    DEPTH,
    FEW,
    IS,
    LONGEST,
    LOOK,
    RULES,
    WORDS,
    Mistake,
    TooMuchError,
    names,
    same,
    show,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.inputs.keywords import Path

STEPS = 100_000


def mistakes(schema: "dict[str, Any]", value: object) -> list[Mistake]:
    """Every mistake in the value. The schema has already passed `user_schemas`."""
    return Check(schema).mistakes(schema, value)


class Check:
    """One check; `$ref` pointers are resolved from `root`."""

    __slots__ = ("_choices", "_same", "_targets", "root", "steps")

    def __init__(self, root: "dict[str, Any]") -> None:
        self.root = root
        self.steps = 0
        self._targets: dict[str, Any] = {}
        self._choices: dict[int, set[object]] = {}
        self._same: dict[int, tuple[object, object]] = {}

    def mistakes(self, schema: "Any", value: object) -> list[Mistake]:
        self.steps = 0
        try:
            return self.look(schema, value, (), 0)
        except TooMuchError:
            return [Mistake((), "", "too large or too deep to be checked")]

    def spend(self, steps: int) -> None:
        self.steps += steps
        if self.steps > STEPS:
            raise TooMuchError

    def look(self, schema: "Any", value: object, path: "Path", depth: int) -> list[Mistake]:
        self.spend(LOOK)
        if depth > DEPTH:
            raise TooMuchError
        if not isinstance(schema, dict):
            return [] if schema is not False else [Mistake(path, "", "not expected here")]
        if "type" in schema and not has_type(schema["type"], value):
            return [Mistake(path, "type", lambda: f"expected {self.expected({'type': schema['type']})}", value)]
        rules = [RULES[keyword] for keyword in schema if keyword in RULES]
        return [mistake for rule in rules for mistake in rule(self, schema, value, path, depth + 1)]

    def target(self, ref: str) -> "Any":
        """The schema at a local `$ref`, cached."""
        if ref not in self._targets:
            self._targets[ref] = resolve(self.root, ref)
        return self._targets[ref]

    def choices(self, known: "list[Any]") -> set[object]:
        """The values of an enum as a set, built once per enum."""
        if id(known) not in self._choices:
            self.spend(len(known))
            self._choices[id(known)] = {same(item) for item in known}
        return self._choices[id(known)]

    def same(self, value: object) -> object:
        """The comparable form of a value, built once per list or object."""
        if not isinstance(value, (dict, list)):
            return same(value)
        if id(value) not in self._same:
            self.spend(len(value))
            self._same[id(value)] = (value, same(value))  # keeping the value alive keeps its id unique
        return self._same[id(value)][1]

    def named_by(self, schema: "Any", name: str) -> "list[Any]":
        """The schemas in `patternProperties` whose pattern matches the name; over-long names match no pattern."""
        patterns = schema.get("patternProperties")
        if not patterns or len(name) > LONGEST:
            return []
        import re

        self.spend(len(patterns))
        return [form for pattern, form in patterns.items() if re.search(pattern, name)]

    def expected(self, schema: "Any", depth: int = 0) -> str:
        """A short description of the values that the schema accepts."""
        if not isinstance(schema, dict) or depth > FEW:
            return "something else"
        if "const" in schema:
            return show(schema["const"])
        if "enum" in schema:
            return names([show(item) for item in schema["enum"]], "one of ")
        if "type" in schema:
            kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
            return " or ".join(WORDS[kind] for kind in kinds)
        if "$ref" in schema:
            return self.expected(self.target(schema["$ref"]), depth + 1)
        forms = [self.expected(form, depth + 1) for form in schema.get("anyOf") or schema.get("oneOf") or ()]
        return " or ".join(dict.fromkeys(forms[:FEW])) or "something else"


def has_type(kinds: "str | list[str]", value: object) -> bool:
    return any(IS[kind](value) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def resolve(root: "Any", ref: str) -> "Any":
    """Follow a JSON pointer; KeyError where the path does not exist."""
    if "%" in ref:
        from urllib.parse import unquote

        ref = unquote(ref)
    here = root
    for step in ref.removeprefix("#").split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(here, list) and name in map(str, range(len(here))):
            here = here[int(name)]
        elif isinstance(here, dict) and name in here:
            here = here[name]
        else:
            raise KeyError(ref)
    return here

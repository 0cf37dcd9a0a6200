"""Explains a wrong tool input to the model: every mistake, and an example input that would pass."""

from itertools import islice, product

from hookkit.settings.inputs.check import Check, mistakes
from hookkit.settings.inputs.keywords import LIMITS, LOOK, TooMuchError
from hookkit.system import jsons
from hookkit.system.masking import line, mask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any


NOTHING = object()
DEPTH = 12
SHALLOW = 4  # deeper than this, optional list items are left out
WAYS = 24  # combinations of alternatives to try
VARIANTS = 12  # different values to try, for lists with unique items
LARGEST_EXAMPLE = 300  # characters or items
FAR = 10**15  # larger numbers are not useful in an example
SAMPLES = {
    "date-time": "2026-01-31T12:00:00Z", "date": "2026-01-31", "time": "12:00:00Z", "email": "me@example.com",
    "uri": "https://example.com", "url": "https://example.com", "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "ipv4": "192.0.2.1", "hostname": "example.com",
}  # fmt: skip
TEXTS = ("text", "a", "A", "1", "0", "abc-123", "/a", *SAMPLES.values())
KINDS = {  # the likely type of a schema without `type`, by keyword
    **{keyword: kind for keyword, (kind, _, _) in LIMITS.items()},
    "properties": "object", "required": "object", "additionalProperties": "object",
    "items": "array", "prefixItems": "array", "uniqueItems": "array",
    "pattern": "string", "format": "string",
}  # fmt: skip


def example(schema: "dict[str, Any]", also: "Sequence[str]" = ()) -> object:
    """A valid value that includes the fields `also` where possible; else NOTHING."""
    maker = _Maker(schema)
    known = schema.get("properties", {})
    wanted = [*schema.get("required", ()), *(name for name in also if name in known)]
    try:
        fuller = next(maker.values({**schema, "required": list(dict.fromkeys(wanted))}, 0), NOTHING)
        return fuller if fuller is not NOTHING or not also else next(maker.values(schema, 0), NOTHING)
    except TooMuchError:
        return NOTHING


class _Maker:
    def __init__(self, root: "dict[str, Any]") -> None:
        self.check = Check(root)

    def values(self, schema: "Any", depth: int) -> "Iterator[object]":
        """Valid values, the most helpful first; all of them share one budget."""
        if depth > DEPTH:
            return
        for made in self._made(schema, depth):
            self.check.spend(LOOK)
            if not self.check.look(schema, made, (), 0):
                yield made

    def _made(self, schema: "Any", depth: int) -> "Iterator[object]":
        if not isinstance(schema, dict):
            yield "text"
            return
        yield from _given_values(schema)
        for parts in islice(self._ways(schema, depth), WAYS):
            for part in parts:
                yield from _given_values(part)
            for kind in _kinds(parts):
                yield from getattr(self, f"_{kind}")(parts, depth)

    def _ways(self, schema: "Any", depth: int) -> "Iterator[list[Any]]":
        """The schema as lists of parts without alternatives: a value valid for a whole list is valid."""
        self.check.spend(LOOK)
        if depth > DEPTH:
            return
        if not isinstance(schema, dict):
            yield [] if schema is not False else [{"enum": []}]
            return
        musts = [*schema.get("allOf", ())]
        musts += [self.check.target(schema["$ref"])] if "$ref" in schema else []
        choices = [[self._ways(form, depth + 1)] for form in musts]
        choices += [
            [self._ways(form, depth + 1) for form in schema[name]] for name in ("anyOf", "oneOf") if name in schema
        ]
        lists = [[way for ways in choice for way in islice(ways, WAYS)] for choice in choices]
        for picked in product(*lists):
            yield [schema, *(part for way in picked for part in way)]

    def _null(self, _: "list[Any]", __: int) -> "Iterator[object]":
        yield None

    def _boolean(self, _: "list[Any]", __: int) -> "Iterator[object]":
        yield from (True, False)

    def _string(self, parts: "list[Any]", _: int) -> "Iterator[object]":
        least, most = _most(parts, "minLength", 0), min(_least(parts, "maxLength", LARGEST_EXAMPLE), LARGEST_EXAMPLE)
        shown = [SAMPLES[part["format"]] for part in parts if part.get("format") in SAMPLES]
        variants = [f"text{number}" for number in range(2, VARIANTS)] + [chr(97 + number) for number in range(VARIANTS)]
        for text in (*shown, *TEXTS, *variants):
            if least <= LARGEST_EXAMPLE:
                yield (text if len(text) >= least else (text * (least // len(text) + 1))[:least])[:most]

    def _number(self, parts: "list[Any]", _: int) -> "Iterator[object]":
        low = max(_most(parts, "minimum", -FAR), _most(parts, "exclusiveMinimum", -FAR))
        high = min(_least(parts, "maximum", FAR), _least(parts, "exclusiveMaximum", FAR))
        steps = [part["multipleOf"] for part in parts if "multipleOf" in part]
        yield from (1, 0)
        for step in (*steps, 1) if abs(low) <= FAR and abs(high) <= FAR else ():
            first = low // step if low > -FAR else high // step - 1 if high < FAR else 0
            if abs(first) <= FAR and step <= FAR:
                yield from ((int(first) + number) * step for number in range(VARIANTS))
        yield from (low, low + 1, high, high - 1)
        if abs(low) <= FAR and abs(high) <= FAR:
            yield low / 2 + high / 2

    _integer = _number

    def _array(self, parts: "list[Any]", depth: int) -> "Iterator[object]":
        least, most = _most(parts, "minItems", 0), _least(parts, "maxItems", LARGEST_EXAMPLE)
        if least > LARGEST_EXAMPLE:
            return
        telling = max(least, min(1, most)) if depth < SHALLOW else least
        for size in dict.fromkeys((telling, least)):
            made = self._list(parts, size, depth)
            if len(made) >= least:
                yield made

    def _list(self, parts: "list[Any]", size: int, depth: int) -> "list[object]":
        """The requested number of items, or fewer if no more can be made."""
        made: list[object] = []
        unique = any(part.get("uniqueItems") for part in parts)
        for number in range(size):
            forms = [_item(part, number) for part in parts]
            fresh = self.values({"allOf": [form for form in forms if form is not True] or [True]}, depth + 1)
            item = next((item for item in fresh if not unique or item not in made), NOTHING)
            if item is NOTHING:
                break
            made.append(item)
        return made

    def _object(self, parts: "list[Any]", depth: int) -> "Iterator[object]":
        """First the required fields only, then all known fields."""
        needed = list(dict.fromkeys(name for part in parts for name in part.get("required", ())))
        known = list(dict.fromkeys(name for part in parts for name in part.get("properties", ())))
        least = _most(parts, "minProperties", 0)
        more = [name for name in known if name not in needed]
        free = [f"field{number}" for number in range(1, min(least, LARGEST_EXAMPLE) + 1)]
        fewest = [*needed, *more, *free][: max(least, len(needed))]
        for names in dict.fromkeys((tuple(fewest), (*needed, *more))):
            made = {name: next(self._field(parts, name, depth), NOTHING) for name in names}
            if any(made[name] is NOTHING for name in needed):
                continue
            filled = {name: value for name, value in made.items() if value is not NOTHING}
            yield filled
            for name in filled:
                others = islice(self._field(parts, name, depth), 1, VARIANTS)
                yield from ({**filled, name: other} for other in others)

    def _field(self, parts: "list[Any]", name: str, depth: int) -> "Iterator[object]":
        forms = [form for part in parts for form in self._forms(part, name)]
        wholes = [whole for part in parts for whole in part.get("examples", ()) if isinstance(whole, dict)]
        shown = [whole[name] for whole in wholes if name in whole]
        return self.values({"examples": shown, "allOf": forms or [True]}, depth + 1)

    def _forms(self, part: "Any", name: str) -> "list[Any]":
        known = [part["properties"][name]] if name in part.get("properties", ()) else []
        return [*known, *self.check.named_by(part, name)] or [part.get("additionalProperties", True)]


def _given_values(schema: "Any") -> "Iterator[object]":
    """Values that the schema itself gives."""
    yield from schema.get("examples", ())
    yield from (schema[name] for name in ("default", "const") if name in schema)
    yield from schema.get("enum", ())


def _item(part: "Any", number: int) -> "Any":
    first = part.get("prefixItems", ())
    return first[number] if number < len(first) else part.get("items", True)


def _kinds(parts: "list[Any]") -> list[str]:
    """The types allowed by the parts; without a `type`, the likely types."""
    types = [part["type"] if isinstance(part["type"], list) else [part["type"]] for part in parts if "type" in part]
    likely = [KINDS[name] for part in parts for name in part if name in KINDS]
    kinds = types[0] if types else [*likely, "string", "number", "object", "array", "boolean", "null"]
    return list(dict.fromkeys(kinds))


def _most(parts: "list[Any]", name: str, default: "Any") -> "Any":
    return max((part[name] for part in parts if name in part), default=default)


def _least(parts: "list[Any]", name: str, default: "Any") -> "Any":
    return min((part[name] for part in parts if name in part), default=default)


MOST = 5  # mistakes listed in a message
LONGEST = 40  # characters of a field's name in an untrusted schema
UNTRUSTED = "The schemas of this project, which nobody has trusted, refuse the input of {tool}:"
LARGEST = 1_000  # characters of an example


def refusal(
    tool: str,
    schemas: "list[dict[str, Any]]",
    value: "dict[str, object]",
    *,
    forgiven: "dict[str, Any] | None" = None,
    untrusted: "Sequence[dict[str, Any]]" = (),
) -> str:
    """The reason to deny a call, or "" for a correct input. The `forgiven` schema may lack required fields."""
    mistakes = _mistakes(schemas, value, forgiven)
    if not mistakes:
        return _untrusted_refusal(tool, untrusted, value)
    lines = [f"The input of {_name(tool)} is wrong:", *_listed(mistakes)]
    return "\n".join([*lines, *_example_lines("An input that would pass", schemas, mistakes, untrusted)])


def _untrusted_refusal(tool: str, schemas: "Sequence[dict[str, Any]]", value: "dict[str, object]") -> str:
    """The reason of schemas that nobody has trusted: fields and keywords, no text of theirs, no example of theirs."""
    wrong = [mistake for schema in schemas for mistake in mistakes(schema, value)[:MOST]]
    if not wrong:
        return ""
    fields = dict.fromkeys(f"- {_field(mistake.path)}: {mistake.keyword}" for mistake in wrong)
    return "\n".join([UNTRUSTED.format(tool=_name(tool)), *[*fields][:MOST]])


def _field(path: "tuple[str | int, ...]") -> str:
    """The top-level field, if its name is a name and no sentence."""
    name = str(path[0]) if path else "the input"
    return name if not path or (name.isidentifier() and len(name) <= LONGEST) else "a field"


def correction(tool: str, schemas: "list[dict[str, Any]]", value: "dict[str, object]") -> str:
    """Advice after the tool itself refused its input: the mistakes we see, the known fields, an example."""
    mistakes = _mistakes(schemas, value)
    lines = [f"{_name(tool)} refused its input.", *_listed(mistakes)]
    needed = list(dict.fromkeys(name for schema in schemas for name in schema.get("required", ())))
    known = dict.fromkeys(name for schema in schemas for name in schema.get("properties", ()))
    optional = [name for name in known if name not in needed]
    fields = [f"needs {', '.join(needed)}"] if needed else []
    fields += [f"may have {', '.join(optional)}"] if optional else []
    lines += [f"It {' and '.join(fields)}."] if fields else []
    lines += (
        []
        if schemas
        else ["Look at what it takes (ToolSearch, if you have it, loads its schema) before you try again."]
    )
    return "\n".join([*lines, *_example_lines("For example", schemas, mistakes)])


def _mistakes(
    schemas: "list[dict[str, Any]]", value: "dict[str, object]", forgiven: "dict[str, Any] | None" = None
) -> "list[tuple[str, str]]":
    """Pairs of top-level field and mistake; the same mistake from two schemas appears once."""
    messages: dict[str, str] = {}
    for schema in schemas:
        for mistake in mistakes(schema, value)[: MOST * MOST]:
            if schema is not forgiven or mistake.keyword != "required" or len(mistake.path) > 1:
                messages.setdefault(str(mistake), str(mistake.path[0]) if mistake.path else "")
    return [(name, message) for message, name in messages.items()]


def _listed(messages: "list[tuple[str, str]]") -> list[str]:
    more = [f"- and {len(messages) - MOST} more"] if len(messages) > MOST else []
    return [f"- {message}" for _, message in messages[:MOST]] + more


def _example_lines(
    before: str,
    schemas: "list[dict[str, Any]]",
    messages: "list[tuple[str, str]]",
    untrusted: "Sequence[dict[str, Any]]" = (),
) -> list[str]:
    """An example accepted by every schema, including the fields with mistakes."""
    known = {name for schema in schemas for name in schema.get("properties", ())}
    wrong = [name for name, _ in messages if name in known]
    together = {"allOf": schemas, "required": wrong}  # a `$ref` would start at the wrong root here
    made = example(together) if "$ref" not in str(schemas) else NOTHING
    for schema in schemas:
        made = example(schema, wrong) if made is NOTHING or any(mistakes(other, made) for other in schemas) else made
    if made is NOTHING or not made or any(mistakes(other, made) for other in (*schemas, *untrusted)):
        return []
    text = mask(jsons.dumps(made))
    return [f"{before}: {text}"] if len(text) <= LARGEST else []


def _name(tool: str) -> str:
    return line(tool[:200], 80)

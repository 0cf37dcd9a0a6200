"""Makes an example value for a schema, to show beside a mistake; NOTHING where no valid value is found.

Values come from the schema's own examples, defaults and enums, else they are as short as allowed. Every example is
checked against the schema before use.
"""

from itertools import islice, product

from hookkit.inputs.check import Check
from hookkit.inputs.keywords import LOOK, TooMuchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

NOTHING = object()
DEPTH = 12
SHALLOW = 4  # deeper than this, optional list items are left out
WAYS = 24  # combinations of alternatives to try
VARIANTS = 12  # different values to try, for lists with unique items
LARGEST = 300  # characters or items
FAR = 10**15  # larger numbers are not useful in an example
SAMPLES = {
    "date-time": "2026-01-31T12:00:00Z", "date": "2026-01-31", "time": "12:00:00Z", "email": "me@example.com",
    "uri": "https://example.com", "url": "https://example.com", "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "ipv4": "192.0.2.1", "hostname": "example.com",
}  # fmt: skip
TEXTS = ("text", "a", "A", "1", "0", "abc-123", "/a", *SAMPLES.values())
KINDS = {  # the likely type of a schema without `type`, by keyword
    "properties": "object", "required": "object", "additionalProperties": "object", "minProperties": "object",
    "items": "array", "prefixItems": "array", "minItems": "array", "uniqueItems": "array",
    "minLength": "string", "maxLength": "string", "pattern": "string", "format": "string",
    "minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number",
    "multipleOf": "number",
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
        yield from _shown(schema)
        for parts in islice(self._ways(schema, depth), WAYS):
            for part in parts:
                yield from _shown(part)
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
        least, most = _most(parts, "minLength", 0), min(_least(parts, "maxLength", LARGEST), LARGEST)
        shown = [SAMPLES[part["format"]] for part in parts if part.get("format") in SAMPLES]
        variants = [f"text{number}" for number in range(2, VARIANTS)] + [chr(97 + number) for number in range(VARIANTS)]
        for text in (*shown, *TEXTS, *variants):
            if least <= LARGEST:
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
        least, most = _most(parts, "minItems", 0), _least(parts, "maxItems", LARGEST)
        if least > LARGEST:
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
        free = [f"field{number}" for number in range(1, min(least, LARGEST) + 1)]
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


def _shown(schema: "Any") -> "Iterator[object]":
    """Values that the schema itself gives."""
    yield from schema.get("examples", ())
    yield from (schema[name] for name in ("default", "const") if name in schema)
    yield from schema.get("enum", ())


def _item(part: "Any", number: int) -> "Any":
    first = part.get("prefixItems", ())
    return first[number] if number < len(first) else part.get("items", True)


def _kinds(parts: "list[Any]") -> list[str]:
    """The types allowed by the parts; without a `type`, the likely types."""
    said = [part["type"] if isinstance(part["type"], list) else [part["type"]] for part in parts if "type" in part]
    likely = [KINDS[name] for part in parts for name in part if name in KINDS]
    kinds = said[0] if said else [*likely, "string", "number", "object", "array", "boolean", "null"]
    return list(dict.fromkeys(kinds))


def _most(parts: "list[Any]", name: str, default: "Any") -> "Any":
    return max((part[name] for part in parts if name in part), default=default)


def _least(parts: "list[Any]", name: str, default: "Any") -> "Any":
    return min((part[name] for part in parts if name in part), default=default)

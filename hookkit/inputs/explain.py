"""Explains a wrong tool input to the model: every mistake, and an example input that would pass."""

from hookkit.inputs.check import mistakes
from hookkit.inputs.examples import NOTHING, example
from hookkit.masking import line, mask
from hookkit.system import jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 5  # mistakes listed in a message
LARGEST = 1_000  # characters of an example


def refusal(
    tool: str, schemas: "list[dict[str, Any]]", value: "dict[str, object]", *, forgiven: "dict[str, Any] | None" = None
) -> str:
    """The reason to deny a call, or "" for a correct input. The `forgiven` schema may lack required fields."""
    found = _mistakes(schemas, value, forgiven)
    if not found:
        return ""
    said = [f"The input of {_name(tool)} is wrong:", *_listed(found)]
    return "\n".join([*said, *_shown("An input that would pass", schemas, found)])


def correction(tool: str, schemas: "list[dict[str, Any]]", value: "dict[str, object]") -> str:
    """Advice after the tool itself refused its input: the mistakes we see, the known fields, an example."""
    found = _mistakes(schemas, value)
    lines = [f"{_name(tool)} refused its input.", *_listed(found)]
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
    return "\n".join([*lines, *_shown("For example", schemas, found)])


def _mistakes(
    schemas: "list[dict[str, Any]]", value: "dict[str, object]", forgiven: "dict[str, Any] | None" = None
) -> "list[tuple[str, str]]":
    """Pairs of top-level field and mistake; the same mistake from two schemas appears once."""
    found: dict[str, str] = {}
    for schema in schemas:
        for mistake in mistakes(schema, value)[: MOST * MOST]:
            if schema is not forgiven or mistake.keyword != "required" or len(mistake.path) > 1:
                found.setdefault(str(mistake), str(mistake.path[0]) if mistake.path else "")
    return [(name, said) for said, name in found.items()]


def _listed(found: "list[tuple[str, str]]") -> list[str]:
    more = [f"- and {len(found) - MOST} more"] if len(found) > MOST else []
    return [f"- {said}" for _, said in found[:MOST]] + more


def _shown(before: str, schemas: "list[dict[str, Any]]", found: "list[tuple[str, str]]") -> list[str]:
    """An example accepted by every schema, including the fields with mistakes."""
    known = {name for schema in schemas for name in schema.get("properties", ())}
    wrong = [name for name, _ in found if name in known]
    together = {"allOf": schemas, "required": wrong}  # a `$ref` would start at the wrong root here
    made = example(together) if "$ref" not in str(schemas) else NOTHING
    for schema in schemas:
        made = example(schema, wrong) if made is NOTHING or any(mistakes(other, made) for other in schemas) else made
    if made is NOTHING or not made or any(mistakes(other, made) for other in schemas):
        return []
    text = mask(jsons.dumps(made))
    return [f"{before}: {text}"] if len(text) <= LARGEST else []


def _name(tool: str) -> str:
    return line(tool[:200], 80)

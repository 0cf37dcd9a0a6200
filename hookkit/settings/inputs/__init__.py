"""JSON Schemas of tool inputs: check an input, explain the mistakes, give an example that would pass.

Here are the schemas of the client's built-in tools (one JSON file a tool), with a quick check that clears most inputs.
They are never stricter than the client: unknown fields pass, and enums that grow with client versions are open.
`user_schemas` reads the person's own. May import errors, system and `documents`; knows nothing of events, rules or
settings files.
"""

import os

from hookkit.errors import HookkitError
from hookkit.system import jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TOOLS = os.path.join(os.path.dirname(__file__), "tools")
KINDS = {"string": (str,), "boolean": (bool,), "number": (int, float), "integer": (int,)}
OLD = {"Task": "Agent"}  # a tool's name in older clients, with the same input
PLAIN = frozenset(("type", "examples"))  # a field with only these keywords needs only a type check
_known: "dict[str, dict[str, Any]]" = {}  # read once for many calls: the warm server, `hookkit replay`


def schema(tool: str) -> "dict[str, Any] | None":
    """The schema of a built-in tool; None for MCP tools and unknown names."""
    if tool in _known:
        return _known[tool]
    if not tool.isidentifier() or tool.startswith("mcp__"):
        return None
    try:
        with open(f"{TOOLS}/{OLD.get(tool, tool)}.json", "rb", buffering=0) as file:
            value = jsons.loads(file.read())
    except (OSError, HookkitError):
        return None
    if not isinstance(value, dict):
        return None
    _known[tool] = value
    return value


def is_plainly_right(takes: "dict[str, Any]", value: "dict[str, object]") -> bool:
    """Whether required fields are present and every field has its one type; False means a full check is needed."""
    fields = takes["properties"]
    for name in takes.get("required", ()):
        if name not in value:
            return False
    for name, item in value.items():
        field = fields.get(name)
        if field is not None and (type(item) not in KINDS.get(field.get("type"), ()) or not PLAIN.issuperset(field)):
            return False
    return True

"""What the client's own tools take, one file a tool, and a look at an input that clears most calls.

What ships is never stricter than the client itself: unknown fields pass, and lists of choices that grow with its
versions are open.
"""

import os

from hookkit.errors import HookkitError
from hookkit.system import jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TOOLS = os.path.join(os.path.dirname(__file__), "tools")
KINDS = {"string": (str,), "boolean": (bool,), "number": (int, float), "integer": (int,)}
PLAIN = frozenset(("type", "examples"))  # with these alone a type is all there is to check


def schema(tool: str) -> "dict[str, Any] | None":
    """A name that is no identifier is no file's, and a tool of a server has none here."""
    if not tool.isidentifier() or tool.startswith("mcp__"):
        return None
    try:
        with open(f"{TOOLS}/{tool}.json", "rb", buffering=0) as file:
            found = jsons.loads(file.read())
    except (OSError, HookkitError):
        return None
    return found if isinstance(found, dict) else None


def is_plainly_right(takes: "dict[str, Any]", value: "dict[str, object]") -> bool:
    """Whether nothing needed is missing and every field is of its one type; False only means: look closer."""
    fields = takes["properties"]
    for name in takes.get("required", ()):
        if name not in value:
            return False
    for name, item in value.items():
        field = fields.get(name)
        if field is not None and (type(item) not in KINDS.get(field.get("type"), ()) or not PLAIN.issuperset(field)):
            return False
    return True

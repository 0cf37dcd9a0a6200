"""Values of columns: JSON lists and objects as text, times, and texts that SQLite can store."""

import time

from hookkit.errors import HookkitError
from hookkit.system import jsons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def now() -> int:
    """Milliseconds."""
    return time.time_ns() // 1_000_000


def listed(text: str) -> list[str]:
    """The texts of a JSON list; a damaged column counts as empty."""
    found = _value(text)
    return [item for item in found if isinstance(item, str)] if isinstance(found, list) else []


def facts(text: str) -> "dict[str, Any]":
    found = _value(text)
    return found if isinstance(found, dict) else {}


def _value(text: str) -> "Any":
    try:
        return jsons.loads(text.encode())
    except HookkitError:
        return None


def storable(text: str) -> str:
    """Lone surrogates are escaped: SQLite takes UTF-8 only, and a stranger's id may hold one."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def storable_values(values: "tuple[object, ...]") -> "list[object]":
    return [storable(value) if isinstance(value, str) else value for value in values]

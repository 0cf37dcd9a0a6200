"""A good document with any value put in any place of it: the checks must take or name it, and never fall over."""

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

WORDS = (
    "Bash(x", "Bash(a && b)", "*", "", "^Bash(", "deny", "command", "hooks", "PreToolUse", "hookkit guard", "a|b",
    "\x1b[31m", "https://x", "\ud800", "2.0", "(", r"\9", "$X", "x" * 200,
)  # fmt: skip
NAMES = ("hooks", "type", "matcher", "config", "command", "event", "allow", "x", "")
leaves = st.none() | st.booleans() | st.integers(-3, 10**6) | st.floats() | st.sampled_from(WORDS) | st.text(max_size=6)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=6,
)


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = (
        document.items() if isinstance(document, dict) else enumerate(document if isinstance(document, list) else ())
    )
    for name, item in inner:
        yield from places(item, (*path, name))


def put(document: Any, path: tuple[Any, ...], value: Any, name: str | None = None) -> Any:
    """The document with the value in that place; with a name, under that key instead."""
    if not path:
        return value
    changed = copy.deepcopy(document)
    inner = changed
    for step in path[:-1]:
        inner = inner[step]
    if name is not None and isinstance(inner, dict):
        inner[name] = inner.pop(path[-1])
    else:
        inner[path[-1]] = value
    return changed

"""Conditions of approval gates about facts that nothing supplies: such a gate asks for its approval every time."""

import os

from hookkit.policy.conditions import ROOTS, parse
from hookkit.settings import layers, sources
from hookkit.settings.documents.finding import Element, Finding, LineIndex
from hookkit.system.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def remarks(path: str, element: Element, lines: LineIndex) -> "Iterator[Finding]":
    for root, at in parse(str(element.value)).roots.items():
        message = sources.unsupplied(root, has_sessions=root not in sources.OF_SESSIONS or _has_sessions(path))
        if message:
            known = did_you_mean(root, ROOTS) or f"there are facts about {', '.join(ROOTS)}"
            fix = known if root not in ROOTS else sources.SWITCH
            yield Finding(path, lines.inside(element, at), f"condition: {message}", fix, caret=True)


def _has_sessions(path: str) -> bool:
    """Whether sessions are on where the file counts, or in the file itself, which may not be in its place yet."""
    directory = os.path.dirname(os.path.abspath(path))
    return not layers.load(directory, dict(os.environ)).is_idle("track")

"""Conditions of approval gates about facts unknown to hookkit."""

from hookkit.documents.element import Element, LineIndex
from hookkit.documents.finding import WARNING, Finding, shown
from hookkit.policy.conditions import ROOTS, parse
from hookkit.system.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def remarks(path: str, element: Element, lines: LineIndex) -> "Iterator[Finding]":
    for root, at in parse(str(element.value)).roots.items():
        if root not in ROOTS:
            fix = did_you_mean(root, ROOTS) or f"there are facts about {', '.join(ROOTS)}"
            said = f"condition: hookkit has no fact {shown(root)}, so its value is null"
            yield Finding(path, lines.inside(element, at), said, fix, severity=WARNING, caret=True)

"""A condition by itself: what is wrong in it, where, and which of its names nobody knows."""

from hookkit.documents.finding import WARNING, Finding, did_you_mean, shown
from hookkit.errors import PatternError
from hookkit.policy.conditions import ROOTS, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookkit.documents.node import Lines, Node


def remarks(path: str, node: "Node", lines: "Lines") -> "Iterator[Finding]":
    source = str(node.value)
    try:
        tree = parse(source)
    except PatternError as error:
        said = f"condition: {error}: {shown(source)}"
        yield Finding(path, lines.inside(node, error.at), said, "see docs/gates.md", caret=True)
        return
    for root, at in tree.roots.items():
        if root not in ROOTS:
            fix = did_you_mean(root, ROOTS) or f"there are facts about {', '.join(ROOTS)}"
            said = f"condition: nobody knows {shown(root)}, so it is null"
            yield Finding(path, lines.inside(node, at), said, fix, severity=WARNING, caret=True)

"""YAML with the place of everything in it, and only what JSON could say too.

A file of a stranger's project is read here: its size, its depth and what its aliases come to are bounded.
"""

import yaml

from hookkit.documents.finding import Problem
from hookkit.documents.node import DEPTH, Lines, Node, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SIZE = 100_000  # characters; the parser takes half a second for them
NODES = 20_000  # values, those of an alias counted where it is used
_TAG = "tag:yaml.org,2002:"
_TEXTS = {f"{_TAG}{name}" for name in ("str", "timestamp", "value")}
_SCALARS = {f"{_TAG}{name}" for name in ("int", "float", "bool", "null")}
_LARGEST = 2**63


def read(path: str, text: str) -> tuple[Node | None, list[Problem]]:
    """The tree, or what keeps it from being read; keys that stand twice are named all at once."""
    if len(text) > SIZE:
        return None, [Problem(path, (1, 1), f"larger than {SIZE:,} characters")]
    try:
        reader = _Reader(text)
        node = reader.document()
    except Unreadable as error:
        return None, [error.problem(path)]
    except yaml.YAMLError as error:
        return None, [_unreadable(error, text).problem(path)]
    return node, [Problem(path, where, f"{name!r} stands here twice") for name, where in reader.twice]


def _unreadable(error: yaml.YAMLError, text: str) -> Unreadable:
    if isinstance(error, yaml.reader.ReaderError):
        where = Lines(text).place(min(int(error.position), len(text)))
        return Unreadable(where, f"not YAML: {error.reason}")
    mark = getattr(error, "problem_mark", None)
    where = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    said = str(getattr(error, "problem", None) or error)
    if "'\\t'" in said:
        return Unreadable(where, "not YAML: a tab", "indent with spaces")
    return Unreadable(where, f"not YAML: {said}")


class _Reader:
    """Our own way from the parser's events to a tree: PyYAML's has neither a bound nor an eye for double keys."""

    def __init__(self, text: str) -> None:
        self.loader: Any = yaml.SafeLoader(text)
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.count = 0
        self.twice: list[tuple[str, tuple[int, int]]] = []

    def document(self) -> Node | None:
        self.loader.get_event()  # the stream begins
        if self.loader.check_event(yaml.StreamEndEvent):
            return None
        self.loader.get_event()  # the document begins
        node = self.value(0)
        self.loader.get_event()  # and ends
        if not self.loader.check_event(yaml.StreamEndEvent):
            raise Unreadable(_place(self.loader.peek_event()), "not YAML: a second document", "one is enough")
        return node

    def value(self, depth: int) -> Node:
        event = self.loader.get_event()
        where = _place(event)
        before = self.count
        self.add(1, where)
        if depth > DEPTH:
            raise Unreadable(where, f"nested deeper than {DEPTH}")
        if isinstance(event, yaml.AliasEvent):
            return self.alias(str(event.anchor), where)
        if isinstance(event, yaml.ScalarEvent):
            node = Node(self.scalar(event, where), where)
        elif isinstance(event, yaml.SequenceStartEvent):
            self.no_tag(event, f"{_TAG}seq")
            node = Node(self.items(depth), where)
        else:
            self.no_tag(event, f"{_TAG}map")
            node = Node(self.pairs(depth), where)
        if event.anchor:
            self.anchors[event.anchor] = node, self.count - before
        return node

    def add(self, count: int, where: tuple[int, int]) -> None:
        self.count += count
        if self.count > NODES:
            raise Unreadable(where, f"more than {NODES:,} values, those of aliases counted where they are used")

    def alias(self, name: str, where: tuple[int, int]) -> Node:
        if name not in self.anchors:
            raise Unreadable(where, f"*{name} is used before &{name} is complete")
        node, size = self.anchors[name]
        self.add(size, where)
        return Node(node.value, where)

    def no_tag(self, event: "Any", usual: str) -> None:
        if event.tag not in (None, "!", usual):
            raise Unreadable(_place(event), f"a tag that is not read here: {event.tag}", "take it away")

    def scalar(self, event: "Any", where: tuple[int, int]) -> "Any":
        tag = event.tag if event.tag not in (None, "!") else ""
        tag = tag or self.loader.resolve(yaml.ScalarNode, event.value, event.implicit)
        if tag in _TEXTS or tag == f"{_TAG}merge":
            return event.value
        if tag not in _SCALARS:
            raise Unreadable(where, f"a tag that is not read here: {tag}", "take it away")
        try:
            value = self.loader.construct_object(yaml.ScalarNode(tag, event.value))
        except (ValueError, LookupError, OverflowError):
            raise Unreadable(where, f"not {tag.removeprefix(_TAG)}: {event.value[:40]!r}") from None
        if isinstance(value, (int, float)) and not -_LARGEST < value < _LARGEST:
            raise Unreadable(where, f"not a number of ordinary size: {event.value[:40]!r}")
        return value

    def items(self, depth: int) -> list[Node]:
        found: list[Node] = []
        while not self.loader.check_event(yaml.SequenceEndEvent):
            found.append(self.value(depth + 1))
        self.loader.get_event()
        return found

    def pairs(self, depth: int) -> dict[str, Node]:
        found: dict[str, Node] = {}
        while not self.loader.check_event(yaml.MappingEndEvent):
            event = self.loader.get_event()
            named = _place(event)
            if not isinstance(event, yaml.ScalarEvent):
                raise Unreadable(named, "a key is a plain word")
            if event.value == "<<" and not event.style:
                raise Unreadable(named, "<< is not read here", "write the keys out")
            node = self.value(depth + 1)
            node.named = named
            if event.value in found:
                self.twice.append((event.value, named))
            found[event.value] = node
        self.loader.get_event()
        return found


def _place(event: "Any") -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1

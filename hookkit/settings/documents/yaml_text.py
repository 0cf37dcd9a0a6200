"""Reads YAML with the place of every value, limited to the values that JSON has.

An untrusted project brings such a file: its size, its depth and the values behind its aliases are bounded.
"""

import yaml

from hookkit.settings.documents.finding import DEPTH, Element, Finding, LineIndex, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SIZE = 100_000  # characters; about half a second for the parser
NODES = 20_000  # values, with the values of an alias counted at each use
_TAG = "tag:yaml.org,2002:"
_TEXTS = {f"{_TAG}{name}" for name in ("str", "timestamp", "value")}
_SCALARS = {f"{_TAG}{name}" for name in ("int", "float", "bool", "null")}
_LARGEST = 2**63


def read(path: str, text: str) -> tuple[Element | None, list[Finding]]:
    """The tree and its findings: the first mistake that stops the reader, or each key that stands twice."""
    if len(text) > SIZE:
        return None, [Finding(path, (1, 1), f"larger than {SIZE:,} characters")]
    try:
        reader = _YamlReader(text)
        element = reader.document()
    except Unreadable as error:
        return None, [error.finding(path)]
    except yaml.YAMLError as error:
        return None, [_unreadable(error, text).finding(path)]
    return element, [Finding(path, where, f"{name!r} stands here twice") for name, where in reader.twice]


def _unreadable(error: yaml.YAMLError, text: str) -> Unreadable:
    if isinstance(error, yaml.reader.ReaderError):
        where = LineIndex(text).place(min(int(error.position), len(text)))
        return Unreadable(where, f"not YAML: {error.reason}")
    mark = getattr(error, "problem_mark", None)
    where = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    complaint = str(getattr(error, "problem", None) or error)
    if "'\\t'" in complaint:
        return Unreadable(where, "not YAML: a tab", "indent with spaces")
    return Unreadable(where, f"not YAML: {complaint}")


class _YamlReader:
    """Builds a tree from the parser's events: PyYAML's own builder has no bounds and accepts a key twice."""

    def __init__(self, text: str) -> None:
        self.loader: Any = yaml.SafeLoader(text)
        self.anchors: dict[str, tuple[Element, int]] = {}
        self.count = 0
        self.twice: list[tuple[str, tuple[int, int]]] = []

    def document(self) -> Element | None:
        self.loader.get_event()  # start of the stream
        if self.loader.check_event(yaml.StreamEndEvent):
            return None
        self.loader.get_event()  # start of the document
        element = self.value(0)
        self.loader.get_event()  # end of the document
        if not self.loader.check_event(yaml.StreamEndEvent):
            raise Unreadable(_place(self.loader.peek_event()), "not YAML: a second document", "keep one")
        return element

    def value(self, depth: int) -> Element:
        event = self.loader.get_event()
        where = _place(event)
        before = self.count
        self.add(1, where)
        if depth > DEPTH:
            raise Unreadable(where, f"nested deeper than {DEPTH}")
        if isinstance(event, yaml.AliasEvent):
            return self.alias(str(event.anchor), where)
        if isinstance(event, yaml.ScalarEvent):
            element = Element(self.scalar(event, where), where)
        elif isinstance(event, yaml.SequenceStartEvent):
            self.no_tag(event, f"{_TAG}seq")
            element = Element(self.items(depth), where)
        else:
            self.no_tag(event, f"{_TAG}map")
            element = Element(self.pairs(depth), where)
        if event.anchor:
            self.anchors[event.anchor] = element, self.count - before
        return element

    def add(self, count: int, where: tuple[int, int]) -> None:
        self.count += count
        if self.count > NODES:
            raise Unreadable(where, f"more than {NODES:,} values, with the values of an alias counted at each use")

    def alias(self, name: str, where: tuple[int, int]) -> Element:
        if name not in self.anchors:
            raise Unreadable(where, f"*{name} is used before &{name} is complete")
        element, size = self.anchors[name]
        self.add(size, where)
        return Element(element.value, where)

    def no_tag(self, event: "Any", usual: str) -> None:
        if event.tag not in (None, "!", usual):
            raise Unreadable(_place(event), f"hookkit does not read the tag {event.tag}", "remove the tag")

    def scalar(self, event: "Any", where: tuple[int, int]) -> "Any":
        tag = event.tag if event.tag not in (None, "!") else ""
        tag = tag or self.loader.resolve(yaml.ScalarNode, event.value, event.implicit)
        if tag in _TEXTS or tag == f"{_TAG}merge":
            return event.value
        if tag not in _SCALARS:
            raise Unreadable(where, f"hookkit does not read the tag {tag}", "remove the tag")
        try:
            value = self.loader.construct_object(yaml.ScalarNode(tag, event.value))
        except (ValueError, LookupError, OverflowError):
            raise Unreadable(where, f"not {tag.removeprefix(_TAG)}: {event.value[:40]!r}") from None
        if isinstance(value, (int, float)) and not -_LARGEST < value < _LARGEST:
            raise Unreadable(where, f"not a number of ordinary size: {event.value[:40]!r}")
        return value

    def items(self, depth: int) -> list[Element]:
        items: list[Element] = []
        while not self.loader.check_event(yaml.SequenceEndEvent):
            items.append(self.value(depth + 1))
        self.loader.get_event()
        return items

    def pairs(self, depth: int) -> dict[str, Element]:
        pairs: dict[str, Element] = {}
        while not self.loader.check_event(yaml.MappingEndEvent):
            event = self.loader.get_event()
            named = _place(event)
            if not isinstance(event, yaml.ScalarEvent):
                raise Unreadable(named, "a key must be a plain word")
            if event.value == "<<" and not event.style:
                raise Unreadable(named, "hookkit does not read <<", "write the keys out")
            element = self.value(depth + 1)
            element.named = named
            if event.value in pairs:
                self.twice.append((event.value, named))
            pairs[event.value] = element
        self.loader.get_event()
        return pairs


def _place(event: "Any") -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1

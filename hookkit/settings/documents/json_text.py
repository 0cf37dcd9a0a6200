"""JSON with the place of every value: a reader as strict as the agents that read the same file, and an editor.

The editor changes a text in place: every byte outside the change stays, comments and key order too.
"""

import json
import re
from json import JSONDecodeError, JSONDecoder

from hookkit.errors import ConfigError
from hookkit.settings.documents.finding import DEPTH, Element, Finding, LineIndex, Unreadable, end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookkit.settings.documents.finding import Path

BLANKS = " \t\r\n"
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
USUAL = "  "  # indentation of a file without any
INLINE = 3  # levels of nesting that still fit one line: a group, its list, a handler
_BLANK = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z]+")
WORDS = {"true": True, "false": False, "null": None}
_DECODER = JSONDecoder()  # reads strings
LONG = 18  # digits; a longer whole number becomes a float


def read(path: str, text: str) -> tuple[Element | None, list[Finding]]:
    """The tree, with a finding for each key that stands twice: only the last of its values counts."""
    reader = JsonReader(text)
    try:
        element = reader.document()
    except Unreadable as error:
        return None, [error.finding(path)]
    return element, [Finding(path, where, f"{name!r} stands here twice") for name, where in reader.twice]


class JsonReader:
    """Reads one text. With `comments` also the dialect with comments and a comma before a closing bracket."""

    def __init__(self, text: str, *, comments: bool = False) -> None:
        self.text = text
        self.comments = comments
        self.ends: dict[int, int] = {}  # of the values, by the id of the element: the tree outlives this table
        self.lines = LineIndex(text)
        self.at = 1 if text.startswith("\ufeff") else 0
        self.twice: list[tuple[str, tuple[int, int]]] = []

    def document(self) -> Element:
        self.skip()
        element = self.value(0)
        self.skip()
        if self.at < len(self.text):
            raise self.stop("a second value", "keep one")
        return element

    def stop(self, message: str, fix: str = "") -> Unreadable:
        return Unreadable(self.lines.place(self.at), f"not JSON: {message}", fix)

    def skip(self) -> None:
        self.at = skip_blanks(self.text, self.at) if self.comments else end(_BLANK, self.text, self.at)
        if self.text.startswith(("//", "/*"), self.at):
            raise self.stop("a comment", "JSON has no comments")

    def value(self, depth: int) -> Element:
        if depth > DEPTH:
            raise self.stop(f"nested deeper than {DEPTH}")
        start = self.lines.place(self.at)
        char = self.text[self.at : self.at + 1]
        if char == "{":
            element = Element(self.pairs(depth), start)
        elif char == "[":
            element = Element(self.items(depth), start)
        else:
            element = Element(self.string() if char == '"' else self.scalar(), start)
        self.ends[id(element)] = self.at
        return element

    def scalar(self) -> "Any":
        number = _NUMBER.match(self.text, self.at)
        if number:
            self.at = number.end()
            digits = number.group()
            is_whole = not (number.group(1) or number.group(2)) and len(digits) <= LONG
            return int(digits) if is_whole else float(digits)
        word = _WORD.match(self.text, self.at)
        if word and word.group() in WORDS:
            self.at = word.end()
            return WORDS[word.group()]
        if self.at >= len(self.text):
            raise self.stop("the text ends too early")
        raise self.stop(f"expected a value, not {self.text[self.at]!r}")

    def string(self) -> str:
        try:
            text, self.at = _DECODER.raw_decode(self.text, self.at)
        except JSONDecodeError as error:
            self.at = error.pos
            raise self.stop(f"{error.msg[0].lower()}{error.msg[1:]}") from None
        return str(text)

    def items(self, depth: int) -> list[Element]:
        items: list[Element] = []
        while self.has_more("]", is_first=not items):
            items.append(self.value(depth + 1))
        return items

    def pairs(self, depth: int) -> dict[str, Element]:
        pairs: dict[str, Element] = {}
        is_first = True
        while self.has_more("}", is_first=is_first):
            is_first = False
            named = self.lines.place(self.at)
            if self.text[self.at : self.at + 1] != '"':
                is_over = self.at >= len(self.text)
                raise self.stop("the text ends too early" if is_over else "expected a key in double quotes")
            name = self.string()
            self.skip()
            if self.text[self.at : self.at + 1] != ":":
                raise self.stop(f"expected : after {name!r}")
            self.at += 1
            self.skip()
            element = self.value(depth + 1)
            element.named = named
            if name in pairs:
                self.twice.append((name, named))
            pairs[name] = element
        return pairs

    def has_more(self, bracket: str, *, is_first: bool) -> bool:
        """Step over the opening bracket or the comma; False after the closing bracket."""
        if is_first:
            self.at += 1
        self.skip()
        char = self.text[self.at : self.at + 1]
        if char == bracket:
            self.at += 1
            return False
        if is_first:
            return True
        if char != ",":
            raise self.stop(f"expected , or {bracket}" if char else "the text ends too early")
        self.at += 1
        self.skip()
        if self.text[self.at : self.at + 1] != bracket:
            return True
        if not self.comments:
            raise self.stop("a comma before the end", "remove the comma")
        self.at += 1
        return False


def skip_blanks(text: str, at: int) -> int:
    """The offset of the next character that is neither blank nor inside a comment."""
    while at < len(text):
        if text[at] in BLANKS:
            at += 1
            continue
        match = COMMENT.match(text, at)
        if not match:
            break
        at = match.end()
    return at


class JsonEditor:
    """One JSON text under change. A path has the keys and row numbers to a value, as in `Element.find`."""

    def __init__(self, path: str, text: str, *, comments: bool = False) -> None:
        self.path = path
        self.comments = comments
        self.newline = "\r\n" if "\r\n" in text else "\n"
        match = re.search(r"\n([ \t]+)\S", text)
        self.unit = match.group(1) if match else USUAL
        self._read(text)

    def _read(self, text: str) -> None:
        self.text = text
        self.reader = JsonReader(text, comments=self.comments)
        try:
            self.root = self.reader.document()
        except Unreadable as error:
            raise ConfigError(str(error.finding(self.path))) from None
        for name, (line, column) in self.reader.twice:
            raise ConfigError(f"{self.path}:{line}:{column}: {name!r} stands here twice (keep one)")

    def plain(self) -> "Any":
        return self.root.plain()

    def has(self, path: "Path") -> bool:
        element = self.root
        for step in path:
            inside = element.value
            if isinstance(inside, dict):
                is_there = step in inside
            else:
                is_there = isinstance(inside, list) and isinstance(step, int) and step < len(inside)
            if not is_there:
                return False
            element = inside[step]
        return True

    def _start(self, element: Element, *, of_key: bool = False) -> int:
        line, column = element.named if of_key else element.where
        return self.reader.lines.starts[line - 1] + column - 1

    def _end(self, element: Element) -> int:
        return self.reader.ends[id(element)]

    def replace(self, path: "Path", value: "Any") -> None:
        """Put another value in the place of one."""
        element = self.root.find(path)
        start = self._start(element)
        written = _written(value, self._indent_at(start), self)
        self._read(self.text[:start] + written + self.text[self._end(element) :])

    def add(self, path: "Path", key: str | None, value: "Any") -> None:
        """Add a member after the last one: with a key to a table, without to a list."""
        parent = self.root.find(path)
        start, end = self._start(parent), self._end(parent)
        members = [*parent.value.values()] if isinstance(parent.value, dict) else parent.value
        base = self._indent_at(start)
        if not members:
            before = self.text[start + 1 : end - 1].rstrip()
            indent = base + self.unit
            new = f"{before}{self.newline}{indent}{self._member(key, value, indent)}{self.newline}{base}"
            self._read(self.text[: start + 1] + new + self.text[end - 1 :])
            return
        last = max(self._end(member) for member in members)
        if "\n" in self.text[start:end]:
            first = min(self._start(member, of_key=key is not None) for member in members)
            indent = self._own_line(first) or base + self.unit
            space, member = self.newline + indent, self._member(key, value, indent)
        else:
            space, member = " ", self._member(key, value, None)
        self._append(last, end, space + member)

    def _append(self, last: int, end: int, member: str) -> None:
        """The comma stands right after the last member, the new member after the comments that follow it."""
        comma = skip_blanks(self.text, last)
        has_comma = self.text[comma : comma + 1] == ","
        at = len(self.text[: end - 1].rstrip(BLANKS))
        between = self.text[last:at] if has_comma else "," + self.text[last:at]
        self._read(self.text[:last] + between + member + self.text[at:])

    def _member(self, key: str | None, value: "Any", indent: str | None) -> str:
        written = _written(value, indent, self)
        return written if key is None else f"{json.dumps(key, ensure_ascii=False)}: {written}"

    def _indent_at(self, offset: int) -> str:
        line = self.text[self.text.rfind("\n", 0, offset) + 1 : offset]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _own_line(self, offset: int) -> str:
        """The indentation of a member that stands first in its line."""
        start = self.text.rfind("\n", 0, offset) + 1
        return self.text[start:offset] if start and not self.text[start:offset].strip(" \t") else ""

    def remove(self, path: "Path") -> None:
        """Take out a member with its comma; a line that held nothing else goes with it."""
        parent, element = self.root.find(path[:-1]), self.root.find(path)
        start, end = self._start(element, of_key=isinstance(parent.value, dict)), self._end(element)
        members = [*parent.value.values()] if isinstance(parent.value, dict) else parent.value
        before = max((self._end(member) for member in members if self._end(member) < start), default=-1)
        comma = skip_blanks(self.text, end)
        is_last = self.text[comma : comma + 1] != ","
        end = end if is_last else comma + 1
        line = len(self.text[:start].rstrip(" \t"))
        after = self.text[end:].lstrip(" \t")
        if self.text[:line].endswith("\n") and after[:1] in ("\r", "\n"):
            start = line - (2 if self.text[:line].endswith("\r\n") else 1)
        elif not is_last:
            end = len(self.text) - len(after)
        text = self.text[:start] + self.text[end:]
        if is_last and before >= 0:
            text = self._without_comma(text, before, start)
        if len(members) == 1:
            text = _closed(text, self._start(parent) + 1, len(self.text) - self._end(parent) + 1)
        self._read(text)

    def _without_comma(self, text: str, before: int, start: int) -> str:
        """The text without the comma of the member before, which is the last member now."""
        comma = skip_blanks(text, before)
        rest = text[comma + 1 :] if text[comma + 1 : start].strip(BLANKS) else text[comma + 1 :].lstrip(" \t")
        return text[:comma] + rest if text[comma : comma + 1] == "," else text


def _closed(text: str, start: int, behind: int) -> str:
    """An emptied list or table is written `[]` or `{}`, unless a comment is left in it."""
    end = len(text) - behind
    return text[:start] + text[end:] if not text[start:end].strip(BLANKS) else text


def _height(value: "Any") -> int:
    """Levels of nesting; a list of plain values takes no level of its own."""
    if not isinstance(value, (dict, list)) or not value:
        return 0
    if isinstance(value, list) and not any(isinstance(item, (dict, list)) for item in value):
        return 0
    return 1 + max(_height(item) for item in (value.values() if isinstance(value, dict) else value))


def _is_large(value: "Any") -> bool:
    """Whether a value takes several lines: deep, or a table of several lists."""
    inner = [*value.values()] if isinstance(value, dict) else []
    several = sum(_height(item) > 1 for item in inner) > 1
    return _height(value) > INLINE or several


def _written(value: "Any", indent: str | None, editor: JsonEditor) -> str:
    """The value as JSON: deep values over several lines, a group of handlers in one line."""
    if not isinstance(value, (dict, list)) or not value:
        return json.dumps(value, ensure_ascii=False)
    is_table = isinstance(value, dict)
    pairs: dict[str, Any] = value if isinstance(value, dict) else {}
    is_open = indent is not None and _is_large(value)
    below = (indent or "") + editor.unit if is_open else None
    items = [
        f"{json.dumps(key, ensure_ascii=False)}: {_written(item, below, editor)}" for key, item in pairs.items()
    ] or [_written(item, below, editor) for item in value]
    left, right = "{}" if is_table else "[]"
    if is_open:
        lines = f",{editor.newline}{below}".join(items)
        return f"{left}{editor.newline}{below}{lines}{editor.newline}{indent}{right}"
    pad = " " if is_table else ""
    return f"{left}{pad}{', '.join(items)}{pad}{right}"


def new_text(value: "Any") -> str:
    """The text of a new file."""
    editor = JsonEditor("", "{}")
    return _written(value, "", editor) + "\n"

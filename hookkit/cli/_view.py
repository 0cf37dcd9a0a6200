"""The parts of a view: styled text, tables, trees, panels. Each becomes lines of a given width.

A library for this takes longer to load than most commands take to run: docs/adr/0034-people-do-not-wait.md
Data is shown as text and nothing else: control characters in an untrusted file, an agent's command or a file name reach
the screen as escapes.
"""

from unicodedata import category, combining, east_asian_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    View: TypeAlias = "str | Text | Line | Table | Outline | Panel | Wide | Sequence[View]"
else:
    View = object  # the name is only for annotations

LAST_OF_TWO, LAST_OF_FOUR = 0xFF, 0xFFFF  # the last code points of two and four hexadecimal digits
NAMED = {"\t": " ", "\n": "\\n", "\r": "\\r"}
CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
DIFF = {"+": "green", "-": "red", "@": "cyan"}
GAP = 2  # columns between two columns of a table
COMFORT = 16  # columns in which a cell of several words can be read
NARROWEST = 12  # a column that gives way gets no narrower than this, where that is possible


# -- making text harmless --------------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """The text with control characters, bidi overrides and lone surrogates written as escapes; lines stay lines."""
    if text.isprintable():
        return text
    return "\n".join(map(one_line, text.split("\n")))


def one_line(text: str) -> str:
    """The same with line breaks escaped too: data must not look like a line of our own."""
    return text if text.isprintable() else "".join(map(_escaped, text))


def _escaped(char: str) -> str:
    if char.isprintable() or category(char) == "Zs":
        return char
    code = ord(char)
    wide = f"\\u{code:04x}" if code <= LAST_OF_FOUR else f"\\U{code:08x}"
    return NAMED.get(char) or (f"\\x{code:02x}" if code <= LAST_OF_TWO else wide)


def width(text: str) -> int:
    """The columns that a terminal needs for the text."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(char: str) -> int:
    return 0 if combining(char) or category(char) in ("Mn", "Me") else 2 if east_asian_width(char) in "WF" else 1


# -- text ------------------------------------------------------------------------------------------------------------


class Text:
    """A text in parts, each with a style such as "bold red"."""

    __slots__ = ("parts",)

    def __init__(self, text: str = "", style: str = "") -> None:
        self.parts: list[tuple[str, str]] = [(plain(text), style)] if text else []

    @classmethod
    def assemble(cls, *parts: "str | Text | tuple[str, str]") -> "Text":
        made = cls()
        for part in parts:
            made.append(*part) if isinstance(part, tuple) else made.append(part)
        return made

    def append(self, text: "str | Text", style: str = "") -> "Text":
        self.parts += text.parts if isinstance(text, Text) else Text(text, style).parts
        return self

    def __add__(self, other: "str | Text") -> "Text":
        return Text.assemble(self, other)

    def join(self, texts: "Iterable[Text]") -> "Text":
        made = Text()
        for number, text in enumerate(texts):
            made.append(self if number else "").append(text)
        return made

    @property
    def plain(self) -> str:
        return "".join(text for text, _ in self.parts)

    @property
    def width(self) -> int:
        return width(self.plain)

    def part(self, start: int, end: int) -> "Text":
        """The characters from start to end, with their styles."""
        made, begin = Text(), 0
        for text, style in self.parts:
            piece = text[max(start - begin, 0) : max(end - begin, 0)]
            made.parts += [(piece, style)] if piece else []
            begin += len(text)
        return made

    def styled(self, style: str) -> "Text":
        """The same text; parts without a style get this one."""
        made = Text()
        made.parts = [(text, own or style) for text, own in self.parts]
        return made

    def fit(self, most: int) -> "Text":
        """The text in one line, cut at its end."""
        text = self.plain
        if width(text) <= most:
            return self
        end = _reach(text, 0, max(most - 1, 0))
        return Text.assemble(self.part(0, end), "…") if most > 0 else Text()

    def filled(self, columns: int, *, right: bool = False) -> "Text":
        """The text with blanks up to a number of columns."""
        blanks = " " * (columns - self.width)
        return Text.assemble(blanks, self) if right else Text.assemble(self, blanks)

    def lines(self, most: int = 0) -> "list[Text]":
        """The lines of the text; with `most`, none is wider: lines break at blanks, and long words anywhere."""
        text, start, made = self.plain, 0, []
        for line in text.split("\n"):
            spans = _wrapped(line, most) if most and width(line) > most else [(0, len(line))]
            made += [self.part(start + begin, start + end) for begin, end in spans]
            start += len(line) + 1
        return made

    def ansi(self) -> str:
        """The text with escape sequences for its styles."""
        return "".join(_coloured(text, style) for text, style in self.parts)


def _coloured(text: str, style: str) -> str:
    codes = ";".join(CODES[name] for name in style.split())
    return f"\x1b[{codes}m{text}\x1b[0m" if codes and text else text


def _reach(text: str, start: int, most: int) -> int:
    """The end of the characters from `start` that fit into so many columns."""
    if text.isascii():
        return min(start + most, len(text))
    end = start
    while end < len(text) and (most := most - _columns(text[end])) >= 0:
        end += 1
    return end


def _wrapped(line: str, most: int) -> list[tuple[int, int]]:
    """The start and end of each part of a line that is too long."""
    spans, start = [], 0
    while start < len(line):
        end = _reach(line, start, most)
        blank = line.rfind(" ", start, end + 1) if end < len(line) else -1
        if blank > start:
            end = blank
        end = max(end, start + 1)
        spans.append((start, start + len(line[start:end].rstrip(" "))))
        start = end
        while start < len(line) and line[start] == " ":
            start += 1
    return spans or [(0, 0)]


# -- blocks ----------------------------------------------------------------------------------------------------------


class Wide:
    """A text that is never broken: long lines are the terminal's to wrap, so that they can be copied."""

    def __init__(self, text: "str | Text", style: str = "") -> None:
        self.text = text if isinstance(text, Text) else Text(text, style)

    def lines(self, _most: int) -> list[Text]:
        return self.text.lines()


def diff_lines(lines: "Iterable[str]") -> list[Wide]:
    """The lines of a difference between two texts."""
    return [Wide(line, DIFF.get(line[:1], "")) for line in lines]


class Line:
    """A name and a text beside it: the text breaks at blanks, and its next lines stand under the first one."""

    def __init__(self, name: Text, text: Text) -> None:
        self.name, self.text = name, text

    def lines(self, most: int) -> list[Text]:
        blanks = " " * self.name.width
        lines = self.text.lines(max(most - self.name.width, 1))
        return [Text.assemble(blanks if number else self.name, line) for number, line in enumerate(lines)]


class Table:
    """Rows under heads. `right` names columns of numbers, `whole` columns that are never broken.

    Columns in `extra` are left out, the first one first, where the screen is too narrow for all.
    """

    def __init__(
        self,
        *heads: str,
        right: "Sequence[str]" = (),
        whole: "Sequence[str]" = (),
        extra: "Sequence[str]" = (),
        gap: int = GAP,
    ) -> None:
        self.heads, self.right, self.whole, self.extra, self.gap = list(heads), right, whole, extra, gap
        self.rows: list[list[Text]] = []

    def add(self, *cells: "object") -> None:
        self.rows.append([cell if isinstance(cell, Text) else Text(str(cell)) for cell in cells])

    def lines(self, most: int) -> list[Text]:
        heads = [Text(head, "dim") for head in self.heads]
        rows = [heads, *self.rows] if any(head.strip() for head in self.heads) else self.rows
        shown = self._columns(rows, most)
        sizes = self._sizes([[row[column] for column in shown] for row in rows], [self.heads[c] for c in shown], most)
        return [line for row in rows for line in self._row([row[column] for column in shown], shown, sizes)]

    def _columns(self, rows: list[list[Text]], most: int) -> list[int]:
        """The columns that fit: those in `extra` go while the others would get too narrow."""
        shown = list(range(len(self.heads)))
        for name in self.extra:
            wide = [_widest(row[column] for row in rows) for column in shown]
            needed = [
                size if self.heads[column] in self.whole else min(size, COMFORT)
                for column, size in zip(shown, wide, strict=True)
            ]
            if sum(needed) + self.gap * (len(needed) - 1) <= most:
                break
            shown = [column for column in shown if self.heads[column] != name]
        return shown

    def _sizes(self, rows: list[list[Text]], heads: list[str], most: int) -> list[int]:
        """The widths of the columns: the widest gives way first, down to the next widest."""
        sizes = [_widest(column) for column in zip(*rows, strict=True)]
        free = most - self.gap * (len(sizes) - 1)
        for least in (NARROWEST, 1):
            soft = [number for number, head in enumerate(heads) if head not in self.whole and sizes[number] > least]
            while sum(sizes) > free and any(sizes[number] > least for number in soft):
                widest = max(soft, key=lambda number: sizes[number])
                others = [sizes[number] for number in soft if sizes[number] < sizes[widest]]
                same = [number for number in soft if sizes[number] == sizes[widest]]
                over = -(-(sum(sizes) - free) // len(same))
                for number in same:
                    sizes[number] = max(sizes[number] - over, max(others, default=least), least)
        return sizes

    def _row(self, cells: list[Text], shown: list[int], sizes: list[int]) -> "Iterator[Text]":
        wrapped = [cell.lines(size) for cell, size in zip(cells, sizes, strict=True)]
        for number in range(max(map(len, wrapped), default=0)):
            line = Text()
            for place, (lines, size) in enumerate(zip(wrapped, sizes, strict=True)):
                cell = lines[number] if number < len(lines) else Text()
                is_last = place == len(sizes) - 1
                is_right = self.heads[shown[place]] in self.right
                line.append(cell if is_last and not is_right else cell.filled(size, right=is_right))
                line.append("" if is_last else " " * self.gap)
            yield line


def _widest(cells: "Iterable[Text]") -> int:
    return max((width(line) for cell in cells for line in cell.plain.split("\n")), default=0)


class Outline:
    """A view, and below it views that belong to it."""

    def __init__(self, label: "View") -> None:
        self.label = label
        self.nodes: list[Outline] = []

    def add(self, label: "View") -> "Outline":
        self.nodes.append(Outline(label))
        return self.nodes[-1]

    def lines(self, most: int) -> list[Text]:
        made = lines_of(self.label, most)
        for node in self.nodes:
            is_last = node is self.nodes[-1]
            for number, line in enumerate(node.lines(max(most - 4, 1))):
                guide = ("└── " if is_last else "├── ") if not number else ("    " if is_last else "│   ")
                made.append(Text.assemble((guide, "dim"), line))
        return made


class Panel:
    """A view in a frame, with a title in its upper edge."""

    def __init__(self, inner: "View", title: str, style: str) -> None:
        self.inner, self.title, self.style = inner, Text(title, style), style

    def lines(self, most: int) -> list[Text]:
        inside = max(most - 4, 1)
        edge = max(most - 5 - self.title.width, 0)
        top = Text.assemble(("╭─ ", self.style), self.title, (f" {'─' * edge}╮", self.style))
        rows = [
            Text.assemble(("│ ", self.style), line.filled(inside), (" │", self.style))
            for line in lines_of(self.inner, inside)
        ]
        return [top, *rows, Text(f"╰{'─' * max(most - 2, 0)}╯", self.style)]


def lines_of(view: "View", most: int) -> list[Text]:
    """The lines of any view."""
    if isinstance(view, str):
        return Text(view).lines(most)
    if isinstance(view, (Text, Line, Table, Outline, Panel, Wide)):
        return view.lines(most)
    return [line for part in view for line in lines_of(part, most)]

"""The parts of a view: each fits the screen, and nothing but a cut text is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookkit.cli._view import Outline, Panel, Table, Text, Wide, lines_of, width

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def drawn(view: object, most: int = 80) -> list[str]:
    return [line.plain.rstrip() for line in lines_of(view, most)]  # type: ignore[arg-type]


@given(TEXTS, st.integers(2, 40))
def test_no_line_is_wider_than_the_screen_and_no_word_is_lost(text: str, most: int) -> None:
    lines = Text(text).lines(most)
    assert max((line.width for line in lines), default=0) <= most
    assert "".join(line.plain for line in lines).replace(" ", "") == Text(text).plain.replace(" ", "").replace("\n", "")


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=4), st.integers(12, 80))
def test_a_table_fits_the_screen(rows: list[tuple[str, str, str]], most: int) -> None:
    table = Table("a", "b", "c")
    for row in rows:
        table.add(*row)
    assert max(width(line) for line in drawn(table, most)) <= most


def test_a_table_shrinks_its_widest_column() -> None:
    table = Table("id", "text", right=("id",), whole=("id",))
    table.add(7, "a rather long text of several words")
    assert drawn(table, 20) == ["id  text", " 7  a rather long", "    text of several", "    words"]


def test_columns_that_can_be_spared_go_first() -> None:
    table = Table("name", "file", extra=("file",))
    table.add("x" * 16, "/a/long/path/of/a/file")
    assert drawn(table, 30) == ["name", "x" * 16]
    assert drawn(table, 60) == [f"name{' ' * 14}file", f"{'x' * 16}  /a/long/path/of/a/file"]


def test_wide_characters_take_two_columns() -> None:
    table = Table("a", "b")
    table.add("日本", "x")
    assert drawn(table) == ["a     b", "日本  x"]


def test_an_outline_and_a_panel() -> None:
    outline = Outline("top")
    outline.add(["one", "more"]).add("below")
    outline.add("two")
    assert drawn(outline) == ["top", "├── one", "│   more", "│   └── below", "└── two"]
    assert drawn(Panel("in", "deny", "red"), 20) == ["╭─ deny ───────────╮", "│ in               │", f"╰{'─' * 18}╯"]


@pytest.mark.parametrize(("most", "shown"), [(10, "abcdef"), (4, "abc…"), (1, "…"), (0, "")])
def test_a_text_is_cut_at_its_end(most: int, shown: str) -> None:
    assert Text("abcdef").fit(most).plain == shown


def test_styles_are_escapes_and_a_wide_text_is_never_broken() -> None:
    assert Text.assemble("a", ("b", "bold red")).ansi() == "a\x1b[1;31mb\x1b[0m"
    assert drawn(Wide("word " * 30), 10) == [("word " * 30).rstrip()]

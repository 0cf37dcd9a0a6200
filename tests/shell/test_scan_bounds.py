"""The cost of a scan is linear in the length of the line, for hostile lines too."""

import contextlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookkit.errors import ShellError
from hookkit.shell.scan import LIMIT, scan
from tests.shell.sight import words

CASES = Path(__file__).parent.parent / "cases" / "hostile" / "shell.jsonl"
SHAPES = [
    pytest.param(row, id="{before}({repeat})*{after}".format(**row))
    for row in map(json.loads, CASES.read_text().splitlines())
]
SIZE = 1500
SECONDS = 5  # a linear scan takes a small part of this time
Shape = dict[str, Any]


def grown(shape: Shape, size: int) -> str:
    """The piece repeated up to the size, with the text before and after it repeated `depth` times."""
    before, after = (shape[end] * shape.get("depth", 1) for end in ("before", "after"))
    return str(before + shape["repeat"] * max(1, (size - len(before + after)) // len(shape["repeat"])) + after)


def steps(text: str) -> int:
    """The number of calls of Python and C functions in a scan: the same on every machine."""
    count = 0

    def counted(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    profiled(text, counted)
    return count


def profiled(text: str, profile: Callable[[Any, str, Any], None]) -> None:
    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        with contextlib.suppress(ShellError):
            scan(text)
    finally:
        sys.setprofile(before)


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_length_takes_twice_the_steps(shape: Shape) -> None:
    half, whole = steps(grown(shape, SIZE)), steps(grown(shape, 2 * SIZE))
    assert whole <= 2.2 * half + 500
    assert whole <= 40 * 2 * SIZE


@pytest.mark.slow  # at a desk: that twice the length takes twice the steps
@pytest.mark.parametrize("shape", SHAPES)
def test_the_longest_line_is_answered_in_time(shape: Shape) -> None:
    text = grown(shape, LIMIT)
    start = time.process_time()
    with contextlib.suppress(ShellError):
        scan(text)
    assert time.process_time() - start < SECONDS


def test_ten_thousand_pipes_are_ten_thousand_commands() -> None:
    assert words(scan("p|" * 9_999 + "p")) == [["p"]] * 10_000


def test_five_thousand_quotes_are_one_word() -> None:
    assert words(scan("p " + "'a'" * 5_000 + '"b"' * 5_000)) == [["p", "a" * 5_000 + "b" * 5_000]]


def test_more_than_twelve_thousand_commands_are_refused() -> None:
    with pytest.raises(ShellError, match="more than 12000 commands"):
        scan("p;" * 12_001)


def test_a_long_here_document_is_read_whole() -> None:
    body = 'it\'s $(not) `a` "command"\n' * 2_000
    script = scan(f"p <<'E'\n{body}E\nq")
    assert words(script) == [["p"], ["q"]]
    found = script.items[0][0].commands[0].redirects[0].body
    assert found is not None
    assert found.text == body


@pytest.mark.parametrize("opening", ["$(", "`", "((", "$((", "${x:-", '"$(', "<(", "( ", "{ ", "if ", "a=("])
def test_unclosed_nesting_is_refused_in_bounded_time(opening: str) -> None:
    """Even where each level could be read in two ways."""
    for depth in (10, 20, 30, 40, 47, 60, 1000, 10_000):
        with pytest.raises(ShellError):
            scan(opening * depth + "p" + ("'" if opening == "`" else ""))


@pytest.mark.parametrize(
    "text",
    [
        "echo ${x[{}]}",
        "echo ${x:{}} ${{}} ${x[{}]:-{}}",
        "echo ${} $[{}] $(({}))",
        "a[{}]=1 b=([{}]=1)",
        "p {}>f {fd[{}]}>f >&{}",
        "p $'\\x{}' $'\\x{{}}' $'\\u{}' $'\\U{}' $'\\{}' $'\\c{}'",
        "p <<{}\n{}\n{}",
        "for (({};{};{})); do p; done; for {} in {}; do p; done",
        "[[ {} -eq {} ]]; (({})); case {} in {}) p;; esac",
    ],
)
def test_no_number_breaks_the_scanner(text: str) -> None:
    """`int` refuses digits of some scripts, and more than 4,300 digits; no number may end in a ValueError."""
    for number in ("²", "٣", "9" * 4_301, "0" * 5_000, "f" * 5_000):
        with contextlib.suppress(ShellError):
            scan(text.replace("{}", number))


def test_the_deepest_nesting_leaves_room_on_the_stack() -> None:
    """Python raises RecursionError at 1,000 frames, and callers expect only ShellError."""
    for opening in ("$(", "[[ a == $(", ": >&$(", "case a in $(", '"${x:-"$(', "a=($(", "a[$(", "for x in $("):
        assert frames(opening * 60) < 640, opening


def frames(text: str) -> int:
    """The largest number of frames on the stack during a scan."""
    depth = most = 0

    def counted(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal depth, most
        depth += (event == "call") - (event == "return")
        most = max(most, depth)

    profiled(text, counted)
    return most

"""Random command lines, compared with bash: every program is a stub that logs its arguments."""

import pytest

from hookkit.errors import ShellError
from hookkit.shell.scan import scan
from hookkit.shell.syntax import Script
from tests.shell import truth
from tests.shell.nestings import Nesting, backquoted
from tests.shell.sight import check_places, names, words

CASES = 1000
NESTINGS = [Nesting(seed) for seed in range(CASES)]

pytestmark = pytest.mark.skipif(not truth.BASH, reason="bash is not installed")


def scanned(text: str) -> Script | None:
    try:
        return scan(text)
    except ShellError:
        return None


@pytest.fixture(scope="module")
def calls() -> list[list[list[str]]]:
    return truth.ran_each(nesting.text for nesting in NESTINGS)


def test_every_program_that_bash_runs_is_seen(calls: list[list[list[str]]]) -> None:
    """With its arguments, at every position in the line and in every spelling of its name."""
    assert sum(len(found) for found in calls) > CASES
    for nesting, found in zip(NESTINGS, calls, strict=True):
        script = scanned(nesting.text)
        if script is not None:
            seen = words(script)
            assert [call for call in found if not truth.is_seen(call, seen)] == [], nesting.text


def test_a_name_that_is_only_text_is_not_seen_as_a_command(calls: list[list[list[str]]]) -> None:
    for nesting, found in zip(NESTINGS, calls, strict=True):
        script = scanned(nesting.text)
        assert not nesting.quiet & {call[0] for call in found}, nesting.text
        assert script is None or not nesting.quiet & set(names(script)), nesting.text


def test_a_line_that_bash_accepts_is_accepted() -> None:
    refused = [nesting.text for nesting in NESTINGS if scanned(nesting.text) is None]
    assert len(refused) <= CASES * 0.005, refused


def test_positions_are_right_in_every_nesting() -> None:
    for nesting in NESTINGS:
        script = scanned(nesting.text)
        if script is not None:
            check_places(nesting.text, script)


@pytest.mark.parametrize(
    "around",
    [
        "{{\n{}\n}}",
        "(\n{}\n)",
        "if :\nthen\n{}\nfi",
        "case x in\nx)\n{}\n;; esac",
        "f() {{\n{}\n}}",
        ": $(\n{}\n)",
        ': "$(\n{}\n)"',
        ": <(\n{}\n)",
    ],
)
def test_a_line_inside_a_compound_command_is_read_as_the_same_line(around: str) -> None:
    for nesting in NESTINGS[:200]:
        alone, inside = scanned(nesting.text), scanned(around.format(nesting.text))
        if alone is not None and inside is not None:
            assert [found for found in words(inside) if found[:1] != [":"]] == [
                found for found in words(alone) if found[:1] != [":"]
            ]


def test_a_line_inside_backquotes_is_read_as_the_same_line() -> None:
    for nesting in NESTINGS[:200]:
        alone, inside = scanned(nesting.text), scanned(backquoted(nesting.text))
        if alone is not None and inside is not None:
            assert words(inside)[1:] == words(alone)

"""Patterns by themselves: which tools they are about, and what is said of a bad one."""

import os
from pathlib import Path

import pytest

from hookkit.errors import PatternError
from hookkit.policy.call import Call
from hookkit.policy.match import YES, matches
from hookkit.policy.paths import Place
from hookkit.policy.pattern import parse
from hookkit.programs.words import glob


@pytest.mark.parametrize(
    ("pattern", "tool", "expected"),
    [
        ("", "Anything", True),
        ("*", "Anything", True),
        ("Bash", "Bash", True),
        ("Bash", "BashExec", False),
        ("Bash*", "BashExec", True),
        ("Write|Read|Edit", "Read", True),
        ("Write|Read|Edit", "Bash", False),
        ("^Bash.*", "BashExec", True),
        ("^Bash$", "BashExec", False),
        ("^mcp__.*__delete", "mcp__db__delete_row", True),
        ("mcp__github__*", "mcp__github__get_me", True),
        ("mcp__github__*", "mcp__gitlab__get_me", False),
        ("Task", "Agent", True),
    ],
)
def test_each_kind_of_matcher_is_about_its_tools(pattern: str, tool: str, expected: bool) -> None:  # noqa: FBT001
    call = Call(tool, {}, cwd="/p", project="/p", home="/h")
    assert (matches(parse(pattern), call).yes == YES) is expected


@pytest.mark.parametrize(
    ("pattern", "message", "at"),
    [
        ("Bash(x", "expected ) at the end", 6),
        ("Read(a/**/b/**/c/**/d/**/e/**/f)", "at most 4 times /**/", 26),
        ("Bash)", "a ) without its (", 4),
        ("Ba$h(x)", "not a tool's name: 'Ba$h'", 2),
        ("A||B", "a tool's name is missing", 1),
        ("Bash(a | )", "a pipeline with nothing on one side of |", 7),
        ("^(", "not a regular expression: missing ), unterminated subpattern", 1),
    ],
)
def test_a_bad_pattern_is_named_with_its_place(pattern: str, message: str, at: int) -> None:
    with pytest.raises(PatternError) as error:
        parse(pattern)
    assert (str(error.value), error.value.at) == (message, at)


def test_a_star_can_mean_itself() -> None:
    assert glob("/\\*", "/*")
    assert not glob("/\\*", "/etc")


def test_on_a_volume_that_knows_no_case_case_is_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not Place(str(tmp_path), "/h").matches(".env*", "src/.ENV", str(tmp_path), wide=True)
    monkeypatch.setattr(os.path, "samefile", lambda one, two: True)
    assert Place(str(tmp_path), "/h").matches(".env*", "src/.ENV", str(tmp_path), wide=True)

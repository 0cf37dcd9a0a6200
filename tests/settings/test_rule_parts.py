"""The parts of a rule with a grammar of their own: the place of a mistake, its message, a fix."""

import pytest

from hookkit.settings.documents.kinds import wrong_regex
from hookkit.settings.rule_rows import wrong_pattern


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Bash(rm -rf *", (13, "expected ) at the end: Bash(rm -rf *", "did you mean Bash(rm -rf *)?")),
        ("bash(rm", (7, "expected ) at the end: bash(rm", "did you mean Bash(rm)?")),
        ("Bash)", (4, "a ) without its (: Bash)", "did you mean Bash?")),
        ("rm -rf *", (2, "not a tool's name: 'rm -rf *': rm -rf *", "did you mean Bash(rm -rf *)?")),
        ("Bash[rm *]", (4, "not a tool's name: 'Bash[rm *]': Bash[rm *]", "did you mean Bash(rm *)?")),
        ("Bash(a || b)", (7, "a pipeline with nothing on one side of |: Bash(a || b)",
                          "a rule is about one command or one pipeline: write two rules")),
        ("Bash(rm *)", None),
        ("", None),
    ],
)  # fmt: skip
def test_a_wrong_pattern_is_explained(source: str, expected: tuple[int, str, str] | None) -> None:
    found = wrong_pattern(source)
    assert (found and (*found[:2], found[2] if isinstance(found[2], str) else found[2]())) == expected


@pytest.mark.parametrize(
    ("source", "replacement", "expected"),
    [
        ("^npm ", "pnpm ", ""),
        (r"(?P<a>x)(y)", r"\g<a>\2", ""),
        ("*", "", "not a regular expression: nothing to repeat at position 0"),
        ("x", r"\1", "not a regular expression: invalid group reference 1 at position 1"),
        ("x", r"\g<a>", "not a regular expression: unknown group name 'a'"),
        ("(?:(?:){60000}){60000}", "", ""),
        ("(?=(?=(?:){65000}){65000}){65000}", "x", ""),
    ],
)
def test_a_regular_expression_is_checked_and_never_run(source: str, replacement: str, expected: str) -> None:
    assert wrong_regex(source, replacement) == expected

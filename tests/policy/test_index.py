"""The index finds every rule that a call matches: a rule that is not found is dead without a sign."""

import pytest

from hookkit import cases
from hookkit.policy import index
from hookkit.policy.call import Call
from hookkit.policy.match import NO, UNSURE, matches
from hookkit.policy.pattern import parse
from tests.policy.test_corpus import CLASSES


def is_lost(row: cases.Case) -> bool:
    """What nobody can tell is found without the index's help."""
    with cases.Scratch(row) as scratch:
        call, pattern = cases.call_of(row, scratch), parse(scratch.fill(row["pattern"]))
        found = matches(pattern, call)
        if found.yes == NO or (found.yes == UNSURE and call.doubt()[1]):
            return False
        return index.find(index.build([parse("Bash(never x)"), pattern]), call) != [1]


@pytest.mark.parametrize("name", [name for name in CLASSES if name != "base"])
def test_what_the_corpus_matches_is_found(name: str) -> None:
    assert [row["id"] for row in CLASSES[name] if is_lost(row)] == []


@pytest.mark.parametrize(
    ("pattern", "keys"),
    [
        ("Bash(git push --force *)", [("Bash:git", "push")]),
        ("Bash(git -C x push)", [("Bash:git", "push")]),
        ("Bash(/usr/bin/git * push)", [("Bash:git", "push")]),
        ("Bash(rm -rf ~/*)", [("Bash:rm", "")]),
        ("Bash(curl * | sh)", [("Bash:curl", "")]),
        ("Bash(* --force)", [("Bash:*", "")]),
        ("Bash", [("Bash", "")]),
        ("Bash(timeout:600000)", [("Bash", "")]),
        ("Write|Edit(src/a/*.py)", [("Write", "src/a"), ("Edit", "src/a")]),
        ("Read(.env)", [("Read", "=.env")]),
        ("Read(.env*)", [("Read", "")]),
        ("Read(~/.ssh/*)", [("Read", "~/.ssh")]),
        ("Read(~)", [("Read", "~")]),
        ("Read(/etc/Passwd)", [("Read", "/etc/passwd")]),
        ("Read(//etc/*)", [("Read", "/etc")]),
        ("Read(/*)", [("Read", "")]),
        ("Read(a/b/c/d/e/f)", [("Read", "a/b/c/d")]),
        ("Delete(!./*)", [("Delete", "")]),
        ("Read(../**/)", [("Read", "")]),
        ("mcp__*|Bash", [("*", "")]),
        ("WebFetch(domain:x.org)", [("WebFetch", "")]),
    ],
)
def test_where_a_rule_stands(pattern: str, keys: list[tuple[str, str]]) -> None:
    assert index.keys(parse(pattern)) == keys


def test_a_path_of_a_million_directories_is_asked_about_four_of_them() -> None:
    call = Call("Read", {"file_path": "/" + "a/" * 1_000_000}, cwd="/p", project="/p", home="/h")
    assert len(call.place.labels(call.subject, "/p")) <= 8

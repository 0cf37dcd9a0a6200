"""What is said of rules among each other."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.policy.base import RULES
from hookkit.policy.call import Call
from hookkit.policy.match import YES, matches
from hookkit.policy.pattern import parse
from hookkit.settings.checks.rules import covers, remarks
from tests.settings.checks.test_patterns import rule

NEVER, COVERS = "has no effect", "covers it, and the stricter rule wins"


def said(*lines: str) -> list[str]:
    rules = []
    for line in lines:
        actors, _, rest = line.rpartition(": ") if line.startswith("@") else ("", "", line)
        rules.append(rule(rest, actors[1:].split(",") if actors else None))
    return [f"{each.severity}: {each.message}" for each in remarks(rules)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["deny Bash(git *)", "allow Bash(git status)"],
         [f"error: allow Bash(git status) {NEVER}: deny Bash(git *) in line 1 {COVERS}"]),
        (["allow Bash(git status)", "deny Bash(git *)"],
         [f"error: allow Bash(git status) {NEVER}: deny Bash(git *) in line 1 {COVERS}"]),
        (["deny Bash(rm *)", "ask Bash(rm -rf *)"],
         [f"error: ask Bash(rm -rf *) {NEVER}: deny Bash(rm *) in line 1 {COVERS}"]),
        (["deny Write(*)", "@a: allow Write(src/*)"],
         [f"error: allow Write(src/*) {NEVER}: deny Write(*) in line 1 {COVERS}"]),
        (["deny Bash(rm *)", "deny Bash(rm *)"], ["warning: deny Bash(rm *) is already written in line 1"]),
        (["@a: deny Write(*)", "@b: allow Write(src/*)"], []),
        (["@a: deny Write(*)", "allow Write(src/*)"], []),
        (["allow Bash(git *)", "deny Bash(git push *)"], []),
        (["deny Bash(rm -rf *)", "allow Bash(rm *)"], []),
        (["deny Bash(rm -rf *)", "@a: deny Bash(rm -rf *)"], []),
        (["allow Bash(git *)", "allow Bash(git status)"], []),
        (["evidence_capture Bash", "deny Bash(x)"], []),
        (["deny Bash(x", "allow Bash(x)"], []),
    ],
)  # fmt: skip
def test_rules_that_have_no_effect_are_named(lines: list[str], expected: list[str]) -> None:
    assert said(*lines) == expected


def test_the_policy_that_ships_says_nothing_twice() -> None:
    rules = [rule(f"{row['type']} {row['match']}") for row in RULES]
    for each, row in zip(rules, RULES, strict=True):
        each.spares = "unless" in row
    assert [str(each) for each in remarks(rules)] == []


def test_a_rule_with_exceptions_leaves_something_of_another() -> None:
    strict, loose = rule("deny Bash(git *)"), rule("allow Bash(git status)")
    strict.spares = True
    assert [*remarks([strict, loose])] == []


words = st.sampled_from(["rm", "git", "push", "-f", "-rf", "--force", "-C", "*", "a*", "*b", "ab", r"\*", "-m", "x=1"])
commands = st.lists(
    st.sampled_from(["push", "-f", "-r", "--force", "-C", "ab", "aab", "'*'", "b", "-m", "x=1"]), max_size=4
)


@settings(max_examples=400, deadline=None)
@given(first=st.lists(words, min_size=1, max_size=4), second=st.lists(words, min_size=1, max_size=4), rest=commands)
def test_what_covers_a_pattern_matches_every_command_that_it_matches(
    first: list[str], second: list[str], rest: list[str]
) -> None:
    wider, narrower = (parse(f"Bash({' '.join(['git', *each])})") for each in (first, second))
    if not covers(wider, narrower):
        return
    call = Call("Bash", {"command": " ".join(["git", *rest])}, cwd="/p", project="/p", home="/h")
    if matches(narrower, call, wide=False).yes == YES:
        assert matches(wider, call).yes == YES


paths = st.sampled_from(
    ["*", "src/*", "src/a/*", "src/a", ".env", ".env*", "*.key", "/etc/*", "/etc/x", "~/x", "./src/*"]
)


@settings(max_examples=300, deadline=None)
@given(
    first=paths, second=paths, path=st.sampled_from(["src/a", "src/a/b", ".env", "src/.env", "/etc/x", "/h/x", "x.key"])
)
def test_the_same_holds_of_paths(first: str, second: str, path: str) -> None:
    wider, narrower = parse(f"Write({first})"), parse(f"Write({second})")
    call = Call("Write", {"file_path": path}, cwd="/p", project="/p", home="/h")
    if covers(wider, narrower) and matches(narrower, call).yes == YES:
        assert matches(wider, call).yes == YES

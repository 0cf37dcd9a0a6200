"""Remarks on one pattern (its place, its weight, the way out), and on rules compared with each other."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.policy.base import RULES
from hookkit.policy.call import Call
from hookkit.policy.match import YES, matches
from hookkit.policy.pattern import parse
from hookkit.settings.checks.rules import covers, remarks, shadows
from hookkit.settings.documents.finding import Element, LineIndex, WrittenRule


def rule(line: str, actors: list[str] | None = None) -> WrittenRule:
    verdict, _, match = line.partition(" ")
    return WrittenRule(verdict, Element(match, (1, 1)), actors or [], "f", LineIndex(match))


def said(line: str) -> list[tuple[str, str, str]]:
    return [(f"{each.column} {each.severity}", each.message, each.fix) for each in remarks(rule(line))]


@pytest.mark.parametrize(
    ("line", "place", "message", "fix"),
    [
        # tools
        ("deny Bsh(rm *)", "1 error",
         "there is no tool Bsh",
         "did you mean Bash?"),
        ("deny bash(rm *)", "1 error",
         "there is no tool bash",
         "did you mean Bash?"),
        ("deny Write|Edti(x)", "7 error",
         "there is no tool Edti",
         "did you mean Edit?"),
        ("ask mcp__github", "1 error",
         "mcp__github is the name of a server, not of a tool",
         "write mcp__github__*"),
        # what can never match
        ("deny Bash(a && b)", "6 error",
         "Bash(a && b) can never match: a rule is about one command at a time",
         "write a rule for each command"),
        ("deny Bash(cd x; rm y)", "6 error",
         "Bash(cd x; rm y) can never match: a rule is about one command at a time",
         "write a rule for each command"),
        ("deny Bash(echo * > .env)", "6 error",
         "Bash(echo * > .env) can never match: a redirection is not a word of a command",
         "name the file instead: Write(…) or Read(…)"),
        ("deny Bash(A=1 make)", "6 error",
         "Bash(A=1 make) can never match: assignments before a command are ignored",
         "begin with the program"),
        ("deny Bash('git push')", "6 error",
         "Bash('git push') can never match: quotes make one word of it all",
         "remove the quotes"),
        ("deny Bash(rm $HOME)", "6 error",
         "Bash(rm $HOME) can never match: variables are expanded before rules are checked",
         "write the value of the variable, or *"),
        ("deny Bash(echo $(date))", "6 error",
         "Bash(echo $(date)) can never match: the command in a substitution is checked separately",
         "write a rule for the command inside"),
        ("deny Write(../x)", "7 error",
         "Write(../x) can never match: a resolved path has no ..",
         "write the path from the repository's root, or an absolute path"),
        ("deny Write(src/)", "7 error",
         "Write(src/) can never match: no file name ends with /",
         "write src/*"),
        ('deny Write("a b")', "7 error",
         'Write("a b") can never match: quotes are part of a path',
         "remove the quotes"),
        ("deny WebFetch(example.com)", "10 error",
         "WebFetch(example.com) can never match: the pattern is compared with the whole address",
         "write domain:example.com"),
        ("deny WebFetch(domain:https://x.com/y)", "10 error",
         "WebFetch(domain:https://x.com/y) can never match: domain: takes only a host",
         "write domain:x.com"),
        ("allow Bash(curl * | sh)", "6 error",
         "Bash(curl * | sh) can never allow: each command of a pipeline needs its own rule",
         "allow the commands one by one"),
        # stars
        ("deny Bash(rm -rf /*)", "14 warning",
         "/* matches every path that begins with /, not the star of the shell",
         r"for the shell's star write /\*"),
        ('deny Bash(rm "*")', "9 warning",
         "a star in quotes still matches any text",
         r"for a star write \*"),
        ("allow Write(/tmp/*)", "12 warning",
         "/tmp/* matches across /: every file below, too",
         "to allow all of them, write /tmp/**"),
        # what is wider than it looks
        ("allow *", "1 warning",
         "allow * allows every command",
         "name the programs"),
        ("allow Bash(*)", "1 warning",
         "allow Bash(*) allows every command",
         "name the programs"),
        ("allow Write(*)", "1 warning",
         "allow Write(*) allows every file, in your home too",
         "name directories"),
        ("allow Bash(* install)", "6 warning",
         "allow Bash(* install) allows any program",
         "name the programs"),
        ("allow Bash(sudo *)", "6 warning",
         "allow Bash(sudo *): sudo runs allowed commands as another user",
         "name the programs that it may run"),
        ("allow Bash(python *)", "6 warning",
         "allow Bash(python *): python can run anything: hookkit does not look into a script",
         "name the programs that it may run"),
        ("allow Bash(xargs *)", "6 warning",
         "allow Bash(xargs *): xargs can run anything: its arguments come from another program",
         "name the programs that it may run"),
        # paths
        ("deny Bash(/bin/rm *)", "6 warning",
         "rules ignore a program's path: /bin/rm means rm anywhere",
         "write rm"),
        ("deny Write(etc/passwd)", "7 warning",
         "etc/passwd starts at the repository's root",
         "did you mean /etc/passwd?"),
    ],
)  # fmt: skip
def test_a_doubtful_pattern_is_explained(line: str, place: str, message: str, fix: str) -> None:
    assert said(line) == [(place, message, fix)]


@pytest.mark.parametrize(
    "line",
    [
        "deny Bash(rm -rf *)", "deny Bash(* --force)", r"deny Bash(rm -rf /\*)", "deny Bash(curl * | sh)",
        "deny Bash(git push * +*)", "allow Bash(npm run:*)", "allow Bash(git commit -m *)", "allow Bash(npm test)",
        "allow Bash(python -m pytest *)", "deny Bash(sudo *)", "deny Write(.env*)", "allow Write(src/*)",
        "allow Write(/tmp/**)", "deny Read(~/.ssh/*)", "allow Read(*)", "deny Delete(~)", "deny Delete(.)",
        "deny Bash(rm -rf ~)", "allow mentu_commit(*)", "allow Task(executor)", "ask mcp__github__*",
        "deny WebFetch(domain:*.example.com)", "deny WebFetch(*secret*)", "deny Agent(model:opus)", "deny *", "deny ",
        "ask Skill(deploy *)", "deny Write|Edit(*.pem)", 'deny Bash(git commit -m "a b")', "deny Bash(env *)",
    ],
)  # fmt: skip
def test_an_ordinary_pattern_is_left_alone(line: str) -> None:
    assert said(line) == []


SHIPPED = [f"{row['type']} {row['match']}" for row in RULES]
SHIPPED += [f"unless {match}" for row in RULES for match in row.get("unless", [])]


def test_the_policy_that_ships_has_no_dead_rule() -> None:
    remarks = [(line, *remark) for line in dict.fromkeys(SHIPPED) for remark in said(line)]
    assert [(line, message) for line, place, message, _ in remarks if "error" in place] == []


NEVER, COVERS = "has no effect", "covers it, and the stricter rule wins"


def said_together(*lines: str) -> list[str]:
    rules = []
    for line in lines:
        actors, _, rest = line.rpartition(": ") if line.startswith("@") else ("", "", line)
        rules.append(rule(rest, actors[1:].split(",") if actors else None))
    return [f"{each.severity}: {each.message}" for each in shadows(rules)]


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
    assert said_together(*lines) == expected


def test_the_policy_that_ships_says_nothing_twice() -> None:
    rules = [rule(f"{row['type']} {row['match']}") for row in RULES]
    for each, row in zip(rules, RULES, strict=True):
        each.spares = "unless" in row
    assert [str(each) for each in shadows(rules)] == []


def test_a_rule_with_exceptions_leaves_something_of_another() -> None:
    strict, loose = rule("deny Bash(git *)"), rule("allow Bash(git status)")
    strict.spares = True
    assert [*shadows([strict, loose])] == []


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

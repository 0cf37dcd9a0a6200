"""The quick look: it may only spare the engine where the engine would have no opinion."""

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hookkit.policy.call import Call
from hookkit.policy.judge import decide
from hookkit.policy.quick import READERS, is_quiet
from hookkit.policy.rules import compile_rules

PROJECT, HOME = "/home/u/project", "/home/u"
OWN = [
    {"type": "deny", "match": "Read(vault/*)"},
    {"type": "deny", "match": "Read(~/project/deep/keys/**)"},
    {"type": "deny", "match": "Write(*.lock)"},
    {"type": "ask", "match": "Bash(ls -R *)"},
    {"type": "deny", "match": "Bash(cat * | tee *)"},
    {"type": "ask", "match": "Read(//srv/**/token)"},
    {"type": "deny", "match": "Read(/srv/tree/**)"},
    {"type": "deny", "match": "Bash(kubectl -n prod apply *)"},
    {"type": "deny", "match": "Bash(foo ~/x)"},
    {"type": "deny", "match": "Bash(foo 2)"},
]
POLICIES = [
    compile_rules({}),
    compile_rules({"rules": OWN}),
    compile_rules({"rules": OWN, "policy.base": False}),
    compile_rules({"rules": [{"type": "deny", "match": "Delete(vault)"}], "policy.base": False}),
]
WATCH = (POLICIES[0]["watch"] or {})["programs"]
PROGRAMS = sorted({word for shelf in WATCH.values() for word in shelf.split()} - {"*"})
FILES = [
    ".env", "vault", "vault/x", "../.ssh/id_rsa", "/home/u/.ssh/id_rsa", "/home/u/.aws", "..", "/", "/home", "deep",
    "src/a.py", "package.lock", "'a b'", '"*.py"', "'.e*'", "/etc/shadow", "x/../.env", "/srv/a/token", ".git/config",
    "keys", "''", "hookkit.toml", "master.key",
]  # fmt: skip
OTHERS = ["-f", "--force", "-rf", ".", "status", "a=b", "/bin/rm", "env", "-r", "-R", "--", "-x", "-o.env", "-oy.lock",
          "--file=.env", "-A", "3", "2>&1", ">/dev/null", "> /dev/null", "2>x", "&&", "||", "|", ";", "\n", "cd",
          "'x;y'", "-n", "1,20p", "'1,20w x'", "git", "diff", "foo", "~", "$x", "'$x'", "#", "(", "&", "!", "\\",
          "LD_PRELOAD=./x"]  # fmt: skip
words = st.sampled_from(sorted(READERS) * 3 + PROGRAMS) | st.sampled_from(FILES) | st.sampled_from(OTHERS)
lines = st.lists(words | st.text("ab-/.= ", max_size=4), max_size=9).map(" ".join)


@settings(max_examples=1_500, deadline=None)
@given(lines)
@example("foo .env")  # an unknown program may show or change the file
@example("foo /home/u/.ssh/id_rsa")
@example("cd .. && cat .ssh/id_rsa")
@example("cd vault; cat x")
@example("cd deep && grep -r x .")
@example("grep -r x ..")
@example("grep -- -x .env")
@example("grep -f .env x")
@example("sed -n '1,20w .env' x")
@example("sort --compress-program=x y")
@example("alias ls=rm; ls -rf /")
@example("echo 'rm -rf /' | sh")
@example("cat x | tee y")
@example("uniq a b.lock")
@example("sed -n p -e '1e rm -rf /' x")
@example("sed -n 1p --expression='1e rm -rf /' x")
@example("grep - .env")
@example("grep --expression=x .env")
@example("rm -rf vault")
@example("GIT push --force")
@example("kubectl -nprod apply x")
@example("kubectl --namespace=prod apply x")
@example("foo /home/u/x")
@example("foo ''2>&1")
@example("cat x | go")
@example("tmux cat .ssh")
@example("for x in a")
@example("nl -- -H")
@example("kill -9 -1")
@example("foo /srv/tree")  # a rule about everything below a directory is about the directory
def test_a_quiet_line_is_one_that_the_engine_is_quiet_about(line: str) -> None:
    for policy in POLICIES:
        if is_quiet(line, policy["watch"], PROJECT, HOME):
            call = Call("Bash", {"command": line}, cwd=PROJECT, project=PROJECT, home=HOME)
            assert decide(policy, call, "").verdict is None, line


@pytest.mark.parametrize(
    "line",
    [
        "ls -la",
        "git status --short",
        "npm test",
        "make build",
        "pytest -q tests/a.py",
        "go vet ./...",
        "cd api && pytest -q 2>&1 | tail -20",
        "grep -rn 'class A' src | head -20; wc -l src/a.py",
        "sed -n '1,200p' src/a.py",
        "git log --oneline --format='%h %s' | grep -v wip > /dev/null",
        "nl -ba lib/x/y.py | sed -n '10,20p'",
        'echo "done: rm is not run"',
    ],
)
def test_everyday_lines_are_quiet(line: str) -> None:
    assert is_quiet(line, POLICIES[0]["watch"], PROJECT, HOME)


def test_nothing_is_quiet_where_a_rule_is_about_every_command() -> None:
    policy = compile_rules({"policy.base": False, "rules": [{"type": "deny", "match": "Bash(* --force)"}]})
    assert not is_quiet("ls -la", policy["watch"], PROJECT, HOME)


@pytest.mark.parametrize("match", ["Read(*)", "Write(!src/**)", "Read(.)", "Edit(~)"])
def test_no_file_is_quiet_where_a_rule_may_be_about_any_file(match: str) -> None:
    policy = compile_rules({"policy.base": False, "rules": [{"type": "deny", "match": match}]})
    assert is_quiet("git status", policy["watch"], PROJECT, HOME)
    assert not is_quiet("cat a.py", policy["watch"], PROJECT, HOME)
    assert not is_quiet("foo a.py", policy["watch"], PROJECT, HOME)


def test_a_link_is_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "h" / ".ssh").mkdir(parents=True)
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "notes").symlink_to(tmp_path / "h" / ".ssh" / "id_rsa")
    (tmp_path / "p" / "docs").symlink_to(tmp_path / "h" / ".ssh")
    project, home = str(tmp_path / "p"), str(tmp_path / "h")
    assert is_quiet("cat plain", POLICIES[0]["watch"], project, home)
    assert not is_quiet("cat notes", POLICIES[0]["watch"], project, home)
    assert not is_quiet("cd docs && cat id_rsa", POLICIES[0]["watch"], project, home)


def test_a_chain_of_moves_is_no_work() -> None:
    """Each `cd` doubles the directories that a later command may run in, so a few of them end the look."""
    assert not is_quiet("cd a; " * 28 + "ls", POLICIES[0]["watch"], PROJECT, HOME)
    assert is_quiet("cd a; cd a; ls", POLICIES[0]["watch"], PROJECT, HOME)


@pytest.mark.parametrize("line", ["cat -", "go -o v", "loop rev apply", "rev ''", "ls"])
def test_nothing_is_quiet_among_the_files_of_a_rule(line: str) -> None:
    assert not is_quiet(line, POLICIES[0]["watch"], f"{HOME}/.ssh", HOME)


def test_a_name_with_a_line_break_hides_no_program() -> None:
    """The tables are lines: a rule of an untrusted project could add a line before that of a shipped rule."""
    rules = [
        {"type": "ask", "match": 'Bash("g\ngit" zzz)'},
        {"type": "ask", "match": 'Bash(git "log\ngit" zzz)'},
        {"type": "ask", "match": 'Bash(mytool "a b")'},
    ]
    watch = compile_rules({"rules": rules})["watch"]
    for line in ("git push --force origin main", "git zzz", 'mytool "a b"', "git commit -m x"):
        assert not is_quiet(line, watch, "/srv/p", "/home/u"), line

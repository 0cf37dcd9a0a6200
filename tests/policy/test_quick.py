"""The quick look: it may only spare the engine where the engine would have no opinion."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hookkit.policy.call import Call
from hookkit.policy.decide import decide
from hookkit.policy.quick import is_quiet
from hookkit.policy.rules import compile_rules

PROJECT = "/home/u/project"
POLICY = compile_rules({})
WATCH = POLICY["watch"] or {}
PROGRAMS = sorted({word for key, words in WATCH.items() for word in (key, *(words or []))})
OTHERS = [
    "ls",
    "x",
    "-f",
    "--force",
    "-rf",
    "/",
    "..",
    ".",
    "status",
    "a=b",
    "/bin/rm",
    "env",
    "LD_PRELOAD=./x",
    ".env",
    "hookkit.toml",
    "master.key",
]
words = st.sampled_from([*PROGRAMS, *OTHERS])
commands = st.lists(words | st.text("ab-/.= ", max_size=4), max_size=6).map(" ".join)


@settings(max_examples=600, deadline=None)
@given(commands)
def test_a_quiet_command_is_one_that_the_engine_is_quiet_about(command: str) -> None:
    if is_quiet(command, POLICY["watch"]):
        call = Call("Bash", {"command": command}, cwd=PROJECT, project=PROJECT, home="/home/u")
        verdict = decide(POLICY, call, "")
        assert verdict.verdict is None, command


def test_everyday_commands_are_quiet() -> None:
    for command in ("ls -la", "git status --short", "npm test", "make build", "pytest -q tests/a.py", "go vet ./..."):
        assert is_quiet(command, POLICY["watch"]), command


def test_nothing_is_quiet_where_a_rule_is_about_every_command() -> None:
    policy = compile_rules({"policy.base": False, "rules": [{"type": "deny", "match": "Bash(* --force)"}]})
    assert not is_quiet("ls -la", policy["watch"])
